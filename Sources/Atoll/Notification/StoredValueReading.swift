internal import AtollObjects

extension PropertyDescriptor {
  /// A value that the file held for the property, as Swift has it; nil for null.
  func swiftValue(_ stored: _StoredValue, _ context: _RealmContext) -> Any? {
    guard !stored.isNull, let storage = storage as? any StoredValueReading else { return nil }
    return AnyBridge.unwrapped(storage.loaded(stored, unset, context))
  }
}

/// The storage of a property, which knows its type.
private protocol StoredValueReading {
  func loaded(_ stored: _StoredValue, _ unset: _StoredValue?, _ context: _RealmContext) -> Any?
}

extension TypedStorage: StoredValueReading {
  fileprivate func loaded(
    _ stored: _StoredValue, _ unset: _StoredValue?, _ context: _RealmContext
  ) -> Any? {
    (Value.self as? any _Storable.Type).map { type in
      type._load(type._meaning(unset: unset)?(stored) ?? stored, context)
    }
  }
}
