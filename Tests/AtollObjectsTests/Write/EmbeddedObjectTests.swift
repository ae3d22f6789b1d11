import AtollObjects
import TestThreads
import Testing

/// Embedded objects: one owner each, with which they live and die.
@Suite(.computing) struct EmbeddedObjectTests {
  private let database: Database
  private let order: ObjectKey

  init() throws {
    database = try Database.inMemory()
    order = try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Order",
          properties: [
            PropertySchema("address", linkTo: "Part"),
            PropertySchema("lines", linkTo: "Part", collection: .list),
            PropertySchema("extras", linkTo: "Part", collection: .map),
          ]),
        ClassSchema(
          "Part",
          properties: [
            PropertySchema("number", .int, isIndexed: true),
            PropertySchema("inner", linkTo: "Part", collection: .list),
            PropertySchema("order", linkTo: "Order"),
          ], isEmbedded: true),
      ])
      return try transaction.create("Order", [:])
    }
  }

  private func parts() throws -> [Int64] {
    var numbers: [Int64] = []
    try database.snapshot().table("Part").forEach { part in
      if case .int(let number) = try part["number"] { numbers.append(number) }
    }
    try database.expectSound()
    return numbers
  }

  private func links(_ property: String) throws -> [ObjectLink] {
    try #require(try database.snapshot().table("Order").object(order))[property].targets
  }

  @discardableResult
  private func add(_ property: String, _ number: Int64, mapKey: String? = nil) throws -> ObjectKey {
    try database.write {
      try $0.createEmbedded(
        in: "Order", order, property, mapKey: mapKey, ["number": .int(number)])
    }
  }

  @Test func aNewOneTakesThePlaceOfTheOld() throws {
    try add("address", 1)
    try add("address", 2)
    #expect(try parts() == [2])
    try add("extras", 3, mapKey: "a")
    try add("extras", 4, mapKey: "b")
    try add("extras", 5, mapKey: "a")
    #expect(try parts() == [2, 4, 5])
  }

  @Test func whatIsTakenOutOfItsPropertyIsDeleted() throws {
    for number in 1...4 { try add("lines", Int64(number)) }
    let lines = try links("lines")
    try database.write {
      try $0.set("Order", order, "lines", .list([.link(lines[3]), .link(lines[0])]))
    }
    #expect(try parts() == [1, 4])
    try database.write { try $0.set("Order", order, "lines", .list([])) }
    #expect(try parts() == [])
  }

  @Test func allLevelsDieWithTheOwner() throws {
    try database.write { transaction in
      let top = try transaction.createEmbedded(in: "Order", order, "lines", ["number": .int(1)])
      var parent = top
      for depth in 2..<50 {
        parent = try transaction.createEmbedded(
          in: "Part", parent, "inner", ["number": .int(Int64(depth))])
        try transaction.createEmbedded(in: "Part", parent, "inner", ["number": .int(0)])
        // A link back to the owner is no reason to stay.
        let owner = try #require(try transaction.table("Order").object(order)).link
        try transaction.set("Part", parent, "order", .link(owner))
      }
    }
    #expect(try parts().count == 97)
    try database.write { try $0.delete("Order", order) }
    #expect(try parts() == [])
  }

  @Test func oneThatIsDeletedLeavesItsOwner() throws {
    let keys = try (1...3).map { try add("lines", Int64($0)) }
    try database.write { try $0.delete("Part", keys[1]) }
    #expect(try links("lines").map(\.key) == [keys[0].rawValue, keys[2].rawValue])
    #expect(try parts() == [1, 3])
  }

  @Test func isMadeOnlyInItsOwner() throws {
    try database.write { transaction in
      #expect(throws: ObjectError.embeddedObjectHasOwner(className: "Part")) {
        try transaction.create("Part", [:])
      }
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Part", property: "order", expected: "optional link",
          found: "embedded object")
      ) {
        let part = try transaction.createEmbedded(in: "Order", order, "lines")
        try transaction.createEmbedded(in: "Part", part, "order")
      }
      #expect(throws: ObjectError.noSuchObject(className: "Order")) {
        try transaction.createEmbedded(in: "Order", ObjectKey(rawValue: 99), "lines")
      }
    }
  }

  @Test func hasOneOwner() throws {
    try add("address", 1)
    try add("lines", 2)
    let address = Value.link(try #require(try links("address").first))
    let line = Value.link(try #require(try links("lines").first))
    try database.write { transaction in
      let error = ObjectError.embeddedObjectHasOwner(className: "Part")
      #expect(throws: error) { try transaction.set("Order", order, "address", line) }
      #expect(throws: error) { try transaction.set("Order", order, "lines", .list([line, line])) }
      #expect(throws: error) {
        try transaction.set("Order", order, "lines", .list([line, address]))
      }
      #expect(throws: error) { try transaction.create("Order", ["address": address]) }
      try transaction.set("Order", order, "address", address)
    }
    #expect(try parts() == [1, 2])
    #expect(try database.snapshot().table("Order").count == 1)
  }

  @Test func nothingIsMadeWhenItsValuesAreRefused() throws {
    try add("address", 1)
    try database.write { transaction in
      #expect(throws: ObjectError.self) {
        try transaction.createEmbedded(in: "Order", order, "address", ["number": .string("x")])
      }
    }
    #expect(try parts() == [1])
  }
}
