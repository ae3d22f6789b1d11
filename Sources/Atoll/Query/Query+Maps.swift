internal import AtollQuery

extension Query where T: RealmKeyedCollection {
  /// The value of a key; null for a key that is not there.
  public subscript(_ key: T.Key) -> Query<T.Value> {
    Query<T.Value>(tree.appending(.key(key._key)))
  }

  /// Any of the keys.
  public var keys: Query<T.Key> { Query<T.Key>(tree.appending(.keys)) }

  /// Any of the values.
  public var values: Query<T.Value> { Query<T.Value>(tree.appending(.values)) }

  /// How many keys the map has.
  public var count: Query<Int> { Query<Int>(tree.counted()) }

  /// Whether `value` is in the map.
  public func contains(_ value: T.Value) -> Query<Bool> {
    Query<Bool>(tree.containing(value))
  }

  /// Whether one of `values` is in the map.
  public func containsAny<U: Sequence>(in values: U) -> Query<Bool> where U.Element == T.Value {
    Query<Bool>(tree.contained(in: Array(values), isCollection: true))
  }

  /// Whether a value of the map is equal to `rhs`.
  public static func == (_ lhs: Query<T>, _ rhs: T.Value) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.equal, with: rhs, isCollection: true))
  }

  /// Whether a value of the map differs from `rhs`.
  public static func != (_ lhs: Query<T>, _ rhs: T.Value) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.notEqual, with: rhs, isCollection: true))
  }
}

extension Query where T == AnyRealmValue {
  /// The element of a list at an index; null where the value is no such list.
  public subscript(_ index: Int) -> Query<AnyRealmValue> {
    Query(tree.appending(.index(Int64(index))))
  }

  /// The value of a key of a dictionary; null where the value is no such dictionary.
  public subscript(_ key: String) -> Query<AnyRealmValue> { Query(tree.appending(.key(key))) }

  /// Any of the elements of a list, or of the values of a dictionary.
  public var any: Query<AnyRealmValue> { Query(tree.appending(.all)) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryNumeric {
  /// The least value; null when there is none.
  public var min: Query<T.Value> { Query<T.Value>(tree.aggregated(.minimum, isOfElements: true)) }

  /// The greatest value; null when there is none.
  public var max: Query<T.Value> { Query<T.Value>(tree.aggregated(.maximum, isOfElements: true)) }

  /// The sum of the values; 0 when there are none.
  public var sum: Query<T.Value> { Query<T.Value>(tree.aggregated(.sum, isOfElements: true)) }

  /// The average of the values; null when there are none.
  public var avg: Query<Double> { Query<Double>(tree.aggregated(.average, isOfElements: true)) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryNumeric & AddableType {
  /// The average of the values, to be compared with one of their type.
  @_disfavoredOverload
  public var avg: Query<T.Value> { Query<T.Value>(tree.aggregated(.average, isOfElements: true)) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryOrdered & Comparable {
  /// Whether there are values and all are in the range, whose end does not belong to it.
  public func contains(_ range: Range<T.Value>) -> Query<Bool> {
    Query<Bool>(
      tree.eachElement(from: range.lowerBound, to: range.upperBound, excludesHigh: true))
  }

  /// Whether there are values and all are in the range, both ends included.
  public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
    Query<Bool>(tree.eachElement(from: range.lowerBound, to: range.upperBound))
  }

  /// Whether a value of the map is greater than `rhs`.
  public static func > (_ lhs: Query<T>, _ rhs: T.Value) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, with: rhs, isCollection: true))
  }

  /// Whether a value of the map is greater than `rhs` or equal.
  public static func >= (_ lhs: Query<T>, _ rhs: T.Value) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, with: rhs, isCollection: true))
  }

  /// Whether a value of the map is less than `rhs`.
  public static func < (_ lhs: Query<T>, _ rhs: T.Value) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, with: rhs, isCollection: true))
  }

  /// Whether a value of the map is less than `rhs` or equal.
  public static func <= (_ lhs: Query<T>, _ rhs: T.Value) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, with: rhs, isCollection: true))
  }
}
