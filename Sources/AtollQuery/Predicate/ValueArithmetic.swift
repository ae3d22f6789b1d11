internal import AtollObjects

/// `+ - * /` on values.
///
/// The rules, which `NumberBlocks` follows for whole columns by the same functions:
///
/// - The result has the wider type in the order int, float, double, decimal, to which both operands
///   are widened first: int with float is computed as float, a float with a double as double.
/// - Null, and what is no number, gives null.
/// - Integers wrap. An integer divided by zero gives the largest integer, or the smallest for a
///   negative dividend; the smallest divided by -1 gives itself.
/// - Floats and doubles are rounded once an operation, and give infinities and NaN as IEEE 754
///   says.
enum ValueArithmetic {
  static func resultType(_ a: ValueType, _ b: ValueType) -> ValueType {
    if a == .mixed || b == .mixed { return .mixed }
    let order: [ValueType] = [.int, .float, .double, .decimal]
    return order.last { $0 == a || $0 == b } ?? .mixed
  }

  static func apply(
    _ function: QuerySyntax.ArithmeticFunction, _ a: Value, _ b: Value
  ) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)): return .int(Int64.apply(function, x, y))
    case (.float(let x), .float(let y)): return .float(Float.apply(function, x, y))
    case (.float(let x), .int(let y)): return .float(Float.apply(function, x, Float(y)))
    case (.int(let x), .float(let y)): return .float(Float.apply(function, Float(x), y))
    default:
      if let x = double(a), let y = double(b) { return .double(Double.apply(function, x, y)) }
      guard let x = a.promotedToDecimal, let y = b.promotedToDecimal else { return .null }
      switch function {
      case .plus: return .decimal(x + y)
      case .minus: return .decimal(x - y)
      case .times: return .decimal(x * y)
      case .dividedBy: return .decimal(x / y)
      }
    }
  }

  /// Binary numbers as doubles; nil for decimals and what is no number.
  private static func double(_ value: Value) -> Double? {
    switch value {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

/// A number of a machine's type, with the arithmetic of queries.
protocol ArithmeticNumber {
  static func apply(_ function: QuerySyntax.ArithmeticFunction, _ x: Self, _ y: Self) -> Self
}

extension Int64: ArithmeticNumber {
  @inline(__always)
  static func apply(
    _ function: QuerySyntax.ArithmeticFunction, _ x: Int64, _ y: Int64
  ) -> Int64 {
    switch function {
    case .plus: x &+ y
    case .minus: x &- y
    case .times: x &* y
    case .dividedBy:
      if y == 0 { x < 0 ? .min : .max } else { x.dividedReportingOverflow(by: y).partialValue }
    }
  }
}

extension ArithmeticNumber where Self: BinaryFloatingPoint {
  @inline(__always)
  static func apply(_ function: QuerySyntax.ArithmeticFunction, _ x: Self, _ y: Self) -> Self {
    switch function {
    case .plus: x + y
    case .minus: x - y
    case .times: x * y
    case .dividedBy: x / y
    }
  }
}

extension Float: ArithmeticNumber {}
extension Double: ArithmeticNumber {}
