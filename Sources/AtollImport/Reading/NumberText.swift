/// A number in the grammar of RFC 8259, taken apart.
///
///     number = [ "-" ] ( "0" | digit1-9 *digit ) [ "." 1*digit ] [ ( "e" | "E" ) [sign] 1*digit ]
struct NumberText {
  enum Failure {
    case missingDigit, leadingZero
  }

  /// The index behind the last byte that belongs to the number, or of the byte that is wrong.
  private(set) var end: Int
  private(set) var failure: Failure?
  /// True without fraction and exponent.
  private(set) var isInteger = true
  /// Whether there is an exponent without sign, and no point, as in `1E5`.
  ///
  /// Identifiers look like that; programs write a double with the sign or with a point.
  private(set) var mayBeIdentifier = false
  private let start: Int
  private var isNegative = false
  /// The digits as an integer, without the point; meaningless when `isMantissaExact` is false.
  private var mantissa: UInt64 = 0
  private var isMantissaExact = true
  /// The value is mantissa × 10^exponent.
  private var exponent = 0

  /// Reads the number at `start`; the bytes end with one that belongs to no number.
  init(_ bytes: [UInt8], from start: Int) {
    self.start = start
    end = start
    if bytes[end] == UInt8(ascii: "-") {
      isNegative = true
      end += 1
    }
    let firstDigit = end
    guard readDigits(bytes) > 0 else {
      failure = .missingDigit
      return
    }
    guard bytes[firstDigit] != UInt8(ascii: "0") || end == firstDigit + 1 else {
      failure = .leadingZero
      return
    }
    if bytes[end] == UInt8(ascii: ".") {
      isInteger = false
      end += 1
      let count = readDigits(bytes)
      guard count > 0 else {
        failure = .missingDigit
        return
      }
      exponent -= count
    }
    if bytes[end] == UInt8(ascii: "e") || bytes[end] == UInt8(ascii: "E") {
      mayBeIdentifier = isInteger
      isInteger = false
      end += 1
      readExponent(bytes)
    }
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? UInt64(digit) : nil
  }

  /// Adds a run of digits to the mantissa and returns how many there were.
  private mutating func readDigits(_ bytes: [UInt8]) -> Int {
    let first = end
    while let digit = Self.digit(bytes[end]) {
      let (product, overflowed) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(digit)
      if overflowed || carried { isMantissaExact = false }
      mantissa = sum
      end += 1
    }
    return end - first
  }

  private mutating func readExponent(_ bytes: [UInt8]) {
    var isNegative = false
    if bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+") {
      isNegative = bytes[end] == UInt8(ascii: "-")
      mayBeIdentifier = false
      end += 1
    }
    let first = end
    var value = 0
    while let digit = Self.digit(bytes[end]) {
      // Beyond this bound only the slow path, which reads the text, can be right.
      if value < 100_000 { value = value * 10 + Int(digit) }
      end += 1
    }
    if end == first { failure = .missingDigit }
    exponent += isNegative ? -value : value
  }

  /// The value of an integer; nil when it does not fit.
  var integer: Int64? {
    guard isInteger, isMantissaExact else { return nil }
    guard isNegative else { return Int64(exactly: mantissa) }
    return mantissa == UInt64(Int64.max) + 1 ? .min : Int64(exactly: mantissa).map { -$0 }
  }

  /// A number with fraction or exponent, by the nearest double and as it is written.
  func double(in bytes: [UInt8]) -> DataValue {
    let value = nearestDouble(in: bytes)
    let digits = text(in: bytes)
    return value.isFinite && (value != 0 || Self.isZero(digits))
      ? .double(value, digits: digits) : .longDouble(digits)
  }

  /// Whether all digits before the exponent are zero.
  static func isZero(_ digits: String) -> Bool {
    !digits.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (49...57).contains($0) }
  }

  /// The nearest double, infinite when the number is larger than all of them.
  ///
  /// A mantissa below 2^53 and a power of ten up to 10^22 are doubles themselves, so one
  /// multiplication or division rounds correctly (W. Clinger, "How to read floating point
  /// numbers accurately", 1990). All else goes through the standard library.
  private func nearestDouble(in bytes: [UInt8]) -> Double {
    if isMantissaExact, mantissa < 1 << 53, abs(exponent) <= 22 {
      let power = Self.powersOfTen[abs(exponent)]
      let magnitude = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
      return isNegative ? -magnitude : magnitude
    }
    guard let value = Double(text(in: bytes)) else {
      preconditionFailure("the standard library reads every number of this grammar")
    }
    return value
  }

  func text(in bytes: [UInt8]) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
