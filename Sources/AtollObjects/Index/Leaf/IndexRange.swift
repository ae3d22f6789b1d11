/// A range of index values: byte strings as `OrderedKey` writes them, compared byte by byte.
///
/// Bounds are keys, beginnings of keys, or what `successor` makes of them. No key is the beginning
/// of another, so exactly the values that begin with a key are those equal to it.
package struct IndexRange: Equatable, Sendable {
  /// No value of the range is smaller.
  package var lower: [UInt8]
  /// All values of the range are smaller; nil when nothing bounds them.
  package var upper: [UInt8]?
  /// Whether the range holds one value at most, which is then `lower`.
  package let isSingleValue: Bool

  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
    isSingleValue = false
  }

  /// The values that begin with `prefix`.
  package init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: Self.successor(of: prefix))
  }

  private init(value: [UInt8]) {
    lower = value
    upper = Self.successor(of: value)
    isSingleValue = true
  }

  /// The entries of one value, which is a whole key.
  package static func equal(to value: [UInt8]) -> IndexRange { IndexRange(value: value) }

  /// The whole index.
  package static let all = IndexRange(lower: [], upper: nil)

  /// The smallest byte string above all that begin with `bytes`; nil when there is none.
  package static func successor(of bytes: [UInt8]) -> [UInt8]? {
    var bytes = bytes
    while let last = bytes.popLast() {
      if last < 0xFF {
        bytes.append(last + 1)
        return bytes
      }
    }
    return nil
  }
}

/// In which order the values of a range are visited; the keys of a value always ascend.
package enum IndexOrder: Sendable {
  case ascending
  case descending
}
