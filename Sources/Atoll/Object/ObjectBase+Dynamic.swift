internal import AtollObjects

extension ObjectBase {
  /// The value of a property by name; setting it has the effect of setting the property.
  ///
  /// An integer is an `Int`, an enum its raw value, and a mixed value its content.
  public final subscript(key: String) -> Any? {
    get { dynamicProperty(key)?.dynamicValue(of: self) }
    set {
      if let row = _row, let migration = row.context.migration,
        dynamicProperty(key)?.isPrimaryKey ?? false
      {
        _row = migration.releasePrimaryKey(of: row)
      }
      guard let property = dynamicProperty(key) else { return }
      ValueBridge().set(property, of: self, newValue)
    }
  }

  /// The value of a property by name.
  public final func value(forKey key: String) -> Any? { self[key] }

  /// The value at the end of a path of properties; nil behind a link that leads nowhere.
  public final func value(forKeyPath keyPath: String) -> Any? {
    var value: Any? = self
    for name in keyPath.split(separator: ".") {
      guard let object = value as? ObjectBase else { return nil }
      value = object[String(name)]
    }
    return value
  }

  /// Sets a property by name.
  public final func setValue(_ value: Any?, forKey key: String) { self[key] = value }

  /// Whether both are the same object of the same realm, in whatever instances.
  public final func isSameObject(as object: ObjectBase?) -> Bool {
    guard let object else { return false }
    if self === object { return true }
    guard let row = _row, let other = object._row else { return false }
    return row.isSameRow(as: other)
  }

  /// - Returns: Nil of a dynamic object that cannot be read: its class is not known.
  final func dynamicProperty(_ key: String) -> PropertyDescriptor? {
    if let property = descriptor.property(key) { return property }
    if let row = _row {
      row.checkAlive()
      if row.isUnreadable, self is DynamicObject { return nil }
      row.context.migration?.refuseProperty(key, of: descriptor, in: row.context)
    }
    Misuse.trap("class '\(descriptor.name)' has no property '\(key)'")
  }
}

/// Something with an id that stays the same, for interfaces that show it.
public protocol ObjectKeyIdentifiable: Identifiable {
  /// The same for all instances of one object of a realm.
  var id: UInt64 { get }
}

/// The older spelling of the name.
public typealias ObjectKeyIdentifable = ObjectKeyIdentifiable

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// A number made of the key and the class of the object; of an unmanaged one, of the instance.
  ///
  /// It is another one once the object was added to a realm.
  public var id: UInt64 { keyedIdentifier }
}

extension ObjectBase {
  /// The id of the object for interfaces that show it.
  final var keyedIdentifier: UInt64 {
    guard let row = _row, !row.isUnreadable else {
      return UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue))
    }
    return row.key.rawValue &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(row.access.table.id)
  }
}
