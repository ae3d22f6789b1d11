internal import AtollObjects

extension Realm {
  // MARK: Adding

  /// Adds an unmanaged object, and everything that it leads to; the same instance becomes managed.
  ///
  /// - Parameters:
  ///   - object: An unmanaged object; one that this realm manages stays as it is.
  ///   - update: What to do when there is an object with its primary key.
  public func add(_ object: Object, update: UpdatePolicy = .error) {
    requireKey(update, type(of: object))
    ObjectAdder(context, policy: update).add(object)
  }

  /// Adds unmanaged objects.
  public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
  where S.Element: Object {
    for object in objects { add(object, update: update) }
  }

  @available(*, unavailable, message: "pass update: .error, .modified or .all")
  public func add(_ object: Object, update: Bool) {}

  @available(*, unavailable, message: "pass update: .error, .modified or .all")
  public func add<S: Sequence>(_ objects: S, update: Bool) where S.Element: Object {}

  /// Makes an object of a dictionary of properties, an array of them in the order of their
  /// declarations, or another object, which stays as it is.
  ///
  /// What a dictionary leaves out has its default in a new object, and stays as it is in one that
  /// exists.
  ///
  /// - Returns: the managed object.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> T {
    let descriptor = ClassDescriptor.of(type)
    _ = context.requireWrite("an object of class '\(descriptor.name)' was created")
    requireKey(update, type)
    // `T` may be a class that both have in common.
    if update != .error, let source = AnyBridge.instance(of: T.self, value),
      source._row?.context === context, Swift.type(of: source) == type
    {
      return source
    }
    let given = GivenProperties()
    let object = type.init()
    ValueBridge(context, given: given).fill(object, from: value)
    ObjectAdder(context, policy: update, given: given).add(object)
    return object
  }

  private func requireKey(_ update: UpdatePolicy, _ type: ObjectBase.Type) {
    guard update != .error, ClassDescriptor.of(type).primaryKey == nil else { return }
    Misuse.trap(
      "'\(type.className())' has no primary key, so that its objects cannot be updated by one")
  }

  // MARK: Deleting

  /// Deletes an object, with the embedded objects that it owns; links to it become nil.
  public func delete(_ object: ObjectBase) {
    guard let row = object._row else {
      Misuse.trap("an unmanaged object of class '\(type(of: object).className())' was deleted")
    }
    let name = row.access.descriptor.name
    if row.isUnreadable {
      _ = context.requireWrite("an object of class '\(name)' was deleted")
      return context.failWrite()
    }
    guard row.context === context else {
      Misuse.trap("an object of class '\(name)' that belongs to another realm was deleted")
    }
    guard let transaction = context.requireWrite("an object of class '\(name)' was deleted"),
      row.checkAlive()
    else { return }
    context.delete(row.key, name, transaction)
    object._row = row.deleted()
  }

  /// Deletes objects.
  public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
    for object in Array(objects) where !object.isInvalidated { delete(object) }
  }

  /// Deletes the objects that a list holds, which empties it.
  public func delete<Element: ObjectBase>(_ objects: List<Element>) {
    for object in Array(objects) where !object.isInvalidated { delete(object) }
    if objects.managed == nil { objects.removeAll() }
  }

  /// Deletes the objects that a set holds, which empties it.
  public func delete<Element: ObjectBase>(_ objects: MutableSet<Element>) {
    for object in Array(objects) where !object.isInvalidated { delete(object) }
    if objects.managed == nil { objects.removeAll() }
  }

  /// Deletes the objects that are the values of a map; its keys stay, with nil.
  public func delete<Key: _MapKey, Element: ObjectBase>(_ map: Map<Key, Element?>) {
    for case let object? in map.values where !object.isInvalidated { delete(object) }
    if map.managed == nil { for key in map.keys { map.updateValue(nil, forKey: key) } }
  }

  /// Deletes the objects that a query finds.
  public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
    for object in Array(objects) where !object.isInvalidated { delete(object) }
  }

  /// Deletes every object of every class of the realm; the classes stay.
  ///
  /// A realm with `objectTypes` keeps what the file has of other classes.
  public func deleteAll() {
    guard let transaction = context.requireWrite("all objects were deleted") else { return }
    // Without `objectTypes` any class of the file is one of the realm.
    let names = context.configuration.objectTypes.map { _ in
      Set(context.knownClasses.map { ExactText($0.name) })
    }
    context.changing("the objects cannot be deleted") {
      for schema in transaction.schema.classes
      where !schema.isEmbedded && names?.contains(ExactText(schema.name)) ?? true {
        var keys: [ObjectKey] = []
        try transaction.table(schema.name).forEach { keys.append($0.key) }
        // One may have gone with another, as a rule of deletion says.
        let hasRules = transaction.schema.hasDeletionRules
        for key in keys where try !hasRules || transaction.contains(schema.name, key) {
          try transaction.delete(schema.name, key)
        }
      }
    }
    context.counts.noteAny()
  }

  // MARK: Finding

  /// The object with this primary key; nil when there is none.
  public func object<Element: Object, Key>(
    ofType type: Element.Type, forPrimaryKey key: Key
  ) -> Element? {
    let descriptor = ClassDescriptor.of(type)
    guard let property = descriptor.primaryKey else {
      Misuse.trap("'\(descriptor.name)' has no primary key")
    }
    guard let access = context.readAccess(type), let value = property.storage.stored(key) else {
      context.noteSearch(nil, nil)
      return nil
    }
    let key = context.key(access, primaryKey: value)
    context.noteSearch(key, access)
    return key.map { context.object(type, $0) }
  }

  /// Whether there are no objects of any class.
  public var isEmpty: Bool {
    context.checkConfinement()
    context.noteEmptiness()
    let source = context.source
    return context.reading("the realm cannot be read", or: true) {
      try source.schema.classes.allSatisfy { try source.table($0.name).count == 0 }
    }
  }
}

extension _RealmContext {
  func delete(_ key: ObjectKey, _ className: String, _ transaction: Transaction) {
    changing("an object of class '\(className)' cannot be deleted") {
      try transaction.delete(className, key)
    }
    counts.noteAny()
  }

  /// The key of the object with this primary key, in the version that is read.
  func key(_ access: ClassAccess, primaryKey: _StoredValue) -> ObjectKey? {
    checkConfinement()
    let name = access.descriptor.name
    return reading("'\(name)' cannot be read", or: nil) {
      if let transaction { return try transaction.key(name, primaryKey: primaryKey) }
      return try snapshot.table(name).object(primaryKey: primaryKey)?.key
    }
  }
}
