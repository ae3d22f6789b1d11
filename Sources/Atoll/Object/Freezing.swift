/// Goes from live objects to frozen ones and back.
enum Freezing {
  static func frozen<T: ObjectBase>(_ object: T) -> T {
    guard let row = object._row else {
      Misuse.trap("an unmanaged object of class '\(object.descriptor.name)' cannot be frozen")
    }
    let frozen = row.context.frozen()
    if row.checkAlive() || row.isUnreadable {
      if let moved = row.moved(to: frozen), moved.isValid { return instance(moved) }
      row.context.refuse(
        "an object of class '\(row.access.descriptor.name)' was frozen that this write made; it is "
          + "in no version before the commit")
    }
    return instance(_ManagedRow(unreadable: row.access.descriptor, context: frozen))
  }

  static func thawed<T: ObjectBase>(_ object: T) -> T? {
    guard let row = object._row else {
      Misuse.trap("an unmanaged object of class '\(object.descriptor.name)' cannot be thawed")
    }
    return moved(object, to: row.context.thawed())
  }

  static func moved<T: ObjectBase>(_ object: T, to context: _RealmContext) -> T? {
    guard let row = object._row?.moved(to: context), row.isValid else { return nil }
    return instance(row)
  }

  /// Another instance of an object.
  static func instance<T: ObjectBase>(_ row: _ManagedRow) -> T {
    guard let object = row.access.descriptor.newObject() as? T else {
      Misuse.trap("an object changed its class")
    }
    object._row = row
    return object
  }
}

extension _ManagedRow {
  /// The same object in another realm of the same file; nil where that does not have its class.
  func moved(to context: _RealmContext) -> _ManagedRow? {
    if context === self.context { return self }
    let descriptor = access.descriptor
    if isUnreadable { return _ManagedRow(unreadable: descriptor, context: context) }
    return context.access(descriptor) == nil ? nil : context.row(descriptor, key)
  }
}

extension Realm {
  /// A frozen copy of an object.
  public func freeze<T: ObjectBase>(_ object: T) -> T { Freezing.frozen(object) }

  /// The live object of a frozen one; nil when it does not exist any more.
  public func thaw<T: ObjectBase>(_ object: T) -> T? { Freezing.thawed(object) }
}

extension ThreadConfined where Self: ObjectBase {
  /// The realm that manages the object; nil for an unmanaged or deleted one.
  public var realm: Realm? { _row?.realm }

  /// Whether the object is of one version for ever.
  public var isFrozen: Bool { _row?.context.isFrozen ?? false }

  /// The object as it is now, for any thread.
  public func freeze() -> Self { Freezing.frozen(self) }

  /// The live object of a frozen one; nil when it does not exist any more.
  public func thaw() -> Self? { Freezing.thawed(self) }

  public func _moved(to context: _RealmContext) -> Self? { Freezing.moved(self, to: context) }
}
