internal import AtollStorage

// The end of a transaction.

extension TableWriter {
  /// Makes the next commit write the class's record.
  func touch() { isChanged = true }

  /// Writes all changes to pages and gives the class's new record.
  func flush() throws(ObjectError) -> ClassRecord {
    precondition(doomed.isEmpty, "deletions are settled before their class is written")
    try endSelection()
    closeSlots()
    do throws(StorageError) {
      record.rows.root = try rows.flush()
      for (position, slot) in slots.enumerated() {
        if let index = slot.index { record.columns[position].index?.root = try index.flush() }
        if let index = slot.backlinks {
          record.columns[position].backlinks?.root = try index.flush()
        }
        if let index = slot.fullText {
          record.columns[position].fullText?.root = try index.flush()
        }
      }
      for (position, slot) in tableIndexes.enumerated() {
        record.indexes[position].tree.root = try slot.index.flush()
      }
      return record
    } catch { throw .storage(error) }
  }

  /// Whether all objects of `keys`, which ascend, exist in the rows as they were flushed last.
  ///
  /// Cost: a pass over the leaves that hold them.
  func containsAll(_ keys: [UInt64]) throws(ObjectError) -> Bool {
    guard let first = keys.first else { return true }
    do throws(StorageError) {
      let tree = Tree(
        root: record.rows.root, form: MutableRowGroup.form(record.rows.treeID),
        reader: storage.reader)
      var cursor = tree.cursor(from: TreeKey(first))
      var position = 0
      while position < keys.count, let entry = try cursor.next() {
        let rowGroup = try RowGroupPage(tree.leafPage(entry.reference), environment: environment)
        guard rowGroup.rowCount > 0 else { return false }
        let last = rowGroup.key(rowGroup.rowCount - 1)
        while position < keys.count, keys[position] <= last {
          guard rowGroup.row(ofKey: keys[position]) != nil else { return false }
          position += 1
        }
      }
      return position == keys.count
    } catch { throw .storage(error) }
  }

  /// The links that the typed path has set and that were not looked up yet, by column.
  var uncheckedTargets: [(column: Column, targets: [UInt64])] {
    slots.compactMap { slot in
      // SAFETY: as `ColumnSlot` says: one thread uses the writer, and the access, which copies an
      // array of numbers, does not call back.
      let targets = unsafe slot.uncheckedTargets
      return targets.isEmpty ? nil : (slot.column, targets)
    }
  }

  /// The targets of unchecked links were found to exist.
  func forgetUncheckedTargets() {
    // SAFETY: as above; giving up an array of numbers does not call back.
    for slot in slots { unsafe slot.uncheckedTargets = [] }
  }

  /// Gives up every page of the class.
  func removeAll() throws(ObjectError) {
    try endSelection()
    do throws(StorageError) {
      try rows.removeAll { location throws(StorageError) in
        switch location {
        case .nowhere: break
        case .mutable(let leaf): try (leaf as? MutableRowGroup)?.freeExternalValues()
        case .stored(let page):
          try MutableRowGroup(page, layout: layout, environment)
            .freeExternalValues()
        }
      }
      for slot in slots {
        for index in [slot.index, slot.backlinks, slot.fullText] { try index?.removeAll() }
      }
      for slot in tableIndexes { try slot.index.removeAll() }
    } catch { throw .storage(error) }
    foundKey = nil
    forgetGreatestKey()
    isChanged = true
  }
}
