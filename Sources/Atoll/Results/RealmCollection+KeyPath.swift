internal import AtollQuery

extension RealmCollection {
  /// Returns the values at the end of a path of each element, or what an operator computes of them.
  ///
  /// The operators are `@count`, `@min.age`, `@max.age`, `@sum.age`, `@avg.age`,
  /// `@unionOfObjects.name` and `@distinctUnionOfObjects.name`; of values, the path behind them is
  /// `self`. Operators pass over nil. An operator that is not among these ends the process.
  ///
  /// - Returns: An array of values, or the result of an operator; nil for the least, the greatest
  ///   and the average of nothing.
  public func value(forKeyPath keyPath: String) -> Any? {
    guard keyPath.first == "@" else { return values(at: keyPath) }
    let parts = keyPath.dropFirst().split(separator: ".", maxSplits: 1)
    if parts == ["count"] { return count }
    guard parts.count == 2, let computed = computed(String(parts[0]), String(parts[1])) else {
      Misuse.trap(
        "'\(keyPath)' is no path of a collection: write a property, '@count', or an operator with a "
          + "property, such as '@sum.age'")
    }
    return computed
  }

  /// What an operator gives; nil where there is no operator of that name.
  private func computed(_ name: String, _ path: String) -> Any?? {
    switch name {
    case "min": .some(aggregate(.minimum, path))
    case "max": .some(aggregate(.maximum, path))
    case "sum": .some(aggregate(.sum, path) ?? 0)
    case "avg": .some(aggregate(.average, path))
    case "unionOfObjects": values(at: path).compactMap { $0 }
    case "distinctUnionOfObjects": distinct(values(at: path))
    default: nil
    }
  }

  private func aggregate(_ function: AggregateFunction, _ path: String) -> Any? {
    let value: AnyRealmValue? = aggregate(function, path == "self" ? nil : path)
    return AnyBridge.plain(value)
  }

  /// The values of a path, nil among them.
  private func values(at keyPath: String) -> [Any?] {
    Array(self).map { element in
      if keyPath == "self" { return AnyBridge.plain(element) }
      guard let object = element as? ObjectBase else {
        Misuse.trap(
          "'\(keyPath)' is asked of values of type \(Element.self), which have no properties")
      }
      return object.value(forKeyPath: keyPath)
    }
  }

  /// The values without nil and without those that equal an earlier one.
  private func distinct(_ values: [Any?]) -> [Any] {
    var known: Set<AnyHashable> = []
    return values.compactMap { $0 }.filter { value in
      (value as? AnyHashable).map { known.insert($0).inserted } ?? true
    }
  }
}
