internal import AtollStorage

/// Bits as they lie in a row group: booleans, or which values are not null.
///
/// Normative text: Format.md, "Bits".
///
///     offset  size  field
///          0     1  encoding   0 all false, 1 all true, 2 bitmap
///          1     3  reserved   zero
///          4     4  count
///          8     4  trueCount
///         12     4  reserved   zero
///         16        bitmap: ceil(count / 64) words of 8 bytes; bits from `count` on are zero
///
/// The memory belongs to the row group. Invariant: `words` is nil or has ceil(`count` / 64) words,
/// in which no bit from `count` on is set.
@safe
package struct BitVector {
  package let count: Int
  package let trueCount: Int
  /// The bitmap, bit 0 first; nil when all bits are equal to `isAllTrue`.
  package let words: UnsafePointer<UInt64>?

  /// Checks the vector in `bytes`, which starts 8-byte aligned.
  init(decoding bytes: UnsafeRawBufferPointer) throws(ColumnError) {
    let bytes = try unsafe VectorBytes(bytes)
    try bytes.require(16)
    try bytes.requireZero(1..<4)
    try bytes.requireZero(12..<16)
    let encoding: UInt8 = bytes.load(0)
    let count = Int(bytes.load(4, as: UInt32.self))
    let trueCount = Int(bytes.load(8, as: UInt32.self))
    let wordCount = (count + 63) / 64
    let expected: ClosedRange<Int>
    switch encoding {
    case 0:
      expected = 0...0
      unsafe words = nil
    case 1:
      expected = count...count
      unsafe words = nil
    case 2:
      expected = 0...count
      try bytes.require(16 + wordCount * 8)
      if count % 64 != 0 {
        let last: UInt64 = bytes.load(8 + wordCount * 8)
        guard last >> UInt64(count % 64) == 0 else { throw .corrupted(.reservedBytesInUse) }
      }
      // SAFETY: the words exist (above); vectors start 16-byte aligned.
      unsafe words = (bytes.start + 16).assumingMemoryBound(to: UInt64.self)
    default:
      throw .corrupted(.unknownEncoding(encoding))
    }
    guard expected.contains(trueCount) else {
      throw .corrupted(.count(expected: expected.upperBound, found: trueCount))
    }
    self.count = count
    self.trueCount = trueCount
  }

  /// `count` times `value`, for a column that is not in the row group.
  init(repeating value: Bool, count: Int) {
    self.count = count
    trueCount = value ? count : 0
    unsafe words = nil
  }

  /// The value of every bit, when there are no words.
  @inlinable
  package var isAllTrue: Bool { trueCount == count }

  /// Bit `row`.
  @inlinable
  package subscript(row: Int) -> Bool {
    precondition(UInt(bitPattern: row) < UInt(bitPattern: count), "a row of the vector")
    guard let words = unsafe words else { return trueCount != 0 }
    // SAFETY: `row` is below `count` (above).
    return unsafe words[row &>> 6] &>> UInt64(row & 63) & 1 != 0
  }

  /// The bits from 64 × `index` on; bits from `count` on are zero.
  @inlinable
  package func word(_ index: Int) -> UInt64 {
    precondition(index >= 0 && index < (count + 63) / 64, "a word of the vector")
    // SAFETY: in bounds (above).
    if let words = unsafe words { return unsafe words[index] }
    if trueCount == 0 { return 0 }
    let rest = count - index * 64
    return rest >= 64 ? .max : (1 &<< UInt64(rest)) &- 1
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension BitVector: @unchecked Sendable {}
