internal import AtollQuery

extension Query where T: _Storable {
  /// Whether the values are equal; of a collection, whether one of its elements is.
  public static func == (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.equal, with: rhs))
  }

  /// Whether the values of both properties are equal; null equals null.
  public static func == (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.equal, rhs.tree))
  }

  /// Whether the values differ; null differs from every value.
  public static func != (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.notEqual, with: rhs))
  }

  /// Whether the values of both properties differ; null differs from every value.
  public static func != (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.notEqual, rhs.tree))
  }

  /// Whether the value is one of those in `collection`.
  public func `in`<U: Sequence>(_ collection: U) -> Query<Bool> where U.Element == T {
    Query<Bool>(tree.contained(in: Array(collection)))
  }
}

extension Query where T: _Storable & _QueryOrdered {
  /// Whether the value is greater; false for null.
  public static func > (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, with: rhs))
  }

  /// Whether the value is greater than that of the other property; false when either is null.
  public static func > (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, rhs.tree))
  }

  /// Whether the value is greater or equal.
  public static func >= (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, with: rhs))
  }

  /// Whether the value is greater than that of the other property or equal to it.
  ///
  /// Two nulls are equal; a null and a value have no order.
  public static func >= (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, rhs.tree))
  }

  /// Whether the value is less; false for null.
  public static func < (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, with: rhs))
  }

  /// Whether the value is less than that of the other property; false when either is null.
  public static func < (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, rhs.tree))
  }

  /// Whether the value is less or equal.
  public static func <= (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, with: rhs))
  }

  /// Whether the value is less than that of the other property or equal to it.
  ///
  /// Two nulls are equal; a null and a value have no order.
  public static func <= (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, rhs.tree))
  }
}

extension Query where T: _Storable & _QueryOrdered & Comparable {
  /// Whether the value is in the range, whose end does not belong to it.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    Query<Bool>(
      tree.between(range.lowerBound, range.upperBound, excludesHigh: true))
  }

  /// Whether the value is in the range, both ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    Query<Bool>(tree.between(range.lowerBound, range.upperBound))
  }
}

extension Query {
  /// Whether there is a value and it is in the range, whose end does not belong to it.
  public func contains<Wrapped: _Storable & _QueryOrdered & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where T == Wrapped? {
    Query<Bool>(
      tree.between(range.lowerBound, range.upperBound, excludesHigh: true, isOptional: true))
  }

  /// Whether there is a value and it is in the range, both ends included.
  public func contains<Wrapped: _Storable & _QueryOrdered & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where T == Wrapped? {
    Query<Bool>(tree.between(range.lowerBound, range.upperBound, isOptional: true))
  }
}
