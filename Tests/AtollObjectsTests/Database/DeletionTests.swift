import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Many deletions in one transaction, and what is seen between them.
@Suite(.computing) struct DeletionTests {
  private let database: Database
  private let count = 4000

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Node",
          properties: [
            PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
            PropertySchema("text", .string, isFullTextIndexed: true),
            PropertySchema("next", linkTo: "Node"),
            PropertySchema("others", linkTo: "Node", collection: .list),
          ], primaryKey: "id"),
        ClassSchema(
          "Named", properties: [PropertySchema("name", .string), PropertySchema("n", .int)],
          primaryKey: "name"),
        ClassSchema("Reference", properties: [PropertySchema("node", linkTo: "Node")]),
      ])
      for id in 0..<count { try transaction.create("Node", ["id": .int(Int64(id))]) }
      for id in 0..<count {
        try transaction.set("Node", key(id), "next", link(id * 7 % count))
        try transaction.set(
          "Node", key(id), "others", .list([link(id / 2), link(id), link(id / 2)]))
        try transaction.set("Node", key(id), "name", .string("name \(id % 50)"))
        try transaction.set("Node", key(id), "text", .string("common word\(id % 9)"))
      }
    }
  }

  private func key(_ id: Int) -> ObjectKey { ObjectKey(integerPrimaryKey: Int64(id)) }

  private func link(_ id: Int) -> Value {
    .link(ObjectLink(table: 1, key: key(id).rawValue))
  }

  /// What is left is as if the objects had never been there.
  private func expectLeft(_ isLeft: (Int) -> Bool) throws {
    let table = try database.snapshot().table("Node")
    let left = (0..<count).filter(isLeft)
    var visited: [Int] = []
    try table.forEach { node in
      let id = Int(node.key.integerPrimaryKey)
      visited.append(id)
      let next = id * 7 % count
      let found = try node["next"]
      #expect(isExactly(found, isLeft(next) ? link(next) : .null))
      let others = [id / 2, id, id / 2].filter(isLeft).map(link)
      let foundOthers = try node["others"]
      #expect(isExactly(foundOthers, .list(others)))
    }
    #expect(visited == left)
    try database.expectSound()
  }

  @Test(arguments: [2, 3, 10, 400])
  func everySoMany(step: Int) throws {
    try database.write { transaction in
      for id in stride(from: 0, to: count, by: step) { try transaction.delete("Node", key(id)) }
    }
    try expectLeft { $0 % step != 0 }
  }

  @Test func aRangeInDescendingOrder() throws {
    try database.write { transaction in
      for id in (500..<3500).reversed() { try transaction.delete("Node", key(id)) }
    }
    try expectLeft { !(500..<3500).contains($0) }
  }

  @Test func anObjectIsMadeBelowOthersOnceTheLastAreGone() throws {
    try database.write { transaction in
      for id in [10] + Array(2000..<count) { try transaction.delete("Node", key(id)) }
      let others = try transaction.value("Node", key(6), "others")
      #expect(isExactly(others, .list([3, 6, 3].map(link))))
      try transaction.create("Node", ["id": .int(10)])
      try transaction.delete("Node", key(10))
    }
    try expectLeft { $0 < 2000 && $0 != 10 }
  }

  @Test func everything() throws {
    try database.write { transaction in
      for id in 0..<count { try transaction.delete("Node", key(id * 1999 % count)) }
      #expect(try transaction.table("Node").count == 0)
      try transaction.create("Node", ["id": .int(3), "next": .null])
      try transaction.delete("Node", key(3))
    }
    try expectLeft { _ in false }
  }

  @Test func betweenReadsOfEveryKind() throws {
    try database.write { transaction in
      for id in stride(from: 0, to: count, by: 4) {
        try transaction.delete("Node", key(id))
        switch id / 4 % 40 {
        case 0: #expect(try transaction.table("Node").count == UInt64(count - id / 4 - 1))
        case 8: #expect(try transaction.contains("Node", key(id)) == false)
        case 16: #expect(try transaction.key("Node", primaryKey: .int(Int64(id))) == nil)
        case 24:
          let others = try transaction.value("Node", key(id + 1), "others")
          let left = [id / 2, id + 1, id / 2].filter { $0 % 4 != 0 || $0 > id }
          #expect(isExactly(others, .list(left.map(link))))
        case 32: #expect(transaction.changes.classes["Node"]?.deleted.count == id / 4 + 1)
        default: break
        }
      }
    }
    try expectLeft { $0 % 4 != 0 }
  }

  @Test func aDeletedObjectIsMadeAgain() throws {
    try database.write { transaction in
      for id in 0..<10 { try transaction.delete("Node", key(id)) }
      try transaction.create("Node", ["id": .int(4), "name": .string("again")])
      let writer = try transaction.objectWriter("Node")
      try writer.create(primaryKey: 5)
      try transaction.create("Named", ["name": .string("a"), "n": .int(1)])
    }
    try database.write { transaction in
      let old = try #require(try transaction.key("Named", primaryKey: .string("a")))
      try transaction.delete("Named", old)
      #expect(try transaction.key("Named", primaryKey: .string("a")) == nil)
      let new = try transaction.upsert("Named", primaryKey: .string("a"), ["n": .int(2)])
      #expect(new.isNew && new.key != old)
      #expect(try transaction.key("Named", primaryKey: .string("a")) == new.key)
    }
    let table = try database.snapshot().table("Node")
    let four = try #require(try table.object(key(4)))
    let next = try four["next"]
    #expect(next.isNull)
    // Its links to the object before it was deleted are not links to the new one.
    #expect(try four.backlinks(table.column("next")).isEmpty)
    #expect(try four.backlinks(table.column("others")).isEmpty)
    try database.expectSound()
  }

  @Test func aLinkToADeletedObjectIsRefused() throws {
    #expect(throws: ObjectError.danglingLink(className: "Node", property: "next")) {
      try database.write { transaction in
        try transaction.delete("Node", key(7))
        try transaction.set("Node", key(1), "next", link(7))
      }
    }
    #expect(throws: ObjectError.danglingLink(className: "Node", property: "next")) {
      try database.write { transaction in
        let writer = try transaction.objectWriter("Node")
        let next = try writer.column("next")
        try transaction.delete("Node", key(7))
        #expect(try writer.select(key(1)))
        try writer.set(next, linkTo: key(7))
      }
    }
    try expectLeft { _ in true }
  }

  @Test func anObjectWriterLosesItsDeletedObject() throws {
    try database.write { transaction in
      let writer = try transaction.objectWriter("Node")
      let name = try writer.column("name")
      #expect(try writer.select(key(7)))
      try transaction.delete("Node", key(7))
      #expect(throws: ObjectError.noSuchObject(className: "Node")) { try writer.set(name, "no") }
      #expect(try writer.select(key(8)))
      try transaction.delete("Node", key(9))
      try writer.set(name, "name 8")
      #expect(transaction.changes.classes["Node"]?.deleted == [key(7), key(9)])
      try writer.set(name, "name 8")
    }
    try expectLeft { $0 != 7 && $0 != 9 }
  }

  @Test func changesNameTheSourcesOfDeletedTargets() throws {
    try database.write { transaction in
      try transaction.delete("Node", key(3000))
      let changes = try #require(transaction.changes.classes["Node"])
      let next = (0..<count).filter { $0 * 7 % count == 3000 }
      #expect(changes.deleted == [key(3000)])
      #expect(
        Set(changes.modified.filter { $0.value.contains("next") }.keys)
          == Set(next.filter { $0 != 3000 }.map(key)))
    }
  }

  @Test func aCancelledTransactionStillTellsItsDeletions() throws {
    let transaction = try database.beginWrite()
    try transaction.delete("Node", key(7))
    transaction.cancel()
    #expect(transaction.changes.classes["Node"]?.deleted == [key(7)])
    try expectLeft { _ in true }
  }
}
