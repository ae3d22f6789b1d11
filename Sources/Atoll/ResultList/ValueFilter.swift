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
    predicate = ValueReading(type, arguments).read(request.predicate)
    self.arguments = arguments
    do {
      _ = try AtollQuery.Query(
        QuerySyntax.Request(predicate), text: text, on: Self.className,
        in: Self.database(type).snapshot().schema, arguments: arguments)
    } catch let error as QueryError {
      throw error.hinting("a value of the collection is SELF, and has no properties")
    }
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
}

/// Reads a condition for values as one for objects with a property of their type.
private struct ValueReading {
  private let arguments: [_StoredValue]
  private let booleans: BooleanSpellings

  init(_ type: _StoredType, _ arguments: [_StoredValue]) {
    self.arguments = arguments
    booleans = BooleanSpellings(
      nameOfBoolean: type.type == .bool ? ValueFilter.name : nil, arguments: arguments)
  }

  /// The condition with the name of the value for each spelling of it.
  func read(_ predicate: QuerySyntax.Predicate) -> QuerySyntax.Predicate {
    switch predicate {
    case .and(let terms): return .and(terms.map { read($0) })
    case .or(let terms): return .or(terms.map { read($0) })
    case .not(let inner): return .not(read(inner))
    case .comparison(var comparison):
      comparison.left = read(comparison.left)
      comparison.right = read(comparison.right)
      booleans.read(&comparison)
      return .comparison(comparison)
    case .between(var between):
      between.operand = read(between.operand)
      return .between(between)
    case .text(var search):
      search.operand = read(search.operand)
      return .text(search)
    case .geoWithin(var test):
      test.property.path = read(test.property.path)
      return .geoWithin(test)
    case .true, .false: return predicate
    }
  }

  private func read(_ expression: QuerySyntax.Expression) -> QuerySyntax.Expression {
    switch expression {
    case .property(var reference):
      reference.path = read(reference.path)
      return .property(reference)
    case .aggregate(var aggregate):
      aggregate.path = read(aggregate.path)
      return .aggregate(aggregate)
    case .subquery(var subquery):
      subquery.value.source = read(subquery.value.source)
      return .subquery(subquery)
    case .arithmetic(var arithmetic):
      arithmetic.first = read(arithmetic.first)
      for index in arithmetic.rest.indices {
        arithmetic.rest[index].operand = read(arithmetic.rest[index].operand)
      }
      return .arithmetic(arithmetic)
    case .literal, .list, .argument: return expression
    }
  }

  private func read(_ path: QuerySyntax.Path) -> QuerySyntax.Path {
    guard let word = firstName(path), word.lowercased() == ValueFilter.name else { return path }
    var path = path
    path.steps[0].value = .property(ValueFilter.name)
    return path
  }

  private func firstName(_ path: QuerySyntax.Path) -> String? {
    switch path.steps.first?.value {
    case .property(let name): return name
    case .keyPathArgument(let number) where arguments.indices.contains(number):
      guard case .string(let name) = arguments[number] else { return nil }
      return name
    default: return nil
    }
  }
}
