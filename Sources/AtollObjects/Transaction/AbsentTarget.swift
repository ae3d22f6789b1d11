internal import AtollStorage

// Which object a property names that links to nothing: one that is not there, by its primary key.

extension Snapshot {
  /// The primary key of the object that a link waits for; nil when it waits for none.
  package func absentTarget(of key: ObjectKey, _ column: Column) throws(ObjectError) -> Value? {
    let record = catalogue.pendingLinks
    guard record.root.entryCount > 0 else { return nil }
    let tree = KeyValueTree(root: record.root, treeID: record.treeID, reader: storage.reader)
    let source = ObjectLink(table: column.table, key: key.rawValue)
    var address: [UInt8]?
    do {
      try tree.forEach(prefix: PendingLinks.bySource + PendingPlace.sourceBytes(source, column.id))
      { (_: [UInt8], target: [UInt8]) in address = target }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    guard let address, address.count > 4 else { return nil }
    var offset = 4
    return try? OrderedKey.decode(address, at: &offset)
  }
}

extension Transaction {
  /// The primary key of the object that a link waits for; nil when it waits for none.
  package func absentTarget(of key: ObjectKey, _ column: Column) throws(ObjectError) -> Value? {
    try settleDeletions()
    return try waiting(ObjectLink(table: column.table, key: key.rawValue), column).first?.target
  }
}
