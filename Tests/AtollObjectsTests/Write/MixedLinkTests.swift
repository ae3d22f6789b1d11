import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Links in mixed values, wherever they are in them.
@Suite(.computing) struct MixedLinkTests {
  private let database: Database
  private let people: [ObjectKey]

  init() throws {
    database = try Database.inMemory()
    people = try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("name", .string), PropertySchema("any", .mixed),
            PropertySchema("list", .mixed, collection: .list),
            PropertySchema("set", .mixed, collection: .set),
            PropertySchema("map", .mixed, collection: .map),
          ]),
        ClassSchema("Dog", properties: [PropertySchema("any", .mixed)]),
        ClassSchema("Part", properties: [PropertySchema("any", .mixed)], isEmbedded: true),
      ])
      return try (0..<4).map { try transaction.create("Person", ["name": .string("\($0)")]) }
    }
  }

  private func link(_ person: Int) throws -> Value {
    try database.snapshot().schema.link(to: people[person], of: "Person")
  }

  private func value(_ person: Int, _ property: String) throws -> Value {
    try #require(try database.snapshot().table("Person").object(people[person]))[property]
  }

  private func backlinks(_ person: Int, _ property: String) throws -> [ObjectKey] {
    let table = try database.snapshot().table("Person")
    return try #require(try table.object(people[person])).backlinks(table.column(property))
  }

  /// Person 0 leads to persons 1 and 2 in every property.
  private func setAll() throws {
    let (one, two) = (try link(1), try link(2))
    try database.write { transaction in
      try transaction.set(
        "Person", people[0], "any",
        .map(["a": .list([one, .int(1), .map(["b": one])]), "c": two, "s": .set([one, two])]))
      try transaction.set("Person", people[0], "list", .list([two, one, .list([one]), .null]))
      try transaction.set("Person", people[0], "set", .set([one, two, .int(3)]))
      try transaction.set("Person", people[0], "map", .map(["x": one, "y": two]))
    }
  }

  @Test func aDeletedTargetLeavesNullInItsPlacesAndNothingInASet() throws {
    try setAll()
    #expect(try backlinks(1, "any") == [people[0], people[0], people[0]])
    #expect(try backlinks(1, "list") == [people[0], people[0]])
    #expect(try backlinks(1, "set") == [people[0]])
    #expect(try backlinks(2, "map") == [people[0]])
    try database.expectSound()
    try database.write { try $0.delete("Person", people[1]) }
    let two = try link(2)
    #expect(
      isExactly(
        try value(0, "any"),
        .map([
          "a": .list([.null, .int(1), .map(["b": .null])]), "c": two, "s": .set([two]),
        ])))
    #expect(
      isExactly(try value(0, "list"), .list([two, .null, .list([.null]), .null])))
    #expect(isExactly(try value(0, "set"), .set([.int(3), two])))
    #expect(isExactly(try value(0, "map"), .map(["x": .null, "y": two])))
    #expect(try backlinks(2, "any") == [people[0], people[0]])
    #expect(try database.snapshot().pendingLinkCount == 0)
    try database.expectSound()
  }

  /// Lists with links in a set: with null for a link they have another place, or are one.
  @Test func membersOfASetKeepTheirOrderWhenLinksInThemAreCleared() throws {
    let (one, two, three) = (try link(1), try link(2), try link(3))
    let members: [Value] = [
      .list([.int(5)]), .list([.string("x")]), .list([one]), .list([two]),
      .list([one, three]), .list([two, three]), .set([.list([one]), .list([two])]),
    ]
    try database.write { transaction in
      try transaction.set("Person", people[0], "set", .set(members))
      try transaction.set("Person", people[0], "any", .map(["s": .set(members)]))
    }
    try database.expectSound()
    try database.write { transaction in
      try transaction.delete("Person", people[1])
      try transaction.delete("Person", people[2])
    }
    let kept: [Value] = [
      .list([.null]), .list([.int(5)]), .list([.string("x")]), .list([.null, three]),
      .set([.list([.null])]),
    ]
    let sorted = kept.sorted { Value.sortOrder($0, $1) == .less }
    #expect(isExactly(try value(0, "set"), .set(sorted)))
    #expect(isExactly(try value(0, "any"), .map(["s": .set(sorted)])))
    // Two lists led to person 3, and are one now.
    #expect(try backlinks(3, "set") == [people[0]])
    #expect(try backlinks(3, "any") == [people[0]])
    try database.expectSound()
    try database.write { transaction in
      for member in kept {
        #expect(try transaction.contains("Person", people[0], "set", member: member))
        try transaction.insert("Person", people[0], "set", member: member)
      }
    }
    #expect(isExactly(try value(0, "set"), .set(sorted)))
    try database.write { transaction in
      for member in kept {
        try transaction.remove("Person", people[0], "set", member: member)
      }
    }
    #expect(isExactly(try value(0, "set"), .set([])))
    try database.expectSound()
  }

  @Test func backlinksFollowAValueThatIsReplaced() throws {
    try setAll()
    try database.write { transaction in
      try transaction.set("Person", people[0], "any", try link(2))
      try transaction.set("Person", people[0], "list", .list([.int(1)]))
    }
    #expect(try backlinks(1, "any") == [])
    #expect(try backlinks(2, "any") == [people[0]])
    #expect(try backlinks(1, "list") == [])
    try database.write { try $0.delete("Person", people[0]) }
    #expect(try backlinks(2, "any") == [])
    #expect(try backlinks(2, "map") == [])
    try database.expectSound()
  }

  @Test func objectsOfTwoClassesWithOneKeyAreToldApart() throws {
    let (dog, person) = try database.write { transaction in
      let dog = try transaction.create("Dog")
      let links = [
        try transaction.schema.link(to: dog, of: "Dog"),
        try transaction.schema.link(to: people[0], of: "Person"),
      ]
      try transaction.set("Person", people[1], "list", .list(links))
      try transaction.set("Person", people[2], "any", links[0])
      return (dog, links[1])
    }
    #expect(dog == people[0])
    try database.write { try $0.delete("Dog", dog) }
    #expect(isExactly(try value(1, "list"), .list([.null, person])))
    #expect(try value(2, "any").isNull)
    #expect(try backlinks(0, "list") == [people[1]])
    try database.expectSound()
  }

  @Test func whatCannotBeLinkedToIsRefused() throws {
    let gone = try link(3)
    try database.write { transaction in
      try transaction.delete("Person", people[3])
      #expect(throws: ObjectError.danglingLink(className: "Person", property: "any")) {
        try transaction.set("Person", people[0], "any", .list([.map(["a": gone])]))
      }
      #expect(throws: ObjectError.danglingLink(className: "Person", property: "map")) {
        try transaction.set(
          "Person", people[0], "map", .map(["a": .link(ObjectLink(table: 99, key: 1))]))
      }
      var deep = Value.null
      for _ in 0..<100 { deep = .list([deep]) }
      try transaction.set("Person", people[0], "any", deep)
      #expect(throws: ObjectError.self) {
        try transaction.set("Person", people[0], "list", .list([deep]))
      }
    }
    #expect(try backlinks(0, "any") == [])
    try database.expectSound()
  }

  @Test func aCopyAndASalvagedFileKeepLinks() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "links.atoll")
    let file = try Database.open(path)
    let keys = try file.write { transaction in
      try transaction.addClass(ClassSchema("Node", properties: [PropertySchema("any", .mixed)]))
      let keys = try (0..<300).map { _ in try transaction.create("Node") }
      for (index, key) in keys.enumerated() {
        let next = try transaction.schema.link(to: keys[(index + 1) % 300], of: "Node")
        try transaction.set("Node", key, "any", .list([.map(["next": next])]))
      }
      return keys
    }
    try file.writeCompactCopy(to: folder.path(of: "copy.atoll"))
    try file.write { transaction in
      for key in keys.prefix(150) { try transaction.delete("Node", key) }
    }
    _ = try file.compactInPlace()
    try file.expectSound()
    try file.close()
    _ = try Database.salvage(path, to: folder.path(of: "salvaged.atoll"))
    for (name, source) in [("copy", 299), ("salvaged", 299)] {
      let copy = try Database.open(folder.path(of: "\(name).atoll"))
      try copy.expectSound()
      let table = try copy.snapshot().table("Node")
      let last = try #require(try table.object(keys[source]))
      let previous = try last.backlinks(table.column("any"))
      #expect(previous == [keys[source - 1]], "\(name)")
      let isClosed = try isExactly(last["any"], .list([.map(["next": .null])]))
      #expect(isClosed == (name == "salvaged"))
      try copy.close()
    }
  }

  /// Random values and deletions against what each object must hold, written down as a plain tree.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func randomDeletionsLeaveExactLinks(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var expected = Dictionary(uniqueKeysWithValues: people.map { ($0, Value.null) })
    func mixed(_ table: UInt32, _ keys: [ObjectKey], _ depth: Int) -> Value {
      switch below(depth < 3 ? 6 : 3) {
      case 0: .int(Int64(below(5)))
      case 1, 2: .link(ObjectLink(table: table, key: keys[below(keys.count)].rawValue))
      case 3: .map(ValueMap((0..<below(3)).map { ("\($0)", mixed(table, keys, depth + 1)) }))
      default: .list((0..<below(4)).map { _ in mixed(table, keys, depth + 1) })
      }
    }
    func without(_ gone: ObjectKey, _ value: Value) -> Value {
      switch value {
      case .link(let link): link.key == gone.rawValue ? .null : value
      case .list(let elements): .list(elements.map { without(gone, $0) })
      case .map(let map):
        .map(ValueMap(map.entries.map { (key: $0.key, value: without(gone, $0.value)) }))
      default: value
      }
    }
    for _ in 0..<12 {
      try database.write { transaction in
        let table = try transaction.table("Person").schema.id
        for _ in 0..<below(6) {
          let keys = expected.keys.sorted { $0.rawValue < $1.rawValue }
          let key = keys[below(keys.count)]
          switch below(4) {
          case 0: expected[try transaction.create("Person")] = .null
          case 1 where keys.count > 1:
            try transaction.delete("Person", key)
            expected[key] = nil
            expected = expected.mapValues { without(key, $0) }
          default:
            let value = mixed(table, keys, 0)
            try transaction.set("Person", key, "any", value)
            expected[key] = value
          }
        }
        for (key, value) in expected where below(3) == 0 {
          let isEqual = try isExactly(transaction.value("Person", key, "any"), value)
          #expect(isEqual, "seed \(seed)")
        }
      }
      let table = try database.snapshot().table("Person")
      #expect(table.count == expected.count)
      for (key, value) in expected {
        let isEqual = try isExactly(#require(try table.object(key))["any"], value)
        #expect(isEqual, "seed \(seed)")
      }
      try database.expectSound()
    }
  }
}
