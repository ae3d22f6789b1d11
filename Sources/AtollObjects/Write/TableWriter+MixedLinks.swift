internal import AtollStorage

// Links in values of type mixed: to objects of any class, anywhere in the value.

extension TableWriter {
  /// Keeps the backlinks of a mixed column as a value of the selected object becomes another.
  func keepMixedLinks(_ slot: ColumnSlot, _ old: Value, _ new: Value) throws(StorageError) {
    if let backlinks = slot.backlinks {
      try old.forEachLink { link throws(StorageError) in
        try backlinks.remove(Index.bytes(ofMixedTarget: link), key: selectedKey)
      }
    }
    guard new.containsLink else { return }
    let backlinks = slot.backlinks ?? beginBacklinks(slot)
    try new.forEachLink { link throws(StorageError) in
      try backlinks.insert(Index.bytes(ofMixedTarget: link), key: selectedKey)
    }
  }

  /// Most mixed columns never hold a link: the first one makes the index.
  private func beginBacklinks(_ slot: ColumnSlot) -> MutableIndex {
    let treeID = newTreeID()
    let backlinks = MutableIndex(
      root: .empty, treeID: treeID, transaction: storage, mode: .counted)
    for position in record.columns.indices where record.columns[position].id == slot.column.id {
      record.columns[position].backlinks = ClassRecord.IndexRecord(treeID: treeID, root: .empty)
    }
    slot.beginBacklinks(backlinks)
    touch()
    return backlinks
  }

  /// Whether there may be backlinks of a column.
  func hasBacklinks(_ column: Column) -> Bool { slot(column)?.backlinks != nil }

  /// The objects with links to objects of one class in a mixed column, whose entries are removed.
  ///
  /// `targets`: in ascending order.
  func takeMixedBacklinks(of targets: [UInt64], in table: UInt32, _ column: Column)
    throws(StorageError) -> [TableRemoval.Link]
  {
    guard let backlinks = slot(column)?.backlinks else { return [] }
    var links: [TableRemoval.Link] = []
    for key in targets {
      let bytes = Index.bytes(ofMixedTarget: ObjectLink(table: table, key: key))
      for source in try backlinks.keys(of: bytes) {
        links.append(
          TableRemoval.Link(source: source, column: column.id, table: table, target: key))
        try backlinks.remove(bytes, key: source)
      }
    }
    return links
  }
}
