internal import AtollObjects

/// Tests strings or data of a whole vector at once.
enum BytesScan {
  /// Sets the bits of the rows whose bytes pass `predicate`.
  ///
  /// `active`: the rows whose outcome is asked for; others may get any.
  static func select(
    _ vector: BytesVector, _ predicate: BytesPredicate, active: Selection?, _ rows: Selection,
    _ pool: SelectionPool
  ) throws {
    let view = try vector.open()
    defer { withExtendedLifetime(view.decoded) {} }
    rows.resize(vector.count)
    guard let codes = view.codes else {
      try select(view, predicate.form, active: active, rows, pool)
      return
    }
    // A dictionary: its entries are distinct and ascend, so codes order like values.
    switch predicate.form {
    case .equal(let constant):
      let code = unsafe constant.withUnsafeBytes { unsafe view.code(of: $0) }
      guard let code else { return rows.fill(vector.count, false) }
      IntScan.select(codes, IntervalSet(Int64(code)...Int64(code)), rows)
      return
    case .not(.equal(let constant)):
      let code = unsafe constant.withUnsafeBytes { unsafe view.code(of: $0) }
      guard let code else { return rows.fill(vector.count, true) }
      IntScan.select(codes, IntervalSet(Int64(code)...Int64(code)), rows)
      rows.invert()
      return
    default: break
    }
    let entries = pool.take()
    let asked = pool.take()
    defer {
      pool.give(entries)
      pool.give(asked)
    }
    let isWhole = isWorthWhole(active, vector.count) || active?.count != vector.count
    if let active, !isWhole {
      // Few rows: only the entries that they have.
      asked.fill(view.entryCount, false)
      active.forEach { row in
        let code = Int(codes[row])
        if 0..<asked.count ~= code { asked[code] = true }
      }
    }
    try select(view, predicate.form, active: isWhole ? nil : asked, entries, pool)
    var ranges: [ClosedRange<Int64>] = []
    entries.forEach { entry in
      if let last = ranges.last, last.upperBound == Int64(entry) - 1 {
        ranges[ranges.count - 1] = last.lowerBound...Int64(entry)
      } else {
        ranges.append(Int64(entry)...Int64(entry))
      }
    }
    IntScan.select(codes, IntervalSet(ranges), rows)
  }

  /// Tests every entry, which are rows where there is no dictionary.
  private static func select(
    _ view: BytesView, _ form: BytesPredicate.Form, active: Selection?, _ out: Selection,
    _ pool: SelectionPool
  ) throws {
    let count = view.entryCount
    switch form {
    case .constant(let value): out.fill(count, value)
    case .not(let inner):
      try select(view, inner, active: active, out, pool)
      out.invert()
    case .all(let terms), .any(let terms):
      let isAll = if case .all = form { true } else { false }
      let part = pool.take()
      defer { pool.give(part) }
      out.fill(count, isAll)
      for term in terms {
        try select(view, term, active: active, part, pool)
        if isAll { out.formIntersection(part) } else { out.formUnion(part) }
      }
    case .contains(let search): search.select(view, active: active, out)
    case .like(let pattern, let prefilter?) where isWorthWhole(active, count):
      prefilter.select(view, active: nil, out)
      out.filter { unsafe pattern.matches(view.entry($0)) }
    case .equal(let constant): unsafe equal(view, constant, out)
    case .folded(.equal(let constant), let folding)
    where isWorthWhole(active, count) && isASCII(view):
      // Folding keeps the byte count of ASCII, and gives nothing else.
      unsafe equal(view, constant, out) { unsafe TextFolding.equals($0, folded: $1, folding) }
    default: each(view, form, active: active, out)
    }
  }

  /// Whether a search through all bytes beats one through the active entries.
  static func isWorthWhole(_ active: Selection?, _ count: Int) -> Bool {
    guard let active else { return true }
    return active.trueCount * 4 > count
  }

  /// Tests entry by entry; only active ones where these are known.
  private static func each(
    _ view: BytesView, _ form: BytesPredicate.Form, active: Selection?, _ out: Selection
  ) {
    if let active, active.count == view.entryCount {
      out.copy(active)
      out.filter { unsafe BytesPredicate.matches(form, view.entry($0)) }
      return
    }
    let count = view.entryCount
    out.resize(count)
    var entry = 0
    while entry < count {
      var word: UInt64 = 0
      for i in 0..<min(64, count - entry) {
        if unsafe BytesPredicate.matches(form, view.entry(entry + i)) { word |= 1 << UInt64(i) }
      }
      unsafe out.words[entry >> 6] = word
      entry += 64
    }
  }

  /// Whether all bytes of all entries are ASCII.
  private static func isASCII(_ view: BytesView) -> Bool {
    let bytes = unsafe view.bytes
    let count = view.byteCount
    var all = SIMD16<UInt8>(repeating: 0)
    var index = 0
    // SAFETY: every load ends at or before the count of bytes.
    while index &+ 16 <= count {
      all |= unsafe bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      index &+= 16
    }
    // SAFETY: both are sixteen bytes without padding.
    let halves = unsafe unsafeBitCast(all, to: SIMD2<UInt64>.self)
    var rest = halves[0] | halves[1]
    while index < count {
      rest |= UInt64(unsafe bytes.load(fromByteOffset: index, as: UInt8.self))
      index &+= 1
    }
    return rest & 0x8080_8080_8080_8080 == 0
  }

  /// Equality: most entries fall by their byte count.
  ///
  /// `isEqual`: compares an entry with the constant when they have as many bytes.
  @inline(__always)
  private static func equal(
    _ view: BytesView, _ constant: [UInt8], _ out: Selection,
    _ isEqual: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool = {
      unsafe BytesPredicate.compare($0, $1) == 0
    }
  ) {
    let count = view.entryCount
    out.resize(count)
    let wanted = UInt32(clamping: constant.count)
    let offsets = unsafe view.offsets
    unsafe constant.withUnsafeBytes { constant in
      var entry = 0
      while entry < count {
        var word: UInt64 = 0
        let length = min(64, count - entry)
        for i in 0..<length {
          // SAFETY: there is one offset more than there are entries.
          let byteCount = unsafe offsets[entry &+ i &+ 1] &- offsets[entry &+ i]
          if byteCount == wanted, unsafe isEqual(view.entry(entry &+ i), constant) {
            word |= 1 &<< UInt64(i)
          }
        }
        unsafe out.words[entry >> 6] = word
        entry += 64
      }
    }
  }
}

extension ByteSearch {
  /// Sets the bits of the entries that contain the needle: one search through all their bytes, and
  /// each match is given to the entry it lies in.
  ///
  /// A match that ends beyond its entry is none, and no later one in that entry is, nor one in an
  /// entry that is shorter than the needle: the search goes on at the next entry that is not. So
  /// between two entries that can hold the needle at most one such match is looked at, and the cost
  /// grows with the sum of both lengths even where the needle is found everywhere.
  func select(_ view: BytesView, active: Selection?, _ out: Selection) {
    let count = view.entryCount
    if needle.isEmpty {
      out.fill(count, true)
      return
    }
    if let active, active.count == count, !BytesScan.isWorthWhole(active, count) {
      out.copy(active)
      out.filter { unsafe isContained(in: view.entry($0)) }
      return
    }
    out.fill(count, false)
    let bytes = unsafe UnsafeRawBufferPointer(start: view.bytes, count: view.byteCount)
    let offsets = unsafe view.offsets
    var position = 0
    var entry = 0
    while let match = unsafe firstMatch(in: bytes, from: position) {
      // SAFETY: the offsets ascend to the byte count, which lies above every match, so the entry of
      // a match exists.
      while unsafe Int(offsets[entry + 1]) <= match { entry += 1 }
      let end = unsafe Int(offsets[entry + 1])
      if match + needle.count <= end {
        out[entry] = true
        position = end
        continue
      }
      // SAFETY: there is one offset more than there are entries.
      repeat {
        entry += 1
        guard entry < count else { return }
        position = unsafe Int(offsets[entry])
      } while unsafe Int(offsets[entry + 1]) - position < needle.count
    }
  }
}
