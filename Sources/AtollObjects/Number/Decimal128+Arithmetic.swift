/// Correctly rounded arithmetic, ties to even, with the preferred exponents of
/// IEEE 754-2008 section 5.2: an exact result keeps as many trailing zeros as
/// its operands call for.
///
/// There are no flags: overflow gives infinity, an invalid operation NaN.
extension Decimal128 {
  /// Returns the sum; that of two infinities of opposite signs is NaN.
  public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
    guard let x = a.finite, let y = b.finite else {
      if a.isNaN || b.isNaN { return nan }
      if a.isInfinite && b.isInfinite && a.isNegative != b.isNegative { return nan }
      return infinity(isNegative: a.isInfinite ? a.isNegative : b.isNegative)
    }
    return x.exponent >= y.exponent ? sum(x, y) : sum(y, x)
  }

  /// Returns the difference; that of two infinities of one sign is NaN.
  public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
    a + -b
  }

  /// Returns the product; that of an infinity and zero is NaN.
  public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard let x = a.finite, let y = b.finite else {
      if a.isNaN || b.isNaN || a.isZero || b.isZero { return nan }
      return infinity(isNegative: isNegative)
    }
    return rounded(
      isNegative: isNegative, UInt256(x.coefficient, times: y.coefficient),
      exponent: x.exponent + y.exponent)
  }

  /// The quotient.
  ///
  /// A finite number over zero is infinite, zero over zero NaN.
  public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard let x = a.finite, let y = b.finite else {
      if a.isNaN || b.isNaN || (a.isInfinite && b.isInfinite) { return nan }
      if a.isInfinite { return infinity(isNegative: isNegative) }
      return Decimal128(
        Finite(isNegative: isNegative, coefficient: 0, exponent: minExponent))
    }
    guard y.coefficient != 0 else {
      return x.coefficient == 0 ? nan : infinity(isNegative: isNegative)
    }
    guard x.coefficient != 0 else {
      return rounded(
        isNegative: isNegative, UInt256(low: 0), exponent: x.exponent - y.exponent)
    }
    return quotient(x, y, isNegative: isNegative)
  }

  public static func += (a: inout Decimal128, b: Decimal128) { a = a + b }
  public static func -= (a: inout Decimal128, b: Decimal128) { a = a - b }
  public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
  public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }

  /// The sum of finite numbers, `x` with the larger exponent or an equal one.
  ///
  /// `x` is scaled to the exponent of `y` when that takes at most 70 digits.
  /// Beyond that, `y` is below a thousandth of the last of 34 digits, too little
  /// to change `x`, and only asks for those digits.
  private static func sum(_ x: Finite, _ y: Finite) -> Decimal128 {
    let distance = x.exponent - y.exponent
    guard x.coefficient != 0 || distance == 0 else {
      let sign = y.coefficient == 0 ? x.isNegative && y.isNegative : y.isNegative
      return Decimal128(
        Finite(isNegative: sign, coefficient: y.coefficient, exponent: y.exponent))
    }

    let digitCount = x.coefficient.decimalDigitCount
    let changesNothing = y.coefficient == 0 || distance > 70 - digitCount
    guard !changesNothing || distance == 0 else {
      let padding = min(distance, digitLimit - digitCount)
      return Decimal128(
        Finite(
          isNegative: x.isNegative,
          coefficient: x.coefficient * UInt128.powersOfTen[padding],
          exponent: x.exponent - padding))
    }

    let larger = x.coefficient.scaled(byPowerOfTen: distance, from: digitCount)
    let smaller = UInt256(low: y.coefficient)
    let exponent = y.exponent

    if x.isNegative == y.isNegative {
      return rounded(isNegative: x.isNegative, larger + smaller, exponent: exponent)
    }
    if larger == smaller {
      return Decimal128(Finite(isNegative: false, coefficient: 0, exponent: exponent))
    }
    return larger > smaller
      ? rounded(isNegative: x.isNegative, larger - smaller, exponent: exponent)
      : rounded(isNegative: y.isNegative, smaller - larger, exponent: exponent)
  }

  /// The quotient of finite numbers that are not zero.
  ///
  /// The dividend is scaled so that the integer quotient has 35 or 36 digits: one
  /// more than fit, and the remainder decides the rest.
  private static func quotient(_ x: Finite, _ y: Finite, isNegative: Bool) -> Decimal128 {
    let digitCount = x.coefficient.decimalDigitCount
    let shift = digitLimit + 1 + y.coefficient.decimalDigitCount - digitCount
    let dividend = x.coefficient.scaled(byPowerOfTen: shift, from: digitCount)
    var (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: y.coefficient)

    let preferredExponent = x.exponent - y.exponent
    var exponent = preferredExponent - shift
    if remainder == 0 {
      exponent += quotient.removeTrailingZeros(atMost: shift)
    }
    return rounded(
      isNegative: isNegative, UInt256(low: quotient), exponent: exponent,
      hasTail: remainder != 0)
  }
}

extension UInt128 {
  /// The value times 10^`shift`.
  ///
  /// - Precondition: the value has `digitCount` digits, at most 34, and the product at most 70.
  fileprivate func scaled(byPowerOfTen shift: Int, from digitCount: Int) -> UInt256 {
    guard shift > 0 else { return UInt256(low: self) }
    let first = Swift.min(shift, Decimal128.digitLimit - digitCount)
    let padded = self * UInt128.powersOfTen[first]
    guard shift > first else { return UInt256(low: padded) }
    return UInt256(padded, times: UInt128.powersOfTen[shift - first])
  }
}
