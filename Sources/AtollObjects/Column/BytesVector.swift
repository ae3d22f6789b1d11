import AtollStorage

/// Values of any number of bytes as they lie in a row group: strings, data, mixed values, map keys.
///
/// Normative text: Format.md, "Bytes".
///
///     offset  size  field
///          0     1  encoding          0 plain (an entry is a row), 1 dictionary (codes choose it)
///          1     1  flags             bit 0: the bytes are an LZ4 block
///          2     2  reserved          zero
///          4     4  count             rows
///          8     4  entryCount        plain: count
///         12     4  byteCount         of all entries, decompressed
///         16     4  storedByteCount   of the bytes as they lie here
///         20    12  reserved          zero
///         32        dictionary: codes, an integer vector of count values
///                   lengths of the entries, an integer vector of entryCount values
///                   checkpoints: where every 64th entry starts, 4 bytes each, padded to 16
///                   the bytes
///
/// The entries of a dictionary are distinct and ascend by their bytes, so codes compare like
/// values.
///
/// The memory belongs to the row group. Construction checks where the parts lie; that the lengths
/// add up is checked where they are used, as it costs a pass.
@safe
package struct BytesVector {
  package let count: Int
  package let entryCount: Int
  /// Bytes of all entries, decompressed.
  package let byteCount: Int
  /// The row's entry, when there is a dictionary; a code is not yet known to be below `entryCount`.
  package let codes: IntVector?
  /// Bytes of each entry; not yet known to add up to `byteCount`.
  let lengths: IntVector
  package let isCompressed: Bool
  let storedByteCount: Int
  let stored: UnsafeRawPointer
  private let checkpoints: UnsafeRawPointer
  /// Where `open` keeps the decoded form.
  let slot: CacheSlot

  static let entriesPerCheckpoint = 64

  /// Checks the vector in `bytes`.
  init(decoding bytes: UnsafeRawBufferPointer, slot: CacheSlot) throws(ColumnError) {
    let bytes = try unsafe VectorBytes(bytes)
    try bytes.require(32)
    try bytes.requireZero(2..<4)
    try bytes.requireZero(20..<32)
    let encoding: UInt8 = bytes.load(0)
    let flags: UInt8 = bytes.load(1)
    guard flags <= 1 else { throw .corrupted(.reservedBytesInUse) }
    count = Int(bytes.load(4, as: UInt32.self))
    entryCount = Int(bytes.load(8, as: UInt32.self))
    byteCount = Int(bytes.load(12, as: UInt32.self))
    storedByteCount = Int(bytes.load(16, as: UInt32.self))
    isCompressed = flags == 1
    self.slot = slot

    var offset = 32
    switch encoding {
    case 0:
      guard entryCount == count else {
        throw .corrupted(.count(expected: count, found: entryCount))
      }
      codes = nil
    case 1:
      let codes = try unsafe IntVector(decoding: bytes.suffix(from: offset))
      guard codes.count == count else {
        throw .corrupted(.count(expected: count, found: codes.count))
      }
      offset += codes.byteCount
      self.codes = codes
    default:
      throw .corrupted(.unknownEncoding(encoding))
    }
    lengths = try unsafe IntVector(decoding: bytes.suffix(from: offset))
    guard lengths.count == entryCount else {
      throw .corrupted(.count(expected: entryCount, found: lengths.count))
    }
    offset += lengths.byteCount
    let checkpointByteCount = Self.checkpointByteCount(entryCount: entryCount)
    try bytes.require(offset + checkpointByteCount + storedByteCount)
    guard isCompressed || storedByteCount == byteCount else {
      throw .corrupted(.count(expected: byteCount, found: storedByteCount))
    }
    // SAFETY: both parts are in bounds (above).
    unsafe checkpoints = bytes.start + offset
    unsafe stored = bytes.start + offset + checkpointByteCount
  }

  /// `count` empty values, for a column that is not in the row group.
  init(empty count: Int) {
    self.count = count
    entryCount = count
    byteCount = 0
    storedByteCount = 0
    codes = nil
    lengths = IntVector(repeating: 0, count: count)
    isCompressed = false
    unsafe stored = ZeroBytes.start
    // Not read: a range in a vector without bytes is empty before its checkpoint is looked at.
    unsafe checkpoints = ZeroBytes.start
    slot = .none
  }

  static func checkpointByteCount(entryCount: Int) -> Int {
    alignedTo16((entryCount + entriesPerCheckpoint - 1) / entriesPerCheckpoint * 4)
  }

  /// The number of bytes of row `row`, without a look at the bytes.
  ///
  /// In a damaged vector any number from 0 to `byteCount`.
  package func byteCount(_ row: Int) -> Int {
    let entry: Int
    if let codes {
      let code = codes[row]
      guard UInt64(bitPattern: code) < UInt64(entryCount) else { return 0 }
      entry = Int(code)
    } else {
      entry = row
    }
    return Int(min(UInt64(bitPattern: lengths[entry]), UInt64(byteCount)))
  }

  /// The entry of row `row`.
  func entry(_ row: Int) throws(ColumnError) -> Int {
    guard let codes else { return row }
    let code = codes[row]
    guard UInt64(bitPattern: code) < UInt64(entryCount) else {
      throw slot.placed(
        .corrupted(.entryOutOfBounds(entry: Int(code), entryCount: entryCount)))
    }
    return Int(code)
  }

  /// Where entry `entry` lies in the decompressed bytes: a checkpoint and at most 63 lengths.
  private func range(entry: Int) throws(ColumnError) -> Range<Int> {
    guard byteCount > 0 else { return 0..<0 }
    let block = entry / Self.entriesPerCheckpoint
    // SAFETY: there is a checkpoint for every 64th entry; `entry` is below `entryCount`.
    let checkpoint = unsafe checkpoints.loadUnaligned(fromByteOffset: block * 4, as: UInt32.self)
    var start = UInt64(checkpoint)
    let limit = UInt64(byteCount)
    for before in (block * Self.entriesPerCheckpoint)..<entry {
      // A length is at most 2^64 - 1, so clamp before the sum can wrap.
      start += min(UInt64(bitPattern: lengths[before]), limit)
    }
    let length = UInt64(bitPattern: lengths[entry])
    guard start <= limit, length <= limit - start else {
      throw slot.placed(.corrupted(.lengthsDoNotAddUp))
    }
    return Int(start)..<Int(start + length)
  }

  /// Calls `body` with the bytes of row `row`.
  ///
  /// An uncompressed vector is read in place; a compressed one through the decoded cache.
  package func withBytes<Result>(
    _ row: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    precondition(row >= 0 && row < count, "a row of the vector")
    if isCompressed {
      let view = try open()
      let bytes = try unsafe view.bytes(row)
      return try withExtendedLifetime(view.decoded) { try unsafe body(bytes) }
    }
    let range = try range(entry: try entry(row))
    // SAFETY: the range is inside the stored bytes, as these are not compressed.
    return try unsafe body(
      UnsafeRawBufferPointer(start: stored + range.lowerBound, count: range.count))
  }

  /// All entries with the place of each, decompressed, from the cache if it is there.
  package func open() throws(ColumnError) -> BytesView {
    let decoded: DecodedBytes
    do throws(ColumnError) {
      decoded = try slot.decoded { () throws(ColumnError) in try DecodedBytes(decoding: self) }
    } catch { throw slot.placed(error) }
    // Two vectors cannot share a place in the cache unless the directory was changed under one
    // checksum; then the counts tell them apart.
    guard decoded.offsetCount == entryCount + 1,
      decoded.byteCount == (isCompressed ? byteCount : 0)
    else {
      throw slot.placed(.corrupted(.count(expected: entryCount + 1, found: decoded.offsetCount)))
    }
    return unsafe BytesView(
      vector: self, bytes: isCompressed ? decoded.bytes : stored, decoded: decoded)
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension BytesVector: @unchecked Sendable {}

/// The entries of a `BytesVector`, decompressed, with the place of each.
///
/// The offsets and decompressed bytes belong to `decoded`; uncompressed bytes to the row group.
/// Invariant: the offsets ascend from 0 to `byteCount`, so that every entry lies in the bytes.
@safe
package struct BytesView {
  package let count: Int
  package let entryCount: Int
  package let codes: IntVector?
  package let bytes: UnsafeRawPointer
  package let byteCount: Int
  /// `entryCount` + 1 offsets.
  package let offsets: UnsafePointer<UInt32>
  /// Keep this alive as long as `bytes` and `offsets` are used.
  package let decoded: DecodedBytes
  private let slot: CacheSlot

  init(vector: BytesVector, bytes: UnsafeRawPointer, decoded: DecodedBytes) {
    slot = vector.slot
    count = vector.count
    entryCount = vector.entryCount
    codes = vector.codes
    unsafe self.bytes = bytes
    byteCount = vector.byteCount
    unsafe offsets = decoded.offsets
    self.decoded = decoded
  }

  /// The bytes of an entry, below `entryCount`.
  @inlinable
  package func entry(_ entry: Int) -> UnsafeRawBufferPointer {
    precondition(UInt(bitPattern: entry) < UInt(bitPattern: entryCount), "an entry of the vector")
    // SAFETY: `entry` + 1 is an offset (above), and the offsets ascend to `byteCount`.
    let start = unsafe Int(offsets[entry])
    return unsafe UnsafeRawBufferPointer(
      start: bytes + start, count: Int(offsets[entry &+ 1]) &- start)
  }

  /// The bytes of a row.
  @inlinable
  package func bytes(_ row: Int) throws(ColumnError) -> UnsafeRawBufferPointer {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count), "a row of the vector")
    guard let codes else { return unsafe entry(row) }
    let code = codes[row]
    guard UInt64(bitPattern: code) < UInt64(entryCount) else { throw outOfBounds(code) }
    return unsafe entry(Int(code))
  }

  /// The error for a code that is no entry's, with its place.
  @inline(never)
  package func outOfBounds(_ code: Int64) -> ColumnError {
    slot.placed(.corrupted(.entryOutOfBounds(entry: Int(code), entryCount: entryCount)))
  }

  /// The entry with exactly these bytes in a dictionary, or nil; a binary search.
  package func code(of bytes: UnsafeRawBufferPointer) -> Int? {
    let position = unsafe lowerBound(of: bytes)
    guard position < entryCount, unsafe compare(entry(position), bytes) == 0 else { return nil }
    return position
  }

  /// The first entry of a dictionary that is not below `bytes`; `entryCount` if there is none.
  package func lowerBound(of bytes: UnsafeRawBufferPointer) -> Int {
    binarySearch(0..<entryCount) { unsafe compare(entry($0), bytes) < 0 }
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension BytesView: @unchecked Sendable {}
