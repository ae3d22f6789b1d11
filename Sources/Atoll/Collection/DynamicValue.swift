// Values for code that does not know their types.

extension PropertyDescriptor {
  /// The value of an object as code has it that does not know the property's type.
  func dynamicValue(of object: ObjectBase) -> Any? {
    AnyBridge.plain(storage.value(of: object, position: position))
  }
}

extension AnyBridge {
  /// An integer of any width as an `Int`, an enum as its raw value, the content of a mixed value;
  /// any other as it is.
  static func plain(_ value: Any?) -> Any? {
    switch unwrapped(value) {
    case let value as AnyRealmValue: value.content
    case let value as any _StoredInteger: Int(truncatingIfNeeded: value)
    case let value as any PersistableEnum: rawValue(of: value)
    case let value: value
    }
  }

  private static func rawValue<Enum: PersistableEnum>(of value: Enum) -> Any? {
    plain(value.rawValue)
  }
}
