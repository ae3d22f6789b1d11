internal import AtollQuery

extension Query where T: RealmCollection, T.Element: ObjectBase {
  /// A property of the objects in a collection.
  public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
    Query<V>(tree.appending(member))
  }
}

extension Query where T: RealmCollection {
  /// How many elements the collection has.
  public var count: Query<Int> { Query<Int>(tree.counted()) }
}

extension Query where T: RealmCollection {
  /// Whether `element` is in the collection.
  public func contains(_ element: T.Element) -> Query<Bool> {
    Query<Bool>(tree.containing(element))
  }

  /// Whether one of `elements` is in the collection.
  public func containsAny<U: Sequence>(in elements: U) -> Query<Bool>
  where U.Element == T.Element {
    Query<Bool>(tree.contained(in: Array(elements), isCollection: true))
  }

  /// Whether an element of the collection is equal to `rhs`.
  public static func == (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.equal, with: rhs, isCollection: true))
  }

  /// Whether an element of the collection differs from `rhs`.
  public static func != (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.notEqual, with: rhs, isCollection: true))
  }
}

extension Query
where
  T: RealmCollection, T.Element: _QueryOrdered & Comparable
{
  /// Whether an element of the collection is greater than `rhs`.
  public static func > (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, with: rhs, isCollection: true))
  }

  /// Whether an element of the collection is greater than `rhs` or equal.
  public static func >= (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, with: rhs, isCollection: true))
  }

  /// Whether an element of the collection is less than `rhs`.
  public static func < (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, with: rhs, isCollection: true))
  }

  /// Whether an element of the collection is less than `rhs` or equal.
  public static func <= (_ lhs: Query<T>, _ rhs: T.Element) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, with: rhs, isCollection: true))
  }

  /// Whether there are elements and all are in the range, whose end does not belong to it.
  public func contains(_ range: Range<T.Element>) -> Query<Bool> {
    Query<Bool>(
      tree.eachElement(from: range.lowerBound, to: range.upperBound, excludesHigh: true))
  }

  /// Whether there are elements and all are in the range, both ends included.
  public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
    Query<Bool>(tree.eachElement(from: range.lowerBound, to: range.upperBound))
  }
}

// MARK: Aggregates

extension Query
where
  T: RealmCollection, T.Element: _QueryNumeric
{
  /// The least element; null when there is none.
  public var min: Query<T.Element> {
    Query<T.Element>(tree.aggregated(.minimum, isOfElements: true))
  }

  /// The greatest element; null when there is none.
  public var max: Query<T.Element> {
    Query<T.Element>(tree.aggregated(.maximum, isOfElements: true))
  }

  /// The sum of the elements; 0 when there are none.
  public var sum: Query<T.Element> { Query<T.Element>(tree.aggregated(.sum, isOfElements: true)) }

  /// The average of the elements; null when there are none.
  public var avg: Query<Double> { Query<Double>(tree.aggregated(.average, isOfElements: true)) }
}

extension Query where T: _QueryNumeric {
  /// The least value of this property among the objects of a collection.
  public var min: Query<T> { Query(tree.aggregated(.minimum)) }

  /// The greatest value of this property among the objects of a collection.
  public var max: Query<T> { Query(tree.aggregated(.maximum)) }

  /// The sum of this property over the objects of a collection.
  public var sum: Query<T> { Query(tree.aggregated(.sum)) }

  /// The average of this property over the objects of a collection.
  public var avg: Query<Double> { Query<Double>(tree.aggregated(.average)) }
}

// An average is a `Double`; beside a value of the elements' own type it has that type.

extension Query where T: RealmCollection, T.Element: _QueryNumeric & AddableType {
  /// The average of the elements, to be compared with one of their type.
  @_disfavoredOverload
  public var avg: Query<T.Element> {
    Query<T.Element>(tree.aggregated(.average, isOfElements: true))
  }
}

extension Query where T: _QueryNumeric & AddableType {
  /// The average of this property, to be compared with a value of its type.
  @_disfavoredOverload
  public var avg: Query<T> { Query(tree.aggregated(.average)) }
}

// Of enums and custom types what is stored is aggregated.

extension Query
where T: RealmCollection, T.Element: _QueryStored, T.Element._Stored: _QueryNumeric {
  /// The least element; null when there is none.
  public var min: Query<T.Element> {
    Query<T.Element>(tree.aggregated(.minimum, isOfElements: true))
  }

  /// The greatest element; null when there is none.
  public var max: Query<T.Element> {
    Query<T.Element>(tree.aggregated(.maximum, isOfElements: true))
  }

  /// The sum of what the elements are stored as; 0 when there are none.
  public var sum: Query<T.Element._Stored> {
    Query<T.Element._Stored>(tree.aggregated(.sum, isOfElements: true))
  }

  /// The average of what the elements are stored as; null when there are none.
  public var avg: Query<Double> { Query<Double>(tree.aggregated(.average, isOfElements: true)) }
}

extension Query where T: _QueryStored, T._Stored: _QueryNumeric {
  /// The least value of this property among the objects of a collection.
  public var min: Query<T> { Query(tree.aggregated(.minimum)) }

  /// The greatest value of this property among the objects of a collection.
  public var max: Query<T> { Query(tree.aggregated(.maximum)) }

  /// The sum of what is stored of this property over the objects of a collection.
  public var sum: Query<T._Stored> { Query<T._Stored>(tree.aggregated(.sum)) }

  /// The average of what is stored of this property over the objects of a collection.
  public var avg: Query<Double> { Query<Double>(tree.aggregated(.average)) }
}

extension Query
where
  T: RealmCollection, T.Element: RawRepresentable,
  T.Element.RawValue: RealmCollectionValue
{
  /// What the elements of a collection of enums are stored as.
  public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
    Query<AnyRealmCollection<T.Element.RawValue>>(tree)
  }
}

extension Query
where
  T: RealmCollection, T.Element: _QueryCustom,
  T.Element._Stored: RealmCollectionValue
{
  /// What the elements of a collection of custom types are stored as.
  public var persistableValue: Query<AnyRealmCollection<T.Element._Stored>> {
    Query<AnyRealmCollection<T.Element._Stored>>(tree)
  }
}
