/// An unsigned 256-bit integer: room for the exact product of two decimal coefficients.
///
/// Only what decimal rounding needs. Value: `high * 2^128 + low`.
struct UInt256 {
  var high: UInt128
  var low: UInt128

  init(high: UInt128 = 0, low: UInt128) {
    self.high = high
    self.low = low
  }

  /// The exact product of two 128-bit factors.
  @inline(__always)
  init(_ a: UInt128, times b: UInt128) {
    if (a | b) >> 64 == 0 {
      self.init(low: a &* b)
    } else {
      let product = a.multipliedFullWidth(by: b)
      self.init(high: product.high, low: product.low)
    }
  }

  /// The powers of ten below 2^256: `powersOfTen[n] == 10^n` for n in 0...77.
  static let powersOfTen: [UInt256] = {
    var powers = [UInt256(low: 1)]
    while powers.count <= 77 {
      let last = powers[powers.count - 1]
      let low = last.low.multipliedFullWidth(by: 10)
      powers.append(UInt256(high: last.high * 10 + low.high, low: low.low))
    }
    return powers
  }()

  /// The number of decimal digits; zero has none.
  ///
  /// 1233/4096 is slightly below log10(2), so the estimate is right or one
  /// too small, for every width up to 256 bits.
  var decimalDigitCount: Int {
    guard high != 0 else { return low.decimalDigitCount }
    let bitCount = 256 - high.leadingZeroBitCount
    let estimate = (bitCount * 1233) >> 12
    guard estimate < Self.powersOfTen.count else { return estimate }
    return self < Self.powersOfTen[estimate] ? estimate : estimate + 1
  }

  /// The sum.
  ///
  /// - Precondition: it is below 2^256.
  static func + (a: UInt256, b: UInt256) -> UInt256 {
    let (low, carry) = a.low.addingReportingOverflow(b.low)
    return UInt256(high: a.high + b.high + (carry ? 1 : 0), low: low)
  }

  /// The difference.
  ///
  /// - Precondition: `a >= b`.
  static func - (a: UInt256, b: UInt256) -> UInt256 {
    let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
    return UInt256(high: a.high - b.high - (borrow ? 1 : 0), low: low)
  }

  /// Divides by a 128-bit divisor.
  ///
  /// - Precondition: the quotient is below 2^128, that is, `high < divisor`.
  @inline(__always)
  func quotientAndRemainder(
    dividingBy divisor: UInt128
  ) -> (quotient: UInt128, remainder: UInt128) {
    guard high != 0 else { return low.quotientAndRemainder(dividingBy: divisor) }
    return divisor.dividingFullWidth((high, low))
  }
}

extension UInt256: Comparable {
  static func < (a: UInt256, b: UInt256) -> Bool {
    a.high == b.high ? a.low < b.low : a.high < b.high
  }
}

extension UInt128 {
  /// The powers of ten below 2^128: `powersOfTen[n] == 10^n` for n in 0...38.
  static let powersOfTen: [UInt128] = {
    var powers: [UInt128] = [1]
    while powers.count <= 38 { powers.append(powers[powers.count - 1] * 10) }
    return powers
  }()

  /// The number of decimal digits; zero has none.
  var decimalDigitCount: Int {
    let bitCount = 128 - leadingZeroBitCount
    let estimate = (bitCount * 1233) >> 12
    return self < Self.powersOfTen[estimate] ? estimate : estimate + 1
  }

  /// Divides out factors of ten while `limit` allows it, and counts them.
  ///
  /// - Precondition: the value is not zero.
  mutating func removeTrailingZeros(atMost limit: Int) -> Int {
    precondition(self != 0, "zero has no last digit to stop at")
    var removed = 0
    var step = 16
    while step > 0 {
      while removed + step <= limit {
        if self >> 64 == 0 {
          guard step < 16 || self >= 10_000_000_000_000_000 else { break }
          let power = UInt64(truncatingIfNeeded: Self.powersOfTen[step])
          let value = UInt64(truncatingIfNeeded: self)
          let (quotient, remainder) = value.quotientAndRemainder(dividingBy: power)
          guard remainder == 0 else { break }
          self = UInt128(quotient)
        } else {
          let (quotient, remainder) = quotientAndRemainder(dividingBy: Self.powersOfTen[step])
          guard remainder == 0 else { break }
          self = quotient
        }
        removed += step
      }
      step /= 2
    }
    return removed
  }
}
