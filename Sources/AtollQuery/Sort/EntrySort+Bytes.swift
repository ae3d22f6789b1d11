internal import AtollObjects

extension EntrySort {
  // MARK: The same bytes of all runs

  /// Ranks rows by some bytes from `offset` on.
  ///
  /// - Returns: nil when values must be fetched from the external store for it.
  func rankBytes(_ rows: SortRows, _ stage: Stage, from offset: Int) throws -> Ranks? {
    let codes = codes[stage.key]
    var result = Ranks(following: stage, isAscending: codes.key.isAscending)
    var ranks = BytesRanks()
    var hasValue = false
    var hasExternal = false
    try forEachLeaf(rows) { leaf, group in
      let view = try codes.view(leaf)
      guard let bytes = view.bytes else { return }
      let open = try bytes.open()
      defer { withExtendedLifetime(open.decoded) {} }
      // Of a whole leaf also rows that are not wanted: more bytes do no harm.
      let isDense = isDense(group, leaf)
      if isDense {
        // SAFETY: `open` checks entries and rows, and is kept (above), as `leaf` keeps the row
        // group; of the bytes only a note is taken.
        for entry in 0..<open.entryCount { unsafe ranks.note(open.entry(entry), from: offset) }
        if view.validity == nil, view.values.external == nil {
          hasValue = true
          return
        }
      }
      for item in group {
        let row = rows[item].row
        if view.values.isNull(row) {
          result.hasNull = true
          continue
        }
        hasValue = true
        if let value = view.values.external?.find(row) {
          hasExternal = true
          // SAFETY: the bytes are lent for the length of the closure, which keeps none.
          unsafe Self.withBytes(ofPrefix: value.prefix) { unsafe ranks.note($0, from: offset) }
        } else if !isDense {
          try unsafe ranks.note(open.bytes(row), from: offset)
        }
      }
    }
    if hasExternal, offset > 0 { return nil }
    // All are null, and equal.
    guard hasValue else { return result }
    // Of values in the external store the first eight bytes are at hand.
    ranks.finish(
      bitCount: rankBitCount - 1, placeLimit: hasExternal ? 8 : BytesRanks.length)
    result.meaning = .bytes(ranks)
    result.following.offset = offset + ranks.placeCount
    let lowest: UInt64 = result.hasNull ? 1 : 0
    let top = ranks.limit - 1 + lowest
    result.greatest = top
    guard top > 0 else { return result }
    let isAscending = result.isAscending
    var numbers: [UInt64] = []
    var spare: [UInt64] = []
    try forEachLeaf(rows) { leaf, group in
      let view = try codes.view(leaf)
      guard let bytes = view.bytes else { return }
      let open = try bytes.open()
      defer { withExtendedLifetime(open.decoded) {} }
      let external = view.values.external
      let isDense = isDense(group, leaf)
      if isDense {
        try Self.read(ranks, open, from: offset, to: &numbers, &spare)
        pick(rows, group, &numbers, &spare)
      }
      for item in group {
        var rank: UInt64 = isDense ? numbers[item &- group.lowerBound] &+ lowest : lowest
        if !isDense || external != nil || view.validity != nil {
          let row = rows[item].row
          if view.values.isNull(row) {
            rank = 0
          } else if let value = external?.find(row) {
            rank = lowest
            // SAFETY: as above.
            unsafe Self.withBytes(ofPrefix: value.prefix) {
              rank += unsafe ranks.rank($0, from: offset)
            }
          } else if !isDense {
            rank += try unsafe ranks.rank(open.bytes(row), from: offset)
          }
        }
        setRank(rows.index(item), isAscending ? rank : top &- rank)
      }
    }
    return result
  }

  /// The ranks of all rows of a leaf, to `numbers`.
  private static func read(
    _ ranks: BytesRanks, _ open: BytesView, from offset: Int, to numbers: inout [UInt64],
    _ spare: inout [UInt64]
  ) throws {
    numbers.removeAll(keepingCapacity: true)
    for entry in 0..<open.entryCount {
      // SAFETY: `open` checks the entry, and the caller keeps it and the row group.
      numbers.append(unsafe ranks.rank(open.entry(entry), from: offset))
    }
    guard let codes = open.codes else { return }
    spare.removeAll(keepingCapacity: true)
    for row in 0..<open.count {
      let code = codes[row]
      if UInt64(bitPattern: code) >= UInt64(numbers.count) {
        // Says what is damaged.
        _ = try unsafe open.bytes(row)
      }
      spare.append(numbers[Int(code)])
    }
    swap(&numbers, &spare)
  }

  private static func withBytes(
    ofPrefix prefix: UInt64, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    // SAFETY: the bytes of a trivial local value, for the length of the call.
    unsafe Swift.withUnsafeBytes(of: prefix.bigEndian) { unsafe body($0) }
  }

  // MARK: Bytes behind those that are equal in a run

  /// Bytes of a pivot at first; each time it is eight times as many.
  private static let firstPivotLength = 64

  /// Ranks the rows of each run by how far they are equal to one of them; none of them is null.
  func rankByPivots(
    _ rows: SortRows, _ runs: [Run], base: Int, span: Int, _ stage: Stage
  ) throws -> Ranks {
    let codes = codes[stage.key]
    var result = Ranks(following: stage, isAscending: codes.key.isAscending)
    var ranks = PivotRanks(
      runCount: runs.count,
      length: min(
        max(Self.firstPivotLength, stage.length * 8),
        max(8, QueryLimits.sortPivotByteCount / runs.count)),
      bitCount: UInt64.bitWidth - places.bitCount)
    result.following.offset = nil
    result.following.length = ranks.length
    result.greatest = ranks.greatest
    // A row tells its run until it has its rank.
    var chosen: [Int] = []
    for (number, run) in runs.enumerated() {
      let range = run.range(base)
      for index in range { setRank(index, UInt64(number)) }
      // Of two rows the first one that comes is the pivot. Of more it is taken
      // by chance: rows that come in an order would fall apart one by one.
      if range.count > 2 {
        let mixed = UInt64(range.lowerBound ^ Int(run.offset) << 20) &* 0x9E37_79B9_7F4A_7C15
        chosen.append(range.lowerBound + Int(mixed >> 1) % range.count)
      }
    }
    let pivots =
      runs.count == 1
      ? self.rows(chosen, base: chosen.first ?? base, span: 1)
      : self.rows(chosen, base: base, span: span)
    // SAFETY: a tail is lent for the length of the closure; a pivot is a copy of it.
    try unsafe forEachTail(pivots, runs, codes, ranks.reach) { _, run, tail in
      unsafe ranks.setPivot(run, tail)
    }
    let isAscending = result.isAscending
    let top = result.greatest
    // SAFETY: as above.
    try unsafe forEachTail(rows, runs, codes, ranks.reach) { index, run, tail in
      if !ranks.hasPivot(run) { unsafe ranks.setPivot(run, tail) }
      let rank = unsafe ranks.rank(run, tail)
      setRank(index, isAscending ? rank : top - rank)
    }
    result.meaning = .pivots(ranks)
    return result
  }

  /// Calls `body` with the bytes of each row behind those that are equal in its run: at least
  /// `count` of them, or all.
  private func forEachTail(
    _ rows: SortRows, _ runs: [Run], _ codes: SortCodes, _ count: Int,
    _ body: (_ index: Int, _ run: Int, _ tail: UnsafeRawBufferPointer) -> Void
  ) throws {
    try forEachLeaf(rows) { leaf, group in
      let view = try codes.view(leaf)
      guard let bytes = view.bytes else { return }
      let open = try bytes.open()
      defer { withExtendedLifetime(open.decoded) {} }
      let external = view.values.external
      for item in group {
        let index = rows.index(item)
        let run = rank(index)
        let offset = Int(runs[run].offset)
        let row = rows[item].row
        if let value = external?.find(row) {
          let tail = try view.externalBytes(value, from: offset, limit: count)
          // SAFETY: the bytes of a local array, for the length of the call.
          unsafe tail.withUnsafeBytes { unsafe body(index, run, $0) }
        } else {
          // SAFETY: `open` checks the row, and is kept (above), as `leaf` keeps the row group. The
          // slice begins at the end of the bytes at the latest.
          let bytes = try unsafe open.bytes(row)
          unsafe body(
            index, run, UnsafeRawBufferPointer(rebasing: bytes[min(offset, bytes.count)...]))
        }
      }
    }
  }
}
