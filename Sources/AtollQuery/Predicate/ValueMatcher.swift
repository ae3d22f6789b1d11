internal import AtollObjects

/// A test of one value of any type, whose patterns were read once.
///
/// Of a mixed value the type is known only when it is read; a long pattern of LIKE would be read
/// again for each of them.
indirect enum ValueMatcher {
  case predicate(ValuePredicate)
  /// A comparison of texts, or of data, with a constant.
  case bytes(BytesPredicate, ValueType)
  case all([ValueMatcher])
  case any([ValueMatcher])
  case not(ValueMatcher)

  init(_ predicate: ValuePredicate) {
    switch predicate {
    case .compare(let comparator, let constant, _) where comparator.comparesStrings:
      self =
        switch constant {
        case .string: .bytes(BytesPredicate(predicate, .string), .string)
        case .data: .bytes(BytesPredicate(predicate, .data), .data)
        default: .predicate(predicate)
        }
    case .all(let terms): self = .all(terms.map { ValueMatcher($0) })
    case .any(let terms): self = .any(terms.map { ValueMatcher($0) })
    case .not(let inner): self = .not(ValueMatcher(inner))
    case .compare, .compareReversed, .between, .isIn: self = .predicate(predicate)
    }
  }

  func matches(_ value: Value) -> Bool {
    switch self {
    case .predicate(let predicate): return predicate.matches(value)
    case .bytes(let predicate, let type):
      switch (value, type) {
      case (.string(var text), .string):
        // SAFETY: the bytes are lent for the call.
        return text.withUTF8 { unsafe predicate.matches(UnsafeRawBufferPointer($0)) }
      case (.data(let bytes), .data):
        // SAFETY: as above.
        return unsafe bytes.withUnsafeBytes { unsafe predicate.matches($0) }
      default: return false
      }
    case .all(let terms): return terms.allSatisfy { $0.matches(value) }
    case .any(let terms): return terms.contains { $0.matches(value) }
    case .not(let inner): return !inner.matches(value)
    }
  }
}

extension ValuePredicate {
  /// About how long the test of a long text or of long data takes for each of its bytes.
  ///
  /// Measured on common patterns and rounded up: an estimate that keeps a test of minutes from
  /// beginning, not one that tells microseconds.
  var nanosecondsPerByte: Double {
    switch self {
    case .compare(let comparator, let constant, let folding):
      let test =
        switch comparator {
        case .like: constant.textBytes.map { Double(LikePattern.steps(forEachByteBy: $0)) } ?? 0
        case .contains: 1.0
        default: 0.1
        }
      return test + Self.nanosecondsPerByte(folding)
    case .compareReversed(let comparator, _, let folding):
      // The value is a pattern, which is read.
      return (comparator.comparesStrings ? 50 : 0.1) + Self.nanosecondsPerByte(folding)
    case .between: return 0.2
    case .isIn(let list): return 1 + Self.nanosecondsPerByte(list.folding)
    case .all(let terms), .any(let terms): return terms.reduce(0) { $0 + $1.nanosecondsPerByte }
    case .not(let inner): return inner.nanosecondsPerByte
    }
  }

  private static func nanosecondsPerByte(_ folding: QuerySyntax.Folding) -> Double {
    folding == .exact ? 0 : 10
  }
}

extension Value {
  /// The bytes of a text or of data; nil for everything else.
  fileprivate var textBytes: [UInt8]? {
    switch self {
    case .string(let text): Array(text.utf8)
    case .data(let bytes): bytes
    default: nil
    }
  }

  /// How many bytes a text or data has; nil for everything else.
  var textByteCount: Int? {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: nil
    }
  }
}
