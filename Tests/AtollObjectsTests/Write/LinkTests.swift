import AtollObjects
import TestThreads
import Testing

/// Links of every kind, and what becomes of them when their targets go.
@Suite(.computing) struct LinkTests {
  private let database: Database
  private let people: [ObjectKey]

  init() throws {
    database = try Database.inMemory()
    people = try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("name", .string),
            PropertySchema("best", linkTo: "Person"),
            PropertySchema("friends", linkTo: "Person", collection: .list),
            PropertySchema("group", linkTo: "Person", collection: .set),
            PropertySchema("roles", linkTo: "Person", collection: .map),
          ])
      ])
      return try (0..<4).map { try transaction.create("Person", ["name": .string("\($0)")]) }
    }
  }

  private func link(_ person: Int) throws -> Value {
    .link(try #require(try database.snapshot().table("Person").object(people[person])).link)
  }

  private func value(_ person: Int, _ property: String) throws -> Value {
    try #require(try database.snapshot().table("Person").object(people[person]))[property]
  }

  private func backlinks(_ person: Int, _ property: String) throws -> [ObjectKey] {
    let table = try database.snapshot().table("Person")
    return try #require(try table.object(people[person])).backlinks(table.column(property))
  }

  private func expectSound() throws {
    try database.expectSound()
  }

  @Test func aDeletedTargetLeavesNullInALinkAndAMap() throws {
    let gone = try link(1)
    let stays = try link(2)
    try database.write { transaction in
      try transaction.set("Person", people[0], "best", gone)
      try transaction.set(
        "Person", people[0], "roles", .map(["boss": gone, "deputy": stays, "other": gone]))
      try transaction.delete("Person", people[1])
    }
    #expect(try value(0, "best").isNull)
    #expect(
      isExactly(
        try value(0, "roles"), .map(["boss": .null, "deputy": stays, "other": .null])))
    try expectSound()
  }

  @Test func aDeletedTargetLeavesNoGapInAListOrASet() throws {
    let (gone, stays, other) = (try link(1), try link(2), try link(3))
    try database.write { transaction in
      try transaction.set(
        "Person", people[0], "friends", .list([gone, stays, gone, other, stays, gone]))
      try transaction.set("Person", people[0], "group", .set([gone, stays]))
    }
    #expect(try backlinks(1, "friends") == [people[0], people[0], people[0]])
    #expect(try backlinks(1, "group") == [people[0]])
    try database.write { try $0.delete("Person", people[1]) }
    #expect(isExactly(try value(0, "friends"), .list([stays, other, stays])))
    #expect(isExactly(try value(0, "group"), .set([stays])))
    #expect(try backlinks(2, "friends") == [people[0], people[0]])
    try expectSound()
  }

  @Test func backlinksFollowAListThatIsReplaced() throws {
    let (one, two) = (try link(1), try link(2))
    try database.write { try $0.set("Person", people[0], "friends", .list([one, one, two])) }
    try database.write { try $0.set("Person", people[0], "friends", .list([two, one])) }
    #expect(try backlinks(1, "friends") == [people[0]])
    #expect(try backlinks(2, "friends") == [people[0]])
    try database.write { try $0.set("Person", people[0], "friends", .list([])) }
    #expect(try backlinks(1, "friends") == [])
    try expectSound()
  }

  @Test func anObjectThatLinksToItselfCanGo() throws {
    let own = try link(0)
    try database.write { transaction in
      try transaction.set("Person", people[0], "best", own)
      try transaction.set("Person", people[0], "friends", .list([own, own]))
      try transaction.set("Person", people[0], "group", .set([own]))
      try transaction.set("Person", people[0], "roles", .map(["self": own]))
    }
    #expect(try backlinks(0, "best") == [people[0]])
    #expect(try backlinks(0, "friends") == [people[0], people[0]])
    try database.write { try $0.delete("Person", people[0]) }
    #expect(try database.snapshot().table("Person").object(people[0]) == nil)
    try expectSound()
  }

  @Test func aCycleOfLinksComesApart() throws {
    let links = try (0..<4).map { try link($0) }
    try database.write { transaction in
      for index in 0..<4 {
        try transaction.set("Person", people[index], "best", links[(index + 1) % 4])
        try transaction.set("Person", people[index], "friends", .list(links))
      }
    }
    try database.write { try $0.delete("Person", people[2]) }
    #expect(try value(1, "best").isNull)
    #expect(isExactly(try value(3, "best"), links[0]))
    #expect(isExactly(try value(3, "friends"), .list([links[0], links[1], links[3]])))
    #expect(try backlinks(3, "best") == [])
    #expect(try backlinks(3, "friends") == [people[0], people[1], people[3]])
    try expectSound()
  }

  @Test func backlinksOfAnotherPropertyOrClassAreNone() throws {
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Dog", properties: [PropertySchema("name", .string)]))
      try transaction.create("Dog", [:])
    }
    let snapshot = try database.snapshot()
    let dog = try #require(try snapshot.table("Dog").object(ObjectKey(rawValue: 1)))
    #expect(try dog.backlinks(snapshot.table("Person").column("best")) == [])
    #expect(try dog.backlinks(snapshot.table("Person").column("name")) == [])
  }

  @Test func aLinkIntoAnotherClassIsRefused() throws {
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Dog", properties: []))
      let dog = try transaction.create("Dog", [:])
      let link = Value.link(
        try #require(try transaction.table("Dog").object(dog)).link)
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Person", property: "best", expected: "link to Person",
          found: "link to Dog")
      ) { try transaction.set("Person", people[0], "best", link) }
    }
  }

  @Test func aLinkToADeletedObjectIsRefused() throws {
    let gone = try link(1)
    try database.write { transaction in
      try transaction.delete("Person", people[1])
      #expect(throws: ObjectError.danglingLink(className: "Person", property: "friends")) {
        try transaction.set("Person", people[0], "friends", .list([gone]))
      }
      #expect(throws: ObjectError.danglingLink(className: "Person", property: "best")) {
        try transaction.create("Person", ["best": gone])
      }
    }
    #expect(try database.snapshot().table("Person").count == 3)
    try expectSound()
  }
}
