extension Decimal128 {
  /// The decimal nearest to `±(coefficient + ε) × 10^exponent`, ties to the even coefficient.
  ///
  /// One rounding only, also where the result is subnormal. The exponent stays
  /// as given unless digits must go (too many, or below the smallest exponent)
  /// or zeros must be added (above the largest exponent). Too large a value
  /// becomes infinity, too small a value zero.
  ///
  /// - Parameters:
  ///   - isNegative: the sign of the result, also of a zero.
  ///   - coefficient: below 10^71.
  ///   - exponent: the power of ten of the coefficient's last digit.
  ///   - hasTail: whether 0 < ε < 1 rather than ε = 0. Only for coefficients of at least 35
  ///     digits, so that the tail only ever breaks a tie.
  /// - Returns: a value that is never NaN.
  static func rounded(
    isNegative: Bool, _ coefficient: UInt256, exponent: Int, hasTail: Bool = false
  ) -> Decimal128 {
    let digitCount = coefficient.decimalDigitCount
    let dropCount = max(digitCount - digitLimit, minExponent - exponent, 0)
    precondition(dropCount > 0 || !hasTail, "a tail needs digits before it that are dropped")

    var result = coefficient.low
    if dropCount > 0 {
      result = divide(coefficient, digitCount, byPowerOfTen: dropCount, hasTail: hasTail)
    }
    var resultExponent = exponent + dropCount
    if result > maxCoefficient {
      // Only 99…9 rounded up to 10^34.
      result /= 10
      resultExponent += 1
    }
    return clamped(isNegative: isNegative, result, exponent: resultExponent)
  }

  /// Packs a coefficient that fits, at an exponent that may be too large.
  private static func clamped(
    isNegative: Bool, _ coefficient: UInt128, exponent: Int
  ) -> Decimal128 {
    guard exponent > maxExponent else {
      return Decimal128(
        Finite(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
    }
    let padding = exponent - maxExponent
    guard coefficient == 0 || coefficient.decimalDigitCount + padding <= digitLimit else {
      return infinity(isNegative: isNegative)
    }
    let padded = coefficient == 0 ? 0 : coefficient * UInt128.powersOfTen[padding]
    return Decimal128(
      Finite(isNegative: isNegative, coefficient: padded, exponent: maxExponent))
  }

  /// Divides by 10^`dropCount` and rounds half to even.
  ///
  /// In two divisions when the quotient of one would not fit 128 bits; what the
  /// first leaves joins the tail.
  private static func divide(
    _ coefficient: UInt256, _ digitCount: Int, byPowerOfTen dropCount: Int, hasTail: Bool
  ) -> UInt128 {
    // Below a tenth of the unit: less than half, with any tail.
    guard dropCount <= digitCount else { return 0 }

    var hasTail = hasTail
    var rest = coefficient
    var remainingDrop = dropCount
    if dropCount > 38 {
      let first = digitCount - 38
      let (quotient, remainder) = rest.quotientAndRemainder(
        dividingBy: UInt128.powersOfTen[first])
      hasTail = hasTail || remainder != 0
      rest = UInt256(low: quotient)
      remainingDrop -= first
    }
    let divisor = UInt128.powersOfTen[remainingDrop]
    let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let roundsUp =
      remainder > half || (remainder == half && (hasTail || quotient & 1 == 1))
    return roundsUp ? quotient + 1 : quotient
  }
}
