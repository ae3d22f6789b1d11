import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Values too large for a leaf: their pages live exactly as long as they do.
@Suite(.computing) struct ExternalValueTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Note",
          properties: [
            PropertySchema("text", .string, isOptional: true),
            PropertySchema("list", .string, collection: .list),
          ]))
      for index in 0..<1000 {
        try transaction.create("Note", ["text": .string("text \(index % 10)")])
      }
    }
  }

  private static func long(_ character: String, _ count: Int) -> Value {
    .string(String(repeating: character, count: count))
  }

  private func set(_ key: UInt64, _ property: String, _ value: Value) throws {
    try database.write { try $0.set("Note", ObjectKey(rawValue: key), property, value) }
  }

  private func value(_ key: UInt64, _ property: String) throws -> Value {
    let object = try database.snapshot().table("Note").object(ObjectKey(rawValue: key))
    return try #require(object)[property]
  }

  /// A large value splits its leaf in memory; the pieces are joined when it has moved out.
  ///
  /// A piece that had been joined before lost track of the pages it was to give up.
  @Test func givesUpThePagesOfAValueWhileItsLeafIsSplitAndJoined() throws {
    try set(900, "text", Self.long("x", 70_000))
    try database.write { transaction in
      try transaction.set("Note", ObjectKey(rawValue: 900), "text", .string("short"))
      try transaction.set("Note", ObjectKey(rawValue: 1), "text", Self.long("y", 60_000))
    }
    #expect(isExactly(try value(1, "text"), Self.long("y", 60_000)))
    try database.expectSound()
  }

  /// A leaf that loses its last row is dropped without being encoded, which is when the pages of
  /// values that are gone are given up.
  @Test func givesUpThePagesWithTheLastObject() throws {
    try set(5, "text", Self.long("x", 70_000))
    try set(6, "list", .list([Self.long("y", 9_000), Self.long("z", 9_000)]))
    try database.write { transaction in
      for key in 1...1000 { try transaction.delete("Note", ObjectKey(rawValue: UInt64(key))) }
    }
    try database.expectSound()
    #expect(try database.snapshot().table("Note").count == 0)
  }

  @Test(arguments: [8191, 8192, 8193, 16_384, 70_000, 524_288, 1_200_000])
  func comeBackWhole(_ byteCount: Int) throws {
    let values = [Self.long("a", byteCount), Self.long("b", byteCount)]
    try set(7, "text", values[0])
    try set(8, "list", .list(values + values))
    let old = try database.snapshot()
    try set(7, "text", values[1])
    #expect(isExactly(try value(7, "text"), values[1]))
    #expect(isExactly(try value(8, "list"), .list(values + values)))
    #expect(
      isExactly(
        try #require(try old.table("Note").object(ObjectKey(rawValue: 7)))["text"], values[0]))
    try database.expectSound()
    try set(7, "text", .null)
    try set(8, "list", .list([]))
    #expect(try value(7, "text").isNull)
    try database.expectSound()
  }

  @Test func aLongListIsReadInItsOrder() throws {
    let list = Value.list((0..<5000).map { .string("element \($0)") })
    try set(3, "list", list)
    #expect(isExactly(try value(3, "list"), list))
    let shorter = Value.list((0..<10).map { .string("element \($0)") })
    try set(3, "list", shorter)
    #expect(isExactly(try value(3, "list"), shorter))
    try database.expectSound()
  }
}
