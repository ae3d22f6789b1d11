internal import Atoll

/// An aggregate of numbers.
enum WhereFunction: CaseIterable {
  case minimum, maximum, sum, average

  /// The aggregate of values: null for nothing, but of a sum.
  func value(_ values: [WhereValue]) -> WhereValue {
    let values = values.filter { !$0.isNull }
    switch self {
    case .minimum:
      return values.dropFirst().reduce(values.first ?? .null) {
        WhereValue.holds(.less, $1, $0) ? $1 : $0
      }
    case .maximum:
      return values.dropFirst().reduce(values.first ?? .null) {
        WhereValue.holds(.greater, $1, $0) ? $1 : $0
      }
    case .sum: return .int(Self.integers(values).reduce(0) { $0 &+ $1 })
    case .average:
      guard !values.isEmpty else { return .null }
      let sum = Self.integers(values).reduce(Int128(0)) { $0 + Int128($1) }
      return .number(Double(sum) / Double(values.count))
    }
  }

  /// The number that the aggregate is compared with, in the aggregate's type.
  func constant(_ number: Int) -> WhereValue {
    self == .average ? .number(Double(number)) : .int(number)
  }

  private static func integers(_ values: [WhereValue]) -> [Int] {
    values.compactMap { if case .int(let number) = $0 { number } else { nil } }
  }

  /// The aggregate of the elements of a collection beside a number.
  func query<C: RealmCollection>(
    _ elements: Query<C>, _ comparator: WhereOperator, _ wanted: Int
  ) -> Query<Bool> where C.Element == Int {
    switch self {
    case .minimum: comparator.query(elements.min, wanted)
    case .maximum: comparator.query(elements.max, wanted)
    case .sum: comparator.query(elements.sum, wanted)
    case .average: comparator.query(elements.avg as Query<Double>, Double(wanted))
    }
  }

  /// The aggregate of a property of the objects in a collection beside a number.
  func query(_ property: Query<Int>, _ comparator: WhereOperator, _ wanted: Int) -> Query<Bool> {
    switch self {
    case .minimum: comparator.query(property.min, wanted)
    case .maximum: comparator.query(property.max, wanted)
    case .sum: comparator.query(property.sum, wanted)
    case .average: comparator.query(property.avg as Query<Double>, Double(wanted))
    }
  }
}

extension WhereOperator {
  /// The comparison of the elements of a collection with a value.
  func query<C: RealmCollection>(_ left: Query<C>, _ right: C.Element) -> Query<Bool>
  where C.Element: _QueryOrdered & Comparable {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// The comparison of the values of a map with a value.
  func query<M: RealmKeyedCollection>(_ left: Query<M>, _ right: M.Value) -> Query<Bool>
  where M.Value: _QueryOrdered & Comparable {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}
