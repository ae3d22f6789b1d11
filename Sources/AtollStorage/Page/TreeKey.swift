/// A key of a tree: bytes in lexicographic order, compared eight at a time.
///
/// A key of up to eight bytes needs no memory of its own. Numbers are keys of
/// eight big-endian bytes, so their order is the order of the numbers.
///
/// Invariant: `long` is empty exactly when `byteCount` is at most 8; then the
/// key is the first `byteCount` bytes of `prefix`, the rest of which is zero.
package struct TreeKey: Hashable, Sendable {
  /// The first eight bytes, big-endian, padded with zeros.
  package let prefix: UInt64
  package let byteCount: Int
  private let long: [UInt8]

  /// The smallest key: no bytes at all.
  package static let lowest = TreeKey([])

  @inline(__always)
  package init(_ number: UInt64) {
    prefix = number
    byteCount = 8
    long = []
  }

  package init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    var prefix: UInt64 = 0
    for index in 0..<8 {
      prefix = prefix << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
    }
    self.prefix = prefix
    long = bytes.count > 8 ? bytes : []
  }

  package var bytes: [UInt8] {
    guard long.isEmpty else { return long }
    return (0..<byteCount).map { UInt8(truncatingIfNeeded: prefix >> UInt64(56 - 8 * $0)) }
  }
}

extension TreeKey: Comparable {
  @inline(__always)
  package static func < (a: TreeKey, b: TreeKey) -> Bool {
    if a.prefix != b.prefix { return a.prefix < b.prefix }
    if a.byteCount <= 8 || b.byteCount <= 8 { return a.byteCount < b.byteCount }
    return a.long.lexicographicallyPrecedes(b.long)
  }

  /// Whether the key is smaller than one whose first eight bytes are the same.
  func isTailBelow(_ other: ByteView) -> Bool {
    if byteCount <= 8 || other.count <= 8 { return byteCount < other.count }
    let shared = min(byteCount, other.count)
    for index in 8..<shared {
      let byte = other[index]
      if long[index] != byte { return long[index] < byte }
    }
    return byteCount < other.count
  }
}
