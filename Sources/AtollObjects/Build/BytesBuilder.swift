/// Values of any number of bytes being collected; see `BytesVector` for what they become.
///
/// Values lie in an arena that only grows at its end; a value that is replaced or removed leaves
/// its bytes there until they are half of the arena. A value in the external store is known by its
/// number in `externals`.
///
/// Invariant: every entry lies in the arena, or is external and its start is below the number of
/// `externals`.
struct BytesBuilder: ~Copyable {
  /// Where a value lies.
  struct Entry {
    var start: UInt32
    /// `externalMark`: the value is external, and `start` its number.
    var byteCount: UInt32

    static let externalMark = UInt32.max
    var isExternal: Bool { byteCount == Self.externalMark }
  }

  private(set) var entries: [Entry] = []
  private(set) var arena = GrowableBytes()
  private(set) var externals: [ExternalValue] = []
  /// Bytes of the arena that belong to an entry.
  private(set) var liveByteCount = 0
  /// Those of them that `encode` will find in the external store: values too large for a leaf.
  private var outgrownByteCount = 0
  /// Whether the entries lie in the arena one behind the other, without gaps.
  private var isOrdered = true
  /// What the last encoding made of the live bytes: the best guess for the next one.
  private var storedShare: Float = 0.65

  /// Values of more bytes than this are refused: offsets in the arena have 32 bits.
  static let maximumByteCount = 1 << 30

  var count: Int { entries.count }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    arena.removeAll()
    externals.removeAll()
    liveByteCount = 0
    outgrownByteCount = 0
    isOrdered = true
  }

  // MARK: Reading

  /// The bytes of an entry that is not external; valid until the next change.
  func bytes(_ row: Int) -> UnsafeRawBufferPointer {
    let entry = entries[row]
    precondition(!entry.isExternal, "an external value has no bytes here")
    return unsafe arena.bytes(Int(entry.start)..<(Int(entry.start) + Int(entry.byteCount)))
  }

  /// The external value of an entry, or nil.
  func external(_ row: Int) -> ExternalValue? {
    entries[row].isExternal ? externals[Int(entries[row].start)] : nil
  }

  // MARK: Changing

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) {
    let start = try unsafe store(bytes)
    entries.append(Entry(start: start, byteCount: UInt32(bytes.count)))
  }

  mutating func append(_ external: ExternalValue) {
    entries.append(entry(external))
  }

  /// Replaces a value; it stays when the new one is refused.
  ///
  /// An external one is freed by the caller that replaces it.
  mutating func set(_ row: Int, _ bytes: UnsafeRawBufferPointer) throws(ColumnError) {
    let start = try unsafe store(bytes)
    forget(row)
    entries[row] = Entry(start: start, byteCount: UInt32(bytes.count))
    isOrdered = isOrdered && row == entries.count - 1
    compactIfWorthwhile()
  }

  /// Replaces a value by one in the external store.
  mutating func set(_ row: Int, _ external: ExternalValue) {
    forget(row)
    entries[row] = entry(external)
    compactIfWorthwhile()
  }

  /// Leaves a row without bytes; the caller frees what it had outside.
  mutating func setEmpty(_ row: Int) {
    forget(row)
    entries[row] = Entry(start: UInt32(arena.count), byteCount: 0)
    compactIfWorthwhile()
  }

  mutating func insertEmpty(at row: Int) {
    entries.insert(Entry(start: UInt32(arena.count), byteCount: 0), at: row)
  }

  mutating func remove(_ removal: RowRemoval) {
    for row in removal.rows { forget(row) }
    removal.apply(to: &entries)
    compactIfWorthwhile()
  }

  mutating func truncate(to count: Int) {
    for row in count..<entries.count { forget(row) }
    entries.removeLast(entries.count - count)
    compactIfWorthwhile()
  }

  mutating func append(_ other: borrowing BytesBuilder, _ rows: Range<Int>) throws(ColumnError) {
    for row in rows {
      if let external = other.external(row) {
        append(external)
      } else {
        try unsafe append(other.bytes(row))
      }
    }
  }

  mutating func append(_ vector: BytesVector, external: ExternalVector?) throws(ColumnError) {
    let view = try vector.open()
    entries.reserveCapacity(entries.count + vector.count)
    // The view's bytes may belong to what it decoded.
    defer { withExtendedLifetime(view.decoded) {} }
    if external == nil, view.codes == nil { return try append(entriesOf: view) }
    var nextExternal = 0
    for row in 0..<vector.count {
      if let external, nextExternal < external.count, external.index(nextExternal) == row {
        append(external.value(nextExternal))
        nextExternal += 1
      } else {
        try unsafe append(view.bytes(row))
      }
    }
  }

  /// Adds entries that lie one behind the other as they do there.
  private mutating func append(entriesOf view: BytesView) throws(ColumnError) {
    guard view.byteCount <= Self.maximumByteCount else {
      throw .valueTooLarge(byteCount: view.byteCount)
    }
    // SAFETY: the view has so many bytes and holds them.
    let start = try unsafe store(UnsafeRawBufferPointer(start: view.bytes, count: view.byteCount))
    outgrownByteCount -= Self.outgrown(view.byteCount)
    var end: UInt32 = 0
    for entry in 0..<view.entryCount {
      // SAFETY: there is one offset more than entries.
      let next = unsafe view.offsets[entry + 1]
      entries.append(Entry(start: start + end, byteCount: next - end))
      outgrownByteCount += Self.outgrown(Int(next - end))
      end = next
    }
  }

  @inline(__always)
  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) -> UInt32 {
    guard bytes.count <= Self.maximumByteCount,
      arena.count + bytes.count < Int(UInt32.max)
    else { throw .valueTooLarge(byteCount: bytes.count) }
    let start = UInt32(truncatingIfNeeded: arena.count)
    unsafe arena.append(bytes)
    liveByteCount += bytes.count
    outgrownByteCount += Self.outgrown(bytes.count)
    return start
  }

  private static func outgrown(_ byteCount: Int) -> Int {
    byteCount > ExternalValue.maximumInlineByteCount ? byteCount : 0
  }

  private mutating func entry(_ external: ExternalValue) -> Entry {
    externals.append(external)
    return Entry(start: UInt32(externals.count - 1), byteCount: Entry.externalMark)
  }

  private mutating func forget(_ row: Int) {
    if !entries[row].isExternal {
      liveByteCount -= Int(entries[row].byteCount)
      outgrownByteCount -= Self.outgrown(Int(entries[row].byteCount))
      if entries[row].byteCount > 0 { isOrdered = false }
    }
  }

  private mutating func compactIfWorthwhile() {
    if arena.count - liveByteCount > max(liveByteCount, 1 << 16) { compact() }
  }

  /// Puts the entries one behind the other.
  ///
  /// Cost: a copy of all live bytes.
  mutating func compact() {
    guard !isOrdered || arena.count != liveByteCount else { return }
    var new = GrowableBytes()
    for row in entries.indices where !entries[row].isExternal {
      let start = UInt32(new.count)
      unsafe new.append(bytes(row))
      entries[row].start = start
    }
    arena = new
    isOrdered = true
  }

  // MARK: Encoding

  var estimatedByteCount: Int {
    64 + entries.count * 17 / 16
      + Int(Float(liveByteCount - outgrownByteCount) * storedShare) + externals.count * 40
  }

  /// Writes the vector, as a dictionary when that is smaller, compressed when that saves an eighth.
  ///
  /// An external entry has no bytes there. Entries are put one behind the other first.
  mutating func encode(into out: inout GrowableBytes) {
    compact()
    let start = out.count
    if let dictionary = DictionaryEncoding(of: self) {
      dictionary.encode(into: &out)
    } else {
      var lengths = IntBuilder()
      for entry in entries { lengths.append(entry.isExternal ? 0 : Int64(entry.byteCount)) }
      unsafe BytesEncoding.write(
        rowCount: entries.count, codes: nil, lengths: lengths, bytes: arena.bytes, into: &out)
    }
    if liveByteCount >= 512 {
      let lengthByteCount = 64 + entries.count * 17 / 16
      storedShare = max(Float(out.count - start - lengthByteCount), 0) / Float(liveByteCount)
    }
  }
}
