internal import AtollObjects

extension EntrySort {
  /// Ranks rows by numbers: by their highest bits, or by what was left of them.
  func rankNumbers(_ rows: SortRows, _ stage: Stage) throws -> Ranks {
    try stage.rest.map { try rank(rows, stage, $0) } ?? rankWholeNumbers(rows, stage)
  }

  /// The numbers of the rows of `group`, to `numbers`; which of the leaf's rows are not null.
  private func read(
    _ codes: SortCodes, _ leaf: Leaf, _ rows: SortRows, _ group: Range<Int>, part: Int,
    to numbers: inout [UInt64], _ spare: inout [UInt64]
  ) throws -> BitVector? {
    numbers.removeAll(keepingCapacity: true)
    if isDense(group, leaf) {
      let validity = try codes.appendNumbers(leaf, part: part, to: &numbers)
      pick(rows, group, &numbers, &spare)
      return validity
    }
    let view = try codes.view(leaf)
    for item in group { numbers.append(codes.number(view, rows[item].row, part: part)) }
    return view.validity
  }

  private func rankWholeNumbers(_ rows: SortRows, _ stage: Stage) throws -> Ranks {
    let codes = codes[stage.key]
    var ranks = Ranks(following: stage, isAscending: codes.key.isAscending)
    var numbers: [UInt64] = []
    var spare: [UInt64] = []
    var least = UInt64.max
    var greatest = UInt64.min
    try forEachLeaf(rows) { leaf, group in
      let validity = try read(codes, leaf, rows, group, part: stage.part, to: &numbers, &spare)
      guard let validity else {
        for number in numbers {
          least = min(least, number)
          greatest = max(greatest, number)
        }
        return
      }
      for (offset, number) in numbers.enumerated() {
        if validity[rows[group.lowerBound + offset].row] {
          least = min(least, number)
          greatest = max(greatest, number)
        } else {
          ranks.hasNull = true
        }
      }
    }
    // All are null, and equal.
    guard least <= greatest else { return ranks }
    let span = greatest - least
    let spanBitCount = UInt64.bitWidth - span.leadingZeroBitCount
    let shift = UInt64(max(0, spanBitCount - (rankBitCount - 1)))
    finish(&ranks, stage, NumberRest(least: least, bitCount: shift))
    guard span > 0 || ranks.hasNull else { return ranks }
    // Null is below all numbers, and takes the rank 0.
    let lowest: UInt64 = ranks.hasNull ? 1 : 0
    let top = span >> shift + lowest
    ranks.greatest = top
    let isAscending = ranks.isAscending
    try forEachLeaf(rows) { leaf, group in
      let validity = try read(codes, leaf, rows, group, part: stage.part, to: &numbers, &spare)
      for (offset, number) in numbers.enumerated() {
        let item = group.lowerBound &+ offset
        var rank = (number &- least) &>> shift &+ lowest
        if let validity, !validity[rows[item].row] { rank = 0 }
        setRank(rows.index(item), isAscending ? rank : top &- rank)
      }
    }
    return ranks
  }

  /// Ranks rows that are equal in the higher bits, none of them null.
  private func rank(_ rows: SortRows, _ stage: Stage, _ rest: NumberRest) throws -> Ranks {
    let codes = codes[stage.key]
    var ranks = Ranks(following: stage, isAscending: codes.key.isAscending)
    let mask: UInt64 = 1 << rest.bitCount - 1
    let shift = UInt64(max(0, Int(rest.bitCount) - rankBitCount))
    finish(&ranks, stage, NumberRest(least: rest.least, bitCount: shift))
    ranks.greatest = mask >> shift
    var numbers: [UInt64] = []
    var spare: [UInt64] = []
    try forEachLeaf(rows) { leaf, group in
      _ = try read(codes, leaf, rows, group, part: stage.part, to: &numbers, &spare)
      for (offset, number) in numbers.enumerated() {
        let rank = ((number &- rest.least) & mask) &>> shift
        setRank(
          rows.index(group.lowerBound &+ offset),
          ranks.isAscending ? rank : ranks.greatest &- rank)
      }
    }
    return ranks
  }

  /// Notes what is left to tell when only `rest` is of this number.
  private func finish(_ ranks: inout Ranks, _ stage: Stage, _ rest: NumberRest) {
    if rest.bitCount > 0 {
      ranks.meaning = .numbers
      ranks.following.rest = rest
    } else if stage.part + 1 < codes[stage.key].partCount {
      ranks.meaning = .numbers
      ranks.following = Stage(key: stage.key, part: stage.part + 1)
    }
  }
}
