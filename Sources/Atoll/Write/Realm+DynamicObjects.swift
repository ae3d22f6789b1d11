internal import AtollObjects

extension Realm {
  /// The objects of a class that is named, whatever the program has for it.
  ///
  /// - Parameter typeName: The name of a class that the file has, or of one of this program.
  /// - Returns: All of them.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    context.checkConfinement()
    return Results(context, of: context.dynamicClass(named: typeName))
  }

  /// The object of a named class with this primary key; nil when there is none.
  public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
    context.checkConfinement()
    let descriptor = context.dynamicClass(named: typeName)
    guard let property = descriptor.primaryKey else {
      Misuse.trap("'\(typeName)' has no primary key")
    }
    guard let access = context.access(descriptor), let value = property.storage.stored(key) else {
      context.noteSearch(nil, nil)
      return nil
    }
    let key = context.key(access, primaryKey: value)
    context.noteSearch(key, access)
    return key.flatMap {
      context.dynamicObject(ObjectLink(table: access.table.id, key: $0.rawValue))
    }
  }

  /// Makes an object of a named class, as `create` does of a class in Swift.
  ///
  /// What the value leaves out has the default that the program's class of this name declares, or
  /// else nil, zero or nothing.
  ///
  /// - Parameters:
  ///   - typeName: The name of a class that the file has, or of one of this program.
  ///   - value: A dictionary of properties, an array of them in the order of the file, or an object.
  ///   - update: What to do when there is an object with its primary key.
  /// - Returns: The managed object.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> DynamicObject {
    _ = context.requireWrite("an object of class '\(typeName)' was created")
    if context.migration == nil, let model = context.descriptor(named: typeName) {
      context.require(model.type)
    }
    return context.createDynamic(context.dynamicClass(named: typeName), value, update)
  }
}

extension _RealmContext {
  /// The class with a name as the file has it; where the file does not have it, that of the program.
  ///
  /// Ends the process for a name of no class.
  func dynamicClass(named name: String) -> ClassDescriptor {
    if let table = schema.table(name), !table.isHidden,
      let access = dynamicAccess(ofTable: table.id)
    {
      return access.descriptor
    }
    if migration == nil, let model = descriptor(named: name) { return model }
    let nearest = NearestName.find(name, among: schema.visibleTables.map(\.name))
    Misuse.trap(
      "the realm has no class '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }

  func createDynamic(
    _ descriptor: ClassDescriptor, _ value: Any, _ update: Realm.UpdatePolicy
  ) -> DynamicObject {
    if update != .error, descriptor.primaryKey == nil {
      Misuse.trap(
        "'\(descriptor.name)' has no primary key, so that its objects cannot be updated by one")
    }
    let object = DynamicObject(of: descriptor)
    object.fillDefaults(of: self, descriptor.name)
    let given = GivenProperties()
    ValueBridge(self, given: given).fill(object, from: value)
    ObjectAdder(self, policy: update, given: given).add(object)
    return object
  }
}
