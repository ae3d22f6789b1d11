internal import AtollStorage

// The links that wait in one property, of many objects.

extension PendingLinks {
  /// Visits the entries of a tree that wait in a property of the objects with these keys, in order.
  static func visit(
    _ column: Column, of keys: ClosedRange<UInt64>, in tree: KeyValueTree,
    _ body: (_ place: PendingPlace, _ address: [UInt8]) throws(ObjectError) -> Void
  ) throws {
    var table: [UInt8] = Self.bySource
    table.appendBigEndian(column.table)
    let start =
      Self.bySource
      + PendingPlace.sourceBytes(ObjectLink(table: column.table, key: keys.lowerBound), nil)
    try tree.visit(prefix: table, from: start) { (key: [UInt8], address: [UInt8]) in
      guard key.count == 1 + PendingPlace.byteCount else { throw ClassRecord.Malformed() }
      let place = PendingPlace(key[1...])
      guard place.source.key <= keys.upperBound else { return false }
      if place.column == column.id { try body(place, address) }
      return true
    }
  }
}

extension Snapshot {
  package func waitingLinks(_ column: Column, of keys: ClosedRange<UInt64>) throws(ObjectError)
    -> [UInt64: [[UInt8]]]
  {
    let record = catalogue.pendingLinks
    guard record.root.entryCount > 0 else { return [:] }
    let tree = KeyValueTree(root: record.root, treeID: record.treeID, reader: storage.reader)
    var links: [UInt64: [[UInt8]]] = [:]
    do {
      try PendingLinks.visit(column, of: keys, in: tree) { place, address throws(ObjectError) in
        var mapKey: [UInt8] = []
        if column.layout.collection == .map || column.layout.value == .mixed {
          let key = PendingLinks.byTarget + address + place.bytes
          do throws(StorageError) { mapKey = try tree.value(for: key) ?? [] } catch {
            throw .storage(error)
          }
        }
        links[place.source.key, default: []].append(mapKey)
      }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    return links
  }
}
