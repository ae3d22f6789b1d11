/// A numeric value, with single precision widened to double (which is exact).
enum Number {
  case int(Int64)
  case double(Double)
  case decimal(Decimal128)

  var isNaN: Bool {
    switch self {
    case .int: false
    case .double(let value): value.isNaN
    case .decimal(let value): value.isNaN
    }
  }

  /// Compares by exact value, whatever the types; nil when either is NaN.
  static func order(_ a: Number, _ b: Number) -> Ordering? {
    switch (a, b) {
    case (.int(let x), .int(let y)): Ordering(x, y)
    case (.int(let x), .double(let y)): order(x, y)
    case (.int(let x), .decimal(let y)): Decimal128.order(y, x)?.reversed
    case (.double(let x), .int(let y)): order(y, x)?.reversed
    case (.double(let x), .double(let y)): x.isNaN || y.isNaN ? nil : Ordering(x, y)
    case (.double(let x), .decimal(let y)): Decimal128.order(y, x)?.reversed
    case (.decimal(let x), .int(let y)): Decimal128.order(x, y)
    case (.decimal(let x), .double(let y)): Decimal128.order(x, y)
    case (.decimal(let x), .decimal(let y)): Decimal128.order(x, y)
    }
  }

  /// Compares an integer with a double without rounding the integer; nil for NaN.
  private static func order(_ a: Int64, _ b: Double) -> Ordering? {
    if b.isNaN { return nil }
    // ±2^63 are doubles; between them, the whole part of a double is an Int64.
    if b >= 0x1p63 { return .less }
    if b < -0x1p63 { return .greater }
    // The conversion cuts off the fraction; `rounded` would need the C library's `trunc`.
    let whole = Int64(b)
    let order = Ordering(a, whole)
    return order == .equal ? Ordering(Double(whole), b) : order
  }
}

extension Number: Hashable {
  /// Equality by value, except that all NaNs are equal to each other.
  static func == (a: Number, b: Number) -> Bool {
    guard let order = order(a, b) else { return a.isNaN && b.isNaN }
    return order == .equal
  }

  /// Feeds one form per value: an Int64 if the value is one, else a double, else a decimal.
  func hash(into hasher: inout Hasher) {
    switch self {
    case .int(let value):
      hasher.combine(value)
    case .double(let value):
      if value >= -0x1p63, value < 0x1p63, Double(Int64(value)) == value {
        hasher.combine(Int64(value))
      } else {
        hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
      }
    case .decimal(let value):
      if let double = value.exactDouble {
        Number.double(double).hash(into: &hasher)
      } else if let integer = value.exactInt64 {
        hasher.combine(integer)
      } else if value.isNaN {
        hasher.combine(Double.nan.bitPattern)
      } else {
        hasher.combine(value)
      }
    }
  }
}

extension Decimal128 {
  /// The integer of exactly this value, or nil when there is none in range.
  package var exactInt64: Int64? {
    guard let parts = normalizedParts, 0...18 ~= parts.exponent, parts.coefficient >> 64 == 0
    else { return nil }
    let magnitude = Int128(
      truncatingIfNeeded: parts.coefficient * UInt128.powersOfTen[parts.exponent])
    return Int64(exactly: parts.isNegative ? -magnitude : magnitude)
  }
}

extension Value {
  /// The value as a number, or nil when its type is not numeric.
  var number: Number? {
    switch self {
    case .int(let value): .int(value)
    case .float(let value): .double(Double(value))
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    default: nil
    }
  }

  /// The value promoted to decimal, or nil when its type is not numeric.
  ///
  /// Integers exactly, doubles with 15 significant digits, floats with 7: what
  /// decimal arithmetic does to its other operand, and what an evaluator does
  /// to the binary side where decimal 0.1 should match double 0.1.
  package var promotedToDecimal: Decimal128? {
    switch self {
    case .int(let value): Decimal128(value)
    case .float(let value): Decimal128(value)
    case .double(let value): Decimal128(value)
    case .decimal(let value): value
    default: nil
    }
  }
}
