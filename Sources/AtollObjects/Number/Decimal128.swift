/// A decimal floating-point number of 34 significant digits: IEEE 754-2008 decimal128.
///
/// A finite number is `±coefficient × 10^exponent` with a coefficient below
/// 10^34 and an exponent in -6176...6111. Several such pairs can have one value
/// (1.0 and 1.00): the exponent is kept and printed, and ignored by `==`, `<`
/// and `hash(into:)`. As with `Double`, NaN equals nothing, itself included, and
/// -0 equals 0.
///
/// 16 bytes, the binary integer decimal (BID) encoding; bit 127 is the top bit
/// of the high half. s is the sign; E is the exponent plus 6176:
///
///     bits 127  126...123   rest
///          s    not 11xx    E in 126...113, coefficient in 112...0
///          s    11xx, xx≠11 E in 124...111, coefficient = 8 × 2^110 + bits 110...0:
///                           always above 10^34 - 1, so read as zero
///          s    1111        bit 122 clear: infinity; set: NaN (bit 121 set: signalling)
///
/// Every bit pattern is a value: a coefficient of 10^34 or more reads as zero,
/// and payload bits of infinity and NaN are ignored. Signalling NaNs act as
/// quiet ones. Bit patterns are kept as given, so decoding and encoding again
/// changes nothing.
///
/// Source: IEEE 754-2008, sections 3.5.2, 5 and 6.
public struct Decimal128: Sendable {
  private let low: UInt64
  private let high: UInt64

  /// The value with this bit pattern; total.
  ///
  /// - Parameters:
  ///   - low: bits 63...0.
  ///   - high: bits 127...64.
  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The two halves of the 128 bits.
  public var bitPattern: (low: UInt64, high: UInt64) { (low, high) }

  /// Positive zero, with the exponent 0.
  public static let zero = Decimal128(
    Finite(isNegative: false, coefficient: 0, exponent: 0))
  /// A quiet NaN without a payload.
  public static let nan = Decimal128(low: 0, high: specialMask)
  /// Positive infinity.
  public static let infinity = Decimal128(low: 0, high: infinityBits)
  /// 9.999…E+6144, thirty-four nines.
  public static let greatestFiniteMagnitude = Decimal128(
    Finite(isNegative: false, coefficient: maxCoefficient, exponent: maxExponent))

  /// Whether the value is NaN, quiet or signalling.
  public var isNaN: Bool { high & Self.specialMask == Self.specialMask }
  /// Whether the value is an infinity of either sign.
  public var isInfinite: Bool { high & Self.specialMask == Self.infinityBits }
  /// Whether the value is neither an infinity nor NaN.
  public var isFinite: Bool { high & Self.infinityBits != Self.infinityBits }
  /// Whether the value is a zero of either sign, with any exponent.
  public var isZero: Bool { finite.map { $0.coefficient == 0 } ?? false }
  /// The sign bit, which zeros and NaNs have as well.
  public var isNegative: Bool { high >> 63 == 1 }

  /// The value with its sign bit cleared, also that of a zero or NaN.
  public var magnitude: Decimal128 { Decimal128(low: low, high: high & ~Self.signMask) }

  /// Returns the value with its sign bit inverted, also that of a zero or NaN.
  public static prefix func - (value: Decimal128) -> Decimal128 {
    Decimal128(low: value.low, high: value.high ^ signMask)
  }
}

// MARK: - Parts

extension Decimal128 {
  /// The three parts of a finite value.
  ///
  /// Invariant: `coefficient <= maxCoefficient` and
  /// `minExponent <= exponent <= maxExponent`.
  struct Finite {
    var isNegative: Bool
    var coefficient: UInt128
    var exponent: Int
  }

  static let digitLimit = 34
  static let minExponent = -6176
  static let maxExponent = 6111
  static var maxCoefficient: UInt128 { 9_999_999_999_999_999_999_999_999_999_999_999 }

  private static var signMask: UInt64 { 1 << 63 }
  private static var specialMask: UInt64 { 0x7C00_0000_0000_0000 }
  private static var infinityBits: UInt64 { 0x7800_0000_0000_0000 }
  private static var longFormBits: UInt64 { 0x6000_0000_0000_0000 }

  /// The parts, or nil for infinities and NaNs.
  var finite: Finite? {
    guard isFinite else { return nil }
    if high & Self.longFormBits == Self.longFormBits {
      return Finite(
        isNegative: isNegative, coefficient: 0,
        exponent: Int(high >> 47 & 0x3FFF) + Self.minExponent)
    }
    let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
    return Finite(
      isNegative: isNegative,
      coefficient: coefficient <= Self.maxCoefficient ? coefficient : 0,
      exponent: Int(high >> 49 & 0x3FFF) + Self.minExponent)
  }

  /// Packs parts that are in range.
  init(_ parts: Finite) {
    precondition(parts.coefficient <= Self.maxCoefficient, "more than 34 digits")
    precondition(parts.exponent >= Self.minExponent, "exponent below the smallest")
    precondition(parts.exponent <= Self.maxExponent, "exponent above the largest")
    let top = UInt64(truncatingIfNeeded: parts.coefficient >> 64)
    self.init(
      low: UInt64(truncatingIfNeeded: parts.coefficient),
      high: (parts.isNegative ? Self.signMask : 0)
        | UInt64(parts.exponent - Self.minExponent) << 49 | top)
  }

  static func infinity(isNegative: Bool) -> Decimal128 {
    isNegative ? -infinity : infinity
  }
}

// MARK: - Integers

extension Decimal128 {
  /// Converts exactly, with exponent zero.
  public init(_ value: Int64) {
    self.init(
      Finite(isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0))
  }

  /// Converts exactly, with exponent zero.
  public init(_ value: UInt64) {
    self.init(Finite(isNegative: false, coefficient: UInt128(value), exponent: 0))
  }
}

extension Decimal128: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) {
    self.init(value)
  }
}
