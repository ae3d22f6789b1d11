/// Hexadecimal text of identifiers: lower case out, either case in.
enum Hexadecimal {
  /// The value of one digit, or nil.
  static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Reads digits as one big-endian number; nil on any other byte or beyond 128 bits.
  static func parse(_ digits: some Collection<UInt8>) -> UInt128? {
    guard digits.count <= 32 else { return nil }
    var result: UInt128 = 0
    for byte in digits {
      guard let digit = value(of: byte) else { return nil }
      result = result << 4 | UInt128(digit)
    }
    return result
  }

  /// The lowest `digitCount` digits of `number`, leading zeros included.
  static func digits(of number: UInt128, count digitCount: Int) -> [UInt8] {
    (0..<digitCount).reversed().map { index in
      let digit = UInt8(truncatingIfNeeded: number >> UInt128(index * 4)) & 0xF
      return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + (digit - 10)
    }
  }
}
