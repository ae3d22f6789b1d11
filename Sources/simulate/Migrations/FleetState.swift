internal import Atoll
internal import TestSupport

/// A value of a property, as the model has it.
indirect enum FleetValue: Hashable {
  case null
  case int(Int)
  case double(Double)
  case string(String)
  /// The object with a tag.
  case link(Int)
  case list([FleetValue])
  case set(Set<FleetValue>)
  case map([String: FleetValue])
  /// An embedded object, by the names of its properties.
  case embedded([String: FleetValue])

  /// What a property has that nothing was set in, and null where a value is required.
  static func zero(_ type: PropertyType) -> FleetValue {
    switch type {
    case .int: .int(0)
    case .double: .double(0)
    case .string: .string("")
    default: .null
    }
  }

  /// The value with another one in the place of null.
  func filled(with zero: FleetValue) -> FleetValue {
    switch self {
    case .null: zero
    case .list(let elements): .list(elements.map { $0.filled(with: zero) })
    case .set(let elements): .set(Set(elements.map { $0.filled(with: zero) }))
    case .map(let entries): .map(entries.mapValues { $0.filled(with: zero) })
    default: self
    }
  }

  /// The value without an object that was deleted.
  func without(_ tag: Int) -> FleetValue {
    switch self {
    case .link(tag): .null
    case .list(let elements):
      .list(elements.filter { $0 != .link(tag) }.map { $0.without(tag) })
    case .set(let elements): .set(elements.filter { $0 != .link(tag) })
    case .map(let entries): .map(entries.mapValues { $0.without(tag) })
    case .embedded(let values): .embedded(values.mapValues { $0.without(tag) })
    default: self
    }
  }

  /// The value with other embedded objects in the places of those that it has.
  func replacingEmbedded(_ body: ([String: FleetValue]) -> [String: FleetValue]) -> FleetValue {
    switch self {
    case .embedded(let values): .embedded(body(values))
    case .list(let elements): .list(elements.map { $0.replacingEmbedded(body) })
    case .map(let entries): .map(entries.mapValues { $0.replacingEmbedded(body) })
    default: self
    }
  }

  /// The tags of the objects that the value itself links to.
  var linkedTags: [Int] {
    switch self {
    case .link(let tag): [tag]
    case .list(let elements): elements.flatMap(\.linkedTags)
    case .set(let elements): elements.flatMap(\.linkedTags)
    case .map(let entries): entries.values.flatMap(\.linkedTags)
    default: []
    }
  }

  /// Calls a block with each embedded object of the value itself.
  func forEachEmbedded(_ body: ([String: FleetValue]) -> Void) {
    switch self {
    case .list(let elements): for element in elements { element.forEachEmbedded(body) }
    case .map(let entries): for value in entries.values { value.forEachEmbedded(body) }
    case .embedded(let values): body(values)
    default: break
    }
  }
}

extension FleetValue {
  /// What a program reads.
  init(_ value: Any?) throws {
    switch value {
    case nil: self = .null
    case let value as Int: self = .int(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .string(value)
    case let value as DynamicObject where value.objectSchema.isEmbedded:
      self = .embedded(try Self.values(of: value))
    case let value as DynamicObject: self = .link(value["tag"] as? Int ?? -1)
    case let value as List<Int>: self = .list(value.map { .int($0) })
    case let value as List<Int?>: self = .list(value.map { $0.map { .int($0) } ?? .null })
    case let value as List<String>: self = .list(value.map { .string($0) })
    case let value as MutableSet<Int>: self = .set(Set(value.map { .int($0) }))
    case let value as List<DynamicObject>: self = .list(try value.map { try Self($0) })
    case let value as MutableSet<DynamicObject>: self = .set(Set(try value.map { try Self($0) }))
    case let value as Map<String, Int>:
      self = .map(Dictionary(uniqueKeysWithValues: value.keys.map { ($0, .int(value[$0] ?? 0)) }))
    case let value as Map<String, Int?>:
      var entries: [String: FleetValue] = [:]
      for key in value.keys { entries[key] = try Self(value[key] ?? nil) }
      self = .map(entries)
    case let value as Map<String, DynamicObject?>:
      var entries: [String: FleetValue] = [:]
      for key in value.keys { entries[key] = try Self(value[key] ?? nil) }
      self = .map(entries)
    case let value?: throw CaseViolation("a value is a \(type(of: value))")
    }
  }

  /// What an object has, by the names of its properties.
  static func values(of object: DynamicObject) throws -> [String: FleetValue] {
    var values: [String: FleetValue] = [:]
    for property in object.objectSchema.properties {
      values[property.name] = try FleetValue(object[property.name])
    }
    return values
  }

  /// The value for a program; `find`: gives the object with a tag.
  func swiftValue(_ find: (Int) -> DynamicObject?) -> Any? {
    switch self {
    case .null: nil
    case .int(let value): value
    case .double(let value): value
    case .string(let value): value
    case .link(let tag): find(tag)
    case .list(let elements): elements.map { $0.swiftValue(find) as Any }
    case .set(let elements): elements.map { $0.swiftValue(find) as Any }
    case .map(let entries), .embedded(let entries): entries.mapValues { $0.swiftValue(find) as Any }
    }
  }
}

/// What a file holds: of each class the objects by their tags, with all values by their names.
struct FleetState: Equatable {
  var objects: [String: [Int: [String: FleetValue]]] = [:]

  init() {}

  /// What a realm holds.
  init(_ realm: Realm, classNames: some Sequence<String>) throws {
    for name in classNames {
      var all: [Int: [String: FleetValue]] = [:]
      for object in realm.dynamicObjects(name) {
        let values = try FleetValue.values(of: object)
        guard all.updateValue(values, forKey: object["tag"] as? Int ?? -1) == nil else {
          throw CaseViolation("two objects of '\(name)' have one tag")
        }
      }
      objects[name] = all
    }
  }

  /// Deletes an object, and those that rules delete with it.
  ///
  /// - Returns: The tags of the objects that deny it, as far as they stay.
  mutating func delete(_ className: String, _ tag: Int, _ rules: [Fleet.Rule]) -> Set<Int> {
    var gone: Set<Int> = [tag]
    var denying: Set<Int> = []
    while true {
      let known = gone.count
      denying = []
      for case .deletion(let name, let property, let kind) in rules {
        for (other, values) in objects[name] ?? [:] {
          let targets = values[property]?.linkedTags ?? []
          if kind == .cascade, gone.contains(other) { gone.formUnion(targets) }
          if kind == .deny, !gone.isDisjoint(with: targets) { denying.insert(other) }
        }
      }
      if gone.count == known { break }
    }
    for (name, all) in objects {
      let left = all.filter { !gone.contains($0.key) }
      objects[name] = left.mapValues { values in
        values.mapValues { value in gone.reduce(value) { $0.without($1) } }
      }
    }
    return denying.subtracting(gone)
  }

  /// Whether there is an object with a tag.
  func contains(_ tag: Int) -> Bool { objects.values.contains { $0[tag] != nil } }

  /// The class of the object with a tag.
  func className(of tag: Int) -> String? { objects.first { $0.value[tag] != nil }?.key }

  /// How many embedded objects of a class there are.
  func embeddedCount(of className: String, in version: Int) -> Int {
    var count = 0
    func visit(_ values: [String: FleetValue], _ owner: String) {
      for property in Fleet.schemas[version][owner]?.properties ?? [] {
        guard let target = property.objectClassName else { continue }
        values[property.name]?.forEachEmbedded { embedded in
          if target == className { count += 1 }
          visit(embedded, target)
        }
      }
    }
    for (name, all) in objects {
      for values in all.values { visit(values, name) }
    }
    return count
  }

  /// Two objects that a unique index refuses; nil when there are none.
  func equals(_ className: String, _ properties: [String]) -> (Int, Int)? {
    var tags: [[FleetValue]: Int] = [:]
    for (tag, values) in (objects[className] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let key = properties.map { values[$0] ?? .null }
      if key.contains(.null) { continue }
      if let other = tags.updateValue(tag, forKey: key) { return (other, tag) }
    }
    return nil
  }

  /// The first difference to another state, for people; nil when there is none.
  func difference(from other: FleetState) -> String? {
    for (name, all) in objects {
      for (tag, values) in all {
        guard let others = other.objects[name]?[tag] else { return "\(name) \(tag) is missing" }
        for (property, value) in values where others[property] != value {
          return "\(name) \(tag).\(property) is \(others[property] ?? .null), not \(value)"
        }
        if others.count != values.count { return "\(name) \(tag) has \(others.keys.sorted())" }
      }
      if other.objects[name]?.count != all.count { return "'\(name)' has other objects" }
    }
    return other.objects.keys == objects.keys ? nil : "the classes are \(other.objects.keys)"
  }
}
