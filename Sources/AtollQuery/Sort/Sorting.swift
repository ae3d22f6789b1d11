internal import AtollObjects
internal import AtollStorage

/// Puts rows in order.
enum Sorting {
  /// Sorts a list by its keys, the first one most significant; ties keep their order.
  static func sort(
    _ list: inout RowList, _ keys: [SortPath], limit: Int, _ execution: Execution
  ) throws {
    let leaves = list.leaves
    let isAscending = (1..<max(1, list.rows.count)).allSatisfy {
      list.rows[$0 - 1] < list.rows[$0]
    }
    let places = EntryPlaces(leaves, rows: isAscending ? nil : list.rows)
    try unsafe list.rows.withUnsafeMutableBufferPointer { entries in
      for index in 0..<entries.count {
        let row = unsafe entries[index]
        unsafe entries[index] = places.place(
          leaf: Int(row >> 16), row: Int(row & 0xFFFF), number: index)
      }
      try unsafe EntrySort(entries, keys, leaves, places, execution).sort()
      for index in 0..<entries.count {
        let (leaf, row) = unsafe places[entries[index]]
        unsafe entries[index] = UInt64(leaf) << 16 | UInt64(row)
      }
    }
    list.rows.removeLast(max(0, list.rows.count - limit))
  }

  /// The keys of the rows that `source` gives, leaf by leaf, in the order of `keys`.
  ///
  /// Works in the memory of the result, which is all that grows with the number of rows but for a
  /// bit a row.
  static func sortedKeys(
    _ keys: [SortPath], limit: Int, _ execution: Execution,
    _ source: ((Leaf, Selection) throws -> Bool) throws -> Void
  ) throws -> [ObjectKey] {
    var rows = LeafRows()
    try source { leaf, selection in
      rows.append(leaf, selection)
      return true
    }
    let leaves = rows.leaves
    let places = EntryPlaces(leaves, rows: nil)
    let keyVectors = try leaves.map { try $0.keys() }
    let result = try unsafe [ObjectKey](unsafeUninitializedCapacity: rows.count) { buffer, count in
      // SAFETY: a key is one number of 64 bits and nothing else; all of them are set.
      try unsafe buffer.withMemoryRebound(to: UInt64.self) { entries in
        var index = 0
        rows.forEach { leaf, row in
          unsafe entries.initializeElement(
            at: index, to: places.place(leaf: leaf, row: row, number: index))
          index += 1
        }
        try unsafe EntrySort(entries, keys, leaves, places, execution).sort()
        for index in 0..<entries.count {
          let (leaf, row) = unsafe places[entries[index]]
          unsafe entries[index] = keyVectors[leaf].key(row)
        }
      }
      count = rows.count
    }
    // The leaves keep what was decoded, the execution what lies in the file's mapping.
    withExtendedLifetime((leaves, execution)) {}
    return limit < result.count ? Array(result.prefix(limit)) : result
  }
}
