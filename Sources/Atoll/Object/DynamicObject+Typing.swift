internal import AtollObjects
internal import Foundation

extension DynamicObject: DynamicTyping {
  static func storage(of form: _PropertyForm, position: Int) -> any PropertyStorage {
    switch form.stored.type {
    case .bool: scalar(Bool.self, form, position)
    case .int: scalar(Int.self, form, position)
    case .float: scalar(Float.self, form, position)
    case .double: scalar(Double.self, form, position)
    case .decimal: scalar(Decimal128.self, form, position)
    case .string: scalar(String.self, form, position)
    case .data: scalar(Data.self, form, position)
    case .date: scalar(Date.self, form, position)
    case .objectID: scalar(ObjectId.self, form, position)
    case .uuid: scalar(UUID.self, form, position)
    case .mixed:
      switch form.kind {
      case .single, .linkingObjects: DynamicStorage<AnyRealmValue>(position: position)
      case .list: DynamicStorage<List<AnyRealmValue>>(position: position)
      case .set: DynamicStorage<MutableSet<AnyRealmValue>>(position: position)
      case .map: DynamicStorage<Map<String, AnyRealmValue>>(position: position)
      }
    case .link:
      switch form.kind {
      case .single, .linkingObjects: DynamicStorage<DynamicObject?>(position: position)
      case .list: DynamicStorage<List<DynamicObject>>(position: position)
      case .set: DynamicStorage<MutableSet<DynamicObject>>(position: position)
      case .map: DynamicStorage<Map<String, DynamicObject?>>(position: position)
      }
    }
  }

  private static func scalar<Value: _Scalar>(
    _ type: Value.Type, _ form: _PropertyForm, _ position: Int
  ) -> any PropertyStorage {
    switch (form.kind, form.stored.isOptional) {
    case (.single, false), (.linkingObjects, false): DynamicStorage<Value>(position: position)
    case (.single, true), (.linkingObjects, true): DynamicStorage<Value?>(position: position)
    case (.list, false): DynamicStorage<List<Value>>(position: position)
    case (.list, true): DynamicStorage<List<Value?>>(position: position)
    case (.set, false): DynamicStorage<MutableSet<Value>>(position: position)
    case (.set, true): DynamicStorage<MutableSet<Value?>>(position: position)
    case (.map, false): DynamicStorage<Map<String, Value>>(position: position)
    case (.map, true): DynamicStorage<Map<String, Value?>>(position: position)
    }
  }
}

extension DynamicObject {
  /// Gives a new object the defaults that the program's class of a name declares.
  func fillDefaults(of realm: _RealmContext?, _ name: String) {
    guard let model = realm?.descriptor(named: name), !model.plainProperties.isEmpty else { return }
    let object = model.newObject()
    for property in descriptor.plainProperties {
      guard let declared = model.property(property.name), declared.isPlain else { continue }
      let value = AnyBridge.plain(
        declared.storage.value(of: object, position: declared.position))
      // One of another type has no default here.
      if declared.form.stored.type == property.form.stored.type {
        _ = property.storage.set(value, in: self, position: property.position)
      }
    }
  }
}

// Collections of objects whatever the program has for their class.

extension ObjectBase {
  /// The list of objects that a property holds.
  ///
  /// - Parameter propertyName: A property of a managed object that is a list of objects.
  /// - Returns: The list, of dynamic objects.
  public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    guard let place = dynamicPlace(propertyName, .list) else { return List() }
    return List(place)
  }

  /// The set of objects that a property holds.
  ///
  /// - Parameter propertyName: A property of a managed object that is a set of objects.
  /// - Returns: The set, of dynamic objects.
  public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    guard let place = dynamicPlace(propertyName, .set) else { return MutableSet() }
    return MutableSet(place)
  }

  /// The map of objects that a property holds.
  ///
  /// - Parameter propertyName: A property of a managed object that is a map of objects.
  /// - Returns: The map, of dynamic objects.
  public final func dynamicMap(_ propertyName: String) -> Map<String, DynamicObject?> {
    guard let place = dynamicPlace(propertyName, .map) else { return Map() }
    return Map(place)
  }

  private func dynamicPlace(_ name: String, _ kind: _PropertyForm.Kind) -> _ValuePlace? {
    guard let property = dynamicProperty(name) else { return nil }
    guard property.form.kind == kind, property.target != nil else {
      Misuse.trap("\(descriptor.name).\(name) is no \(kind) of objects")
    }
    guard let row = _row else {
      Misuse.trap(
        "\(descriptor.name).\(name) of an object that no realm manages has no dynamic objects; add "
          + "it first")
    }
    return _ValuePlace(row, property.position)
  }
}
