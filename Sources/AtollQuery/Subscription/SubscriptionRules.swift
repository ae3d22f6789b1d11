package import AtollObjects

/// What a query must be to be a subscription, so that a server can follow it change by change.
///
/// An object is in the view or not by its own properties alone:
///
/// - AND, OR and NOT of comparisons of one property with a constant, IN with a list of constants,
///   BETWEEN, the operators on strings with their marks, and GEOWITHIN.
/// - A list or set of values is compared with one constant, and counted by `@count`.
/// - Nothing is followed, computed, sorted or cut.
package struct SubscriptionRules {
  private let schema: ClassSchema
  private let source: SourceText
  private let isQueryable: (String) -> Bool

  private init(
    _ schema: ClassSchema, _ source: SourceText, _ isQueryable: @escaping (String) -> Bool
  ) {
    self.schema = schema
    self.source = source
    self.isQueryable = isQueryable
  }

  /// What keeps a query from being a subscription; nil when nothing does.
  ///
  /// `request`: what was read from `text`, its canonical text, in which arguments are constants.
  /// `isQueryable`: whether a property may be asked for.
  package static func problem(
    in request: QuerySyntax.Request, text: String, on schema: ClassSchema,
    isQueryable: @escaping (String) -> Bool = { _ in true }
  ) -> SubscriptionProblem? {
    let rules = SubscriptionRules(schema, SourceText(text), isQueryable)
    do throws(SubscriptionProblem) {
      try rules.check(request)
      return nil
    } catch { return error }
  }

  private func check(_ request: QuerySyntax.Request) throws(SubscriptionProblem) {
    if schema.isEmbedded || schema.isAsymmetric {
      let kind = schema.isEmbedded ? "embedded" : "asymmetric"
      throw problem(
        .classCannotBeSubscribed,
        "objects of the \(kind) class '\(schema.name)' cannot be subscribed to", at: 0..<0)
    }
    guard source.bytes.count <= QueryLimits.subscriptionByteCount else {
      throw problem(
        .tooLong(byteCount: source.bytes.count, limit: QueryLimits.subscriptionByteCount),
        "a subscription has at most \(QueryLimits.subscriptionByteCount) bytes of text, "
          + "and this one has "
          + "\(source.bytes.count)", at: 0..<0)
    }
    try check(request.predicate)
    if let descriptor = request.descriptors.first { throw refused(descriptor) }
    if request.grouping != nil { throw refused(clause: "GROUP", at: 0..<0) }
  }

  private func check(_ predicate: QuerySyntax.Predicate) throws(SubscriptionProblem) {
    switch predicate {
    case .true, .false: break
    case .and(let terms), .or(let terms): for term in terms { try check(term) }
    case .not(let inner): try check(inner)
    case .comparison(let comparison): try check(comparison)
    case .between(let between):
      let operand = try side(between.operand)
      if case .argument(let index) = between.bounds { throw argument(at: index.range) }
      if case .constants = operand {
        throw problem(
          .listComparison, "BETWEEN compares one property, not a list", at: between.operand.range)
      }
      _ = try side(between.bounds.expression)
    case .text(let search):
      throw problem(
        .fullTextSearch, "a subscription cannot search with TEXT", at: search.operand.range,
        hint: "use CONTAINS[c] for a part of a string")
    case .geoWithin(let search): try check(search)
    }
  }

  // MARK: Comparisons

  /// One side of a comparison.
  private enum Side {
    case constant
    case constants
    /// A property with one value, or the count of a list.
    case value
    /// A list or set of values.
    case collection
  }

  private func check(_ comparison: QuerySyntax.Comparison) throws(SubscriptionProblem) {
    let left = try side(comparison.left)
    let right = try side(comparison.right)
    let lower = comparison.left.range.lowerBound
    let range = lower..<max(lower, comparison.right.range.upperBound)
    switch (left, right) {
    case (.constant, .constant), (.constant, .value), (.value, .constant), (.constant, .collection),
      (.collection, .constant):
      break
    case (.value, .constants) where comparison.comparator.value == .in:
      guard case .list(let list) = comparison.right, let quantifier = list.quantifier else { break }
      throw problem(
        .listComparison,
        "\(quantifier.value.rawValue) cannot stand before the list of IN in a subscription",
        at: quantifier.range)
    case (.value, .value), (.value, .collection), (.collection, .value):
      throw problem(
        .comparisonOfProperties,
        "a subscription compares a property with a constant, and both sides of "
          + "\(source.quoted(range)) are properties", at: range)
    default:
      throw problem(
        .listComparison,
        "a subscription cannot compare lists as \(source.quoted(range)) does", at: range,
        hint: "write `property IN {1, 2}` or `'value' IN list`")
    }
  }

  private func side(_ expression: QuerySyntax.Expression) throws(SubscriptionProblem) -> Side {
    switch expression {
    case .literal(let literal):
      try check(literal)
      return .constant
    case .list(let list):
      for element in list.elements.value { try check(element) }
      return .constants
    case .argument(_, let index): throw argument(at: index.range)
    case .property(let reference): return try side(reference)
    case .aggregate(let aggregate):
      throw problem(
        .aggregate,
        "a subscription cannot use \(aggregate.function.value.rawValue), only @count of a list",
        at: aggregate.function.range)
    case .subquery(let subquery):
      throw problem(.subquery, "a subscription cannot have a SUBQUERY", at: subquery.range)
    case .arithmetic(let arithmetic):
      throw problem(
        .arithmetic, "a subscription compares a property as it is, without arithmetic",
        at: arithmetic.rest.first?.function.range ?? expression.range)
    }
  }

  private func check(_ literal: QuerySyntax.Located<QuerySyntax.Literal>)
    throws(SubscriptionProblem)
  {
    switch literal.value {
    case .argument: throw argument(at: literal.range)
    case .object:
      throw problem(
        .objectLiteral, "a subscription cannot compare with an object", at: literal.range,
        hint: "keep the primary key of the other object in a property, and compare that")
    default: break
    }
  }

  private func side(_ reference: QuerySyntax.PropertyReference) throws(SubscriptionProblem) -> Side
  {
    let property = try property(reference.path)
    switch reference.suffix?.value {
    case .type:
      throw problem(
        .typeOfValue, "a subscription cannot use @type", at: reference.suffix?.range ?? 0..<0)
    case .count:
      guard property.collection == .list || property.collection == .set else {
        throw problem(
          .countOfNoList(property.name),
          "@count in a subscription counts a list, and '\(schema.name).\(property.name)' is none",
          at: reference.path.range)
      }
      return .value
    case nil: break
    }
    guard property.type != .link, property.collection != .map else {
      let kind = property.collection == .map ? "a map" : "a link"
      throw problem(
        .propertyType(property.name),
        "a subscription cannot compare '\(schema.name).\(property.name)', which is \(kind)",
        at: reference.path.range)
    }
    return property.collection == .none ? .value : .collection
  }

  private func check(_ search: QuerySyntax.GeoWithin) throws(SubscriptionProblem) {
    let property = try property(search.property.path)
    guard property.type == .link, property.collection == .none else {
      throw problem(
        .propertyType(property.name),
        "GEOWITHIN in a subscription needs an embedded point, and "
          + "'\(schema.name).\(property.name)' is none", at: search.property.path.range)
    }
    guard case .shape(let shape) = search.area.value, !shape.hasArguments else {
      throw argument(at: search.area.range)
    }
  }

  /// The property of the object itself that a path is.
  private func property(_ path: QuerySyntax.Path) throws(SubscriptionProblem) -> PropertySchema {
    guard case .property(let name) = path.steps.first?.value else {
      if case .keyPathArgument = path.steps.first?.value { throw argument(at: path.range) }
      throw problem(
        .longPath,
        "a subscription reads properties of the object, and \(source.quoted(path.range)) "
          + "is none", at: path.range)
    }
    guard let property = schema[name] else {
      throw problem(
        .unknownProperty(name), "class '\(schema.name)' has no property '\(name)'", at: path.range,
        hint: NearestName.find(name, among: schema.properties.map(\.name)).map {
          "did you mean '\($0)'?"
        })
    }
    guard path.steps.count == 1 else {
      throw problem(
        .longPath,
        "a subscription reads the object's own properties only, and \(source.quoted(path.range)) "
          + "goes into '\(schema.name).\(name)'", at: path.range)
    }
    guard isQueryable(name) else {
      throw problem(
        .notQueryable(name), "'\(schema.name).\(name)' is not queryable", at: path.range)
    }
    return property
  }

  // MARK: Problems

  private func refused(_ descriptor: QuerySyntax.Descriptor) -> SubscriptionProblem {
    switch descriptor {
    case .sort(let keys): refused(clause: "SORT", at: keys.first?.path.range ?? 0..<0)
    case .distinct(let paths): refused(clause: "DISTINCT", at: paths.first?.range ?? 0..<0)
    case .limit: refused(clause: "LIMIT", at: 0..<0)
    }
  }

  private func refused(clause: String, at range: Range<Int>) -> SubscriptionProblem {
    problem(
      .clause(clause), "a subscription cannot have \(clause)", at: range,
      hint: "subscribe to the objects, and use \(clause) in the query of their results")
  }

  private func argument(at range: Range<Int>) -> SubscriptionProblem {
    problem(.argument, "a subscription has constants in the place of arguments", at: range)
  }

  private func problem(
    _ reason: SubscriptionProblem.Reason, _ message: String, at range: Range<Int>,
    hint: String? = nil
  ) -> SubscriptionProblem {
    SubscriptionProblem(reason, message, in: source, at: range, hint: hint)
  }
}

extension QuerySyntax.GeoShape {
  /// Whether a number of the shape is an argument.
  fileprivate var hasArguments: Bool {
    func isArgument(_ coordinate: QuerySyntax.Located<QuerySyntax.Coordinate>) -> Bool {
      if case .argument = coordinate.value { true } else { false }
    }
    func hasArguments(_ point: QuerySyntax.GeoPoint) -> Bool {
      isArgument(point.longitude) || isArgument(point.latitude)
    }
    return switch self {
    case .box(let corner, let opposite): hasArguments(corner) || hasArguments(opposite)
    case .circle(let center, let radius): hasArguments(center) || isArgument(radius)
    case .polygon(let rings): rings.contains { $0.contains(where: hasArguments) }
    }
  }
}
