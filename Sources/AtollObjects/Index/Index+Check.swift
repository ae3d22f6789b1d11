package import AtollStorage

extension Index {
  /// Walks the whole index and reports every broken rule of its trees, their leaves and branches.
  ///
  /// `isCounted`: whether a pair may occur several times.
  ///
  /// `visit`: sees every pair that the index has, in order, as far as its leaves can be read.
  package func check(
    _ audit: inout Audit, isCounted: Bool = false,
    visit: (_ value: [UInt8], _ key: UInt64) -> Void
  ) {
    var added: [Pair] = []
    var removed: [Pair] = []
    if let delta {
      delta.added.check(&audit, isCounted: isCounted) { added.append($0) }
      delta.removed.check(&audit, isCounted: isCounted) { removed.append($0) }
      checkDistinct(added, removed, &audit)
    }
    var (nextAdded, nextRemoved, repeated, missing) = (0, 0, 0, 0)
    main.check(&audit, isCounted: isCounted) { pair in
      while nextAdded < added.count, added[nextAdded] < pair {
        visit(added[nextAdded].value, added[nextAdded].key)
        nextAdded += 1
      }
      if !isCounted, nextAdded < added.count, added[nextAdded] == pair { repeated += 1 }
      while nextRemoved < removed.count, removed[nextRemoved] < pair {
        missing += 1
        nextRemoved += 1
      }
      if nextRemoved < removed.count, removed[nextRemoved] == pair {
        nextRemoved += 1
      } else {
        visit(pair.value, pair.key)
      }
    }
    for pair in added[nextAdded...] { visit(pair.value, pair.key) }
    missing += removed.count - nextRemoved
    if repeated > 0 {
      audit.report("an index's delta adds what its main tree has (\(repeated) in all)")
    }
    if missing > 0 {
      audit.report("an index's delta removes what its main tree lacks (\(missing) in all)")
    }
  }

  /// No pair is both added and removed.
  private func checkDistinct(_ added: [Pair], _ removed: [Pair], _ audit: inout Audit) {
    var (i, j, count) = (0, 0, 0)
    while i < added.count, j < removed.count {
      if added[i] < removed[j] {
        i += 1
      } else if removed[j] < added[i] {
        j += 1
      } else {
        count += 1
        i += 1
      }
    }
    if count > 0 { audit.report("an index's delta adds what it removes (\(count) in all)") }
  }

  struct Pair: Comparable {
    var value: [UInt8]
    var key: UInt64

    static func < (a: Pair, b: Pair) -> Bool {
      a.value == b.value ? a.key < b.key : a.value.lexicographicallyPrecedes(b.value)
    }
  }
}

extension IndexLayer {
  /// Walks the tree and reports every broken rule of its leaves and branches.
  ///
  /// `visit`: sees every entry, in order, of each leaf that can be read.
  func check(
    _ audit: inout Audit, isCounted: Bool, visit: (Index.Pair) -> Void
  ) {
    tree.check(&audit) { page, audit throws(StorageError) in
      let leaf = try IndexPage(page)
      var contents = IndexLeafContents()
      try contents.load(leaf)
      for index in 0..<contents.valueCount {
        // SAFETY: the index is below the count of values; the contents own the bytes, which are
        // copied at once.
        let value = unsafe [UInt8](contents.value(index))
        let entries = contents.entries(ofValue: index)
        for entry in entries {
          let key = leaf.key(entry)
          if !isCounted, entry > entries.lowerBound, leaf.key(entry - 1) == key {
            audit.report(.corrupted(block: page.reference.block, .structure(.keysOutOfOrder)))
          }
          visit(Index.Pair(value: value, key: key))
        }
        // SAFETY: the bytes do not leave the closure; `search` reads them up to their count, and of
        // the page what was checked to lie in it. `leaf` keeps the page.
        let found = try unsafe value.withRawBytes { bytes throws(StorageError) in
          try unsafe leaf.search(bytes)
        }
        guard found.isEqual,
          try leaf.entries(ofValues: found.index..<found.index + 1) == entries
        else { throw leaf.malformed }
      }
      let lowest = contents.treeKey(value: 0, entry: 0)
      let highest = contents.treeKey(
        value: contents.valueCount - 1, entry: contents.entryCount - 1)
      return (UInt64(contents.entryCount), lowest...highest)
    }
  }
}
