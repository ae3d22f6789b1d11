public import AtollObjects

/// The objects that a query found, in its order.
///
/// A list of keys and the version they are from: it does not change, and takes 8 bytes an object.
/// Objects are read as they are visited, which throws where the file is damaged: so `forEach`
/// visits them and not a `for` loop, which could only end early. From a transaction, objects that
/// were deleted since are left out.
public struct QueryResults {
  /// The class of the objects, in the version that was read.
  public let table: Table
  /// The keys of the objects in their order, those of objects deleted since included.
  public let keys: [ObjectKey]

  /// Chosen objects, in a given order.
  package init(table: Table, keys: [ObjectKey]) {
    self.table = table
    self.keys = keys
  }

  /// The number of keys; objects deleted since count too.
  public var count: Int { keys.count }
  /// Whether the query found no object.
  public var isEmpty: Bool { keys.isEmpty }

  /// The object at a place of the order.
  ///
  /// - Precondition: `index` is below `count`.
  public func object(at index: Int) throws -> Object? {
    precondition(index >= 0 && index < keys.count, "a place among the results")
    return try table.object(keys[index])
  }

  /// The first object; nil when there is none.
  public func first() throws -> Object? { try keys.isEmpty ? nil : object(at: 0) }

  /// Visits the objects in order.
  ///
  /// - Throws: what `body` throws, and `ObjectError` when the file is damaged.
  public func forEach(_ body: (Object) throws -> Void) throws {
    for key in keys {
      if let object = try table.object(key) { try body(object) }
    }
  }

  /// An aggregate of a property over the objects.
  public func aggregate(_ function: AggregateFunction, of property: String) throws -> Value {
    let column = try table.column(property)
    let type = try AggregateScan.require(function, column, of: table.name)
    var accumulator = Aggregation.Accumulator(function.syntax, type)
    try forEach { accumulator.add(try $0.value(column)) }
    return accumulator.result
  }
}
