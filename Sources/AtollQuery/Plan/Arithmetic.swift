internal import AtollObjects

/// `+ - * /` on values.
///
/// The result has the wider type in the order int, float, double, decimal; int with float gives
/// float. Null, and what is no number, gives null. Integers wrap; a division of an integer by zero
/// gives the largest integer, or the smallest for a negative dividend.
enum Arithmetic {
  static func resultType(_ a: ValueType, _ b: ValueType) -> ValueType {
    if a == .mixed || b == .mixed { return .mixed }
    let order: [ValueType] = [.int, .float, .double, .decimal]
    return order.last { $0 == a || $0 == b } ?? .mixed
  }

  static func apply(
    _ function: QuerySyntax.ArithmeticFunction, _ a: Value, _ b: Value
  ) -> Value {
    switch (a, b) {
    case (.int(let x), .int(let y)): return .int(apply(function, x, y))
    case (.float(let x), .float(let y)): return .float(apply(function, x, y))
    case (.float(let x), .int(let y)): return .float(apply(function, x, Float(y)))
    case (.int(let x), .float(let y)): return .float(apply(function, Float(x), y))
    default:
      if let x = double(a), let y = double(b) { return .double(apply(function, x, y)) }
      guard let x = a.promotedToDecimal, let y = b.promotedToDecimal else { return .null }
      switch function {
      case .plus: return .decimal(x + y)
      case .minus: return .decimal(x - y)
      case .times: return .decimal(x * y)
      case .dividedBy: return .decimal(x / y)
      }
    }
  }

  private static func apply(
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

  private static func apply<T: BinaryFloatingPoint>(
    _ function: QuerySyntax.ArithmeticFunction, _ x: T, _ y: T
  ) -> T {
    switch function {
    case .plus: x + y
    case .minus: x - y
    case .times: x * y
    case .dividedBy: x / y
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
