/// A 12-byte identifier that clients can make without asking anyone.
///
///     offset  size  field
///          0     4  seconds since 1970, big-endian
///          4     5  random, one draw per process
///          9     3  counter, big-endian
///
/// Ordered as its bytes, so identifiers made later by one process compare
/// greater (until the seconds wrap in 2106).
public struct ObjectID: Sendable, Hashable {
  /// Bytes 0..<8.
  package let high: UInt64
  /// Bytes 8..<12.
  package let low: UInt32

  package init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// Composes a new identifier; the caller brings time and randomness.
  ///
  /// - Parameters:
  ///   - seconds: seconds since 1970.
  ///   - random: 40 bits; higher bits are dropped.
  ///   - counter: 24 bits; higher bits are dropped, so a counter may simply wrap.
  public init(seconds: UInt32, random: UInt64, counter: UInt32) {
    let random = random & 0xFF_FFFF_FFFF
    self.init(
      high: UInt64(seconds) << 32 | random >> 8,
      low: UInt32(truncatingIfNeeded: random) << 24 | counter & 0xFF_FFFF)
  }

  /// Seconds since 1970, as composed.
  public var seconds: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }
}

extension ObjectID: LosslessStringConvertible {
  /// Reads exactly 24 hexadecimal digits, in either case.
  public init?(_ text: String) {
    guard text.utf8.count == 24, let value = Hexadecimal.parse(text.utf8) else { return nil }
    self.init(
      high: UInt64(truncatingIfNeeded: value >> 32), low: UInt32(truncatingIfNeeded: value))
  }

  /// 24 lower-case hexadecimal digits.
  public var description: String {
    let value = UInt128(high) << 32 | UInt128(low)
    return String(decoding: Hexadecimal.digits(of: value, count: 24), as: UTF8.self)
  }
}

extension ObjectID: Comparable {
  /// Order by unsigned bytes.
  public static func < (a: ObjectID, b: ObjectID) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }
}
