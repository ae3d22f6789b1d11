extension RealmCollection where Element: ObjectBase {
  /// Returns the elements ordered by a property, in a section for each value of it.
  ///
  /// - Parameters:
  ///   - keyPath: The property, which may lie behind links to one object.
  ///   - ascending: Whether its values ascend.
  /// - Returns: The sections, which follow the realm.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(
      by: keyPath,
      sortDescriptors: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// Returns the elements in an order, in a section for each value of a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property, or a computed property that reads it.
  ///   - sortDescriptors: The order; the property is the first to sort by. Another one ends the
  ///     process.
  /// - Returns: The sections, which follow the realm.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    let name = _name(for: keyPath)
    guard sortDescriptors.first?.keyPath == name else {
      Misuse.trap("sections by '\(name)' are of a collection that is sorted by it first")
    }
    return sectioned(keyPath, sortDescriptors) { $0[keyPath: keyPath] }
  }

  /// Returns the elements in an order, in a section for each key that a block gives.
  ///
  /// Observers ask for the key of an element again when the element has changed, or an object that
  /// it links to, four links deep.
  ///
  /// - Parameters:
  ///   - block: Gives the key of an element. It is also called where the sections are frozen or
  ///     observed.
  ///   - sortDescriptors: The order; none ends the process.
  /// - Returns: The sections, which follow the realm.
  @preconcurrency public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping @Sendable (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(nil, sortDescriptors, block)
  }

  /// Returns the elements in an order, in a section for each key that a block gives.
  ///
  /// - Parameters:
  ///   - sortDescriptors: The order; none ends the process.
  ///   - keyBlock: Gives the key of an element, as in `sectioned(by:sortDescriptors:)`.
  /// - Returns: The sections, which follow the realm.
  @preconcurrency public func sectioned<Key: _Persistable & Hashable>(
    sortDescriptors: [SortDescriptor], _ keyBlock: @escaping @Sendable (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    sectioned(nil, sortDescriptors, keyBlock)
  }

}

extension RealmCollection {
  /// The elements in an order, in a section for each key, which a key path may give.
  func sectioned<Key: _Persistable & Hashable>(
    _ keyPath: AnyKeyPath?, _ sortDescriptors: [SortDescriptor], _ key: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    guard !sortDescriptors.isEmpty else {
      Misuse.trap("sections need a sort descriptor, as they are in the order of the elements")
    }
    return SectionedResults(
      _SectionedList(sorted(by: sortDescriptors).list, keyPath: keyPath, key))
  }
}

extension RealmCollection where Element: Comparable {
  /// Returns the values in their order, in a section for each key that a block gives.
  ///
  /// - Parameters:
  ///   - block: Gives the key of a value. It is also called where the sections are frozen or
  ///     observed.
  ///   - ascending: Whether the values ascend.
  /// - Returns: The sections, which follow the realm.
  @preconcurrency public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping @Sendable (Element) -> Key, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    SectionedResults(_SectionedList(sorted(ascending: ascending).list, keyPath: nil, block))
  }
}
