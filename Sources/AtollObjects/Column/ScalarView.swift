internal import AtollStorage

/// A sequence of single values of one type, each possibly null: the rows of a plain column, or all
/// elements of a collection column, one row after the other.
///
/// Of `bits`, `ints`, `fixed` and `bytes` exactly the one that `PhysicalForm` names is not nil;
/// `nanoseconds` belongs to dates. Vectors that a writer leaves out read as their default: nothing
/// is null, nanoseconds are 0. What a null entry holds in the values is unspecified.
///
/// The memory belongs to the row group.
package struct ScalarView: Sendable {
  package let type: ValueType
  package let count: Int
  /// Which entries are not null; nil when none is.
  package let validity: BitVector?
  /// The entries that lie in the external store; they are empty in `bytes`.
  package let external: ExternalVector?
  private let storage: Storage

  /// The vectors of one physical form; one of them at a time, which keeps the view small: it is
  /// copied often.
  private enum Storage {
    case bits(BitVector)
    case ints(IntVector)
    case timestamps(seconds: IntVector, nanoseconds: IntVector)
    case fixed(FixedVector)
    case bytes(BytesVector)
  }

  package var bits: BitVector? {
    if case .bits(let vector) = storage { vector } else { nil }
  }

  /// Integers, seconds of dates, or the keys of links as bit patterns.
  package var ints: IntVector? {
    switch storage {
    case .ints(let vector), .timestamps(let vector, _): vector
    default: nil
    }
  }

  package var nanoseconds: IntVector? {
    if case .timestamps(_, let vector) = storage { vector } else { nil }
  }

  package var fixed: FixedVector? {
    if case .fixed(let vector) = storage { vector } else { nil }
  }

  package var bytes: BytesVector? {
    if case .bytes(let vector) = storage { vector } else { nil }
  }

  /// The vectors of `count` entries; a vector that is not there is nil in `vectors`.
  init(
    type: ValueType, isNullable: Bool, count: Int, vectors: ScalarVectors, rowGroup: RowGroupPage
  ) throws(ColumnError) {
    self.type = type
    self.count = count
    let form = PhysicalForm(type)
    guard let values = vectors.values else {
      // The property was added to the class after this row group was written.
      validity = isNullable ? BitVector(repeating: false, count: count) : nil
      external = nil
      storage = Self.defaults(form, count)
      return
    }

    if let entry = vectors.validity {
      // SAFETY: the row group was checked to hold the bytes of each entry of its directory, from a
      // multiple of 16 on; each of the vectors here and below checks its parts against their count.
      // They show the row group's memory: who keeps them keeps that (`RowGroupPage`).
      let bits = try unsafe BitVector(decoding: rowGroup.bytes(entry, .bits))
      try Self.require(count, bits.count)
      validity = bits
    } else {
      validity = nil
    }
    if let entry = vectors.external {
      external = try unsafe ExternalVector(decoding: rowGroup.bytes(entry, .external), limit: count)
    } else {
      external = nil
    }
    switch form {
    case .bits:
      let vector = try unsafe BitVector(decoding: rowGroup.bytes(values, .bits))
      try Self.require(count, vector.count)
      storage = .bits(vector)
    case .ints:
      storage = .ints(try Self.ints(values, count, rowGroup))
    case .timestamps:
      storage = .timestamps(
        seconds: try Self.ints(values, count, rowGroup),
        nanoseconds: try vectors.nanoseconds.map { entry throws(ColumnError) in
          try Self.ints(entry, count, rowGroup)
        } ?? IntVector(repeating: 0, count: count))
    case .fixed(let width):
      let vector = try unsafe FixedVector(
        decoding: rowGroup.bytes(values, .fixed), width: width, slot: rowGroup.slot(values))
      try Self.require(count, vector.count)
      storage = .fixed(vector)
    case .bytes:
      let vector = try unsafe BytesVector(
        decoding: rowGroup.bytes(values, .bytes), slot: rowGroup.slot(values))
      try Self.require(count, vector.count)
      storage = .bytes(vector)
    }
  }

  private static func ints(
    _ entry: Int, _ count: Int, _ rowGroup: RowGroupPage
  ) throws(ColumnError) -> IntVector {
    // SAFETY: as in the initialiser.
    let vector = try unsafe IntVector(decoding: rowGroup.bytes(entry, .ints))
    try require(count, vector.count)
    return vector
  }

  private static func defaults(_ form: PhysicalForm, _ count: Int) -> Storage {
    let zeros = IntVector(repeating: 0, count: count)
    return switch form {
    case .bits: .bits(BitVector(repeating: false, count: count))
    case .ints: .ints(zeros)
    case .timestamps: .timestamps(seconds: zeros, nanoseconds: zeros)
    case .fixed(let width): .fixed(FixedVector(zeros: count, width: width))
    case .bytes: .bytes(BytesVector(empty: count))
    }
  }

  private static func require(_ expected: Int, _ found: Int) throws(ColumnError) {
    guard expected == found else {
      throw .corrupted(.count(expected: expected, found: found))
    }
  }

  /// Whether entry `index` is null.
  package func isNull(_ index: Int) -> Bool {
    guard let validity else { return false }
    return !validity[index]
  }

  /// The number of null entries.
  package var nullCount: Int {
    guard let validity else { return 0 }
    return count - validity.trueCount
  }

  /// The number of bytes of entry `index`, wherever it lies, without a look at the bytes.
  package func byteCount(_ index: Int) -> Int {
    if let external, let value = external.find(index) { return Int(clamping: value.byteCount) }
    return bytes?.byteCount(index) ?? 0
  }
}

/// The directory entries of one sequence of values.
struct ScalarVectors {
  var validity: Int?
  var values: Int?
  var nanoseconds: Int?
  var external: Int?
}
