internal import AtollObjects

extension EntrySort {
  /// Ranks rows by their values, which are all taken first.
  func rankByValues(
    _ rows: SortRows, _ runs: [Run], base: Int, _ stage: Stage
  ) throws -> Ranks {
    let key = codes[stage.key].key
    let evaluator = KeyEvaluator(execution: execution)
    // Links mostly lead to few objects: each is read once.
    var known: [Value: SortValue] = [:]
    let firstLink: Column? =
      if case .link(let column) = key.path.hops.first { column } else { nil }
    var values: [SortValue] = []
    values.reserveCapacity(rows.count)
    try forEachLeaf(rows) { leaf, group in
      try leaf.open()
      for item in group {
        let row = RowPlace(leaf: leaf, row: rows[item].row)
        var value: SortValue?
        if let firstLink {
          let link = try row.value(firstLink)
          value = known[link]
          if value == nil {
            value = try evaluator.value(key.path, row)
            known[link] = value
          }
        }
        setRank(rows.index(item), UInt64(values.count))
        values.append(try value ?? evaluator.value(key.path, row))
      }
    }
    var ranks = Ranks(following: stage, isAscending: true)
    for run in runs {
      let range = run.range(base)
      // SAFETY: a run lies in the entries, which outlive the sort and are only moved inside of it.
      var slice = unsafe UnsafeMutableBufferPointer(rebasing: entries[range])
      let shift = UInt64(places.bitCount)
      unsafe slice.sort { a, b in
        switch SortValue.order(values[Int(a >> shift)], values[Int(b >> shift)]) {
        case .less: return key.isAscending
        case .greater: return !key.isAscending
        case .equal: return places.place(a) < places.place(b)
        }
      }
      var rank: UInt64 = 0
      var last = self.rank(range.lowerBound)
      for index in range {
        let item = self.rank(index)
        if SortValue.order(values[last], values[item]) != .equal { rank += 1 }
        last = item
        setRank(index, rank)
      }
      ranks.greatest = max(ranks.greatest, rank)
    }
    return ranks
  }
}
