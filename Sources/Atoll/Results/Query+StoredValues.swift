// What enums and types of an application are stored as, where they are optional or in a collection.

/// An optional of an enum.
public protocol _OptionalEnum {
  associatedtype _RawOptional
}

/// An optional of a type of an application.
public protocol _OptionalCustom {
  associatedtype _PersistedOptional
}

extension Optional: _OptionalEnum where Wrapped: PersistableEnum {
  public typealias _RawOptional = Wrapped.RawValue?
}

extension Optional: _OptionalCustom where Wrapped: CustomPersistable {
  public typealias _PersistedOptional = Wrapped.PersistedType?
}

extension Query where T: _OptionalEnum {
  /// What the case of an enumeration is stored as; null for nil.
  public var rawValue: Query<T._RawOptional> { Query<T._RawOptional>(tree) }
}

extension Query where T: _OptionalCustom {
  /// What a value of the application's own type is stored as; null for nil.
  public var persistableValue: Query<T._PersistedOptional> {
    Query<T._PersistedOptional>(tree)
  }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum {
  /// What the cases in a collection are stored as.
  public var rawValue: Query<List<T.Element.RawValue>> { Query<List<T.Element.RawValue>>(tree) }
}

extension Query where T: RealmCollection, T.Element: CustomPersistable {
  /// What the values in a collection are stored as.
  public var persistableValue: Query<List<T.Element.PersistedType>> {
    Query<List<T.Element.PersistedType>>(tree)
  }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
  /// What the cases in a map are stored as.
  public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
    Query<Map<T.Key, T.Value.RawValue>>(tree)
  }
}

extension Query where T: RealmKeyedCollection, T.Value: CustomPersistable {
  /// What the values in a map are stored as.
  public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
    Query<Map<T.Key, T.Value.PersistedType>>(tree)
  }
}
