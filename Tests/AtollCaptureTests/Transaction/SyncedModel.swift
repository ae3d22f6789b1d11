import AtollObjects
import TestSupport

@testable import AtollCapture

/// A database with synced classes of all kinds of properties, random app transactions on it, and
/// the rules of replay written a second time.
struct SyncedModel {
  typealias Rows = [ObjectAddress: [UnitPath: UnitValue]]

  let database: Database
  var random: SplitMix64

  static let classes = [
    ClassSchema(
      "Detail",
      properties: [
        PropertySchema("note", .string), PropertySchema("count", .int, isOptional: true),
      ],
      isEmbedded: true, isSynced: true),
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .string), PropertySchema("title", .string, isIndexed: true),
        PropertySchema("text", .string, isOptional: true, isFullTextIndexed: true),
        PropertySchema("size", .int), PropertySchema("rate", .double, isOptional: true),
        PropertySchema("any", .mixed), PropertySchema("anyList", .mixed, collection: .list),
        PropertySchema("anySet", .mixed, collection: .set),
        PropertySchema("anyMap", .mixed, collection: .map),
        PropertySchema("next", linkTo: "Task"), PropertySchema("team", linkTo: "Team"),
        PropertySchema("detail", linkTo: "Detail"),
        PropertySchema("tags", .string, collection: .list),
        PropertySchema("marks", .int, collection: .set),
        PropertySchema("names", .string, collection: .map),
        PropertySchema("parts", linkTo: "Detail", collection: .list),
        PropertySchema("after", linkTo: "Task", collection: .list),
        PropertySchema("seen", linkTo: "Team", collection: .set),
        PropertySchema("by", linkTo: "Team", collection: .map),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Team",
      properties: [
        PropertySchema("_id", .int), PropertySchema("name", .string),
        PropertySchema("tasks", linkTo: "Task", collection: .list),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Local",
      properties: [
        PropertySchema("number", .int), PropertySchema("task", linkTo: "Task"),
        PropertySchema("tasks", linkTo: "Task", collection: .list),
      ], primaryKey: "number"),
  ]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    var options = Database.Options.recording
    options.clock = { 1_000_000 }
    options.random = { 77 }
    database = try Database.inMemory(options: options)
    try database.write { transaction in
      // So that the first entry of the outbox is the first one of a test.
      transaction.origin = .sync
      try transaction.addClasses(Self.classes)
    }
  }

  static let addresses =
    (0..<5).map { ObjectAddress(className: "Task", primaryKey: .string("t\($0)")) }
    + (0..<3).map { ObjectAddress(className: "Team", primaryKey: .int($0)) }

  // MARK: States

  /// All objects of synced classes, by address.
  func head(_ transaction: Transaction) throws -> Rows {
    var rows: Rows = [:]
    for address in Self.addresses {
      let units = try transaction.readObject(address)
      if !units.isEmpty { rows[address] = units }
    }
    return rows
  }

  /// Head with the images put back.
  func confirmed(_ transaction: Transaction) throws -> Rows {
    var rows = try head(transaction)
    for address in Self.addresses {
      let images = try transaction.capture.images(of: address)
      if images.existence != nil { rows[address] = [:] }
      if let existence = images.existence { rows[address]?[.existence] = existence ? .exists : nil }
      for (path, image) in images.units { rows[address]?[path] = image }
      if rows[address]?[.existence] == nil { rows[address] = nil }
    }
    return rows
  }

  static func replay(_ operations: [AtollCapture.Operation], on rows: Rows, _ defaults: Rows)
    -> Rows
  {
    var rows = rows
    for operation in operations {
      let object = operation.object
      if case .create = operation.action {
        if rows[object] == nil { rows[object] = defaults[object] }
        continue
      }
      guard rows[object] != nil else { continue }
      let path = operation.unit.path
      switch operation.action {
      case .create: break
      case .delete: rows[object] = nil
      case .set(_, let value): rows[object]?[path] = .value(value)
      case .increment(_, let delta):
        if case .value(.int(let number))? = rows[object]?[path] {
          rows[object]?[path] = .value(.int(number &+ delta))
        }
      case .insert(_, _, let position, let value):
        rows[object]?[path] = .element(position, value)
      case .setElement(_, _, let value):
        if case .element(let position, _)? = rows[object]?[path] {
          rows[object]?[path] = .element(position, value)
        }
      case .moveElement(_, _, let position):
        if case .element(_, let value)? = rows[object]?[path] {
          rows[object]?[path] = .element(position, value)
        }
      case .setEntry(_, _, let value): rows[object]?[path] = .value(value)
      case .addMember: rows[object]?[path] = .exists
      case .removeElement, .removeEntry: rows[object]?[path] = nil
      case .edit(_, let place, let change):
        if let value = rows[object]?[path]?.changed(at: place, by: change) {
          rows[object]?[path] = value
        }
      }
    }
    return rows
  }

  static let defaults: Rows = {
    var rows: Rows = [:]
    for address in addresses {
      var units: [UnitPath: UnitValue] = [.existence: .exists]
      for property in classes.first(where: { $0.name == address.className })?.properties ?? []
      where property.name != "_id" && property.collection == .none {
        units[.property(property.name)] = .value(
          RecordedValue(
            defaultOf: ColumnLayout(
              property.type, property.collection, isOptional: property.isOptional)))
      }
      rows[address] = units
    }
    return rows
  }()

  // MARK: Random writes

  mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  mutating func some<T>(_ elements: [T]) -> T? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  private mutating func link(_ transaction: Transaction, _ className: String) throws -> Value {
    let candidates = Self.addresses.filter { $0.className == className }
    guard let address = some(candidates),
      let key = try transaction.key(className, primaryKey: address.primaryKey),
      let table = transaction.schema.table(className)
    else { return .null }
    return .link(ObjectLink(table: table.id, key: key.rawValue))
  }

  /// One write of an app.
  mutating func write(_ transaction: Transaction) throws {
    guard let address = some(Self.addresses) else { return }
    let name = address.className
    guard let key = try transaction.key(name, primaryKey: address.primaryKey) else {
      try transaction.create(name, ["_id": address.primaryKey])
      return
    }
    if below(12) == 0 { return try transaction.delete(name, key) }
    if name == "Team" {
      if below(2) == 0 {
        try transaction.set(name, key, "name", .string("n\(below(3))"))
      } else {
        try editLinks(transaction, name, key, "tasks", "Task")
      }
      return
    }
    switch below(34) {
    case 24...27: try changePart(transaction, name, key)
    case 28...33: try changeElements(transaction, name, key)
    case 18, 19:
      guard let property = some(["tags", "parts", "after"]),
        let column = transaction.schema.table(name)?.column(property),
        let count = try transaction.value(name, key, property).list?.count, count > 0
      else { return }
      var order = Array(0..<count)
      let place = order.remove(at: below(count))
      order.insert(place, at: below(count))
      try transaction.rearrange(key, column, order, moved: [place])
    case 16, 17:
      for _ in 0...below(2) {
        try transaction.increment(name, key, "size", by: Int64(below(4)) - 1)
      }
      if below(4) == 0 { try transaction.set(name, key, "size", .int(.max)) }
    case 0: try transaction.set(name, key, "title", .string("t\(below(3))"))
    case 1: try transaction.set(name, key, "text", below(3) == 0 ? .null : .string("w\(below(3))"))
    case 2:
      let writer = try transaction.objectWriter(name)
      guard try writer.select(key) else { return }
      try writer.set(try writer.column("size"), Int64(below(3)))
      try writer.set(try writer.column("rate"), 0.5)
      try writer.set(try writer.column("title"), "typed\(below(2))")
    case 3: try transaction.set(name, key, "any", mixed(transaction))
    case 20:
      let value = try transaction.value(name, key, "any")
      try transaction.set(name, key, "any", edited(value, transaction))
    case 21:
      let value = try transaction.value(name, key, "anyList")
      try transaction.set(name, key, "anyList", edited(value, transaction))
    case 22:
      let value = try transaction.value(name, key, "anyMap")
      try transaction.set(name, key, "anyMap", edited(value, transaction))
    case 23:
      let members = [try link(transaction, "Task"), try link(transaction, "Team"), .int(1)]
      try transaction.set(
        name, key, "anySet", .set(members.filter { !$0.isNull && below(2) == 0 }))
    case 4: try transaction.set(name, key, "next", link(transaction, "Task"))
    case 5: try transaction.set(name, key, "team", link(transaction, "Team"))
    case 6:
      let writer = try transaction.objectWriter(name)
      guard try writer.select(key), case .link(let target) = try link(transaction, "Task") else {
        return
      }
      try writer.set(try writer.column("next"), linkTo: ObjectKey(rawValue: target.key))
    case 7: try transaction.createEmbedded(in: name, key, "detail", ["note": .string("d")])
    case 8: try transaction.set(name, key, "detail", .null)
    case 9:
      let property = below(2) == 0 ? "detail" : "parts"
      let value = try transaction.value(name, key, property)
      guard let child = value.links.first else { return }
      let childKey = ObjectKey(rawValue: child.key)
      if below(4) == 0 { return try transaction.delete("Detail", childKey) }
      if below(2) == 0 {
        try transaction.set("Detail", childKey, "note", .string(["", "n"][below(2)]))
      }
      if below(2) == 0 { try transaction.increment("Detail", childKey, "count", by: 1) }
      try transaction.set("Detail", childKey, "count", .int(Int64(below(3))))
      if below(2) == 0 { try transaction.increment("Detail", childKey, "count", by: 1) }
    case 10: try transaction.createEmbedded(in: name, key, "parts", ["note": .string("p")])
    case 11:
      guard case .list(var parts) = try transaction.value(name, key, "parts") else { return }
      if parts.isEmpty { return }
      if below(2) == 0 { parts.reverse() } else { parts.remove(at: below(parts.count)) }
      try transaction.set(name, key, "parts", .list(parts))
    case 12:
      guard case .list(var tags) = try transaction.value(name, key, "tags") else { return }
      for _ in 0...below(3) {
        switch below(4) {
        case 0 where !tags.isEmpty: tags.remove(at: below(tags.count))
        case 1 where !tags.isEmpty: tags[below(tags.count)] = .string("x\(below(9))")
        default: tags.insert(.string("x\(below(9))"), at: below(tags.count + 1))
        }
      }
      try transaction.set(name, key, "tags", .list(tags))
    case 13: try editLinks(transaction, name, key, "after", "Task")
    case 14:
      try transaction.set(name, key, "marks", .set((0..<below(3)).map { .int(Int64($0)) }))
      try transaction.set(
        name, key, "names", .map(ValueMap([(key: "k\(below(2))", value: .string("v"))])))
    default:
      let team = try link(transaction, "Team")
      if team.isNull { return }
      try transaction.set(name, key, "seen", .set([team]))
      try transaction.set(name, key, "by", .map(ValueMap([(key: "m", value: team)])))
    }
  }

  /// Changes a list element by element.
  private mutating func changeElements(
    _ transaction: Transaction, _ name: String, _ key: ObjectKey
  ) throws {
    let property = some(["tags", "parts", "after", "anyList"]) ?? "tags"
    guard let column = transaction.schema.table(name)?.column(property) else { return }
    for _ in 0...below(6) {
      let count = try transaction.elementCount(name, key, property)
      let index = below(count + 1)
      let choice = below(3)
      if choice == 0, index < count {
        try transaction.remove(name, key, property, at: index)
        continue
      }
      if property == "parts" {
        _ = try transaction.createEmbeddedElement(
          of: key, column, at: index, ["note": .string("e")])
        continue
      }
      let value: Value
      switch property {
      case "tags": value = .string("x\(below(3))")
      case "after": value = try link(transaction, "Task")
      default: value = try mixed(transaction)
      }
      if property == "after", value.isNull { continue }
      if choice == 1, index < count {
        try transaction.set(name, key, property, at: index, value)
      } else {
        try transaction.insert(name, key, property, at: index, value)
      }
    }
  }

  /// Changes a set or a map by member or key.
  private mutating func changePart(
    _ transaction: Transaction, _ name: String, _ key: ObjectKey
  ) throws {
    let property = some(["marks", "names", "anySet", "anyMap", "seen", "by"]) ?? "marks"
    for _ in 0...below(3) {
      let value: Value
      switch property {
      case "marks": value = .int(Int64(below(4)))
      case "names": value = .string("v\(below(2))")
      case "seen", "by": value = try link(transaction, "Team")
      case "anySet": value = below(2) == 0 ? .double(1) : try link(transaction, "Task")
      default: value = try mixed(transaction)
      }
      if property == "names" || property == "by" || property == "anyMap" {
        let mapKey = "k\(below(4))"
        if below(3) == 0 {
          try transaction.remove(name, key, property, mapKey: mapKey)
        } else if property != "by" || !value.isNull {
          try transaction.set(name, key, property, mapKey: mapKey, value)
        }
      } else if !value.isNull {
        if below(3) == 0 {
          try transaction.remove(name, key, property, member: value)
        } else {
          try transaction.insert(name, key, property, member: value)
        }
      }
    }
  }

  /// A mixed value, often with links in it.
  private mutating func mixed(_ transaction: Transaction, depth: Int = 0) throws -> Value {
    switch below(depth < 2 ? 7 : 4) {
    case 0: return .null
    case 1: return .int(Int64(below(3)))
    case 2: return try link(transaction, "Task")
    case 3: return try link(transaction, "Team")
    case 4:
      var map = ValueMap()
      for _ in 0..<below(3) {
        map["k\(below(3))"] = .some(try mixed(transaction, depth: depth + 1))
      }
      return .map(map)
    default:
      var elements: [Value] = []
      for _ in 0..<below(4) { elements.append(try mixed(transaction, depth: depth + 1)) }
      return .list(elements)
    }
  }

  /// A collection of mixed values with one part more, less or changed.
  private mutating func edited(_ value: Value, _ transaction: Transaction) throws -> Value {
    switch value {
    case .list(var elements):
      switch below(3) {
      case 0 where !elements.isEmpty: elements.remove(at: below(elements.count))
      case 1 where !elements.isEmpty:
        let index = below(elements.count)
        elements[index] = try edited(elements[index], transaction)
      default: elements.insert(try mixed(transaction), at: below(elements.count + 1))
      }
      return .list(elements)
    case .map(var map):
      if let key = some(map.entries)?.key, below(2) == 0 {
        map[key] = below(3) == 0 ? nil : .some(try edited(map[key] ?? .null, transaction))
      } else {
        map["k\(below(3))"] = .some(try mixed(transaction))
      }
      return .map(map)
    default: return try mixed(transaction)
    }
  }

  private mutating func editLinks(
    _ transaction: Transaction, _ name: String, _ key: ObjectKey, _ property: String,
    _ target: String
  ) throws {
    guard case .list(var links) = try transaction.value(name, key, property) else { return }
    if below(3) == 0, !links.isEmpty {
      links.remove(at: below(links.count))
    } else {
      let new = try link(transaction, target)
      if new.isNull { return }
      links.insert(new, at: below(links.count + 1))
    }
    try transaction.set(name, key, property, .list(links))
  }
}
