extension Decimal128: LosslessStringConvertible {
  /// Reads decimal text, correctly rounded.
  ///
  /// Takes an optional sign and then digits with at most one point and an
  /// optional exponent (`e` or `E`, optional sign, digits), or `inf`,
  /// `infinity` or `nan` in any letter case. Digits beyond 34 round half to
  /// even; an exponent out of range gives infinity or zero. Nil for anything
  /// else, blanks included. One pass over the text.
  public init?(_ text: String) {
    var scanner = Scanner(utf8: text.utf8)
    let isNegative = scanner.takeSign()
    if let special = scanner.takeSpecial() {
      self = special == .nan ? .nan : Self.infinity(isNegative: isNegative)
      return
    }
    guard let significand = scanner.takeSignificand(), let exponent = scanner.takeExponent(),
      scanner.isAtEnd
    else { return nil }
    self = Self.rounded(
      isNegative: isNegative, UInt256(low: significand.coefficient),
      exponent: exponent + significand.exponent, hasTail: significand.hasTail)
  }

  /// The number as text: to-scientific-string of IEEE 754-2008 section 5.12.
  ///
  /// Plain digits when the exponent is at most zero and the first digit lies at
  /// 10^-6 or above, else one digit, a point, the rest and `E±n`. All digits of
  /// the coefficient are shown, so reading the text gives the same value and
  /// exponent.
  public var description: String {
    guard let finite else {
      if isNaN { return "NaN" }
      return isNegative ? "-Infinity" : "Infinity"
    }
    let digits = Array(String(finite.coefficient).utf8)
    let exponent = finite.exponent
    let leadingExponent = exponent + digits.count - 1
    let point = UInt8(ascii: ".")

    var text: [UInt8] = finite.isNegative ? [UInt8(ascii: "-")] : []
    if exponent <= 0, leadingExponent >= -6 {
      let integerCount = digits.count + exponent
      if integerCount > 0 {
        text += digits[..<integerCount]
        if exponent < 0 { text += [point] + digits[integerCount...] }
      } else {
        text += [UInt8(ascii: "0"), point]
        text += repeatElement(UInt8(ascii: "0"), count: -integerCount)
        text += digits
      }
    } else {
      text.append(digits[0])
      if digits.count > 1 { text += [point] + digits[1...] }
      text += "E\(leadingExponent < 0 ? "-" : "+")\(leadingExponent.magnitude)".utf8
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Reads the pieces of a decimal number from left to right.
private struct Scanner {
  private var rest: Substring.UTF8View

  enum Special { case infinity, nan }

  /// `coefficient × 10^exponent`, plus a tail below one unit of the coefficient.
  struct Significand {
    var coefficient: UInt128 = 0
    var exponent = 0
    var hasTail = false
  }

  init(utf8: String.UTF8View) {
    rest = utf8[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes a sign if there is one; says whether it is minus.
  mutating func takeSign() -> Bool {
    guard let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else {
      return false
    }
    rest.removeFirst()
    return first == UInt8(ascii: "-")
  }

  func takeSpecial() -> Special? {
    guard rest.count == 3 || rest.count == 8, let first = rest.first, first > UInt8(ascii: "9")
    else { return nil }
    // Setting bit 5 lowers ASCII letters; nothing that is not a letter becomes one of these.
    switch String(decoding: rest.map { $0 | 0x20 }, as: UTF8.self) {
    case "inf", "infinity": return .infinity
    case "nan": return .nan
    default: return nil
    }
  }

  /// Takes digits with at most one point; nil without a digit.
  ///
  /// Keeps 37 significant digits and notes whether a later one is not zero: more
  /// than rounding needs, fewer than overflow 128 bits.
  mutating func takeSignificand() -> Significand? {
    var result = Significand()
    var keptCount = 0
    var hasDigits = false
    var hasPoint = false
    while let byte = rest.first {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if let digit = Self.digit(byte) {
        hasDigits = true
        if hasPoint { result.exponent -= 1 }
        if keptCount < 37 {
          result.coefficient = result.coefficient * 10 + UInt128(digit)
          if result.coefficient != 0 { keptCount += 1 }
        } else {
          result.exponent += 1
          result.hasTail = result.hasTail || digit != 0
        }
      } else {
        break
      }
      rest.removeFirst()
    }
    return hasDigits ? result : nil
  }

  /// Takes the exponent: zero when absent, nil when broken.
  ///
  /// Stops growing at 10^15, which no count of digits in memory can bring back into range.
  mutating func takeExponent() -> Int? {
    guard let marker = rest.first, marker | 0x20 == UInt8(ascii: "e") else { return 0 }
    rest.removeFirst()
    let isNegative = takeSign()
    guard !rest.isEmpty else { return nil }
    var exponent = 0
    while let byte = rest.first, let digit = Self.digit(byte) {
      if exponent < 1_000_000_000_000_000 { exponent = exponent * 10 + Int(digit) }
      rest.removeFirst()
    }
    return isNegative ? -exponent : exponent
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let value = byte &- UInt8(ascii: "0")
    return value <= 9 ? value : nil
  }
}
