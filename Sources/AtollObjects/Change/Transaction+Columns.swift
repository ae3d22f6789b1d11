// What `create`, `set` and `value` do, for callers that have the columns already: the class is
// found by its number, and no name is looked up.

extension Transaction {
  /// Makes an object of a class that is not embedded.
  ///
  /// - Precondition: each column is there once.
  /// - Throws: as `create(_:_:)`; nothing was made then.
  package func create(table id: UInt32, _ values: [(Column, Value)]) throws(ObjectError)
    -> ObjectKey
  {
    let writer = try writer(id: id)
    guard !writer.schema.isEmbedded else {
      throw .embeddedObjectHasOwner(className: writer.schema.name)
    }
    return try create(writer, fitted(values, writer))
  }

  /// Makes the object with the primary key among `values`, or changes the one that has it.
  ///
  /// - Precondition: each column is there once.
  /// - Throws: as `upsert(_:primaryKey:_:)`; nothing was made or changed then.
  package func upsert(table id: UInt32, _ values: [(Column, Value)])
    throws(ObjectError) -> (key: ObjectKey, isNew: Bool)
  {
    let writer = try writer(id: id)
    return try upsert(writer, fitted(values, writer))
  }

  private func fitted(_ values: [(Column, Value)], _ writer: TableWriter)
    throws(ObjectError) -> [(Column, Value)]
  {
    var fitted = values
    for index in fitted.indices {
      fitted[index].1 = try fit(fitted[index].1, fitted[index].0, writer)
    }
    return fitted
  }

  /// Sets one property of an object; a collection as a whole.
  ///
  /// - Throws: as `set(_:_:_:_:)`.
  package func set(_ key: ObjectKey, _ column: Column, _ value: Value) throws(ObjectError) {
    let writer = try writer(id: column.table)
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: writer.schema.name, property: column.name)
    }
    guard try writer.contains(key.rawValue) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    let fitted = try fit(value, column, writer)
    try checkOwner(of: fitted, column, writer, key.rawValue)
    try change { () throws(ObjectError) in try set(writer, key.rawValue, column, fitted) }
  }

  /// A value of one object, whatever has been changed; nil when there is no such object.
  package func value(_ key: ObjectKey, _ column: Column) throws(ObjectError) -> Value? {
    if column.layout.mayHoldLinks { try settleDeletions() }
    return try writer(id: column.table).value(key.rawValue, column)
  }

  /// Whether the object exists.
  package func contains(table id: UInt32, _ key: ObjectKey) throws(ObjectError) -> Bool {
    try writer(id: id).contains(key.rawValue)
  }
}
