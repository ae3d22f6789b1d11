internal import AtollStorage

// Deletions of one class; what goes with them in other classes is the business of `Transaction`.

extension TableWriter {
  /// Hears of the targets whose links are about to be taken out of a property, and what it holds.
  typealias WillClear = (
    _ targets: Set<ObjectLink>, Value, _ source: UInt64, Column
  ) throws(ObjectError) -> Void

  /// Takes deleted objects, in ascending order, out of the column's backlinks, and gives the links
  /// to them that objects which stay still hold.
  ///
  /// `table`: the class of the deleted objects.
  func removeBacklinks(of targets: [UInt64], in table: UInt32, _ column: Column)
    throws(ObjectError) -> [TableRemoval.Link]
  {
    guard let backlinks = slot(column)?.backlinks else { return [] }
    var links: [TableRemoval.Link] = []
    do throws(StorageError) {
      guard column.layout.value == .link else {
        links = try takeMixedBacklinks(of: targets, in: table, column)
        return withoutDoomed(links)
      }
      let integers = targets.lazy.map { $0.orderedSigned }
      try backlinks.forEachGroup(ofInts: integers) { integer, sources in
        let target = integer.orderedUnsigned
        for source in sources {
          links.append(
            TableRemoval.Link(source: source, column: column.id, table: table, target: target))
        }
      }
      for link in links {
        try backlinks.removeInt(link.target.orderedSigned, key: link.source)
      }
    } catch { throw .storage(error) }
    return withoutDoomed(links)
  }

  private func withoutDoomed(_ links: [TableRemoval.Link]) -> [TableRemoval.Link] {
    if !links.isEmpty { touch() }
    return doomed.isEmpty ? links : links.filter { !doomed.contains($0.source) }
  }

  /// Removes rows with all entries of theirs, and clears links to deleted objects, leaf by leaf.
  ///
  /// `willClear`: hears of the targets whose links are about to be taken out of a collection, or of
  /// a property that waits for them, and what it holds. The witness does not: links by address
  /// stay, or it heard of the deletion.
  func carryOut(_ removal: TableRemoval, willClear: WillClear) throws(ObjectError) {
    try endSelection()
    closeSlots()
    touch()
    if let last = removal.keys.last { forgetGreatestKey(last) }
    var key = 0
    var link = 0
    // A leaf of which so much changed is worth encoding even if it should change again; not the
    // last one, which is all there is when objects are deleted one by one with other work between.
    var isWorthStoring = false
    while let next = Self.least(removal, key, link) {
      do {
        if isWorthStoring { try rows.storeLast() }
        let rowGroup = Self.builder(of: try rows.mutableLeaf(for: TreeKey(next)))
        let rowCount = rowGroup.rowCount
        let upper = try rows.locateWithBound(TreeKey(next)).upper
        let linkCount = removal.linkCount(from: link, below: upper)
        let keyCount = removal.keyCount(from: key, below: upper)
        try clear(link..<link + linkCount, of: removal, in: rowGroup, willClear)
        try remove(removal.keys[key..<key + keyCount], from: rowGroup, removal)
        link += linkCount
        key += keyCount
        isWorthStoring = (keyCount + linkCount) * 16 >= rowCount
      } catch {
        throw ObjectError(any: error, className: schema.name)
      }
    }
  }

  /// The smallest key of which anything is left to do.
  private static func least(_ removal: TableRemoval, _ key: Int, _ link: Int) -> UInt64? {
    let key = key < removal.keys.count ? removal.keys[key] : nil
    let source = link < removal.links.count ? removal.links[link].source : nil
    guard let key, let source else { return key ?? source }
    return min(key, source)
  }

  // MARK: Links

  private func clear(
    _ range: Range<Int>, of removal: TableRemoval, in rowGroup: RowGroupBuilder,
    _ willClear: WillClear
  ) throws {
    let links = removal.links[range]
    // The column of the links before, which is mostly that of the next too.
    var known: (column: Column, builder: ColumnBuilder)?
    var start = links.startIndex
    while start < links.endIndex {
      let first = links[start]
      var end = start + 1
      while end < links.endIndex, links[end].isInSameProperty(first) { end += 1 }
      defer { start = end }
      if known?.column.id != first.column {
        known = try schema.columns.first { $0.id == first.column }
          .map { (column: $0, builder: try rowGroup.column($0.id)) }
      }
      guard let known, let row = rowGroup.row(ofKey: first.source) else { continue }
      if known.builder.isCollection || known.column.layout.value == .mixed {
        let targets = Set(links[start..<end].map(\.link))
        try clear(targets, known.column, row, first.source, in: rowGroup, willClear)
      } else if UInt64(bitPattern: known.builder.values.ints[row]) == first.target {
        if !removal.waitingColumns.isEmpty, removal.waitingColumns.contains(first.column) {
          try willClear([first.link], .link(first.link), first.source, known.column)
        }
        known.builder.values.setNull(row)
      }
      recordChange(known.column.id, of: first.source)
    }
  }

  /// Takes targets out of a collection, or a mixed value.
  private func clear(
    _ targets: Set<ObjectLink>, _ column: Column, _ row: Int, _ source: UInt64,
    in rowGroup: RowGroupBuilder, _ willClear: WillClear
  ) throws {
    let old = try rowGroup.value(column.id, row)
    try willClear(targets, old, source, column)
    let builder = try rowGroup.column(column.id)
    let isMixed = column.layout.value == .mixed
    if !isMixed, builder.isCollection, let list = try builder.openList(row, store: rowGroup.store) {
      let elements = try list.elements(0..<list.count)
      for index in elements.indices.reversed() {
        guard let link = elements[index].link, targets.contains(link) else { continue }
        if column.layout.collection == .map {
          try list.set(index, .null)
        } else {
          try list.remove(at: index)
        }
      }
      return
    }
    let (new, removedCount) =
      isMixed
      ? old.clearingLinks { targets.contains($0) }
      : old.removingLinks { targets.contains($0) }
    if isMixed {
      try unlistMerged(old, besides: targets, removedCount, new, source, column)
    }
    let byteCount = Self.byteCount(new, column)
    if byteCount > ExternalValue.maximumInlineByteCount {
      try rowGroup.makeRoom(for: byteCount, in: column.id)
    }
    try builder.set(row, new)
  }

  /// Takes the links of members that have come to equal others out of the backlinks.
  ///
  /// `removedCount`: how many links to `targets` the old value had.
  private func unlistMerged(
    _ old: Value, besides targets: Set<ObjectLink>, _ removedCount: Int, _ new: Value,
    _ source: UInt64, _ column: Column
  ) throws(StorageError) {
    let (before, after) = (old.links, new.links)
    guard before.count - removedCount > after.count, let backlinks = slot(column)?.backlinks else {
      return
    }
    var stayed: [ObjectLink: Int] = [:]
    for link in after { stayed[link, default: 0] += 1 }
    for link in before where !targets.contains(link) {
      if let count = stayed[link], count > 0 {
        stayed[link] = count - 1
      } else {
        try backlinks.remove(Index.bytes(ofMixedTarget: link), key: source)
      }
    }
  }

  // MARK: Rows

  func remove(
    _ keys: ArraySlice<UInt64>, from rowGroup: RowGroupBuilder, _ removal: TableRemoval
  ) throws {
    var found: [Int] = []
    found.reserveCapacity(keys.count)
    for key in keys {
      if let row = rowGroup.row(ofKey: key) { found.append(row) }
    }
    guard !found.isEmpty else { return }
    if !tableIndexes.isEmpty { try unlist(found, in: rowGroup) }
    for slot in slots {
      if let index = slot.index { try unlist(found, slot, in: rowGroup, from: index) }
      if let index = slot.fullText {
        for row in found {
          try index.replaceTokens(
            of: rowGroup.value(slot.column.id, row), with: .null, key: rowGroup.key(row))
        }
      }
      if let backlinks = slot.backlinks, slot.column.layout.value == .mixed {
        for row in found {
          try rowGroup.value(slot.column.id, row).forEachLink { link throws(StorageError) in
            if removal.deletedTargets[link.table]?.contains(link.key) ?? false { return }
            try backlinks.remove(Index.bytes(ofMixedTarget: link), key: rowGroup.key(row))
          }
        }
      } else if let backlinks = slot.backlinks {
        let deleted = removal.deletedTargets[slot.column.layout.linkTable] ?? DeletedKeys()
        try forEachLink(of: found, slot, in: rowGroup) { source, target throws(StorageError) in
          if !deleted.contains(target) {
            try backlinks.removeInt(target.orderedSigned, key: source)
          }
        }
      }
    }
    try rowGroup.removeRows(found)
    // The tree drops an empty leaf without encoding it.
    if rowGroup.rowCount == 0 { try rowGroup.freeReleased() }
  }

  /// Takes rows out of a column's index.
  private func unlist(
    _ found: [Int], _ slot: ColumnSlot, in rowGroup: RowGroupBuilder, from index: MutableIndex
  ) throws {
    let values = try rowGroup.column(slot.column.id).values
    for row in found {
      let key = rowGroup.key(row)
      if slot.type == .string, !values.isNull(row), values.bytes.external(row) == nil {
        // SAFETY: the value is not external, so the column, which `values` holds and which does not
        // change here, has its bytes. The index copies them before it does anything else.
        try unsafe index.removeString(values.bytes.bytes(row), key: key)
      } else if let bytes = Index.bytes(of: try rowGroup.value(slot.column.id, row)) {
        try index.remove(bytes, key: key)
      }
    }
  }

  /// Visits the links of some rows of a column.
  private func forEachLink(
    of found: [Int], _ slot: ColumnSlot, in rowGroup: RowGroupBuilder,
    _ body: (_ source: UInt64, _ target: UInt64) throws(StorageError) -> Void
  ) throws {
    guard slot.type == nil else {
      let values = try rowGroup.column(slot.column.id).values
      for row in found where !values.isNull(row) {
        try body(rowGroup.key(row), UInt64(bitPattern: values.ints[row]))
      }
      return
    }
    for row in found {
      for target in try rowGroup.value(slot.column.id, row).links {
        try body(rowGroup.key(row), target.key)
      }
    }
  }
}
