/// The integers of a vector laid out for one read at a time: every width takes the same few
/// instructions, without a branch.
///
/// Invariant: 8 bytes can be read at `packed` + i × `width` for every row i of the vector.
/// The memory belongs to the vector's row group.
@safe
struct PointInts {
  private let packed: UnsafeRawPointer
  private let width: Int
  private let mask: UInt64
  private let base: Int64
  private let stride: Int64

  init(_ vector: IntVector) {
    width = vector.width
    // SAFETY: the invariant of the vector, which promises 16 bytes; one without a width has none.
    unsafe packed = vector.width == 0 ? ZeroBytes.start : vector.packed
    mask = vector.width == 0 ? 0 : ~0 >> UInt64(64 - 8 * vector.width)
    base = vector.base
    stride = vector.stride
  }

  /// The bit patterns of values of eight bytes.
  init(_ vector: FixedVector) {
    precondition(vector.width == 8, "values of eight bytes")
    // SAFETY: the invariant of the vector, which promises 8 bytes for each row.
    unsafe packed = vector.count == 0 ? ZeroBytes.start : vector.bytes
    width = vector.stride
    mask = ~0
    base = 0
    stride = 0
  }

  init(repeating value: Int64) {
    unsafe packed = ZeroBytes.start
    width = 0
    mask = 0
    base = value
    stride = 0
  }

  /// Value `row`, which is a row of the vector.
  @inline(__always)
  subscript(row: Int) -> Int64 {
    // SAFETY: the invariant of the type.
    let word = unsafe packed.loadUnaligned(fromByteOffset: row &* width, as: UInt64.self)
    return base &+ Int64(bitPattern: word & mask) &+ Int64(row) &* stride
  }
}

/// The same for bits.
///
/// Invariant: a word can be read at `words` + i / 64 × `stride` for every row i of the vector.
@safe
struct PointBits {
  private let words: UnsafeRawPointer
  private let stride: Int
  /// All ones where every bit is set, else zero.
  private let ones: UInt64

  init(_ vector: BitVector) {
    if let found = unsafe vector.words, vector.count > 0 {
      unsafe self.init(words: UnsafeRawPointer(found), stride: 8, ones: 0)
    } else {
      self.init(repeating: vector.trueCount > 0)
    }
  }

  init(repeating value: Bool) {
    unsafe self.init(words: ZeroBytes.start, stride: 0, ones: value ? ~0 : 0)
  }

  private init(words: UnsafeRawPointer, stride: Int, ones: UInt64) {
    unsafe self.words = words
    self.stride = stride
    self.ones = ones
  }

  /// Bit `row`, which is a row of the vector.
  @inline(__always)
  subscript(row: Int) -> Bool {
    // SAFETY: the invariant of the type.
    let word = unsafe words.loadUnaligned(fromByteOffset: (row &>> 6) &* stride, as: UInt64.self)
    return (word | ones) &>> UInt64(row & 63) & 1 != 0
  }
}
