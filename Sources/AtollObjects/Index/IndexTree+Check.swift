package import AtollStorage

extension IndexTree {
  /// Walks the whole index and reports every broken rule of its leaves and branches.
  ///
  /// `isCounted`: whether a pair may occur several times.
  ///
  /// `visit`: sees every entry, in order, of each leaf that can be read.
  package func check(
    _ audit: inout Audit, isCounted: Bool = false,
    visit: (_ value: [UInt8], _ key: UInt64) -> Void
  ) {
    tree.check(&audit) { page, audit throws(StorageError) in
      let leaf = try IndexPage(page)
      var contents = IndexLeafContents()
      try contents.load(leaf)
      for index in 0..<contents.valueCount {
        let value = unsafe [UInt8](contents.value(index))
        let entries = contents.entries(ofValue: index)
        for entry in entries {
          let key = leaf.key(entry)
          if !isCounted, entry > entries.lowerBound, leaf.key(entry - 1) == key {
            audit.report(.corrupted(block: page.reference.block, .structure(.keysOutOfOrder)))
          }
          visit(value, key)
        }
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
