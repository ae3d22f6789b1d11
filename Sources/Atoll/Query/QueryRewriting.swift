internal import AtollQuery

/// Brings a query that was read from text into the words of the file, and its arguments behind
/// those of the queries before it.
struct QueryRewriting {
  /// The class that the query asks; nil: names are those of the file already.
  let type: ClassDescriptor?
  /// What is added to the numbers of arguments.
  let argumentOffset: Int
  /// The arguments of the text, for numbers that stand for booleans.
  var arguments: [_StoredValue] = []
  /// The arguments, as they are numbered before, that are lists as values of their own.
  var wholeLists: Set<Int> = []

  func rewritten(_ request: QuerySyntax.Request) -> QuerySyntax.Request {
    QuerySyntax.Request(
      predicate(request.predicate, on: type), descriptors: request.descriptors.map(descriptor),
      grouping: request.grouping)
  }

  /// A predicate whose arguments stand behind so many others.
  static func shifted(
    _ predicate: QuerySyntax.Predicate, by argumentOffset: Int
  ) -> QuerySyntax.Predicate {
    if argumentOffset == 0 { return predicate }
    return QueryRewriting(type: nil, argumentOffset: argumentOffset).predicate(predicate, on: nil)
  }

  private func descriptor(_ descriptor: QuerySyntax.Descriptor) -> QuerySyntax.Descriptor {
    switch descriptor {
    case .sort(let keys):
      .sort(keys.map { .init(path($0.path, on: type).path, isAscending: $0.isAscending) })
    case .distinct(let paths): .distinct(paths.map { path($0, on: type).path })
    case .limit: descriptor
    }
  }

  private func predicate(
    _ predicate: QuerySyntax.Predicate, on type: ClassDescriptor?
  ) -> QuerySyntax.Predicate {
    switch predicate {
    case .and(let terms): return .and(terms.map { self.predicate($0, on: type) })
    case .or(let terms): return .or(terms.map { self.predicate($0, on: type) })
    case .not(let inner): return .not(self.predicate(inner, on: type))
    case .comparison(var comparison):
      if let type { BooleanSpellings(descriptor: type, arguments: arguments).read(&comparison) }
      let comparator = comparison.comparator.value
      if !wholeLists.isEmpty, comparator == .equal || comparator == .notEqual {
        comparison.left = asElement(comparison.left)
        comparison.right = asElement(comparison.right)
      }
      comparison.left = expression(comparison.left, on: type)
      comparison.right = expression(comparison.right, on: type)
      return .comparison(comparison)
    case .between(var between):
      between.operand = expression(between.operand, on: type)
      switch between.bounds {
      case .list(let bounds): between.bounds = .list(list(bounds))
      case .argument(let number): between.bounds = .argument(shifted(number))
      }
      return .between(between)
    case .text(var search):
      search.operand = expression(search.operand, on: type)
      search.pattern = expression(search.pattern, on: type)
      return .text(search)
    case .geoWithin(var test):
      test.property.path = path(test.property.path, on: type).path
      test.area.value = area(test.area.value)
      return .geoWithin(test)
    case .true, .false: return predicate
    }
  }

  /// A list argument that is one value as the only element of a list.
  private func asElement(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    guard case .argument(nil, let number) = expression, wholeLists.contains(number.value) else {
      return expression
    }
    let element = QuerySyntax.Located(
      QuerySyntax.Literal.argument(number.value), range: number.range)
    return .list(
      QuerySyntax.ListLiteral(
        .init([element], range: number.range), quantifier: .init(.any, range: number.range)))
  }

  private func expression(
    _ expression: QuerySyntax.Expression, on type: ClassDescriptor?
  ) -> QuerySyntax.Expression {
    switch expression {
    case .literal(var literal):
      literal.value = self.literal(literal.value)
      return .literal(literal)
    case .list(let elements): return .list(list(elements))
    case .argument(let quantifier, let number): return .argument(quantifier, shifted(number))
    case .property(var reference):
      reference.path = path(reference.path, on: type).path
      return .property(reference)
    case .aggregate(var aggregate):
      let (path, target) = path(aggregate.path, on: type)
      aggregate.path = path
      if let name = aggregate.property, let property = target?.property(name.value) {
        aggregate.property = .init(property.columnName, range: name.range)
      }
      return .aggregate(aggregate)
    case .subquery(var subquery):
      let (path, target) = path(subquery.value.source, on: type)
      subquery.value.source = path
      subquery.value.predicate = predicate(subquery.value.predicate, on: target)
      return .subquery(subquery)
    case .arithmetic(var arithmetic):
      arithmetic.first = self.expression(arithmetic.first, on: type)
      for index in arithmetic.rest.indices {
        arithmetic.rest[index].operand = self.expression(arithmetic.rest[index].operand, on: type)
      }
      return .arithmetic(arithmetic)
    }
  }

  /// The path, and the class that it leads to as far as that is known.
  private func path(
    _ path: QuerySyntax.Path, on type: ClassDescriptor?
  ) -> (path: QuerySyntax.Path, target: ClassDescriptor?) {
    var path = path
    var target: ClassDescriptor?
    if let type {
      var names = PropertyNames(type)
      path = names.path(path)
      target = names.descriptor
    }
    for (index, step) in path.steps.enumerated() {
      switch step.value {
      case .keyPathArgument(let number):
        path.steps[index].value = .keyPathArgument(number + argumentOffset)
      case .indexArgument(let number):
        path.steps[index].value = .indexArgument(number + argumentOffset)
      case .placeArgument(let number):
        path.steps[index].value = .placeArgument(number + argumentOffset)
      default: break
      }
    }
    return (path, target)
  }

  // MARK: Arguments

  private func shifted(_ number: QuerySyntax.Located<Int>) -> QuerySyntax.Located<Int> {
    .init(number.value + argumentOffset, range: number.range)
  }

  private func list(_ list: QuerySyntax.ListLiteral) -> QuerySyntax.ListLiteral {
    var list = list
    list.elements.value = list.elements.value.map {
      .init(literal($0.value), range: $0.range)
    }
    return list
  }

  private func literal(_ literal: QuerySyntax.Literal) -> QuerySyntax.Literal {
    switch literal {
    case .argument(let number): return .argument(number + argumentOffset)
    case .object(let name, let key):
      guard case .argument(let number) = key.value else { return literal }
      return .object(class: name, key: .init(.argument(number + argumentOffset), range: key.range))
    default: return literal
    }
  }

  private func area(_ area: QuerySyntax.GeoArea) -> QuerySyntax.GeoArea {
    switch area {
    case .argument(let number): return .argument(number + argumentOffset)
    case .shape(.box(let corner, let opposite)): return .shape(.box(point(corner), point(opposite)))
    case .shape(.circle(let center, let radius)):
      return .shape(
        .circle(
          center: point(center), radius: .init(coordinate(radius.value), range: radius.range)))
    case .shape(.polygon(let rings)): return .shape(.polygon(rings.map { $0.map(point) }))
    }
  }

  private func point(_ point: QuerySyntax.GeoPoint) -> QuerySyntax.GeoPoint {
    var point = point
    point.longitude.value = coordinate(point.longitude.value)
    point.latitude.value = coordinate(point.latitude.value)
    return point
  }

  private func coordinate(_ coordinate: QuerySyntax.Coordinate) -> QuerySyntax.Coordinate {
    guard case .argument(let number) = coordinate else { return coordinate }
    return .argument(number + argumentOffset)
  }
}
