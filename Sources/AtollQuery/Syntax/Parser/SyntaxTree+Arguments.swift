extension QuerySyntax {
  /// What takes the place of an argument.
  package enum Constant: Hashable, Sendable {
    case literal(Literal)
    case list([Literal])

    /// The constant as one side of a comparison.
    package var expression: Expression {
      switch self {
      case .literal(let literal): .literal(Located(literal))
      case .list(let elements): .list(ListLiteral(Located(elements.map { Located($0) })))
      }
    }
  }

  /// An argument that cannot stand where the query has it.
  package struct ArgumentProblem: Error, Hashable, Sendable {
    package var message: String
    package var range: Range<Int>

    package init(_ message: String, at range: Range<Int>) {
      self.message = message
      self.range = range
    }
  }
}

extension QuerySyntax.Request {
  /// The same request with constants in the place of arguments.
  ///
  /// `constant`: gives what takes the place of an argument, by its number, for the place in the
  /// text.
  package func replacingArguments(
    with constant: (Int, Range<Int>) throws(QuerySyntax.ArgumentProblem) -> QuerySyntax.Constant
  ) throws(QuerySyntax.ArgumentProblem) -> QuerySyntax.Request {
    try withoutActuallyEscaping(constant) { constant throws(QuerySyntax.ArgumentProblem) in
      try ArgumentReplacement(constant: constant).request(self)
    }
  }
}

/// Puts constants in the place of arguments, part by part.
///
/// Recurses over the tree, which is at most `QueryLimits.depth` deep.
private struct ArgumentReplacement {
  typealias Problem = QuerySyntax.ArgumentProblem
  typealias Located = QuerySyntax.Located

  let constant: (Int, Range<Int>) throws(Problem) -> QuerySyntax.Constant

  func request(_ request: QuerySyntax.Request) throws(Problem) -> QuerySyntax.Request {
    var result = request
    result.predicate = try predicate(request.predicate)
    for index in result.descriptors.indices {
      switch result.descriptors[index] {
      case .limit: break
      case .sort(var keys):
        for key in keys.indices { keys[key].path = try path(keys[key].path) }
        result.descriptors[index] = .sort(keys)
      case .distinct(var paths):
        for place in paths.indices { paths[place] = try path(paths[place]) }
        result.descriptors[index] = .distinct(paths)
      }
    }
    return result
  }

  private func predicate(_ predicate: QuerySyntax.Predicate) throws(Problem)
    -> QuerySyntax.Predicate
  {
    switch predicate {
    case .and(let terms): return .and(try terms.map(self.predicate))
    case .or(let terms): return .or(try terms.map(self.predicate))
    case .not(let inner): return .not(try self.predicate(inner))
    case .comparison(var comparison):
      comparison.left = try expression(comparison.left)
      comparison.right = try expression(comparison.right)
      return .comparison(comparison)
    case .between(var between):
      between.operand = try expression(between.operand)
      switch between.bounds {
      case .list(let list): between.bounds = .list(try self.list(list))
      case .argument(let index):
        guard case .list(let elements) = try constant(index.value, index.range) else {
          throw Problem(
            "BETWEEN needs a list, and argument $\(index.value) is none", at: index.range)
        }
        between.bounds = .list(Self.list(elements, nil, at: index.range))
      }
      return .between(between)
    case .text(var search):
      search.operand = try expression(search.operand)
      search.pattern = try expression(search.pattern)
      return .text(search)
    case .geoWithin(var search):
      search.property = try reference(search.property)
      search.area.value = try area(search.area)
      return .geoWithin(search)
    case .true, .false: return predicate
    }
  }

  private func expression(_ expression: QuerySyntax.Expression) throws(Problem)
    -> QuerySyntax.Expression
  {
    switch expression {
    case .literal(let literal): return .literal(try self.literal(literal))
    case .list(let list): return .list(try self.list(list))
    case .argument(let quantifier, let index):
      switch try constant(index.value, index.range) {
      case .list(let elements): return .list(Self.list(elements, quantifier, at: index.range))
      case .literal(let literal):
        guard let quantifier else { return .literal(Located(literal, range: index.range)) }
        throw Problem(
          "\(quantifier.value.rawValue) needs a list, and argument $\(index.value) is none",
          at: quantifier.range)
      }
    case .property(let reference): return .property(try self.reference(reference))
    case .aggregate(var aggregate):
      aggregate.path = try path(aggregate.path)
      return .aggregate(aggregate)
    case .subquery(var subquery):
      subquery.value.source = try path(subquery.value.source)
      subquery.value.predicate = try predicate(subquery.value.predicate)
      return .subquery(subquery)
    case .arithmetic(var arithmetic):
      arithmetic.first = try self.expression(arithmetic.first)
      for index in arithmetic.rest.indices {
        arithmetic.rest[index].operand = try self.expression(arithmetic.rest[index].operand)
      }
      return .arithmetic(arithmetic)
    }
  }

  private func reference(_ reference: QuerySyntax.PropertyReference) throws(Problem)
    -> QuerySyntax.PropertyReference
  {
    var result = reference
    result.path = try path(reference.path)
    return result
  }

  private func list(_ list: QuerySyntax.ListLiteral) throws(Problem) -> QuerySyntax.ListLiteral {
    var result = list
    for index in result.elements.value.indices {
      result.elements.value[index] = try literal(result.elements.value[index])
    }
    return result
  }

  private static func list(
    _ elements: [QuerySyntax.Literal], _ quantifier: Located<QuerySyntax.Quantifier>?,
    at range: Range<Int>
  ) -> QuerySyntax.ListLiteral {
    QuerySyntax.ListLiteral(
      Located(elements.map { Located($0, range: range) }, range: range), quantifier: quantifier)
  }

  private func literal(_ literal: Located<QuerySyntax.Literal>) throws(Problem)
    -> Located<QuerySyntax.Literal>
  {
    switch literal.value {
    case .argument(let index):
      return Located(try single(index, literal.range), range: literal.range)
    case .object(let className, var key):
      guard case .argument(let index) = key.value else { return literal }
      switch try single(index, key.range) {
      case .int(let number): key.value = .int(number)
      case .string(let text): key.value = .string(text)
      case .objectID(let bytes): key.value = .objectID(bytes)
      case .uuid(let bytes): key.value = .uuid(bytes)
      default: throw Problem("argument $\(index) is no primary key", at: key.range)
      }
      return Located(.object(class: className, key: key), range: literal.range)
    default: return literal
    }
  }

  private func single(_ index: Int, _ range: Range<Int>) throws(Problem) -> QuerySyntax.Literal {
    guard case .literal(let literal) = try constant(index, range) else {
      throw Problem("a single value is needed here, and argument $\(index) is a list", at: range)
    }
    return literal
  }

  // MARK: Paths

  private func path(_ path: QuerySyntax.Path) throws(Problem) -> QuerySyntax.Path {
    var result = path
    for position in path.steps.indices {
      let step = path.steps[position]
      switch step.value {
      case .keyPathArgument(let index):
        guard case .string(let text) = try single(index, step.range) else {
          throw Problem("argument $\(index) is used as a path and must be a string", at: step.range)
        }
        return try QuerySyntax.Path(spelled: text, byArgument: index, at: step.range)
      case .indexArgument(let index):
        switch try single(index, step.range) {
        case .int(let number) where number >= 0: result.steps[position].value = .index(number)
        case .string(let key): result.steps[position].value = .key(key)
        default:
          throw Problem(
            "argument $\(index) is an index and must be a string, or an int from zero on",
            at: step.range)
        }
      case .placeArgument(let index):
        guard case .string(let key) = try single(index, step.range) else {
          throw Problem("argument $\(index) is a key and must be a string", at: step.range)
        }
        result.steps[position].value = key == QuerySyntax.PathStep.wordForAll ? .all : .key(key)
      default: break
      }
    }
    return result
  }

  // MARK: Shapes

  private func area(_ area: Located<QuerySyntax.GeoArea>) throws(Problem) -> QuerySyntax.GeoArea {
    switch area.value {
    case .shape(let shape): return .shape(try self.shape(shape))
    case .argument(let index):
      guard case .string(let text) = try single(index, area.range) else {
        throw Problem("GEOWITHIN needs a shape, and argument $\(index) is none", at: area.range)
      }
      do throws(QuerySyntaxError) { return .shape(try QuerySyntax.parseGeoShape(text)) } catch {
        throw Problem(
          "argument $\(index) is not the text of a shape: \(error.message)", at: area.range)
      }
    }
  }

  private func shape(_ shape: QuerySyntax.GeoShape) throws(Problem) -> QuerySyntax.GeoShape {
    switch shape {
    case .box(let corner, let opposite): return .box(try point(corner), try point(opposite))
    case .circle(let center, let radius):
      return .circle(center: try point(center), radius: try coordinate(radius))
    case .polygon(var rings):
      for ring in rings.indices {
        for index in rings[ring].indices { rings[ring][index] = try point(rings[ring][index]) }
      }
      return .polygon(rings)
    }
  }

  private func point(_ point: QuerySyntax.GeoPoint) throws(Problem) -> QuerySyntax.GeoPoint {
    var result = point
    result.longitude = try coordinate(point.longitude)
    result.latitude = try coordinate(point.latitude)
    return result
  }

  private func coordinate(_ coordinate: Located<QuerySyntax.Coordinate>) throws(Problem)
    -> Located<QuerySyntax.Coordinate>
  {
    guard case .argument(let index) = coordinate.value else { return coordinate }
    let number: NumberText?
    switch try single(index, coordinate.range) {
    case .double(let text), .float32(let text): number = text
    case .int(let value): number = NumberText(Double(value))
    case .decimal(let digits): number = Double(digits).flatMap { NumberText($0) }
    default: number = nil
    }
    guard let number else {
      throw Problem(
        "a coordinate is a number, and argument $\(index) is none", at: coordinate.range)
    }
    return Located(.number(number), range: coordinate.range)
  }
}

extension QuerySyntax.Path {
  /// The path that a key-path argument spells: names with points between, and
  /// `@links.Class.property`.
  init(
    spelled text: String, byArgument index: Int, at range: Range<Int>
  ) throws(QuerySyntax.ArgumentProblem) {
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    steps = []
    var next = 0
    while next < names.count {
      let name = names[next]
      next += 1
      let step: QuerySyntax.PathStep
      switch name {
      case "":
        throw QuerySyntax.ArgumentProblem(
          "argument $\(index) is not a path: '\(text)'", at: range)
      case "@links":
        guard next + 1 < names.count else {
          throw QuerySyntax.ArgumentProblem(
            "class and property names are expected after `@links` in '\(text)'", at: range)
        }
        step = .backlinks(
          origin: QuerySyntax.Located(names[next], range: range),
          property: QuerySyntax.Located(names[next + 1], range: range))
        next += 2
      case "@keys": step = .keys
      case "@values": step = .values
      default: step = .property(name)
      }
      steps.append(QuerySyntax.Located(step, range: range))
    }
  }
}
