import AtollCapture
import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Values too long for an index, as a server sends them: the index has their beginnings only.
@Suite(.computing) struct LongIndexedValueTests {
  private let database: Database
  private let texts: [String]

  init() throws {
    let long = String(repeating: "m", count: 70_000)
    let limit = 1 << 16
    texts = [
      "a", long + "b", "z", long + "a", long + "b", long, String(repeating: "m", count: limit - 3),
      String(repeating: "m", count: limit - 2), String(repeating: "\u{0}", count: 40_000), "m", "",
    ]
    database = try Database.inMemory(options: .recording)
    try database.write { transaction in
      transaction.origin = .sync
      func indexed(_ name: String, _ type: ValueType) -> PropertySchema {
        PropertySchema(name, type, isOptional: true, isIndexed: true)
      }
      try transaction.addClass(
        ClassSchema(
          "Row",
          properties: [
            PropertySchema("id", .int), indexed("text", .string), indexed("data", .data),
            PropertySchema("plain", .string, isOptional: true),
          ], primaryKey: "id", isSynced: true))
      for (id, text) in texts.enumerated() {
        let address = ObjectAddress(className: "Row", primaryKey: .int(Int64(id)))
        try transaction.createAddressed(address)
        for (property, value) in [
          ("text", RecordedValue.string(text)), ("data", .data(Array(text.utf8))),
          ("plain", .string(text)),
        ] {
          try transaction.write(
            Unit(object: address, path: .property(property)), .value(value))
        }
      }
    }
  }

  /// The answer, which is the same by every plan.
  private func keys(_ text: String, _ arguments: [Value] = []) throws -> [ObjectKey] {
    let snapshot = try database.snapshot()
    let query = try Query(text, on: "Row", in: snapshot.schema, arguments: arguments)
    let expected = try query.results(in: snapshot).keys
    #expect(try query.count(in: snapshot) == expected.count)
    for access in 0..<(try query.accessCount(in: snapshot)) {
      for usesIndexOrder in [false, true] {
        let answer = try query.answer(
          in: snapshot, by: PlanForce(access: access, usesIndexOrder: usesIndexOrder))
        #expect(answer.keys == expected)
        #expect(answer.count == expected.count)
      }
    }
    return expected
  }

  @Test func theFileIsSoundAndStaysSo() throws {
    #expect(try database.check().findings == [])
    try database.write { transaction in
      transaction.origin = .sync
      for id in [1, 3] as [Int64] {
        let address = ObjectAddress(className: "Row", primaryKey: .int(id))
        try transaction.write(
          Unit(object: address, path: .property("text")), .value(.string("short")))
      }
      try transaction.leave(ObjectAddress(className: "Row", primaryKey: .int(4)))
    }
    #expect(try database.check().findings == [])
    #expect(try keys("text == 'short'").count == 2)
  }

  @Test(arguments: ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH"])
  func anIndexGivesWhatAScanGives(comparator: String) throws {
    // One in the middle of those that begin alike, their beginning, one at the limit, and a short
    // one.
    for text in [texts[1], texts[5], texts[7], "m"] {
      let expected = try keys("plain \(comparator) $0", [.string(text)])
      #expect(try keys("text \(comparator) $0", [.string(text)]) == expected)
      if comparator == "==" {
        #expect(try keys("data == $0", [.data(Array(text.utf8))]) == expected)
        #expect(try keys("text IN $0", [.list([.string(text), .string("z")])]).count >= 1)
      }
    }
  }

  @Test(arguments: ["ASC", "DESC"])
  func theOrderIsThatOfWholeValues(order: String) throws {
    let expected = try keys("TRUEPREDICATE SORT(plain \(order))")
    #expect(try keys("TRUEPREDICATE SORT(text \(order))") == expected)
    for limit in 1...texts.count {
      #expect(
        try keys("TRUEPREDICATE SORT(text \(order)) LIMIT(\(limit))")
          == Array(expected.prefix(limit)))
    }
    #expect(
      try keys("TRUEPREDICATE DISTINCT(text)") == keys("TRUEPREDICATE DISTINCT(plain)"))
  }

  @Test func anIndexIsAddedOverSuchValues() throws {
    try database.write { try $0.addIndex(on: "plain", of: "Row") }
    #expect(try database.check().findings == [])
    #expect(throws: ObjectError.self) {
      try database.write { transaction in
        try transaction.set(
          "Row", try #require(try transaction.key("Row", primaryKey: .int(0))), "plain",
          .string(texts[1]))
      }
    }
  }
}
