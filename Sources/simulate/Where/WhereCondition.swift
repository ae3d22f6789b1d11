internal import Atoll

/// A condition, as an application builds it and as it is read plainly.
struct WhereCondition {
  /// The condition on the nodes of a place.
  let query: (WherePlace) -> Query<Bool>
  /// Whether it holds for a node.
  let holds: (WhereReading, Int) -> Bool

  static func all(_ terms: [WhereCondition]) -> WhereCondition {
    WhereCondition(
      query: { place in
        terms.dropFirst().reduce(terms[0].query(place)) { $0 && $1.query(place) }
      }, holds: { reading, node in terms.allSatisfy { $0.holds(reading, node) } })
  }

  static func any(_ terms: [WhereCondition]) -> WhereCondition {
    WhereCondition(
      query: { place in
        terms.dropFirst().reduce(terms[0].query(place)) { $0 || $1.query(place) }
      }, holds: { reading, node in terms.contains { $0.holds(reading, node) } })
  }

  static func not(_ term: WhereCondition) -> WhereCondition {
    WhereCondition(
      query: { !term.query($0) }, holds: { reading, node in !term.holds(reading, node) })
  }
}

extension WhereOperator {
  /// The comparison of a property with a value that has an order.
  func query<V: _Storable & _QueryOrdered>(_ left: Query<V>, _ right: V) -> Query<Bool> {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// The comparison of two properties that have an order.
  func query<V: _Storable & _QueryOrdered>(_ left: Query<V>, _ right: Query<V>) -> Query<Bool> {
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
