internal import AtollObjects

/// A test of strings or data against constants, on their bytes.
final class BytesPredicate {
  /// What is done, in the form that is quickest for it.
  indirect enum Form {
    case constant(Bool)
    case equal([UInt8])
    /// Sorted by their bytes.
    case isIn([[UInt8]])
    /// Bounds of the bytes; nil where there is none.
    case range(low: [UInt8]?, isLowIn: Bool, high: [UInt8]?, isHighIn: Bool)
    case begins([UInt8])
    case ends([UInt8])
    case contains(ByteSearch)
    case like(LikePattern, prefilter: ByteSearch?)
    /// The constant is the text, and the value the pattern.
    case reversed(QuerySyntax.Comparator, [UInt8], isText: Bool)
    /// A form whose constants are folded, on folded bytes.
    case folded(Form, QuerySyntax.Folding)
    case all([Form])
    case any([Form])
    case not(Form)
  }

  let form: Form
  /// All byte strings that can pass.
  let bounds: ByteIntervals
  /// Whether all that lie within the bounds pass.
  let isExactlyBounds: Bool

  /// The predicate on values of `type`, string or data.
  init(_ predicate: ValuePredicate, _ type: ValueType) {
    form = Self.form(predicate, type)
    (bounds, isExactlyBounds) = form.intervals
  }

  private static func form(_ predicate: ValuePredicate, _ type: ValueType) -> Form {
    switch predicate {
    case .all(let terms): return .all(terms.map { form($0, type) })
    case .any(let terms): return .any(terms.map { form($0, type) })
    case .not(let inner): return .not(form(inner, type))
    case .isIn(let list):
      let folding = list.folding
      var constants = list.values.compactMap { bytes($0, type) }
      constants = constants.map { folded($0, folding) }
      constants.sort { $0.lexicographicallyPrecedes($1) }
      guard constants.count != 1 else {
        return folded(.equal(constants[0]), folding)
      }
      return folded(.isIn(constants), folding)
    case .between(let low, let high):
      guard let low = bytes(low, type), let high = bytes(high, type) else {
        return .constant(false)
      }
      return .range(low: low, isLowIn: true, high: high, isHighIn: true)
    case .compareReversed(let comparator, let constant, let folding)
    where comparator.comparesStrings:
      guard let text = bytes(constant, type) else { return .constant(false) }
      return folded(
        .reversed(comparator, folded(text, folding), isText: type == .string), folding)
    case .compareReversed(let comparator, let constant, let folding):
      return form(
        .compare(comparator.reversed, constant, folding: folding), type)
    case .compare(let comparator, let constant, let folding):
      guard let constant = bytes(constant, type) else {
        return .constant(comparator == .notEqual)
      }
      return folded(
        form(comparator, folded(constant, folding), isText: type == .string), folding)
    }
  }

  private static func folded(_ form: Form, _ folding: QuerySyntax.Folding) -> Form {
    folding == .exact ? form : .folded(form, folding)
  }

  private static func folded(_ bytes: [UInt8], _ folding: QuerySyntax.Folding) -> [UInt8] {
    folding == .exact ? bytes : TextFolding.folded(bytes, folding)
  }

  private static func form(
    _ comparator: QuerySyntax.Comparator, _ constant: [UInt8], isText: Bool
  ) -> Form {
    switch comparator {
    case .equal, .in: return .equal(constant)
    case .notEqual: return .not(.equal(constant))
    case .less: return .range(low: nil, isLowIn: true, high: constant, isHighIn: false)
    case .lessOrEqual: return .range(low: nil, isLowIn: true, high: constant, isHighIn: true)
    case .greater: return .range(low: constant, isLowIn: false, high: nil, isHighIn: true)
    case .greaterOrEqual: return .range(low: constant, isLowIn: true, high: nil, isHighIn: true)
    case .beginsWith: return .begins(constant)
    case .endsWith: return .ends(constant)
    case .contains: return .contains(ByteSearch(constant))
    case .like:
      let pattern = LikePattern(constant, isText: isText)
      let literal = pattern.longestLiteral
      return .like(pattern, prefilter: literal.count > 1 ? ByteSearch(literal) : nil)
    }
  }

  /// The bytes of a constant that is of the column's type.
  private static func bytes(_ value: Value, _ type: ValueType) -> [UInt8]? {
    switch (value, type) {
    case (.string(let text), .string): Array(text.utf8)
    case (.data(let bytes), .data): bytes
    default: nil
    }
  }

  // MARK: One value

  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { unsafe Self.matches(form, bytes) }

  static func matches(_ form: Form, _ bytes: UnsafeRawBufferPointer) -> Bool {
    switch form {
    case .constant(let value): return value
    case .equal(let constant): return unsafe compare(bytes, constant) == 0
    case .isIn(let constants):
      var low = 0
      var high = constants.count
      while low < high {
        let middle = (low + high) / 2
        let order = unsafe compare(bytes, constants[middle])
        if order == 0 { return true }
        if order > 0 { low = middle + 1 } else { high = middle }
      }
      return false
    case .range(let low, let isLowIn, let high, let isHighIn):
      if let low {
        let order = unsafe compare(bytes, low)
        if order < 0 || order == 0 && !isLowIn { return false }
      }
      if let high {
        let order = unsafe compare(bytes, high)
        if order > 0 || order == 0 && !isHighIn { return false }
      }
      return true
    case .begins(let prefix):
      guard bytes.count >= prefix.count else { return false }
      return unsafe compare(UnsafeRawBufferPointer(rebasing: bytes[..<prefix.count]), prefix) == 0
    case .ends(let suffix):
      let start = bytes.count - suffix.count
      guard start >= 0 else { return false }
      return unsafe compare(UnsafeRawBufferPointer(rebasing: bytes[start...]), suffix) == 0
    case .contains(let search): return unsafe search.isContained(in: bytes)
    case .like(let pattern, _): return unsafe pattern.matches(bytes)
    case .reversed(let comparator, let text, let isText):
      let inner = unsafe Self.form(comparator, Array(bytes), isText: isText)
      return unsafe text.withUnsafeBytes { unsafe matches(inner, $0) }
    case .folded(.equal(let constant), let folding):
      return unsafe constant.withUnsafeBytes {
        unsafe TextFolding.equals(bytes, folded: $0, folding)
      }
    case .folded(let inner, let folding):
      let folded = unsafe TextFolding.folded(bytes, folding)
      return unsafe folded.withUnsafeBytes { unsafe matches(inner, $0) }
    case .all(let terms):
      for term in terms where unsafe !matches(term, bytes) { return false }
      return true
    case .any(let terms):
      for term in terms where unsafe matches(term, bytes) { return true }
      return false
    case .not(let inner): return unsafe !matches(inner, bytes)
    }
  }

  /// The order of bytes: below, equal to or above 0.
  @inline(__always)
  static func compare(_ bytes: UnsafeRawBufferPointer, _ constant: [UInt8]) -> Int {
    unsafe constant.withUnsafeBytes { unsafe compare(bytes, $0) }
  }

  /// Whether `count` bytes are the same; quicker than their order, of short ones above all.
  @inline(__always)
  static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
    // SAFETY: each load ends at or before `count`; the last one may overlap those before it.
    if count >= 8 {
      var index = 0
      while index &+ 8 <= count {
        if unsafe a.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          != b.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        {
          return false
        }
        index &+= 8
      }
      return unsafe a.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        == b.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    }
    return unsafe shortWord(a, count) == shortWord(b, count)
  }

  /// Fewer than eight bytes as a number that differs for different ones of one count.
  @inline(__always)
  static func shortWord(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    // SAFETY: each load ends at or before `count`, which is below 8.
    if count >= 4 {
      return unsafe UInt64(bytes.loadUnaligned(as: UInt32.self)) &<< 32
        | UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    }
    guard count > 0 else { return 0 }
    return unsafe UInt64(bytes.load(as: UInt8.self)) &<< 16
      | UInt64(bytes.load(fromByteOffset: count &>> 1, as: UInt8.self)) &<< 8
      | UInt64(bytes.load(fromByteOffset: count &- 1, as: UInt8.self))
  }

  /// How many bytes are the same in both before the first that differs, of the first `count`.
  ///
  /// - Precondition: both have `count` bytes.
  static func equalCount(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ count: Int
  ) -> Int {
    precondition(count <= a.count && count <= b.count, "bytes of both")
    var index = 0
    if let x = a.baseAddress, let y = b.baseAddress {
      // SAFETY: each load ends at or before `count` (above).
      while index &+ 8 <= count {
        let p = unsafe x.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let q = unsafe y.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if p != q { return index &+ (p ^ q).littleEndian.trailingZeroBitCount &>> 3 }
        index &+= 8
      }
      while index < count,
        unsafe x.load(fromByteOffset: index, as: UInt8.self)
          == y.load(fromByteOffset: index, as: UInt8.self)
      {
        index &+= 1
      }
    }
    return index
  }

  @inline(__always)
  static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    var index = 0
    if let x = a.baseAddress, let y = b.baseAddress {
      // SAFETY: each load ends at or before `common`.
      while index &+ 8 <= common {
        let p = unsafe x.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let q = unsafe y.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if p != q { return p.byteSwapped < q.byteSwapped ? -1 : 1 }
        index &+= 8
      }
      while index < common {
        let p = unsafe x.load(fromByteOffset: index, as: UInt8.self)
        let q = unsafe y.load(fromByteOffset: index, as: UInt8.self)
        if p != q { return p < q ? -1 : 1 }
        index &+= 1
      }
    }
    return a.count - b.count
  }
}
