// What `create`, `set` and `value` do, for callers that have the columns already: the class is
// found by its number, and no name is looked up.

extension Transaction {
  /// Makes an object of a class that is not embedded, or changes the one with its primary key.
  ///
  /// - Precondition: each column is there once.
  /// - Parameters:
  ///   - id: The number of the class.
  ///   - values: What the object is to hold.
  ///   - isUpdating: Whether an object that has the primary key among `values` is changed; else it
  ///     is refused.
  /// - Returns: the object's key, and whether it was made.
  /// - Throws: as `create(_:_:)` and `upsert(_:primaryKey:_:)`; nothing was made or changed then.
  package func create(table id: UInt32, _ values: [(Column, Value)], isUpdating: Bool = false)
    throws(ObjectError) -> (key: ObjectKey, isNew: Bool)
  {
    let writer = try writer(id: id)
    // An embedded class has no primary key, so an update of it is refused below.
    guard isUpdating || !writer.schema.isEmbedded else {
      throw .embeddedObjectHasOwner(className: writer.schema.name)
    }
    var fitted = values
    for index in fitted.indices {
      fitted[index].1 = try fit(fitted[index].1, fitted[index].0, writer)
    }
    if isUpdating { return try upsert(writer, fitted) }
    return (try create(writer, fitted), true)
  }

  /// Makes an object of a class that is not embedded from single values, none of which may be a link.
  ///
  /// For many objects: the columns are as the caller keeps them, and what fits as it is is written by
  /// its type.
  ///
  /// - Precondition: each column is there once.
  /// - Parameters:
  ///   - id: The number of the class.
  ///   - columns: The properties that get a value.
  ///   - values: Their values, in the same order.
  /// - Returns: The object's key.
  /// - Throws: as `create(_:_:)`; nothing was made then.
  package func create(table id: UInt32, _ columns: [Column], _ values: consuming [Value])
    throws(ObjectError) -> ObjectKey
  {
    let writer = try writer(id: id)
    guard !writer.schema.isEmbedded else {
      throw .embeddedObjectHasOwner(className: writer.schema.name)
    }
    var fitted = values
    var primaryKey: Value?
    for index in columns.indices {
      if !writer.fitsAsGiven(fitted[index], columns[index]) {
        fitted[index] = try fit(fitted[index], columns[index], writer)
      }
      if columns[index].isPrimaryKey { primaryKey = fitted[index] }
    }
    try checkNew(writer, primaryKey: primaryKey)
    return try make(writer, primaryKey: primaryKey) { key throws(ObjectError) in
      try writer.setSingle(columns, fitted, of: key)
    }
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
