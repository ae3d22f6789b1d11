internal import AtollObjects

/// `@min`, `@max`, `@sum` and `@avg` of values.
enum Aggregation {
  /// The aggregate of values that are of type `type` or null.
  ///
  /// Nulls and NaN are left out. Of nothing, the sum is 0 and the others are null. Sums of integers
  /// wrap. On mixed values the least and the greatest are those of the sort order, while sum and
  /// average take the numbers only.
  static func result(
    _ function: QuerySyntax.AggregateFunction, _ type: ValueType, of values: [Value]
  ) -> Value {
    var accumulator = Accumulator(function, type)
    for value in values { accumulator.add(value) }
    return accumulator.result
  }

  /// Takes values one by one.
  struct Accumulator {
    private let function: QuerySyntax.AggregateFunction
    private let type: ValueType
    private var count = 0
    private var integer: Int64 = 0
    /// The sum of integers for their average, which does not wrap.
    private var wide: Int128 = 0
    private var double = 0.0
    private var decimal = Decimal128.zero
    private var extreme = Value.null

    init(_ function: QuerySyntax.AggregateFunction, _ type: ValueType) {
      self.function = function
      self.type = type
    }

    mutating func add(_ value: Value) {
      guard !value.isNull, !isNaN(value) else { return }
      switch function {
      case .minimum, .maximum:
        let order = Value.sortOrder(value, extreme)
        if extreme.isNull || order == (function == .minimum ? .less : .greater) { extreme = value }
      case .sum, .average:
        switch (type, value) {
        case (.decimal, _), (.mixed, _):
          guard let number = value.promotedToDecimal else { return }
          decimal += number
        case (_, .int(let number)):
          integer &+= number
          wide += Int128(number)
        case (_, .double(let number)): double += number
        case (_, .float(let number)): double += Double(number)
        default: return
        }
      }
      count += 1
    }

    /// Takes the sum of `count` integers at once.
    mutating func add(sum: Int128, count: Int) {
      integer &+= Int64(truncatingIfNeeded: sum)
      wide += sum
      self.count += count
    }

    /// Takes the sum of `count` doubles at once.
    mutating func add(sum: Double, count: Int) {
      double += sum
      self.count += count
    }

    private func isNaN(_ value: Value) -> Bool {
      switch value {
      case .double(let number): number.isNaN
      case .float(let number): number.isNaN
      case .decimal(let number): number.isNaN
      default: false
      }
    }

    var result: Value {
      switch (function, type) {
      case (.minimum, _), (.maximum, _): return extreme
      case (.sum, .decimal), (.sum, .mixed): return .decimal(decimal)
      case (.sum, .int): return .int(integer)
      case (.sum, _): return .double(double)
      case (.average, _):
        guard count > 0 else { return .null }
        switch type {
        case .decimal, .mixed: return .decimal(decimal / Decimal128(Int64(count)))
        case .int: return .double(Double(wide) / Double(count))
        default: return .double(double / Double(count))
        }
      }
    }
  }
}
