/// A universally unique identifier: 16 bytes, ordered as bytes.
///
/// Any 128 bits are valid; version and variant are not interpreted. Source: RFC 9562.
public struct UniqueID: Sendable, Hashable {
  /// Bytes 0..<8, big-endian.
  public let high: UInt64
  /// Bytes 8..<16, big-endian.
  public let low: UInt64

  /// Makes an identifier of its two halves, of which all bits are valid.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension UniqueID: LosslessStringConvertible {
  /// Reads 8-4-4-4-12 hexadecimal digits, in either case.
  public init?(_ text: String) {
    let groups = text.utf8.split(
      separator: UInt8(ascii: "-"), maxSplits: 5, omittingEmptySubsequences: false)
    guard groups.map(\.count) == Self.groupLengths else { return nil }
    guard let value = Hexadecimal.parse(Array(groups.joined())) else { return nil }
    self.init(
      high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }

  /// 8-4-4-4-12 lower-case hexadecimal digits.
  public var description: String {
    let digits = Hexadecimal.digits(of: UInt128(high) << 64 | UInt128(low), count: 32)
    var text: [UInt8] = []
    var start = 0
    for length in Self.groupLengths {
      if start > 0 { text.append(UInt8(ascii: "-")) }
      text += digits[start..<start + length]
      start += length
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static var groupLengths: [Int] { [8, 4, 4, 4, 12] }
}

extension UniqueID: Comparable {
  /// Order by unsigned bytes.
  public static func < (a: UniqueID, b: UniqueID) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }
}
