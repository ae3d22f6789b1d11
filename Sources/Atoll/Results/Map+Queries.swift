internal import AtollQuery
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
        managed.row.context, managed.place.targetClass,
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

extension Map where Value: RealmCollectionValue {
  /// The values in their order; null comes before all others.
  public func sorted<Wrapped: Comparable>(ascending: Bool = true) -> Results<Value>
  where Value == Wrapped? {
    results(of: Value.self, "sorting").sorted(ascending: ascending)
  }

  /// Each value once; null is one too.
  public func distinct<Wrapped: Comparable>() -> Results<Value> where Value == Wrapped? {
    results(of: Value.self, "distinct").distinct()
  }

  /// The values as a collection that computes on them.
  fileprivate var computing: AnyRealmCollection<Value> {
    if managed != nil { return AnyRealmCollection(results(of: Value.self, "an aggregate")) }
    let list = List<Value>()
    list.append(objectsIn: values)
    return AnyRealmCollection(list)
  }
}

extension Map where Value: RealmCollectionValue & MinMaxType {
  /// The least value; nil when there is none.
  public func min() -> Value? { computing.min() }

  /// The greatest value; nil when there is none.
  public func max() -> Value? { computing.max() }
}

extension Map where Value: RealmCollectionValue & AddableType {
  /// The sum of the values; 0 for none.
  public func sum() -> Value { computing.sum() }

  /// The average of the values; nil for none.
  public func average<T: AddableType & _Storable>() -> T? { computing.average() }
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
    return results.list.context.reading(
      "the predicate '\(predicateFormat)' cannot be used",
      or: Results(results.list.filtered(.false, arguments: []))
    ) {
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

  /// The objects among the values, ordered by several properties, the first of which counts most.
  public func sorted<Wrapped: ObjectBase, S: Sequence>(by sortDescriptors: S) -> Results<Wrapped>
  where Value == Wrapped?, S.Element == SortDescriptor {
    results(of: Wrapped.self, "sorting").sorted(by: sortDescriptors)
  }

  /// The objects among the values, ordered by a property.
  public func sorted<Wrapped: ObjectBase, T>(
    by keyPath: KeyPath<Wrapped, T>, ascending: Bool = true
  ) -> Results<Wrapped> where Value == Wrapped? {
    results(of: Wrapped.self, "sorting").sorted(by: keyPath, ascending: ascending)
  }
}

// MARK: Computing on objects

extension Map {
  /// The objects among the values as a collection.
  private func objects<Wrapped: ObjectBase>() -> AnyRealmCollection<Wrapped>
  where Value == Wrapped? {
    if managed != nil { return AnyRealmCollection(results(of: Wrapped.self, "an aggregate")) }
    let list = List<Wrapped>()
    list.append(objectsIn: values.compactMap { $0 })
    return AnyRealmCollection(list)
  }

  /// The least value of a property; nil when there is none.
  public func min<Wrapped: ObjectBase, T: MinMaxType & _Storable>(
    ofProperty property: String
  ) -> T? where Value == Wrapped? { objects().min(ofProperty: property) }

  /// The greatest value of a property; nil when there is none.
  public func max<Wrapped: ObjectBase, T: MinMaxType & _Storable>(
    ofProperty property: String
  ) -> T? where Value == Wrapped? { objects().max(ofProperty: property) }

  /// The sum of a property; 0 for no objects.
  public func sum<Wrapped: ObjectBase, T: AddableType & _Storable>(
    ofProperty property: String
  ) -> T where Value == Wrapped? { objects().sum(ofProperty: property) }

  /// The average of a property; nil for no objects.
  public func average<Wrapped: ObjectBase, T: AddableType & _Storable>(
    ofProperty property: String
  ) -> T? where Value == Wrapped? { objects().average(ofProperty: property) }

  /// The least value of a property; nil when there is none.
  public func min<Wrapped: ObjectBase, T: MinMaxType & _Storable>(
    of keyPath: KeyPath<Wrapped, T>
  ) -> T? where Value == Wrapped? { objects().min(of: keyPath) }

  /// The greatest value of a property; nil when there is none.
  public func max<Wrapped: ObjectBase, T: MinMaxType & _Storable>(
    of keyPath: KeyPath<Wrapped, T>
  ) -> T? where Value == Wrapped? { objects().max(of: keyPath) }

  /// The sum of a property; 0 for no objects.
  public func sum<Wrapped: ObjectBase, T: AddableType & _Storable>(
    of keyPath: KeyPath<Wrapped, T>
  ) -> T where Value == Wrapped? { objects().sum(of: keyPath) }

  /// The average of a property; nil for no objects.
  public func average<Wrapped: ObjectBase, T: AddableType & _Storable>(
    of keyPath: KeyPath<Wrapped, T>
  ) -> T? where Value == Wrapped? { objects().average(of: keyPath) }

  /// The value of the key that is named.
  ///
  /// An integer is an `Int`, an enum its raw value, and a mixed value its content.
  public func value(forKey key: Key) -> Any? { AnyBridge.plain(self[key]) }

  /// Sets the value of the key that is named; nil removes the key.
  ///
  /// A value that the map cannot hold ends the process.
  public func setValue(_ value: Any?, forKey key: Key) {
    guard let value = AnyBridge.unwrapped(value) else { return removeObject(for: key) }
    guard let value = Value._bridge(value) else {
      let sentence = "a map of values of type \(Value.self) cannot hold one of \(type(of: value))"
      guard let managed else { Misuse.trap(sentence) }
      return managed.row.context.refuse(sentence)
    }
    updateValue(value, forKey: key)
  }
}
