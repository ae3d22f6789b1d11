public import Foundation

extension Map {
  /// The values as a collection that can be asked, those of a managed map.
  fileprivate func results<Element: RealmCollectionValue>(
    of type: Element.Type, _ what: String
  ) -> Results<Element> {
    guard let managed else {
      Misuse.trap("\(what) needs a map of a realm; add the object that holds this one first")
    }
    return Results(
      _ResultList(
        managed.row.context, Value._storedType.target,
        from: .property(managed.place)))
  }
}

extension Map where Value: RealmCollectionValue & Comparable {
  /// The values in their order.
  public func sorted(ascending: Bool = true) -> Results<Value> {
    results(of: Value.self, "sorting").sorted(ascending: ascending)
  }

  /// Each value once.
  public func distinct() -> Results<Value> {
    results(of: Value.self, "distinct").distinct()
  }
}

extension Map where Value: RealmCollectionValue & MinMaxType {
  /// The least value; nil when there is none.
  public func min() -> Value? { results(of: Value.self, "an aggregate").min() }

  /// The greatest value; nil when there is none.
  public func max() -> Value? { results(of: Value.self, "an aggregate").max() }
}

extension Map where Value: RealmCollectionValue & AddableType {
  /// The sum of the values; 0 for none.
  public func sum() -> Value { results(of: Value.self, "an aggregate").sum() }

  /// The average of the values; nil for none.
  public func average<T: AddableType & _Storable>() -> T? {
    results(of: Value.self, "an aggregate").average()
  }
}

extension Map {
  /// The objects among the values that a condition is true for.
  public func `where`<Wrapped: ObjectBase>(
    _ isIncluded: (Query<Wrapped>) -> Query<Bool>
  ) -> Results<Wrapped> where Value == Wrapped? {
    results(of: Wrapped.self, "a query").where(isIncluded)
  }

  /// The objects among the values that a predicate in text form is true for.
  public func filter<Wrapped: ObjectBase>(
    _ predicateFormat: String, _ args: Any...
  ) -> Results<Wrapped> where Value == Wrapped? {
    let results = results(of: Wrapped.self, "a query")
    return Misuse.unwrapped("the predicate '\(predicateFormat)' cannot be used") {
      try results.queried(predicateFormat, args)
    }
  }

  /// The objects among the values that a predicate is true for.
  public func filter<Wrapped: ObjectBase>(_ predicate: NSPredicate) -> Results<Wrapped>
  where Value == Wrapped? {
    results(of: Wrapped.self, "a query").filter(predicate)
  }

  /// The objects among the values, ordered by a property.
  public func sorted<Wrapped: ObjectBase>(
    byKeyPath keyPath: String, ascending: Bool = true
  ) -> Results<Wrapped> where Value == Wrapped? {
    results(of: Wrapped.self, "sorting").sorted(byKeyPath: keyPath, ascending: ascending)
  }
}
