import AtollObjects
import TestSupport
import TestThreads
import Testing

/// What is different in a class between two versions, against a comparison of everything.
@Suite(.computing) struct TableDifferenceTests {
  private func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("id", .int), PropertySchema("name", .string),
            PropertySchema("n", .int, isOptional: true),
            PropertySchema("marks", .int, collection: .list),
          ], primaryKey: "id")
      ])
      for id in 0..<5000 { try transaction.create("Item", ["id": .int(Int64(id))]) }
    }
    return database
  }

  private func key(_ id: Int) -> ObjectKey { ObjectKey(integerPrimaryKey: Int64(id)) }

  @Test func versionsWithoutAChangeHaveNoDifference() throws {
    let database = try database()
    let old = try database.snapshot()
    try database.write { try $0.addClass(ClassSchema("Other", properties: [])) }
    let difference = try TableDifference(
      from: old.table("Item"), to: database.snapshot().table("Item"))
    #expect(difference.isEmpty)
  }

  /// A value that equals the one before, and that queries or texts tell from it, is another.
  @Test func equalValuesThatAreNotTheSameDiffer() throws {
    let pairs: [(Value, Value)] = [
      (.int(1), .double(1)), (.float(1), .double(1)), (.double(0), .double(-0.0)),
      (.float(0), .float(-0.0)), (.decimal(Decimal128("1.0")!), .decimal(Decimal128("1.00")!)),
      (.list([.int(1)]), .list([.float(1)])),
      (.map(ValueMap([("a", .int(1))])), .map(ValueMap([("a", .decimal(Decimal128(1)))]))),
      (.double(.nan), .float(.nan)),
    ]
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Box",
          properties: [
            PropertySchema("id", .int), PropertySchema("value", .mixed),
            PropertySchema("list", .mixed, collection: .list),
            PropertySchema("set", .mixed, collection: .set),
            PropertySchema("map", .mixed, collection: .map), PropertySchema("other", .mixed),
          ], primaryKey: "id"))
      for (index, (old, _)) in pairs.enumerated() {
        try transaction.create("Box", values(old, id: index))
      }
    }
    let old = try database.snapshot()
    try database.write { transaction in
      for (index, (_, new)) in pairs.enumerated() {
        for (name, value) in values(new, id: index) where !["id", "other"].contains(name) {
          try transaction.set("Box", key(index), name, value)
        }
      }
    }
    let table = try database.snapshot().table("Box")
    let difference = try TableDifference(from: old.table("Box"), to: table)
    let changed = Set(try ["value", "list", "set", "map"].map { try table.column($0).id })
    for (index, pair) in pairs.enumerated() {
      #expect(difference.modified[key(index)] == changed, "\(pair)")
    }
  }

  private func values(_ value: Value, id: Int) -> [String: Value] {
    [
      "id": .int(Int64(id)), "value": value, "list": .list([.bool(true), value]),
      "set": .set([value]), "map": .map(ValueMap([("k", value)])), "other": .double(.nan),
    ]
  }

  /// A list outside of its leaf, whose leaf changes with another property, with an element, and
  /// with one that becomes what it was.
  @Test func aLongListDiffersWithItsElements() throws {
    let database = try database()
    let numbers = (0..<2_000).map { Value.int($0) }
    try database.write { transaction in
      for id in 1...4 { try transaction.set("Item", key(id), "marks", .list(numbers)) }
    }
    let old = try database.snapshot()
    try database.write { transaction in
      try transaction.set("Item", key(1), "name", .string("new"))
      try transaction.set("Item", key(2), "marks", at: 1_000, .int(-1))
      try transaction.append("Item", key(3), "marks", .int(7))
    }
    try database.write { transaction in
      try transaction.set("Item", key(4), "marks", at: 1_000, .int(-1))
    }
    try database.write { transaction in
      try transaction.set("Item", key(4), "marks", at: 1_000, .int(1_000))
    }
    let table = try database.snapshot().table("Item")
    let difference = try TableDifference(from: old.table("Item"), to: table)
    let (name, marks) = (try table.column("name").id, try table.column("marks").id)
    #expect(difference.modified == [key(1): [name], key(2): [marks], key(3): [marks]])
  }

  @Test(arguments: seeds(5))
  func itIsWhatAComparisonOfAllObjectsFinds(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let database = try database()
    let old = try database.snapshot()
    var inserted: Set<ObjectKey> = []
    var deleted: Set<ObjectKey> = []
    var modified: [ObjectKey: Set<String>] = [:]
    try database.write { transaction in
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let id = key(Int.random(in: 0..<5000, using: &random))
        if deleted.contains(id) { continue }
        switch Int.random(in: 0...4, using: &random) {
        case 0:
          try transaction.delete("Item", id)
          deleted.insert(id)
          modified[id] = nil
        case 1:
          try transaction.set("Item", id, "name", .string("new"))
          modified[id, default: []].insert("name")
        case 2:
          try transaction.set("Item", id, "n", .int(7))
          modified[id, default: []].insert("n")
        case 3:
          try transaction.set("Item", id, "marks", .list([.int(1)]))
          modified[id, default: []].insert("marks")
        default:
          let new = 10_000 + Int.random(in: 0..<1_000_000, using: &random)
          try transaction.create("Item", ["id": .int(Int64(new))])
          inserted.insert(key(new))
        }
      }
    }
    let table = try database.snapshot().table("Item")
    let difference = try TableDifference(from: old.table("Item"), to: table)
    #expect(difference.inserted == inserted.sorted())
    #expect(difference.deleted == deleted.sorted())
    let names = Dictionary(uniqueKeysWithValues: table.schema.columns.map { ($0.id, $0.name) })
    #expect(difference.modified.mapValues { Set($0.compactMap { names[$0] }) } == modified)
  }

  @Test func aClassOfOneVersionIsAllNewOrAllGone() throws {
    let database = try database()
    let old = try database.snapshot()
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Other", properties: []))
      for _ in 0..<3 { try transaction.create("Other", [:]) }
    }
    let new = try database.snapshot()
    let keys = (1...3 as ClosedRange<UInt64>).map { ObjectKey(rawValue: $0) }
    let added = try TableDifference(from: nil, to: new.table("Other"))
    #expect(added.inserted == keys)
    let removed = try TableDifference(from: new.table("Other"), to: nil)
    #expect(removed.deleted == keys)
    let id = try new.table("Other").schema.id
    #expect(try database.difference(from: old, to: new).table(id) == added)
    #expect(try TableDifference(from: nil, to: nil).isEmpty)
  }

  @Test func aNewPropertyIsNoChangeUntilItHasAValue() throws {
    let database = try database()
    let old = try database.snapshot()
    try database.write { transaction in
      try transaction.addProperty(PropertySchema("note", .string, isOptional: true), to: "Item")
      try transaction.set("Item", key(3), "note", .string("x"))
    }
    let difference = try TableDifference(
      from: old.table("Item"), to: database.snapshot().table("Item"))
    #expect(Array(difference.modified.keys) == [key(3)])
  }
}
