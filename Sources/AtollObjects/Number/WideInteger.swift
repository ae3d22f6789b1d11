/// An unsigned integer of any width, for the rare comparisons that 256 bits cannot hold.
///
/// Used when a double far from 1 meets a decimal, where exact arithmetic needs
/// up to about 1 300 bits. Invariant: `limbs` is little-endian, 64 bits a limb,
/// without zero limbs at the top; zero has none.
struct WideInteger {
  private(set) var limbs: [UInt64]

  init(_ value: UInt128) {
    limbs = [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)]
    trim()
  }

  private mutating func trim() {
    while limbs.last == 0 { limbs.removeLast() }
  }

  mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let product = limbs[index].multipliedFullWidth(by: factor)
      let (low, overflow) = product.low.addingReportingOverflow(carry)
      limbs[index] = low
      carry = product.high + (overflow ? 1 : 0)
    }
    if carry != 0 { limbs.append(carry) }
    trim()
  }

  mutating func multiply(byPowerOfTen exponent: Int) {
    var remaining = exponent
    while remaining > 0 {
      let step = min(remaining, 19)
      multiply(by: UInt64(truncatingIfNeeded: UInt128.powersOfTen[step]))
      remaining -= step
    }
  }

  mutating func shiftLeft(by bitCount: Int) {
    guard bitCount > 0, !limbs.isEmpty else { return }
    multiply(by: 1 << UInt64(bitCount % 64))
    limbs.insert(contentsOf: repeatElement(0, count: bitCount / 64), at: 0)
  }

  mutating func halve() {
    var carry: UInt64 = 0
    for index in limbs.indices.reversed() {
      let limb = limbs[index]
      limbs[index] = limb >> 1 | carry
      carry = limb << 63
    }
    trim()
  }

  /// Subtracts in place.
  ///
  /// - Precondition: `other <= self`.
  mutating func subtract(_ other: WideInteger) {
    var borrow: UInt64 = 0
    for index in limbs.indices {
      let subtrahend = index < other.limbs.count ? other.limbs[index] : 0
      let (first, a) = limbs[index].subtractingReportingOverflow(subtrahend)
      let (second, b) = first.subtractingReportingOverflow(borrow)
      limbs[index] = second
      borrow = a || b ? 1 : 0
    }
    precondition(borrow == 0, "the subtrahend was larger")
    trim()
  }

  /// Divides by `divisor`; says whether a remainder was left.
  ///
  /// Shift and subtract: 64 steps over all limbs, a few microseconds.
  ///
  /// - Precondition: the quotient is below 2^64 and the divisor is not zero.
  func quotient(dividingBy divisor: WideInteger) -> (quotient: UInt64, hasRemainder: Bool) {
    var remainder = self
    var step = divisor
    step.shiftLeft(by: 63)
    var quotient: UInt64 = 0
    for _ in 0..<64 {
      quotient <<= 1
      if !(remainder < step) {
        remainder.subtract(step)
        quotient |= 1
      }
      step.halve()
    }
    return (quotient, !remainder.limbs.isEmpty)
  }
}

extension WideInteger: Comparable {
  static func < (a: WideInteger, b: WideInteger) -> Bool {
    guard a.limbs.count == b.limbs.count else { return a.limbs.count < b.limbs.count }
    for index in a.limbs.indices.reversed() where a.limbs[index] != b.limbs[index] {
      return a.limbs[index] < b.limbs[index]
    }
    return false
  }
}
