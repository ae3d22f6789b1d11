import AtollObjects
import TestSupport

extension RandomWorld {
  /// One transaction of a few random changes: objects made, deleted and made again, properties of
  /// all kinds set, links too, elements of collections changed one by one.
  mutating func changeAnything() throws {
    var random = random
    let (classes, tables) = (classes, tables)
    try database.write { transaction in
      for _ in 0..<[1, 1, 2, 5, 12].any(&random) {
        let schema = classes.any(&random)
        let change = RandomChange(schema: schema, tables: tables, transaction: transaction)
        try change.make(&random)
      }
    }
    self.random = random
  }
}

/// A random change of an object of one class.
private struct RandomChange {
  let schema: ClassSchema
  let tables: [String: UInt32]
  let transaction: Transaction

  func make(_ random: inout SplitMix64) throws {
    let keys = try keys(of: schema.name)
    guard let key = keys.randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0
    else { return try create(id: .random(in: 10_000...1 << 40, using: &random), &random) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      try transaction.delete(schema.name, key)
      if schema.primaryKey != nil, Bool.random(using: &random) {
        try create(id: key.integerPrimaryKey, &random)
      }
    case 1: try changeElement(key, &random)
    default:
      let property = schema.properties.filter { $0.name != "id" }.any(&random)
      try transaction.set(schema.name, key, property.name, value(property, &random))
    }
  }

  private func keys(of className: String) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try transaction.table(className).forEach { keys.append($0.key) }
    return keys
  }

  private func create(id: Int64, _ random: inout SplitMix64) throws {
    var values: [String: Value] = [:]
    for property in schema.properties { values[property.name] = try value(property, &random) }
    if schema.primaryKey != nil { values["id"] = .int(id) }
    _ = try transaction.create(schema.name, values)
  }

  private func changeElement(_ key: ObjectKey, _ random: inout SplitMix64) throws {
    let lists = schema.properties.filter { $0.collection == .list }
    let property = lists.any(&random)
    guard case .list(let elements) = try value(property, &random), let element = elements.first
    else { return }
    let count = try transaction.elementCount(schema.name, key, property.name)
    if count > 0, Bool.random(using: &random) {
      let index = Int.random(in: 0..<count, using: &random)
      try transaction.remove(schema.name, key, property.name, at: index)
    } else {
      try transaction.append(schema.name, key, property.name, element)
    }
  }

  private func value(_ property: PropertySchema, _ random: inout SplitMix64) throws -> Value {
    guard property.type == .link else { return RandomWorld.value(property, &random) }
    guard let target = property.linkTarget, let table = tables[target] else { return .null }
    let targets = try keys(of: target)
    func links(_ count: Int) -> [Value] {
      targets.isEmpty
        ? []
        : (0..<count).map { _ in
          .link(ObjectLink(table: table, key: targets.any(&random).rawValue))
        }
    }
    switch property.collection {
    case .none: return links(Int.random(in: 0...1, using: &random)).first ?? .null
    case .set: return .set(links(Int.random(in: 0...3, using: &random)))
    default: return .list(links(Int.random(in: 0...4, using: &random)))
    }
  }
}
