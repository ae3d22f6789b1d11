internal import AtollObjects

/// How an entry of a sort tells its row: by the low bits of a number.
struct EntryPlaces {
  /// The low bits that are a place.
  let bitCount: Int
  private let rowBitCount: UInt64
  private let mask: UInt64
  /// The rows by their place, where a list has them in another order than their leaves; nil: the
  /// place is the number of the leaf and the row in it.
  private let rows: [UInt64]?

  /// `rows`: as in `RowList`; nil when they ascend.
  init(_ leaves: [Leaf], rows: [UInt64]?) {
    func width(_ count: Int) -> Int { Int.bitWidth - max(count - 1, 0).leadingZeroBitCount }
    let rowBitCount = width(leaves.reduce(0) { max($0, $1.rowCount) })
    bitCount = rows.map { width($0.count) } ?? (width(leaves.count) + rowBitCount)
    self.rowBitCount = UInt64(rowBitCount)
    mask = 1 << UInt64(bitCount) - 1
    self.rows = rows
  }

  /// Whether places ascend with leaves and rows, so that all rows of a leaf come in their order.
  var areRows: Bool { rows == nil }

  /// The place of a row: the `number`th of the list.
  @inline(__always)
  func place(leaf: Int, row: Int, number: Int) -> UInt64 {
    rows == nil ? UInt64(leaf) &<< rowBitCount | UInt64(row) : UInt64(number)
  }

  @inline(__always)
  func place(_ entry: UInt64) -> UInt64 { entry & mask }

  /// The leaf and the row of an entry.
  @inline(__always)
  subscript(_ entry: UInt64) -> (leaf: Int, row: Int) {
    let place = entry & mask
    if let rows {
      let row = rows[Int(place)]
      return (Int(row >> 16), Int(row & 0xFFFF))
    }
    return (Int(place &>> rowBitCount), Int(place & (1 &<< rowBitCount &- 1)))
  }
}

/// Puts rows in order in the eight bytes that each of them has in a list.
///
/// An entry is a number: its low bits are the place of a row, the bits above a rank, which orders
/// like the rows' values in one key as far as the bits go. Sorted as numbers, entries come in the
/// order of their ranks, and those of one rank in the order of their places, as ties should. Then
/// each run of one rank gets finer ranks: of the same key among fewer values, of the bytes behind
/// those that were looked at, or of the next key.
///
/// Memory: beside the entries what `DigitSort` takes, whatever their number. Keys that are neither
/// numbers nor bytes are sorted by their values, which cost about a hundred bytes a row.
@safe
final class EntrySort {
  private let keys: [SortKey]
  private let codes: [SortCodes]
  private let execution: Execution
  private let leaves: [Leaf]
  private let places: EntryPlaces
  private let entries: UnsafeMutableBufferPointer<UInt64>
  /// Bits of a rank: as few as leave few ties.
  private let rankBitCount: Int
  private let digits: DigitSort
  /// Sorts within sorts that are under way.
  private var depth = 0
  /// Runs of strings that share ever longer beginnings would go deeper than a small stack allows.
  private static let depthLimit = 32
  /// Runs of so few rows are not worth ranks.
  private static let shortRunLimit = 16
  /// The rows of the short run that is being sorted.
  private var shortRun: [NumberedRow] = []

  /// `entries`: each a place, ascending; they outlive the sort.
  init(
    _ entries: UnsafeMutableBufferPointer<UInt64>, _ keys: [SortKey], _ leaves: [Leaf],
    _ places: EntryPlaces, _ execution: Execution, digits: DigitSort = DigitSort()
  ) {
    self.keys = keys
    codes = keys.map { SortCodes($0, execution) }
    self.execution = execution
    self.leaves = leaves
    self.places = places
    unsafe self.entries = entries
    self.digits = digits
    // Twelve bits more than tell as many rows apart, so that few ranks are equal by chance.
    let wanted = Int.bitWidth - entries.count.leadingZeroBitCount + 12
    rankBitCount = min(64 - places.bitCount, wanted)
  }

  func sort() throws {
    try unsafe sort(0..<entries.count, Stage(key: 0, offset: 0))
  }

  /// What the next ranks are made of.
  private struct Stage {
    var key: Int
    /// Bytes: where the next ones begin; numbers: their part.
    var offset: Int
  }

  private func sort(_ range: Range<Int>, _ first: Stage) throws {
    var stage = first
    depth += 1
    defer { depth -= 1 }
    while range.count > 1, stage.key < keys.count {
      if range.count <= Self.shortRunLimit, codes[stage.key].form == .numbers {
        return try sortShortRun(range, stage.key)
      }
      if range.count <= Self.shortRunLimit || depth > Self.depthLimit {
        return try sortByComparing(range, stage.key)
      }
      let ranks: Ranks?
      switch codes[stage.key].form {
      case .numbers: ranks = try rankNumbers(range, stage)
      case .bytes: ranks = try rankBytes(range, stage)
      case .values: return try sortByValues(range, stage.key)
      }
      guard let ranks else { return try sortByComparing(range, stage.key) }
      guard ranks.greatest > 0 else {
        // One rank: nothing was moved, and the next stage may tell more.
        stage = try next(stage, ranks, range.lowerBound)
        continue
      }
      let top = places.bitCount + UInt64.bitWidth - ranks.greatest.leadingZeroBitCount
      unsafe digits.sort(
        UnsafeMutableBufferPointer(rebasing: entries[range]), from: places.bitCount, to: top)
      try sortRuns(range, stage, ranks)
      return
    }
  }

  /// What ranks were given to a range.
  private struct Ranks {
    var greatest: UInt64
    /// Whether values of one number may have another rank when there are fewer of them.
    var isCoarse = false
    /// Bytes that the ranks tell of.
    var byteCount = 0
  }

  private func sortRuns(_ range: Range<Int>, _ stage: Stage, _ ranks: Ranks) throws {
    let codes = codes[stage.key]
    let isWhole = codes.form == .numbers && stage.offset + 1 == codes.partCount && !ranks.isCoarse
    if isWhole, stage.key == keys.count - 1 { return }
    let shift = UInt64(places.bitCount)
    var start = range.lowerBound
    while start < range.upperBound {
      let rank = unsafe entries[start] &>> shift
      var end = start &+ 1
      while end < range.upperBound, unsafe entries[end] &>> shift == rank { end &+= 1 }
      if end &- start > 1 {
        try sort(start..<end, ranks.isCoarse ? stage : try next(stage, ranks, start))
      }
      start = end
    }
  }

  /// The stage that tells rows apart that have one rank in `stage`, as the entry at `index` has.
  private func next(_ stage: Stage, _ ranks: Ranks, _ index: Int) throws -> Stage {
    let following = Stage(key: stage.key + 1, offset: 0)
    switch codes[stage.key].form {
    case .numbers:
      return stage.offset + 1 < codes[stage.key].partCount
        ? Stage(key: stage.key, offset: stage.offset + 1) : following
    case .bytes:
      // Equal so far: either all of them end within the places that were looked at, or none does.
      let (leaf, row) = unsafe places[entries[index]]
      let end = stage.offset + ranks.byteCount
      return try codes[stage.key].reaches(leaves[leaf], row, byteCount: end)
        ? Stage(key: stage.key, offset: end) : following
    case .values: return following
    }
  }

  // MARK: Leaves

  /// Calls `body` for entries of one leaf that follow each other.
  @inline(__always)
  private func forEachLeaf(
    _ range: Range<Int>, _ body: (Leaf, Range<Int>) throws -> Void
  ) throws {
    var start = range.lowerBound
    while start < range.upperBound {
      let number = unsafe places[entries[start]].leaf
      var end = start &+ 1
      while end < range.upperBound, unsafe places[entries[end]].leaf == number { end &+= 1 }
      try body(leaves[number], start..<end)
      start = end
    }
  }

  /// Whether it is quicker to look at all rows of a leaf than at `group` of them one by one.
  private func isDense(_ group: Range<Int>, _ leaf: Leaf) -> Bool {
    group.count * 4 >= leaf.rowCount
  }

  /// The numbers of the rows of `group` out of those of all rows of their leaf, in their place.
  private func pick(_ group: Range<Int>, _ numbers: inout [UInt64], _ spare: inout [UInt64]) {
    if places.areRows, group.count == numbers.count { return }
    spare.removeAll(keepingCapacity: true)
    for index in group { spare.append(numbers[unsafe places[entries[index]].row]) }
    swap(&numbers, &spare)
  }

  @inline(__always)
  private func setRank(_ index: Int, _ rank: UInt64) {
    unsafe entries[index] = rank &<< UInt64(places.bitCount) | places.place(entries[index])
  }

  // MARK: Numbers

  /// The numbers of the rows of `group`, to `numbers`; which of the leaf's rows are not null.
  private func read(
    _ codes: SortCodes, _ leaf: Leaf, _ group: Range<Int>, part: Int,
    to numbers: inout [UInt64], _ spare: inout [UInt64]
  ) throws -> BitVector? {
    numbers.removeAll(keepingCapacity: true)
    if isDense(group, leaf) {
      let validity = try codes.appendNumbers(leaf, part: part, to: &numbers)
      pick(group, &numbers, &spare)
      return validity
    }
    let view = try codes.view(leaf)
    for index in group {
      numbers.append(codes.number(view, unsafe places[entries[index]].row, part: part))
    }
    return view.validity
  }

  private func rankNumbers(_ range: Range<Int>, _ stage: Stage) throws -> Ranks? {
    let codes = codes[stage.key]
    var numbers: [UInt64] = []
    var spare: [UInt64] = []
    var least = UInt64.max
    var greatest = UInt64.min
    var hasNull = false
    try forEachLeaf(range) { leaf, group in
      let validity = try read(codes, leaf, group, part: stage.offset, to: &numbers, &spare)
      guard let validity else {
        for number in numbers {
          least = min(least, number)
          greatest = max(greatest, number)
        }
        return
      }
      for (offset, number) in numbers.enumerated() {
        if unsafe validity[places[entries[group.lowerBound + offset]].row] {
          least = min(least, number)
          greatest = max(greatest, number)
        } else {
          hasNull = true
        }
      }
    }
    guard least < greatest || least == greatest && hasNull else { return Ranks(greatest: 0) }
    // Null is below all numbers, and takes the rank 0.
    let span = greatest - least
    let spanBitCount = UInt64.bitWidth - span.leadingZeroBitCount
    let shift = UInt64(max(0, spanBitCount - (rankBitCount - 1)))
    let lowest: UInt64 = hasNull ? 1 : 0
    let top = span >> shift + lowest
    let isAscending = codes.key.isAscending
    try forEachLeaf(range) { leaf, group in
      let validity = try read(codes, leaf, group, part: stage.offset, to: &numbers, &spare)
      for (offset, number) in numbers.enumerated() {
        let index = group.lowerBound &+ offset
        var rank = (number &- least) &>> shift &+ lowest
        if let validity, unsafe !validity[places[entries[index]].row] { rank = 0 }
        setRank(index, isAscending ? rank : top &- rank)
      }
    }
    return Ranks(greatest: top, isCoarse: shift > 0)
  }

  /// A row of a short run with its numbers in one key; null comes before all.
  private struct NumberedRow {
    var isValue: Bool
    var first: UInt64
    var second: UInt64
    var place: UInt64

    @inline(__always)
    func isEqual(_ other: NumberedRow) -> Bool {
      isValue == other.isValue && first == other.first && second == other.second
    }

    @inline(__always)
    func isLess(_ other: NumberedRow) -> Bool {
      if isValue != other.isValue { return other.isValue }
      return first != other.first ? first < other.first : second < other.second
    }
  }

  /// Sorts a few rows by the numbers of a key, each read once, and those that tie by the next key.
  private func sortShortRun(_ range: Range<Int>, _ number: Int) throws {
    let codes = codes[number]
    shortRun.removeAll(keepingCapacity: true)
    for index in range {
      let place = unsafe places.place(entries[index])
      let (leaf, row) = places[place]
      let view = try codes.view(leaves[leaf])
      let isValue = !view.values.isNull(row)
      shortRun.append(
        NumberedRow(
          isValue: isValue, first: isValue ? codes.number(view, row, part: 0) : 0,
          second: isValue && codes.partCount > 1 ? codes.number(view, row, part: 1) : 0,
          place: place))
    }
    let isAscending = codes.key.isAscending
    shortRun.sort { a, b in
      if a.isEqual(b) { return a.place < b.place }
      return isAscending == a.isLess(b)
    }
    // The next key uses the list again.
    var ties: UInt32 = 0
    for (offset, row) in shortRun.enumerated() {
      unsafe entries[range.lowerBound + offset] = row.place
      if offset > 0, row.isEqual(shortRun[offset - 1]) { ties |= 1 << UInt32(offset) }
    }
    guard number + 1 < keys.count, ties != 0 else { return }
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      while end < range.upperBound, ties >> UInt32(end - range.lowerBound) & 1 == 1 { end += 1 }
      try sort(start..<end, Stage(key: number + 1, offset: 0))
      start = end
    }
  }

  // MARK: Bytes

  /// Nil when values must be fetched from the external store to go on.
  private func rankBytes(_ range: Range<Int>, _ stage: Stage) throws -> Ranks? {
    let codes = codes[stage.key]
    let offset = stage.offset
    var ranks = BytesRanks()
    var hasNull = false
    var hasValue = false
    var hasExternal = false
    try forEachLeaf(range) { leaf, group in
      let view = try codes.view(leaf)
      guard let bytes = view.bytes else { return }
      let open = try bytes.open()
      defer { withExtendedLifetime(open.decoded) {} }
      // Of a whole leaf also rows that are not asked about: more bytes do no harm.
      let isDense = isDense(group, leaf)
      if isDense {
        for entry in 0..<open.entryCount { unsafe ranks.note(open.entry(entry), from: offset) }
        if view.validity == nil, view.values.external == nil {
          hasValue = true
          return
        }
      }
      for index in group {
        let row = unsafe places[entries[index]].row
        if view.values.isNull(row) {
          hasNull = true
          continue
        }
        hasValue = true
        if let value = view.values.external?.find(row) {
          hasExternal = true
          unsafe Self.withBytes(ofPrefix: value.prefix) { unsafe ranks.note($0, from: offset) }
        } else if !isDense {
          try unsafe ranks.note(open.bytes(row), from: offset)
        }
      }
    }
    if hasExternal, offset > 0 { return nil }
    guard hasValue else { return Ranks(greatest: 0) }
    // Of values in the external store the first eight bytes are at hand.
    ranks.finish(
      bitCount: rankBitCount - 1, placeLimit: hasExternal ? 8 : BytesRanks.length)
    let lowest: UInt64 = hasNull ? 1 : 0
    let top = ranks.limit - 1 + lowest
    let result = Ranks(greatest: top, byteCount: ranks.placeCount)
    guard top > 0 else { return result }
    let isAscending = codes.key.isAscending
    var numbers: [UInt64] = []
    var spare: [UInt64] = []
    try forEachLeaf(range) { leaf, group in
      let view = try codes.view(leaf)
      guard let bytes = view.bytes else { return }
      let open = try bytes.open()
      defer { withExtendedLifetime(open.decoded) {} }
      let external = view.values.external
      let isDense = isDense(group, leaf)
      if isDense {
        try Self.read(ranks, open, from: offset, to: &numbers, &spare)
        pick(group, &numbers, &spare)
      }
      for index in group {
        var rank: UInt64 = isDense ? numbers[index &- group.lowerBound] &+ lowest : lowest
        if !isDense || external != nil || view.validity != nil {
          let row = unsafe places[entries[index]].row
          if view.values.isNull(row) {
            rank = 0
          } else if let value = external?.find(row) {
            rank = lowest
            unsafe Self.withBytes(ofPrefix: value.prefix) {
              rank += unsafe ranks.rank($0, from: offset)
            }
          } else if !isDense {
            rank += try unsafe ranks.rank(open.bytes(row), from: offset)
          }
        }
        setRank(index, isAscending ? rank : top &- rank)
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
    unsafe Swift.withUnsafeBytes(of: prefix.bigEndian) { unsafe body($0) }
  }

  // MARK: Values

  private func row(_ entry: UInt64) throws -> RowPlace {
    let (leaf, row) = places[entry]
    try leaves[leaf].open()
    return RowPlace(leaf: leaves[leaf], row: row)
  }

  /// Sorts by this key and all that follow it, two rows at a time.
  private func sortByComparing(_ range: Range<Int>, _ first: Int) throws {
    var run = unsafe UnsafeMutableBufferPointer(rebasing: entries[range])
    try unsafe run.sort { a, b in
      let (x, y) = (try row(a), try row(b))
      for key in first..<keys.count {
        let order = try codes[key].compare(x, y)
        if order != 0 { return order < 0 }
      }
      return places.place(a) < places.place(b)
    }
  }

  /// Sorts by one key, whose values are all taken first, then the runs of equal ones by the next.
  private func sortByValues(_ range: Range<Int>, _ number: Int) throws {
    let key = keys[number]
    let evaluator = KeyEvaluator(execution: execution)
    // Links mostly lead to few objects: each is read once.
    var known: [Value: SortValue] = [:]
    let firstLink: Column? =
      if case .link(let column) = key.path.hops.first { column } else { nil }
    var rows: [(value: SortValue, place: UInt64)] = []
    rows.reserveCapacity(range.count)
    for index in range {
      let place = unsafe places.place(entries[index])
      let row = try self.row(place)
      var value: SortValue?
      if let firstLink {
        let link = try row.value(firstLink)
        value = known[link]
        if value == nil {
          value = try evaluator.value(key.path, row)
          known[link] = value
        }
      }
      rows.append((try value ?? evaluator.value(key.path, row), place))
    }
    rows.sort { a, b in
      switch SortValue.order(a.value, b.value) {
      case .less: key.isAscending
      case .greater: !key.isAscending
      case .equal: a.place < b.place
      }
    }
    for (offset, row) in rows.enumerated() {
      unsafe entries[range.lowerBound + offset] = row.place
    }
    guard number + 1 < keys.count else { return }
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, SortValue.order(rows[start].value, rows[end].value) == .equal {
        end += 1
      }
      try sort(
        range.lowerBound + start..<range.lowerBound + end, Stage(key: number + 1, offset: 0))
      start = end
    }
  }
}
