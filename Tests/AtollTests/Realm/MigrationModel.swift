import AtollObjects
import Foundation
import TestSupport

@testable import Atoll

/// What a file holds, apart from the keys of its objects: the classes, and of each object by its tag
/// the values by their names.
///
/// Each class has a required integer `tag`, which no migration touches; a link is the text `->` with
/// the tag that it leads to.
struct MigrationState: Equatable {
  var classes: [String: ClassSchema] = [:]
  var objects: [String: [Int: [String: Value]]] = [:]

  init() {}

  /// What a version holds.
  init(_ snapshot: Snapshot) throws {
    var tags: [ObjectLink: Int] = [:]
    for schema in snapshot.schema.classes {
      let table = try snapshot.table(schema.name)
      let tag = try table.column("tag")
      let id = snapshot.schema.table(schema.name)?.id ?? 0
      try table.forEach { object in
        tags[ObjectLink(table: id, key: object.key.rawValue)] =
          try object.value(tag).int.map { Int($0) } ?? -1
      }
    }
    for schema in snapshot.schema.classes {
      classes[schema.name] = schema.comparable
      var all: [Int: [String: Value]] = [:]
      let table = try snapshot.table(schema.name)
      try table.forEach { object in
        var values: [String: Value] = [:]
        for property in schema.properties {
          values[property.name] = Self.named(try object.value(table.column(property.name)), tags)
        }
        all[values["tag"]?.int.map { Int($0) } ?? -1] = values
      }
      objects[schema.name] = all
    }
  }

  private static func named(_ value: Value, _ tags: [ObjectLink: Int]) -> Value {
    switch value {
    case .link(let link): .string("->\(tags[link] ?? -2)")
    case .list(let elements): .list(elements.map { named($0, tags) })
    case .set(let elements): set(elements.map { named($0, tags) })
    case .map(let map):
      .map(ValueMap(map.entries.map { (key: $0.key, value: named($0.value, tags)) }))
    default: value
    }
  }

  /// Members in an order that does not depend on keys.
  static func set(_ elements: [Value]) -> Value {
    var seen: Set<Value> = []
    return .set(
      elements.filter { seen.insert($0).inserted }.sorted { "\($0)" < "\($1)" })
  }

  static func link(_ tag: Int) -> Value { .string("->\(tag)") }

  static func tag(_ value: Value) -> Int? {
    guard case .string(let text) = value, text.hasPrefix("->") else { return nil }
    return Int(text.dropFirst(2))
  }

  /// The class of the object with a tag.
  func className(of tag: Int) -> String? { objects.first { $0.value[tag] != nil }?.key }

  // MARK: What a migration does

  /// What a property has that nothing was set in.
  static func empty(_ property: PropertySchema) -> Value {
    switch property.collection {
    case .list: .list([])
    case .set: .set([])
    case .map: .map(ValueMap())
    case .none:
      property.isOptional || property.type == .link || property.type == .mixed
        ? .null : Value(zeroOf: property.type)
    }
  }

  /// A value in a property that takes no null any more.
  static func required(_ value: Value, _ type: ValueType) -> Value {
    func filled(_ value: Value) -> Value {
      if case .null = value { return Value(zeroOf: type) }
      return value
    }
    return switch value {
    case .list(let elements): .list(elements.map(filled))
    case .set(let elements): set(elements.map(filled))
    case .map(let map):
      .map(ValueMap(map.entries.map { (key: $0.key, value: filled($0.value)) }))
    default: filled(value)
    }
  }

  /// Deletes an object, and what leads to it.
  mutating func delete(_ tag: Int, of className: String) {
    objects[className]?[tag] = nil
    let link = Self.link(tag)
    for (name, all) in objects {
      guard let schema = classes[name] else { continue }
      let properties = schema.properties.filter { $0.type == .link }
      for (other, values) in all {
        for property in properties {
          guard let value = values[property.name] else { continue }
          objects[name]?[other]?[property.name] = Self.without(link, value)
        }
      }
    }
  }

  private static func without(_ link: Value, _ value: Value) -> Value {
    switch value {
    case .list(let elements): .list(elements.filter { $0 != link })
    case .set(let elements): set(elements.filter { $0 != link })
    case .map(let map):
      .map(
        ValueMap(map.entries.map { (key: $0.key, value: $0.value == link ? .null : $0.value) }))
    default: value == link ? .null : value
    }
  }
}

extension ClassSchema {
  /// The class without what follows from the rest, and its properties by their names.
  var comparable: ClassSchema {
    var schema = self
    for index in schema.properties.indices {
      if schema.properties[index].type == .link { schema.properties[index].isOptional = false }
      if schema.properties[index].name == primaryKey { schema.properties[index].isIndexed = false }
    }
    schema.properties.sort { $0.name < $1.name }
    return schema
  }
}

/// Random classes, values and blocks.
struct MigrationMaker {
  var random: SplitMix64
  private var nextTag = 1

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  mutating func one<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }

  mutating func tag() -> Int {
    nextTag += 1
    return nextTag
  }

  // MARK: Classes

  private static let types: [ValueType] = [
    .bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid, .mixed, .link,
  ]

  mutating func property(_ name: String, _ classNames: [String]) -> PropertySchema {
    let type = one(Self.types) ?? .int
    let collection: CollectionKind =
      chance(2) ? .none : one([.list, .set, .map]) ?? .none
    if type == .link {
      return PropertySchema(name, linkTo: one(classNames) ?? "", collection: collection)
    }
    let isIndexable = collection == .none && type != .mixed
    return PropertySchema(
      name, type, collection: collection, isOptional: type == .mixed || chance(2),
      isIndexed: isIndexable && chance(4))
  }

  /// A property that may be a primary key.
  mutating func key(_ name: String) -> PropertySchema {
    PropertySchema(
      name, one([.int, .int, .string, .objectID, .uuid]) ?? .int, isOptional: chance(4))
  }

  mutating func classes() -> [ClassSchema] {
    let names = ["A", "B", "C"].prefix(Int.random(in: 1...3, using: &random)).map { $0 }
    return names.map { name in
      var properties = [PropertySchema("tag", .int)]
      for index in 0..<Int.random(in: 1...5, using: &random) {
        properties.append(property("p\(index)", names))
      }
      let hasKey = !chance(3)
      if hasKey { properties.append(key("id")) }
      return ClassSchema(name, properties: properties, primaryKey: hasKey ? "id" : nil)
    }
  }

  // MARK: Values

  mutating func scalar(_ type: ValueType, isOptional: Bool) -> Value {
    if isOptional, chance(4) { return .null }
    let number = Int64.random(in: 0...6, using: &random)
    return switch type {
    case .bool: .bool(number % 2 == 0)
    case .int: .int(number - 2)
    case .float: .float(Float(number) / 2)
    case .double: .double(Double(number) / 4)
    case .decimal: Atoll.Decimal128(value: Int(number))._store(nil)
    case .string: .string("s\(number)")
    case .data: .data([UInt8(number)])
    case .date: Date(timeIntervalSince1970: Double(number))._store(nil)
    case .objectID: .objectID(ObjectID(high: 1, low: UInt32(number)))
    case .uuid: UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))._store(nil)
    case .mixed: number < 3 ? .int(number) : number < 5 ? .string("m") : .list([.int(1), .null])
    case .link: .null
    }
  }

  /// A value of a property; `targets`: the tags that its links may lead to.
  mutating func value(
    _ property: PropertySchema, _ targets: [Int], isNullable: Bool? = nil
  ) -> Value {
    let isOptional = isNullable ?? property.isOptional
    let count = Int.random(in: 0...3, using: &random)
    func element(_ maker: inout Self) -> Value? {
      if property.type == .link {
        return maker.one(targets).map { MigrationState.link($0) }
      }
      return maker.scalar(property.type, isOptional: isOptional)
    }
    switch property.collection {
    case .none: return element(&self) ?? .null
    case .list: return .list((0..<count).compactMap { _ in element(&self) })
    case .set: return MigrationState.set((0..<count).compactMap { _ in element(&self) })
    case .map:
      var map = ValueMap()
      for index in 0..<count {
        if property.type == .link, chance(3) {
          map["k\(index)"] = .some(.null)
        } else if let value = element(&self) {
          map["k\(index)"] = .some(value)
        }
      }
      return .map(map)
    }
  }

  /// A value that no other object has.
  func keyValue(_ type: ValueType, _ tag: Int) -> Value {
    switch type {
    case .int: .int(Int64(1_000 - 7 * tag))
    case .string: .string("key \(tag)")
    case .objectID: .objectID(ObjectID(high: 2, low: UInt32(tag)))
    default:
      UUID(uuid: (9, UInt8(tag % 256), UInt8(tag / 256), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        ._store(nil)
    }
  }
}
