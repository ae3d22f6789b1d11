internal import AtollObjects

/// Looks at an instance of a class to find its persisted properties.
struct ClassDiscovery {
  let type: ObjectBase.Type
  let name: String
  let prototype: ObjectBase
  private(set) var problems: [String] = []

  /// Makes an instance, by the class's `init()`.
  init(_ type: ObjectBase.Type) {
    self.type = type
    name = type._realmObjectName() ?? Self.name(of: type)
    prototype = type.init()
  }

  /// The last component of the type's name.
  private static func name(of type: ObjectBase.Type) -> String {
    let full = "\(type)"
    return full.split(separator: ".").last.map(String.init) ?? full
  }

  /// The properties, stored ones first; the prototype's wrappers learn their positions.
  mutating func properties() -> [PropertyDescriptor] {
    let mapping = type.propertiesMapping()
    let ignored = Set(type.ignoredProperties())
    let indexed = Set(type.indexedProperties())
    var stored: [Found] = []
    var computed: [Found] = []
    for found in wrappers() where !ignored.contains(found.name) {
      if found.wrapper.form.kind == .linkingObjects {
        computed.append(found)
      } else {
        stored.append(found)
      }
    }
    var names: Set<String> = []
    var properties: [PropertyDescriptor] = []
    for (position, found) in (stored + computed).enumerated() {
      var traits = found.wrapper.traits
      if type.primaryKey() == found.name { traits.insert(.primaryKey) }
      if indexed.contains(found.name) { traits.insert(.indexed) }
      let storage = found.wrapper.storage(byteOffset: found.byteOffset)
      storage.setPosition(position, in: prototype)
      if let problem = found.wrapper.problem { problems.append("\(name).\(found.name) \(problem)") }
      let columnName = mapping[found.name] ?? found.name
      if !names.insert(columnName).inserted {
        problems.append("class '\(name)' has two properties '\(columnName)'")
      }
      properties.append(
        PropertyDescriptor(
          name: found.name, columnName: columnName, position: position, form: found.wrapper.form,
          traits: traits, originName: found.wrapper.originName, unset: found.wrapper.unset,
          storage: storage))
    }
    check(properties)
    return properties
  }

  private struct Found {
    let name: String
    let byteOffset: Int
    let wrapper: any PersistedWrapper
  }

  /// The `@Persisted` wrappers of the prototype, base class first.
  private func wrappers() -> [Found] {
    var mirrors: [Mirror] = []
    var next: Mirror? = Mirror(reflecting: prototype)
    while let mirror = next {
      mirrors.insert(mirror, at: 0)
      next = mirror.superclassMirror
    }
    var found: [Found] = []
    var index = 0
    for mirror in mirrors {
      for child in mirror.children {
        defer { index += 1 }
        guard let wrapper = child.value as? any PersistedWrapper, let label = child.label else {
          continue
        }
        found.append(
          Found(
            name: String(
              label.drop { $0 == "_" && label.hasPrefix("_") }.isEmpty
                ? label[...] : label.dropFirst()),
            byteOffset: FieldLayout.byteOffset(ofField: index, in: type), wrapper: wrapper))
      }
    }
    return found
  }

  private mutating func check(_ properties: [PropertyDescriptor]) {
    if properties.isEmpty {
      problems.append("class '\(name)' has no @Persisted properties")
    }
    let keys = properties.filter(\.isPrimaryKey)
    if keys.count > 1 {
      problems.append(
        "class '\(name)' has \(keys.count) primary keys: "
          + keys.map { "'\($0.name)'" }.joined(separator: ", "))
    }
    for key in keys {
      if type.isEmbedded() {
        problems.append("the embedded class '\(name)' cannot have a primary key")
      }
      switch key.form.stored.type {
      case .int, .string, .objectID, .uuid: break
      default:
        problems.append(
          "\(name).\(key.name) of type \(key.form.stored.type.queryName) cannot be a primary key")
      }
    }
    for property in properties where property.target?.isAsymmetric() ?? false {
      problems.append(
        "\(name).\(property.name) cannot hold objects of the asymmetric class "
          + "'\(property.target?.className() ?? "")', which are not kept")
    }
    if let declared = type.primaryKey(), keys.isEmpty {
      problems.append("class '\(name)' names the primary key '\(declared)', which it does not have")
    }
  }
}

/// A `@Persisted` of any type, as reflection finds it.
protocol PersistedWrapper {
  var form: _PropertyForm { get }
  var traits: _PropertyTraits { get }
  /// What is wrong with the property's type.
  var problem: String? { get }
  /// For linking objects, the property that is followed backwards.
  var originName: String? { get }
  /// What the file holds for the default that the declaration gives.
  var unset: _StoredValue? { get }
  func storage(byteOffset: Int) -> any PropertyStorage
}

extension Persisted: PersistedWrapper {
  var form: _PropertyForm { Value._form }
  var problem: String? { Value._problem }
  var originName: String? { (value as? any OriginNaming)?.originName }
  var unset: _StoredValue? {
    let form = Value._form
    guard form.kind == .single, form.stored.type != .link, form.stored.type != .mixed else {
      return nil
    }
    return value?._storePlain(nil)
  }
  func storage(byteOffset: Int) -> any PropertyStorage {
    TypedStorage<Value>(byteOffset: byteOffset)
  }
}

/// A value that names the property whose links it follows backwards.
protocol OriginNaming {
  var originName: String? { get }
}
