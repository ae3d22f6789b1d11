import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand

/// Properties of types that no data file has: what `dump` writes of them is what `import` reads.
@Suite(.computing) struct TypedTextTests {
  private static let schema = ClassSchema(
    "Part",
    properties: [
      PropertySchema("id", .int), PropertySchema("price", .decimal, isOptional: true),
      PropertySchema("token", .uuid, isOptional: true),
      PropertySchema("source", .objectID, isOptional: true),
      PropertySchema("image", .data, isOptional: true),
      PropertySchema("tokens", .uuid, collection: .list),
    ], primaryKey: "id")

  private static func make(_ path: String, _ objects: [[String: Value]]) throws {
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClass(schema)
      for values in objects { _ = try transaction.create("Part", values) }
    }
    try database.close()
  }

  @Test func aDumpIsReadBackAsItWas() throws {
    let run = CommandRun()
    let token = UniqueID(high: 0x0123_4567_89AB_CDEF, low: 42)
    let objects: [[String: Value]] = [
      [
        "id": .int(1), "price": .decimal(Decimal128("12.50") ?? .zero), "token": .uuid(token),
        "source": .objectID(ObjectID(seconds: 1, random: 2, counter: 3)),
        "image": .data([0, 1, 254, 255]), "tokens": .list([.uuid(token), .uuid(token)]),
      ],
      ["id": .int(2), "image": .data([])],
      ["id": .int(3), "image": .data([7]), "price": .decimal(Decimal128("1E+40") ?? .zero)],
    ]
    try Self.make(run.path("a"), objects)
    try Self.make(run.path("b"), [])
    let dump = run.expect("dump", run.path("a"), "Part")
    let data = try run.file("Part.jsonl", dump)
    run.expect("import", run.path("b"), "Part", data)
    #expect(run.expect("dump", run.path("b"), "Part") == dump)
    #expect(dump.contains("\"AAH+/w==\""))
    run.expect("check", run.path("b"))
  }

  @Test(arguments: [
    ("price", "\"cheap\"", "a string", "decimal"), ("token", "\"0123\"", "a string", "uuid"),
    ("source", "\"zz\"", "a string", "objectId"), ("image", "\"AAH+/w=\"", "a string", "data"),
    ("image", "\"AB==\"", "a string", "data"), ("token", "17", "an int", "uuid"),
  ])
  func otherTextIsAnErrorWithItsPlace(name: String, value: String, found: String, type: String)
    throws
  {
    let run = CommandRun()
    try Self.make(run.path("a"), [])
    let data = try run.file("Part.jsonl", "{\"id\":1,\"\(name)\":\(value)}\n")
    let outcome = run("import", run.path("a"), "Part", data)
    #expect(outcome.status != .success)
    let column = "{\"id\":1,\"\(name)\":".utf8.count + 1
    #expect(outcome.errors.contains(":1:\(column): '\(name)'"), "\(outcome.errors)")
    #expect(outcome.errors.contains(found))
    #expect(run.expect("dump", run.path("a"), "Part").isEmpty)
  }

  @Test func aNumberIsADecimal() throws {
    let run = CommandRun()
    try Self.make(run.path("a"), [])
    let data = try run.file("Part.jsonl", "{\"id\":1,\"price\":3}\n{\"id\":2,\"price\":0.1}\n")
    run.expect("import", run.path("a"), "Part", data)
    #expect(
      run.expect("query", run.path("a"), "Part", "price == 3 OR price == 0.1", "--count") == "2\n")
  }
}
