/// Writes objects of one class one after the other: for loads and hot loops.
///
/// Select an object by making it or by its key, then set its properties through
/// `Column` handles. Costs tens of nanoseconds a property. The writer belongs to
/// its transaction and to one thread; ask for another after the schema changed.
public struct ObjectWriter {
  private let writer: TableWriter
  private let transaction: Transaction

  init(_ writer: TableWriter, transaction: Transaction) {
    self.writer = writer
    self.transaction = transaction
  }

  /// The handle of a property.
  public func column(_ name: String) throws(ObjectError) -> Column {
    try writer.schema.requireColumn(name)
  }

  /// Makes an object with this integer as its primary key and selects it.
  ///
  /// - Throws: `.duplicatePrimaryKey`; `.missingPrimaryKey` for a class whose primary key is not a
  ///   required integer.
  @discardableResult
  public func create(primaryKey: Int64) throws(ObjectError) -> ObjectKey {
    guard writer.schema.isKeyedByPrimaryKey, let column = writer.schema.primaryKey else {
      throw .missingPrimaryKey(
        className: writer.schema.name, property: writer.schema.primaryKey?.name ?? "")
    }
    let key = ObjectKey(integerPrimaryKey: primaryKey)
    guard try !writer.contains(key.rawValue) else {
      throw .duplicatePrimaryKey(className: writer.schema.name, value: "\(primaryKey)")
    }
    try writer.insert(key.rawValue)
    try writer.setInt(column, primaryKey)
    try transaction.resolveWaiting(for: writer, key.rawValue, .int(primaryKey))
    return key
  }

  /// Makes an object of a class without primary key and selects it.
  @discardableResult
  public func create() throws(ObjectError) -> ObjectKey {
    guard writer.schema.primaryKey == nil, !writer.schema.isEmbedded else {
      throw .missingPrimaryKey(
        className: writer.schema.name, property: writer.schema.primaryKey?.name ?? "")
    }
    let key = writer.takeKey()
    try writer.insert(key)
    return ObjectKey(rawValue: key)
  }

  /// Selects an object; false when it does not exist.
  public func select(_ key: ObjectKey) throws(ObjectError) -> Bool {
    try writer.select(key.rawValue)
  }

  public func set(_ column: Column, _ value: Int64) throws(ObjectError) {
    try requireChangeable(column)
    try writer.setInt(column, value)
  }

  public func set(_ column: Column, _ value: Bool) throws(ObjectError) {
    try writer.setBool(column, value)
  }

  public func set(_ column: Column, _ value: Double) throws(ObjectError) {
    try writer.setDouble(column, value)
  }

  public func set(_ column: Column, _ value: String) throws(ObjectError) {
    try requireChangeable(column)
    try writer.setString(column, value)
  }

  public func set(_ column: Column, _ value: Timestamp) throws(ObjectError) {
    try writer.setDate(column, value)
  }

  /// Sets a to-one link.
  ///
  /// That the object exists is checked at the latest by the commit, which then
  /// throws `.danglingLink`.
  public func set(_ column: Column, linkTo target: ObjectKey) throws(ObjectError) {
    try transaction.forgetWaiting(writer.selectedKey, column)
    try writer.setLink(column, target.rawValue)
  }

  private func requireChangeable(_ column: Column) throws(ObjectError) {
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: writer.schema.name, property: column.name)
    }
  }
}
