import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Sets and maps that are changed by member and key, above and below the length at which they leave
/// their leaf.
@Suite(.computing) struct LongPartsTests {
  private let database: Database
  private let owner: ObjectKey

  init() throws {
    database = try Database.inMemory()
    owner = try Self.fill(database)
  }

  private static func fill(_ database: Database) throws -> ObjectKey {
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Target", properties: [PropertySchema("name", .string)]),
        ClassSchema("Part", properties: [PropertySchema("name", .string)], isEmbedded: true),
        ClassSchema(
          "Owner",
          properties: [
            PropertySchema("numbers", .int, collection: .set),
            PropertySchema("doubles", .double, collection: .set, isOptional: true),
            PropertySchema("texts", .string, collection: .set),
            PropertySchema("links", linkTo: "Target", collection: .set),
            PropertySchema("anySet", .mixed, collection: .set),
            PropertySchema("names", .string, collection: .map, isOptional: true),
            PropertySchema("counts", .int, collection: .map),
            PropertySchema("targets", linkTo: "Target", collection: .map),
            PropertySchema("anyMap", .mixed, collection: .map),
            PropertySchema("parts", linkTo: "Part", collection: .map),
          ]),
      ])
      for number in 0..<2_000 {
        try transaction.create("Target", ["name": .string("target \(number)")])
      }
      return try transaction.create("Owner")
    }
  }

  private func object(_ snapshot: Snapshot) throws -> Object {
    try #require(try snapshot.table("Owner").object(owner))
  }

  private static func link(_ number: Int, _ schema: Schema) throws -> Value {
    let table = try #require(schema.table("Target"))
    return .link(ObjectLink(table: table.id, key: UInt64(number % 2_000 + 1)))
  }

  private func link(_ number: Int) throws -> Value {
    try Self.link(number, try database.snapshot().schema)
  }

  // MARK: Against a dictionary

  /// A member of a set, or a value of a map.
  private func element(_ property: String, _ random: inout SplitMix64) throws -> Value {
    let number = Int.random(in: 0..<3_000, using: &random)
    switch property {
    case "numbers", "counts": return .int(Int64(number) - 1_000)
    case "doubles":
      return number == 0 ? .null : number == 1 ? .double(.nan) : .double(Double(number) / 8 - 20)
    case "links", "targets": return try link(number)
    case "texts", "names":
      return number % 400 == 1
        ? .string(String(repeating: "long \(number) ", count: 1_500)) : .string("text \(number)")
    default:
      switch number % 5 {
      case 0: return .int(Int64(number))
      case 1: return .string("in \(number)")
      case 2: return .list([.int(Int64(number)), .null])
      case 3: return try link(number)
      default: return .double(Double(number) + 0.5)
      }
    }
  }

  private func key(_ random: inout SplitMix64) -> String {
    let number = Int.random(in: 0..<3_000, using: &random)
    return number % 700 == 3 ? String(repeating: "k\(number)", count: 3_000) : "key \(number)"
  }

  /// What a property is to hold: by member, or by key.
  private struct Model {
    var entries: [Value: Value] = [:]

    func value(_ kind: CollectionKind) -> Value {
      guard kind == .map else {
        return .set(entries.keys.sorted { Value.sortOrder($0, $1) == .less })
      }
      return .map(ValueMap(entries.map { (key: $0.key.string ?? "", value: $0.value) }))
    }
  }

  private func change(
    _ transaction: Transaction, _ property: String, _ isMap: Bool, _ model: inout Model,
    isGrowing: Bool, _ random: inout SplitMix64
  ) throws {
    let known = model.entries.keys.randomElement(using: &random)
    if let known, !isGrowing || Int.random(in: 0..<8, using: &random) == 0 {
      model.entries[known] = nil
      if isMap {
        try transaction.remove("Owner", owner, property, mapKey: known.string ?? "")
      } else {
        try transaction.remove("Owner", owner, property, member: known)
      }
      return
    }
    let value = try element(property, &random)
    if isMap {
      let again = Int.random(in: 0..<4, using: &random) == 0
      let key = again ? known?.string ?? key(&random) : key(&random)
      model.entries[.string(key)] = .some(value)
      try transaction.set("Owner", owner, property, mapKey: key, value)
      #expect(
        try isExactly(
          transaction.value("Owner", owner, property, mapKey: key) ?? .set([]), value))
    } else {
      if model.entries[value] == nil { model.entries[value] = .some(value) }
      try transaction.insert("Owner", owner, property, member: value)
      #expect(try transaction.contains("Owner", owner, property, member: value))
    }
  }

  /// The collection grows beyond what a leaf takes, shrinks to nothing and grows again; some writes
  /// are given up, and what was read before stays as it was.
  @Test(arguments: [
    "numbers", "doubles", "texts", "links", "anySet", "names", "counts", "targets", "anyMap",
  ])
  func agreesWithADictionary(_ property: String) throws {
    var random = SplitMix64(seed: 11)
    let kind = try database.snapshot().table("Owner").column(property).layout.collection
    var model = Model()
    var kept: [(Snapshot, Model)] = []
    for round in 0..<16 {
      let before = model
      let transaction = try database.beginWrite()
      if round == 6 || round == 12 {
        // As a whole.
        if round == 12 { model.entries = [:] }
        try transaction.set("Owner", owner, property, model.value(kind))
      }
      for _ in 0..<Int.random(in: 1..<400, using: &random) {
        try change(
          transaction, property, kind == .map, &model, isGrowing: round % 6 < 4, &random)
      }
      #expect(try transaction.value("Owner", owner, property) == model.value(kind))
      let count = try transaction.table("Owner").column(property)
      #expect(try transaction.elementCount(owner, count) == model.entries.count)
      if round % 5 == 4 {
        transaction.cancel()
        model = before
      } else {
        try transaction.commit()
      }
      let object = try object(try database.snapshot())
      #expect(try object[property] == model.value(kind))
      if round % 4 == 1 { kept.append((try database.snapshot(), model)) }
      if round % 6 == 5 { try database.expectSound() }
    }
    for (snapshot, model) in kept {
      let object = try object(snapshot)
      let column = try object.table.column(property)
      #expect(try object[property] == model.value(kind))
      #expect(try object.elementCount(column) == model.entries.count)
      for entry in model.entries.prefix(40) {
        #expect(try object.part(column, entry.key) == entry.value)
      }
      #expect(try object.part(column, .string("is not there")) == nil)
    }
    kept = []
    try database.expectSound()
    _ = try database.compactInPlace()
    #expect(try object(try database.snapshot())[property] == model.value(kind))
    try database.expectSound()
    try database.write { try $0.delete("Owner", owner) }
    try database.expectSound()
  }

  // MARK: What goes with the parts

  @Test func aMemberThatEqualsAnotherIsThatOne() throws {
    let numbers = (0..<2_000).map { Value.int($0) }
    try database.write { transaction in
      try transaction.set("Owner", owner, "anySet", .set(numbers))
      try transaction.insert("Owner", owner, "anySet", member: .double(7))
      try transaction.remove("Owner", owner, "anySet", member: .double(9))
      #expect(try transaction.contains("Owner", owner, "anySet", member: .double(8)))
      #expect(try !transaction.contains("Owner", owner, "anySet", member: .int(9)))
    }
    let expected = Value.set(numbers.filter { $0 != .int(9) })
    #expect(isExactly(try object(try database.snapshot())["anySet"], expected))
    try database.expectSound()
  }

  @Test func linksToDeletedObjectsLeaveLargeSetsAndMaps() throws {
    try database.write { transaction in
      for number in 0..<1_500 {
        try transaction.insert("Owner", owner, "links", member: try link(number))
        try transaction.set("Owner", owner, "targets", mapKey: "\(number)", try link(number))
        try transaction.set("Owner", owner, "anyMap", mapKey: "\(number)", try link(number))
      }
    }
    try database.write { transaction in
      try transaction.delete("Target", ObjectKey(rawValue: 8))
      try transaction.remove("Owner", owner, "links", member: try link(3))
      try transaction.delete("Target", ObjectKey(rawValue: 1_500))
    }
    let object = try object(try database.snapshot())
    let gone = [7, 1_499]
    let kept = (0..<1_500).filter { !gone.contains($0) }
    let members = try kept.filter { $0 != 3 }.map { try link($0) }
    #expect(try object["links"] == .set(members))
    let entries = try (0..<1_500).map { number in
      (key: "\(number)", value: gone.contains(number) ? .null : try link(number))
    }
    #expect(try object["targets"] == .map(ValueMap(entries)))
    #expect(try object["anyMap"] == .map(ValueMap(entries)))
    try database.expectSound()
  }

  @Test func embeddedObjectsGoWithTheirKeys() throws {
    try database.write { transaction in
      for number in 0..<700 {
        try transaction.createEmbedded(
          in: "Owner", owner, "parts", mapKey: "key \(number % 650)",
          ["name": .string("\(number)")])
      }
      for number in [649, 0, 300] {
        try transaction.remove("Owner", owner, "parts", mapKey: "key \(number)")
      }
      let link = try #require(
        try transaction.value("Owner", owner, "parts", mapKey: "key 1") as Value?)
      try transaction.set("Owner", owner, "parts", mapKey: "key 1", link)
      #expect(throws: ObjectError.embeddedObjectHasOwner(className: "Part")) {
        try transaction.set("Owner", owner, "parts", mapKey: "key 2", link)
      }
    }
    #expect(try object(try database.snapshot())["parts"].map?.count == 647)
    #expect(try database.snapshot().table("Part").count == 647)
    try database.expectSound()
  }

  @Test func refusesWhatSetRefuses() throws {
    try database.write { transaction in
      #expect(throws: ObjectError.self) {
        try transaction.insert("Owner", owner, "numbers", member: .string("no number"))
      }
      #expect(throws: ObjectError.self) {
        try transaction.set("Owner", owner, "counts", mapKey: "a", .null)
      }
      #expect(throws: ObjectError.self) {
        try transaction.insert("Owner", owner, "counts", member: .int(1))
      }
      #expect(throws: ObjectError.danglingLink(className: "Owner", property: "links")) {
        let table = try #require(transaction.schema.table("Target")).id
        try transaction.insert(
          "Owner", owner, "links", member: .link(ObjectLink(table: table, key: 2_001)))
      }
      #expect(throws: ObjectError.noSuchObject(className: "Owner")) {
        try transaction.insert("Owner", ObjectKey(rawValue: 99), "numbers", member: .int(1))
      }
      try transaction.insert("Owner", owner, "numbers", member: .int(7))
    }
    #expect(try object(try database.snapshot())["numbers"] == .set([.int(7)]))
  }

  // MARK: What it costs

  /// What a commit writes does not grow with the collection.
  @Test(arguments: ["links", "targets"])
  func oneChangeWritesAsMuchToALargeCollection(_ property: String) throws {
    /// Bytes written by a commit that adds one link to a collection of as many parts.
    func cost(_ count: Int) throws -> Int {
      let file = CountingFile(try MemoryFile(path: "parts"))
      let options = Database.Options()
      let database = Database(
        store: try Database.store(file, LocalCoordinator(path: "parts"), options), options: options)
      let owner = try Self.fill(database)
      let schema = try database.snapshot().schema
      try database.write { transaction in
        let links = try (0..<count).map { try Self.link($0, schema) }
        let entries = links.enumerated().map { (key: "key \(1_000_000 + $0)", value: $1) }
        try transaction.set(
          "Owner", owner, property, property == "links" ? .set(links) : .map(ValueMap(entries)))
      }
      var least = Int.max
      // The space log is written again now and then.
      for number in 0..<8 {
        let before = file.writtenByteCount
        try database.write { transaction in
          let link = try Self.link(1_900 + number, schema)
          if property == "links" {
            try transaction.insert("Owner", owner, property, member: link)
          } else {
            try transaction.set("Owner", owner, property, mapKey: "key 10\(number)", link)
          }
        }
        least = min(least, file.writtenByteCount - before)
      }
      return least
    }
    let large = try cost(property == "links" ? 1_800 : 50_000)
    // A leaf and two branches more, one of them for the backlinks.
    #expect(try large <= cost(100) + 4 * 4096 + 16 * 1024)
  }
}
