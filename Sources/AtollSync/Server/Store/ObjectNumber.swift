/// An object within one store: the number of its class, and its key there.
///
/// As bytes big-endian, so that records lie in this order.
package struct ObjectNumber: Hashable, Comparable, Sendable {
  package var classNumber: UInt32
  package var key: UInt64

  package init(classNumber: UInt32, key: UInt64) {
    self.classNumber = classNumber
    self.key = key
  }

  package static let byteCount = 12

  /// The number in the first bytes of `bytes`; nil when there are too few.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    classNumber = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    key = bytes.dropFirst(4).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    append(to: &bytes)
    return bytes
  }

  package func append(to bytes: inout [UInt8]) {
    bytes.appendNumber(classNumber)
    bytes.appendNumber(key)
  }

  package static func < (a: ObjectNumber, b: ObjectNumber) -> Bool {
    a.classNumber == b.classNumber ? a.key < b.key : a.classNumber < b.classNumber
  }
}

extension [UInt8] {
  // Of each type by itself: generic code took a quarter of the time of a small push.

  /// Appends an integer, most significant byte first, so that bytes compare as the integers do.
  mutating func appendNumber(_ value: UInt64) {
    appendNumber(UInt32(truncatingIfNeeded: value >> 32))
    appendNumber(UInt32(truncatingIfNeeded: value))
  }

  /// Appends an integer, most significant byte first, so that bytes compare as the integers do.
  mutating func appendNumber(_ value: UInt32) {
    append(UInt8(truncatingIfNeeded: value >> 24))
    append(UInt8(truncatingIfNeeded: value >> 16))
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }
}
