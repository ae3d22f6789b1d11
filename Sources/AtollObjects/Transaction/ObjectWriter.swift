/// Writes objects of one class one after the other: for loads and hot loops.
///
/// Select an object by making it or by its key, then set its properties through
/// `Column` handles. Costs tens of nanoseconds a property. The object stays
/// selected whatever else the transaction, or another writer, does in between.
/// The writer belongs to its transaction and to one thread; ask for another
/// after the schema changed.
public final class ObjectWriter {
  private let writer: TableWriter
  private let transaction: Transaction
  /// The selected object; nil when there is none.
  private var key: UInt64?
  /// What the table's writer said when the object was selected there.
  ///
  /// All that works in a class shares that selection.
  private var stamp: UInt64 = 0

  init(_ writer: TableWriter, transaction: Transaction) {
    self.writer = writer
    self.transaction = transaction
  }

  /// The handle of a property.
  public func column(_ name: String) throws(ObjectError) -> Column {
    try writer.schema.requireColumn(name)
  }

  // MARK: Selecting

  /// Makes an object with this integer as its primary key and selects it.
  ///
  /// - Throws: `.duplicatePrimaryKey`, and the object selected before stays so;
  ///   `.missingPrimaryKey` for a class whose primary key is not a required integer.
  @discardableResult
  public func create(primaryKey: Int64) throws(ObjectError) -> ObjectKey {
    guard writer.schema.isKeyedByPrimaryKey, let column = writer.schema.primaryKey else {
      throw .missingPrimaryKey(
        className: writer.schema.name, property: writer.schema.primaryKey?.name ?? "")
    }
    try transaction.checkUse()
    let key = ObjectKey(integerPrimaryKey: primaryKey)
    guard try !writer.contains(key.rawValue) else {
      throw .duplicatePrimaryKey(className: writer.schema.name, value: "\(primaryKey)")
    }
    do throws(ObjectError) {
      try transaction.settleDeletions(beforeReusing: key.rawValue, of: writer)
      try writer.insert(key.rawValue)
      try writer.setInt(column, primaryKey)
      try transaction.resolveWaiting(for: writer, key.rawValue, .int(primaryKey))
    } catch { throw failed(error) }
    remember(key.rawValue)
    return key
  }

  /// Makes an object of a class without primary key and selects it.
  @discardableResult
  public func create() throws(ObjectError) -> ObjectKey {
    guard writer.schema.primaryKey == nil, !writer.schema.isEmbedded else {
      throw .missingPrimaryKey(
        className: writer.schema.name, property: writer.schema.primaryKey?.name ?? "")
    }
    try transaction.checkUse()
    let key = writer.takeKey()
    do throws(ObjectError) { try writer.insert(key) } catch { throw failed(error) }
    remember(key)
    return ObjectKey(rawValue: key)
  }

  /// Selects an object; false when it does not exist, and then none is selected.
  public func select(_ key: ObjectKey) throws(ObjectError) -> Bool {
    self.key = nil
    try transaction.checkUse()
    guard try writer.select(key.rawValue) else { return false }
    remember(key.rawValue)
    return true
  }

  private func remember(_ key: UInt64) {
    self.key = key
    stamp = writer.selectionStamp
  }

  // MARK: Setting

  /// Sets a whole number, in a property of doubles too if that can hold it exactly.
  public func set(_ column: Column, _ value: Int64) throws(ObjectError) {
    if column.layout.value == .double, let double = Double(exactly: value) {
      return try set(column, double)
    }
    guard !column.isPrimaryKey else { throw primaryKeyIsFixed(column) }
    try prepare(column)
    do throws(ObjectError) { try writer.setInt(column, value) } catch { throw failed(error) }
  }

  /// The same for the type that a whole number has in a source text.
  public func set(_ column: Column, _ value: Int) throws(ObjectError) {
    try set(column, Int64(value))
  }

  /// Sets a truth value.
  ///
  /// - Throws: `.noSuchObject` when no object is selected or it was deleted since;
  ///   `.noSuchProperty` for a property of another class, `.typeMismatch` for one of another type;
  ///   `.storage`.
  public func set(_ column: Column, _ value: Bool) throws(ObjectError) {
    try prepare(column)
    do throws(ObjectError) { try writer.setBool(column, value) } catch { throw failed(error) }
  }

  /// Sets a double.
  ///
  /// - Throws: `.typeMismatch` for a property of another type, and what the others throw.
  public func set(_ column: Column, _ value: Double) throws(ObjectError) {
    try prepare(column)
    do throws(ObjectError) { try writer.setDouble(column, value) } catch { throw failed(error) }
  }

  /// Sets a string.
  ///
  /// - Throws: `.valueTooLarge` and what the others throw; the property is as it was then.
  public func set(_ column: Column, _ value: String) throws(ObjectError) {
    guard !column.isPrimaryKey else { throw primaryKeyIsFixed(column) }
    try prepare(column)
    do throws(ObjectError) {
      if !writer.tableIndexes.isEmpty { try writer.checkJointly(.string(value), column) }
      try writer.setString(column, value)
    } catch { throw failed(error) }
  }

  /// Sets a date.
  ///
  /// - Throws: `.typeMismatch` for a property of another type, and what the others throw.
  public func set(_ column: Column, _ value: Timestamp) throws(ObjectError) {
    try prepare(column)
    do throws(ObjectError) { try writer.setDate(column, value) } catch { throw failed(error) }
  }

  /// Sets a to-one link.
  ///
  /// That the object exists is checked at the latest by the commit, which then
  /// throws `.danglingLink`.
  public func set(_ column: Column, linkTo target: ObjectKey) throws(ObjectError) {
    // A link to a deleted object is not to be taken for one from before its deletion.
    if transaction.hasUnsettledDeletions, column.layout.value == .link,
      try transaction.writer(id: column.layout.linkTable).doomed.contains(target.rawValue)
    {
      try transaction.settleDeletions()
    }
    try prepare(column)
    do throws(ObjectError) {
      try writer.setLink(column, target.rawValue)
      if let key {
        try transaction.pending.remove(
          source: ObjectLink(table: writer.schema.id, key: key), column: column.id)
      }
    } catch { throw failed(error) }
  }

  /// Adds to a whole number; the sum wraps around, and null stays null.
  ///
  /// In a synced class what several devices add is summed.
  ///
  /// - Throws: `.typeMismatch` for a property of another type, and what the others throw.
  public func increment(_ column: Column, by delta: Int64) throws(ObjectError) {
    try prepare(column)
    guard let key else { throw .noSuchObject(className: writer.schema.name) }
    try transaction.increment(writer, key, column, by: delta)
    try reselect()
  }

  /// Sees to it that the table's writer has this writer's object selected.
  ///
  /// - Throws: `.noSuchObject` when no object was selected or it was deleted since;
  ///   `.storage(.transactionEnded)`.
  @inline(__always)
  private func prepare(_ column: Column) throws(ObjectError) {
    try transaction.checkUse()
    if stamp != writer.selectionStamp || key == nil { try reselect() }
    guard column.table == writer.schema.id else { throw isOfAnotherClass(column) }
  }

  private func reselect() throws(ObjectError) {
    guard let key, try writer.select(key) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    stamp = writer.selectionStamp
  }

  private func isOfAnotherClass(_ column: Column) -> ObjectError {
    .noSuchProperty(column.name, className: writer.schema.name, nearest: nil)
  }

  private func primaryKeyIsFixed(_ column: Column) -> ObjectError {
    .primaryKeyIsFixed(className: writer.schema.name, property: column.name)
  }

  /// Tells the transaction of an error in the middle of a change; a refusal is before any.
  private func failed(_ error: ObjectError) -> ObjectError {
    if case .storage = error { transaction.fail(error) }
    return error
  }
}
