internal import AtollObjects

/// Ranks strings or data by how far they go along with one of their run, the pivot.
///
/// Those below the pivot come first, the longer they are equal to it the later; then those equal as
/// far as is looked; then those above it, the longer they are equal to it the earlier. A few bytes
/// behind the equal ones tell more. So strings whose beginnings get ever longer fall apart at once,
/// however much of them is equal.
///
/// Invariant: of strings of one run that is below another has no greater rank.
struct PivotRanks {
  /// Bytes of a pivot that are looked at, at most.
  let length: Int
  /// Bytes behind the equal ones that ranks tell of.
  let nextByteCount: Int
  /// Where the pivot of each run begins in `bytes`, and its bytes; none yet: -1.
  private var pivots: [(start: UInt32, byteCount: Int32)]
  private var bytes: [UInt8] = []
  /// Bits that count the bytes behind the equal ones: a string that ends comes before a zero byte.
  private static let countBitCount: UInt64 = 3

  /// `runCount`: runs that have a pivot each; `bitCount`: bits of a rank, at least 20.
  init(runCount: Int, length wanted: Int, bitCount: Int) {
    precondition(bitCount >= 20, "a few bytes fit")
    // The side and the equal bytes are below 2 × length + 1.
    length = min(wanted, 1 << (bitCount - 8 - Int(Self.countBitCount) - 2))
    let sideBitCount = Int.bitWidth - (2 * length).leadingZeroBitCount
    nextByteCount = min(7, (bitCount - sideBitCount - Int(Self.countBitCount)) / 8)
    pivots = Array(repeating: (0, -1), count: runCount)
  }

  /// The bytes of a string that are looked at.
  var reach: Int { length + nextByteCount }

  private var shift: UInt64 { UInt64(nextByteCount) * 8 + Self.countBitCount }

  /// Ranks are at most it.
  var greatest: UInt64 { UInt64(2 * length + 1) << shift - 1 }

  func hasPivot(_ run: Int) -> Bool { pivots[run].byteCount >= 0 }

  /// Makes a string the pivot of its run.
  mutating func setPivot(_ run: Int, _ tail: UnsafeRawBufferPointer) {
    let count = min(tail.count, length)
    pivots[run] = (UInt32(bytes.count), Int32(count))
    unsafe bytes.append(contentsOf: tail[..<count])
  }

  /// The rank of a string among those of its run.
  ///
  /// `tail`: the bytes that are not known to be equal, `reach` of them or up to the end.
  ///
  /// - Precondition: the run has a pivot.
  func rank(_ run: Int, _ tail: UnsafeRawBufferPointer) -> UInt64 {
    let start = Int(pivots[run].start)
    let count = Int(pivots[run].byteCount)
    let common = min(count, tail.count)
    let equal = unsafe bytes.withUnsafeBytes {
      unsafe BytesPredicate.equalCount(UnsafeRawBufferPointer(rebasing: $0[start...]), tail, common)
    }
    if equal == count, count == length || tail.count == count { return UInt64(length) << shift }
    // SAFETY: both have a byte there when the second part is asked for.
    let isAbove = unsafe equal == count || equal < tail.count && tail[equal] > bytes[start + equal]
    var next: UInt64 = 0
    let nextCount = min(nextByteCount, tail.count - equal)
    for index in 0..<nextCount {
      next |= unsafe UInt64(tail[equal + index]) << UInt64((nextByteCount - 1 - index) * 8)
    }
    return UInt64(isAbove ? 2 * length - equal : equal) << shift
      | next << Self.countBitCount | UInt64(nextCount)
  }

  /// How many more bytes are equal in all strings of a run with one rank.
  ///
  /// - Returns: nil when they are equal up to their ends.
  func equalByteCount(_ run: Int, _ rank: UInt64) -> Int? {
    let side = Int(rank >> shift)
    if side == length {
      return pivots[run].byteCount < length ? nil : length
    }
    guard rank & (1 << Self.countBitCount - 1) == nextByteCount else { return nil }
    return min(side, 2 * length - side) + nextByteCount
  }
}
