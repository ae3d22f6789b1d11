internal import AtollObjects
internal import AtollQuery

/// A condition for the values of a collection, in the query language: `self` is the value.
///
/// The values are asked as the only property of objects in memory, so that a condition means the same
/// as for a property of that type.
struct ValueFilter: Hashable {
  /// The name of the value in conditions, also in capitals.
  static let name = "self"
  private static let className = "Value"

  private let predicate: QuerySyntax.Predicate
  private let arguments: [_StoredValue]

  /// Takes a condition whose only name is `self`.
  ///
  /// - Parameters:
  ///   - request: The condition, without steps behind it.
  ///   - text: What errors show; nil where the condition was no text.
  ///   - arguments: What it has no literals for.
  ///   - type: The type of the values.
  /// - Throws: `QueryError` for what cannot be asked of the values; `Realm.Error` with the code
  ///   `invalidInput` for steps behind the condition, and for values that may be links.
  init(
    _ request: QuerySyntax.Request, _ text: String?, _ arguments: [_StoredValue],
    on type: _StoredType
  ) throws {
    guard request.descriptors.isEmpty, request.grouping == nil else {
      throw Realm.Error(
        .invalidInput,
        "a query of a collection of values is a condition, without SORT, DISTINCT, LIMIT or GROUP: "
          + "use sorted(ascending:) and distinct()")
    }
    guard type.type != .mixed else {
      throw Realm.Error(
        .invalidInput,
        "values of type AnyRealmValue have no conditions: use filter { } of an array of them")
    }
    predicate = Self.named(request.predicate)
    self.arguments = arguments
    _ = try AtollQuery.Query(
      QuerySyntax.Request(predicate), text: text, on: Self.className,
      in: Self.database(type).snapshot().schema, arguments: arguments)
  }

  /// Finds the values that pass, in their order.
  ///
  /// - Throws: `ObjectError` when the memory is used up.
  /// - Complexity: O(n) in the values.
  func passing(_ values: [_StoredValue], _ type: _StoredType) throws -> [_StoredValue] {
    guard !values.isEmpty else { return [] }
    let transaction = try Self.database(type).beginWrite()
    defer { transaction.cancel() }
    var places: [ObjectKey: Int] = [:]
    for (place, value) in values.enumerated() {
      places[try transaction.create(Self.className, [Self.name: value])] = place
    }
    let query = try AtollQuery.Query(
      QuerySyntax.Request(predicate), on: Self.className, in: transaction.schema,
      arguments: arguments)
    return try query.results(in: transaction).keys.compactMap { places[$0] }.sorted()
      .map { values[$0] }
  }

  /// A database without objects, of the class that has values of a type.
  private static func database(_ type: _StoredType) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          className,
          properties: [PropertySchema(name, type.type, isOptional: type.isOptional)]))
    }
    return database
  }

  // MARK: Names

  /// The condition with `self` for each spelling of it.
  private static func named(_ predicate: QuerySyntax.Predicate) -> QuerySyntax.Predicate {
    switch predicate {
    case .and(let terms): return .and(terms.map { named($0) })
    case .or(let terms): return .or(terms.map { named($0) })
    case .not(let inner): return .not(named(inner))
    case .comparison(var comparison):
      comparison.left = named(comparison.left)
      comparison.right = named(comparison.right)
      return .comparison(comparison)
    case .between(var between):
      between.operand = named(between.operand)
      return .between(between)
    case .text, .geoWithin, .true, .false: return predicate
    }
  }

  private static func named(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    switch expression {
    case .property(var reference):
      if case .property(let word)? = reference.path.steps.first?.value, word.lowercased() == name {
        reference.path.steps[0].value = .property(name)
      }
      return .property(reference)
    case .arithmetic(var arithmetic):
      arithmetic.first = named(arithmetic.first)
      for index in arithmetic.rest.indices {
        arithmetic.rest[index].operand = named(arithmetic.rest[index].operand)
      }
      return .arithmetic(arithmetic)
    default: return expression
    }
  }
}
