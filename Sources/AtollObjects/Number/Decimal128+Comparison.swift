extension Decimal128 {
  /// Compares by value; nil when either is NaN.
  ///
  /// Exact. No wide arithmetic: when the leading digits stand at the same power
  /// of ten, scaling one coefficient to the other's exponent keeps it at 34 digits.
  package static func order(_ a: Decimal128, _ b: Decimal128) -> Ordering? {
    guard let x = a.finite, let y = b.finite else {
      if a.isNaN || b.isNaN { return nil }
      return Ordering(a.infinityRank, b.infinityRank)
    }
    guard x.coefficient != 0, y.coefficient != 0 else {
      return Ordering(x.signum, y.signum)
    }
    guard x.isNegative == y.isNegative else { return x.isNegative ? .less : .greater }
    let magnitudes = orderOfMagnitudes(x, y)
    return x.isNegative ? magnitudes.reversed : magnitudes
  }

  private static func orderOfMagnitudes(_ x: Finite, _ y: Finite) -> Ordering {
    if x.exponent == y.exponent { return Ordering(x.coefficient, y.coefficient) }
    let xLeading = x.leadingExponent
    let yLeading = y.leadingExponent
    guard xLeading == yLeading else { return Ordering(xLeading, yLeading) }
    let distance = x.exponent - y.exponent
    return distance > 0
      ? Ordering(x.coefficient * UInt128.powersOfTen[distance], y.coefficient)
      : Ordering(x.coefficient, y.coefficient * UInt128.powersOfTen[-distance])
  }

  /// -1, 0 or 1 for -infinity, a finite number, infinity.
  var infinityRank: Int {
    guard isInfinite else { return 0 }
    return isNegative ? -1 : 1
  }

  /// The parts with all trailing zeros moved into the exponent: one form for each value.
  ///
  /// Zero becomes +0 with exponent zero. The exponent may pass `maxExponent`,
  /// so the result is for hashing and keys, not for packing. Nil for infinities and NaNs.
  var normalizedParts: Finite? {
    guard var parts = finite else { return nil }
    guard parts.coefficient != 0 else {
      return Finite(isNegative: false, coefficient: 0, exponent: 0)
    }
    parts.exponent += parts.coefficient.removeTrailingZeros(atMost: Self.digitLimit)
    return parts
  }
}

extension Decimal128.Finite {
  var signum: Int {
    guard coefficient != 0 else { return 0 }
    return isNegative ? -1 : 1
  }

  /// The power of ten at which the first digit stands.
  ///
  /// - Precondition: the value is not zero.
  var leadingExponent: Int { exponent + coefficient.decimalDigitCount - 1 }
}

extension Decimal128: Comparable {
  /// Equality by value, as `Double` has it: -0 equals 0, 1.0 equals 1.00, NaN equals nothing.
  public static func == (a: Decimal128, b: Decimal128) -> Bool {
    order(a, b) == .equal
  }

  /// Order by value, as `Double` has it: false when either is NaN.
  public static func < (a: Decimal128, b: Decimal128) -> Bool {
    order(a, b) == .less
  }
}

extension Decimal128: Hashable {
  public func hash(into hasher: inout Hasher) {
    guard let parts = normalizedParts else {
      hasher.combine(isNaN ? 2 : infinityRank)
      return
    }
    hasher.combine(parts.isNegative)
    hasher.combine(parts.coefficient)
    hasher.combine(parts.exponent)
  }
}
