// What enums and types of an application are stored as, where they are in a map.

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
