// MARK: - From binary floating point

extension Decimal128 {
  /// Rounds to 15 significant digits, the promotion rule of the query language.
  ///
  /// Fifteen digits are what every double keeps, so `Decimal128(0.1)` is 0.1.
  /// Trailing zeros go: 1.5 has exponent -1, 1e20 has coefficient 1. The
  /// rounding is that of the exact binary value, half to even.
  public init(_ value: Double) {
    self.init(rounding: value, toDigits: 15)
  }

  /// Rounds to 7 significant digits, otherwise as for `Double`.
  public init(_ value: Float) {
    self.init(rounding: Double(value), toDigits: 7)
  }

  private init(rounding value: Double, toDigits digitLimit: Int) {
    guard value.isFinite else {
      self = value.isNaN ? .nan : Self.infinity(isNegative: value < 0)
      return
    }
    let isNegative = value.sign == .minus
    guard let binary = BinaryParts(value) else {
      self.init(Finite(isNegative: isNegative, coefficient: 0, exponent: 0))
      return
    }

    // One digit more than asked for, or two: then a tail can only break a tie.
    let scale = digitLimit - binary.leadingExponentEstimate
    let (integer, hasTail) = binary.scaled(byPowerOfTen: scale)
    var (coefficient, dropCount) = Self.rounding(integer, to: digitLimit, hasTail: hasTail)
    var exponent = dropCount - scale
    // Zeros of an integer that stand before the point are digits, not padding,
    // unless the exponent has passed zero.
    exponent += coefficient.removeTrailingZeros(atMost: exponent > 0 ? digitLimit : -exponent)
    self.init(Finite(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
  }

  /// Keeps the first `digitLimit` digits, ties to even; says how many powers of ten went.
  private static func rounding(
    _ value: UInt128, to digitLimit: Int, hasTail: Bool
  ) -> (coefficient: UInt128, dropCount: Int) {
    let dropCount = value.decimalDigitCount - digitLimit
    precondition(dropCount > 0, "the digit after the last one kept decides the rounding")
    let divisor = UInt128.powersOfTen[dropCount]
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let roundsUp =
      remainder > half || (remainder == half && (hasTail || quotient & 1 == 1))
    let rounded = roundsUp ? quotient + 1 : quotient
    // 99…9 rounded up has a digit too many.
    return rounded == UInt128.powersOfTen[digitLimit]
      ? (rounded / 10, dropCount + 1) : (rounded, dropCount)
  }
}

// MARK: - To binary floating point

extension Decimal128 {
  /// The nearest double, ties to even; infinity when the magnitude is too large.
  ///
  /// A division or multiplication for up to 15 digits and small exponents, else
  /// the standard library reads the number's text.
  public var doubleValue: Double {
    guard let parts = finite else {
      if isNaN { return .nan }
      return isNegative ? -.infinity : .infinity
    }
    let power = parts.exponent.magnitude
    if parts.coefficient >> 53 == 0, power <= 22 {
      // Both operands are exact doubles (5^22 < 2^53), so the one operation rounds correctly.
      let coefficient = Double(UInt64(truncatingIfNeeded: parts.coefficient))
      let scale = Self.doublePowersOfTen[Int(power)]
      let magnitude = parts.exponent < 0 ? coefficient / scale : coefficient * scale
      return parts.isNegative ? -magnitude : magnitude
    }
    guard let value = Double(description) else {
      preconditionFailure("the description of a finite decimal is a valid double literal")
    }
    return value
  }

  /// The powers of ten that are doubles exactly.
  private static let doublePowersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// The double of exactly this value, or nil when there is none.
  ///
  /// A decimal with fraction digits is a binary fraction only if its coefficient
  /// holds as many factors of five, so most decimals are refused after one
  /// division. A double's odd factor is below 2^53 and 34 digits hold at most 48
  /// factors of five, so the exponent without trailing zeros lies in -48...22.
  /// Nil for NaN.
  var exactDouble: Double? {
    guard let parts = normalizedParts else {
      if isNaN { return nil }
      return isNegative ? -.infinity : .infinity
    }
    guard parts.coefficient != 0 else { return 0 }
    guard (-48...22).contains(parts.exponent) else { return nil }

    var factor = parts.coefficient
    let fives = UInt128.powersOfFive[Int(parts.exponent.magnitude)]
    if parts.exponent < 0 {
      let (quotient, remainder) = factor.quotientAndRemainder(dividingBy: fives)
      guard remainder == 0 else { return nil }
      factor = quotient
    }
    let twos = factor.trailingZeroBitCount
    factor >>= twos
    guard factor >> 53 == 0 else { return nil }
    if parts.exponent > 0 {
      // Below 2^53 × 5^22 < 2^105.
      factor *= fives
      guard factor >> 53 == 0 else { return nil }
    }
    let magnitude = Double(
      sign: .plus, exponent: twos + parts.exponent,
      significand: Double(UInt64(truncatingIfNeeded: factor)))
    return parts.isNegative ? -magnitude : magnitude
  }
}

extension UInt128 {
  /// The powers of five up to 5^48, the largest below 10^34.
  fileprivate static let powersOfFive: [UInt128] = {
    var powers: [UInt128] = [1]
    while powers.count <= 48 { powers.append(powers[powers.count - 1] * 5) }
    return powers
  }()
}

// MARK: - Comparison

extension Decimal128 {
  /// Compares with an integer, exactly; nil for NaN.
  package static func order(_ a: Decimal128, _ b: Int64) -> Ordering? {
    order(a, Decimal128(b))
  }

  /// Compares with a double by exact value, without rounding either; nil for NaN.
  ///
  /// Decimal 0.1 is not double 0.1, which lies slightly above. Mostly 256-bit
  /// arithmetic; wide integers only when the two agree in magnitude and lie
  /// beyond about 10^±38.
  package static func order(_ a: Decimal128, _ b: Double) -> Ordering? {
    guard let x = a.finite, b.isFinite else {
      if a.isNaN || b.isNaN { return nil }
      let rank = b.isFinite ? 0 : (b < 0 ? -1 : 1)
      return Ordering(a.infinityRank, rank)
    }
    let sign = b == 0 ? 0 : (b < 0 ? -1 : 1)
    guard x.signum == sign else { return Ordering(x.signum, sign) }
    guard let y = BinaryParts(b) else { return .equal }

    let magnitudes: Ordering
    let leading = x.leadingExponent
    let estimate = y.leadingExponentEstimate
    if leading < estimate {
      magnitudes = .less
    } else if leading > estimate + 1 {
      magnitudes = .greater
    } else {
      magnitudes = orderOfMagnitudes(x, y)
    }
    return sign < 0 ? magnitudes.reversed : magnitudes
  }

  /// Clears both denominators and compares integers.
  private static func orderOfMagnitudes(_ x: Finite, _ y: BinaryParts) -> Ordering {
    let tens = x.exponent.magnitude
    let twos = y.exponent.magnitude
    if tens <= 38, x.exponent <= 0 {
      if y.exponent <= 0, twos <= 127 {
        return Ordering(
          UInt256(x.coefficient, times: 1 << UInt128(twos)),
          UInt256(UInt128(y.significand), times: UInt128.powersOfTen[Int(tens)]))
      }
      if y.exponent >= 0, twos <= 75 {
        return Ordering(
          UInt256(low: x.coefficient),
          UInt256(UInt128(y.significand) << UInt128(twos), times: UInt128.powersOfTen[Int(tens)]))
      }
    }
    var decimal = WideInteger(x.coefficient)
    var binary = WideInteger(UInt128(y.significand))
    decimal.multiply(byPowerOfTen: max(x.exponent, 0))
    binary.multiply(byPowerOfTen: max(-x.exponent, 0))
    binary.shiftLeft(by: max(y.exponent, 0))
    decimal.shiftLeft(by: max(-y.exponent, 0))
    return Ordering(decimal, binary)
  }
}

/// The magnitude of a finite double that is not zero: `significand × 2^exponent`.
///
/// Invariant: the significand is odd and below 2^53; the exponent is in -1074...1023.
private struct BinaryParts {
  let significand: UInt64
  let exponent: Int

  init?(_ value: Double) {
    guard value.isFinite, value != 0 else { return nil }
    let isSubnormal = value.exponentBitPattern == 0
    let bits = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let twos = bits.trailingZeroBitCount
    significand = bits >> UInt64(twos)
    exponent = max(Int(value.exponentBitPattern), 1) - 1075 + twos
  }

  /// The power of ten of the first digit, or one less.
  ///
  /// From the power of two of the first bit, times log10(2) rounded down
  /// (315652 / 2^20), rounded down; right to one unit up to 2^±1100.
  var leadingExponentEstimate: Int {
    let leadingBit = exponent + 63 - significand.leadingZeroBitCount
    // For negative powers a factor rounded down is too near zero; rounding it up is safe.
    return (leadingBit * (leadingBit < 0 ? 315653 : 315652)) >> 20
  }

  /// The integer part of the value times 10^`scale`, and whether a fraction was cut off.
  ///
  /// - Precondition: the result is below 2^64 when it does not come from an exact shift.
  func scaled(byPowerOfTen scale: Int) -> (integer: UInt128, hasTail: Bool) {
    let bitCount = 64 - significand.leadingZeroBitCount
    if exponent < 0, exponent > -128, (0...22).contains(scale) {
      // 10^22 < 2^74, so the product has at most 127 bits.
      let product = UInt128(significand) * UInt128.powersOfTen[scale]
      let integer = product >> UInt128(-exponent)
      return (integer, integer << UInt128(-exponent) != product)
    }
    if exponent >= 0, bitCount + exponent <= 127, (-38...0).contains(scale) {
      let (quotient, remainder) = (UInt128(significand) << UInt128(exponent))
        .quotientAndRemainder(dividingBy: UInt128.powersOfTen[-scale])
      return (quotient, remainder != 0)
    }
    if exponent >= 0, bitCount + exponent <= 53, (0...22).contains(scale) {
      return ((UInt128(significand) << UInt128(exponent)) * UInt128.powersOfTen[scale], false)
    }
    var dividend = WideInteger(UInt128(significand))
    var divisor = WideInteger(1)
    dividend.shiftLeft(by: max(exponent, 0))
    divisor.shiftLeft(by: max(-exponent, 0))
    dividend.multiply(byPowerOfTen: max(scale, 0))
    divisor.multiply(byPowerOfTen: max(-scale, 0))
    let (quotient, hasRemainder) = dividend.quotient(dividingBy: divisor)
    return (UInt128(quotient), hasRemainder)
  }
}
