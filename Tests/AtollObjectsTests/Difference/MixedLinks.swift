import TestSupport

@testable import AtollObjects

/// Random objects of three classes that link to each other through mixed values alone.
struct MixedLinks: RandomMaker {
  private static let classes = ["A", "B", "C"]
  private static let properties = [
    PropertySchema("any", .mixed), PropertySchema("list", .mixed, collection: .list),
    PropertySchema("map", .mixed, collection: .map),
  ]

  var random: SplitMix64
  private var keys: [String: [ObjectKey]] = [:]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func begin(_ transaction: Transaction) throws {
    for name in Self.classes {
      try transaction.addClass(
        ClassSchema(
          name,
          properties: [PropertySchema("id", .int), PropertySchema("n", .int)]
            + Self.properties, primaryKey: "id"))
      for id in 0..<8 { try create(name, id, transaction) }
    }
  }

  /// Changes numbers, links, and which objects there are.
  mutating func change(_ transaction: Transaction) throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let name = pick(Self.classes)
      guard let key = keys[name]?.randomElement(using: &random) else { continue }
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        try transaction.set(name, key, "n", .int(.random(in: 0..<100, using: &random)))
      case 4..<8:
        let property = pick(Self.properties)
        try transaction.set(name, key, property.name, try value(property, transaction))
      case 8:
        try transaction.delete(name, key)
        keys[name]?.removeAll { $0 == key }
      default: try create(name, Int.random(in: 100..<1_000_000, using: &random), transaction)
      }
    }
  }

  private mutating func create(_ name: String, _ id: Int, _ transaction: Transaction) throws {
    keys[name, default: []].append(
      try transaction.create(name, ["id": .int(Int64(id)), "n": .int(0)]))
  }

  private mutating func value(_ property: PropertySchema, _ transaction: Transaction) throws
    -> Value
  {
    switch property.collection {
    case .list: .list(try elements(transaction, depth: 1))
    case .map: .map(try entries(transaction, depth: 1))
    default: try mixed(transaction, depth: 0)
    }
  }

  private mutating func mixed(_ transaction: Transaction, depth: Int) throws -> Value {
    switch Int.random(in: 0..<(depth < 3 ? 8 : 6), using: &random) {
    case 0: return .null
    case 1: return .int(7)
    case 6: return .list(try elements(transaction, depth: depth + 1))
    case 7: return .map(try entries(transaction, depth: depth + 1))
    default:
      let name = pick(Self.classes)
      guard let key = keys[name]?.randomElement(using: &random) else { return .null }
      let table = try transaction.table(name).schema.id
      return .link(ObjectLink(table: table, key: key.rawValue))
    }
  }

  private mutating func elements(_ transaction: Transaction, depth: Int) throws -> [Value] {
    var elements: [Value] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      elements.append(try mixed(transaction, depth: depth))
    }
    return elements
  }

  private mutating func entries(_ transaction: Transaction, depth: Int) throws -> ValueMap {
    var entries: [(key: String, value: Value)] = []
    for number in 0..<Int.random(in: 0...3, using: &random) {
      entries.append(("k\(number)", try mixed(transaction, depth: depth)))
    }
    return ValueMap(entries)
  }
}
