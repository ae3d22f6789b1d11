extension Transaction {
  /// The greatest key that may be given; those above are left to what is counted on.
  private static let givenKeyLimit: UInt64 = 1 << 62

  /// Makes an object with this key, for what names objects by their keys elsewhere.
  ///
  /// Keys that are given out later lie above it; one that is free below them may be given too.
  /// Where a required integer is the primary key, the key is that one. In a synced class none of
  /// those is free, as objects come back with the keys that they had.
  ///
  /// - Throws: as `create(_:_:)`; `.duplicateKey`, `.invalidKey`; nothing was made then.
  @discardableResult
  public func create(
    _ className: String, key: ObjectKey, _ values: [String: Value] = [:]
  ) throws(ObjectError) -> ObjectKey {
    let writer = try writer(className)
    let table = writer.schema
    guard !table.isEmbedded else { throw .embeddedObjectHasOwner(className: className) }
    var values = values
    if let primaryKey = table.primaryKey, table.isKeyedByPrimaryKey {
      let value = Value.int(key.integerPrimaryKey)
      guard values.updateValue(value, forKey: primaryKey.name) ?? value == value else {
        throw .invalidKey(className: className, key: key)
      }
      return try create(writer, assignments(writer, values))
    }
    guard key.rawValue > 0, key.rawValue <= Self.givenKeyLimit else {
      throw .invalidKey(className: className, key: key)
    }
    guard try !writer.contains(key.rawValue) else {
      throw .duplicateKey(className: className, key: key)
    }
    let assignments = try assignments(writer, values)
    if table.isSynced, let value = assignments.first(where: { $0.0.isPrimaryKey })?.1 {
      // An object that was here before gets the key back that it had.
      let kept = try participant?.keptKey(value, writer)
      guard kept == nil, !writer.hasGivenOut(key.rawValue) else {
        throw .invalidKey(className: className, key: key)
      }
    }
    return try create(writer, assignments, key: key)
  }
}
