// Counters. The witness of the class hears what is added to an integer; without one it is a change
// like any other.

extension Transaction {
  /// Adds to an integer property; the sum wraps around, and null stays null.
  ///
  /// - Returns: The new value; nil when the property is null.
  /// - Throws: `.noSuchObject`, `.noSuchProperty`, `.noSuchClass`; `.typeMismatch` for a property
  ///   of another type; `.primaryKeyIsFixed`. Nothing was changed then.
  @discardableResult
  public func increment(
    _ className: String, _ key: ObjectKey, _ property: String, by delta: Int64
  ) throws(ObjectError) -> Int64? {
    let writer = try writer(className)
    return try increment(
      writer, key.rawValue, writer.schema.requireColumn(property), by: delta)
  }

  /// The same by the handle of the property.
  @discardableResult
  public func increment(_ key: ObjectKey, _ column: Column, by delta: Int64)
    throws(ObjectError) -> Int64?
  {
    try increment(writer(id: column.table), key.rawValue, column, by: delta)
  }

  @discardableResult
  func increment(_ writer: TableWriter, _ key: UInt64, _ column: Column, by delta: Int64)
    throws(ObjectError) -> Int64?
  {
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: writer.schema.name, property: column.name)
    }
    guard column.layout.value == .int, column.layout.collection == .none else {
      throw .typeMismatch(
        className: writer.schema.name, property: column.name,
        expected: column.layout.description, found: "increment")
    }
    guard let old = try writer.value(key, column) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    guard case .int(let number) = old else { return nil }
    let sum = number &+ delta
    try change { () throws(ObjectError) in
      try set(writer, key, column, .int(sum))
      writer.witness?.didIncrement(column, of: key, by: delta, writer)
    }
    return sum
  }
}
