import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Which way is taken, and what the printed plan says of it.
@Suite(.computing) struct PlanChoiceTests {
  static let count: Int64 = 40_000

  private static let database = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Group", properties: [PropertySchema("name", .string)]))
      try transaction.addClass(
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("id", .int), PropertySchema("rare", .int, isIndexed: true),
            PropertySchema("common", .int, isIndexed: true),
            PropertySchema("word", .string, isIndexed: true), PropertySchema("plain", .int),
            PropertySchema("place", .int), PropertySchema("next", linkTo: "Item"),
            PropertySchema("group", linkTo: "Group"), PropertySchema("friend", linkTo: "Item"),
            PropertySchema("neighbours", linkTo: "Item", collection: .list),
            PropertySchema("code", .string, isIndexed: true),
          ], primaryKey: "id"))
      let table = try transaction.table("Item").schema.id
      let groups = try (0..<100).map { number in
        ObjectLink(
          table: try transaction.table("Group").schema.id,
          key: try transaction.create("Group", ["name": .string("group\(number)")]).rawValue)
      }
      for id in 0..<count {
        // Multiplication by an odd number spreads the values over the leaves.
        let spread = id &* 0x9E37_79B9 & 0xFFFF_FFFF
        try transaction.create(
          "Item",
          [
            "id": .int(id), "rare": .int(spread % 4000), "common": .int(spread % 2),
            "word": .string("word\(spread % 500)"), "code": .string("code\(id)"),
            "plain": .int(spread % 10), "place": .int(id),
            "next": id == 0
              ? .null
              : .link(
                ObjectLink(table: table, key: ObjectKey(integerPrimaryKey: id / 2).rawValue)),
            "group": .link(groups[Int(spread % 100)]),
            "friend": id == 0
              ? .null
              : .link(
                ObjectLink(
                  table: table, key: ObjectKey(integerPrimaryKey: spread % id).rawValue)),
            // One of them twice.
            "neighbours": .list(
              [id / 3, id / 5, id / 3].filter { $0 < id }.map {
                .link(ObjectLink(table: table, key: ObjectKey(integerPrimaryKey: $0).rawValue))
              }),
          ])
      }
    }
    return database
  }

  private func plan(_ text: String) throws -> QueryPlan {
    let snapshot = try Self.database.get().snapshot()
    let plan = try Query(text, on: "Item", in: snapshot.schema).explain(in: snapshot)
    // The plan is that of the query as it is, whose answer a forced scan confirms.
    let query = try Query(text, on: "Item", in: snapshot.schema)
    let scan = try query.answer(in: snapshot, by: PlanForce(access: 0, usesIndexOrder: false))
    #expect(try query.results(in: snapshot).keys == scan.keys)
    #expect(try query.count(in: snapshot) == scan.count)
    #expect(plan.resultCount == scan.keys.count)
    return plan
  }

  @Test(arguments: [
    ("rare == 7", ["Item.rare"]), ("rare IN {1, 2, 3}", ["Item.rare"]),
    ("rare == 7 AND plain < 9", ["Item.rare"]), ("rare < 3 OR rare == 90", ["Item.rare"]),
    ("rare == 7 OR word == 'word9'", ["Item.rare", "Item.word"]),
    ("id == 77", ["Item.id"]), ("id > 39000 AND plain == 3", ["Item.id"]),
    ("TRUEPREDICATE SORT(rare DESC) LIMIT(5)", ["Item.rare"]),
    ("TRUEPREDICATE SORT(word ASC)", ["Item.word"]),
    ("TRUEPREDICATE DISTINCT(rare)", ["Item.rare"]),
    ("plain != 3 SORT(word ASC) LIMIT(5)", ["Item.word"]),
    ("rare > 100 SORT(rare ASC) LIMIT(3)", ["Item.rare"]),
    ("word >= 'word77' AND word < 'word78'", ["Item.word"]),
    ("word == 'word9' AND word != NULL", ["Item.word"]),
    ("word BEGINSWITH 'word49' AND word != 'word499'", ["Item.word"]),
    ("word == 'word9' OR word BEGINSWITH 'word49'", ["Item.word"]),
    ("NOT word != 'word9'", ["Item.word"]), ("word LIKE 'word77*'", ["Item.word"]),
    ("id == 5 OR word == 'word9'", ["Item.id", "Item.word"]),
    (
      "rare == 7 OR id IN {5, 12345, 99999} OR id BETWEEN {20000, 20300}", ["Item.rare", "Item.id"]
    ),
    ("next == obj('Item', 77)", ["Item.next"]), ("next == obj('Item', 99999)", ["Item.next"]),
    ("friend IN {obj('Item', 77), obj('Item', 79)} AND plain < 9", ["Item.friend"]),
    ("next.rare == 7 AND common == 0", ["Item.next"]),
    ("next.next.rare BETWEEN {7, 8} AND plain != 3", ["Item.next"]),
    ("next.id == 77 OR rare == 7", ["Item.rare", "Item.next"]),
    ("next.word == 'word7' AND next.rare == 7 AND rare != 7", ["Item.next"]),
    ("ANY neighbours == obj('Item', 77)", ["Item.neighbours"]),
    ("ANY neighbours.rare == 7 AND plain != 1", ["Item.neighbours"]),
    ("next.neighbours == obj('Item', 7)", ["Item.next"]),
    ("group.name == 'group7'", ["Item.group"]),
    // Terms on one path, of which the index of the far class tells one exactly, or a part.
    ("next.code BEGINSWITH 'code1234' AND next.code ENDSWITH '5'", ["Item.next"]),
    ("next.code ==[c] 'CODE77' AND next.code == 'code77'", ["Item.next"]),
    ("next.code LIKE 'code777?'", ["Item.next"]),
    ((0..<40).map { "next.id == \($0 * 70)" }.joined(separator: " OR "), ["Item.next"]),
    ((0..<40).map { "next.code == 'code\($0 * 70)'" }.joined(separator: " OR "), ["Item.next"]),
    ("group.name IN {'group7', 'nothing'} AND rare == 7", ["Item.rare", "Item.group"]),
  ])
  func anIndexIsTakenWhereItIsCheaper(_ text: String, _ indexes: [String]) throws {
    let plan = try plan(text)
    #expect(plan.indexes == indexes, "\(plan)")
    #expect(plan.leavesRead < 120, "\(plan)")
  }

  @Test(arguments: [
    "common == 1 AND plain == 3", "rare > 100 AND plain == 3", "plain == 3 OR rare == 7",
    "rare != 7 AND plain == 1", "next.common == 0 AND plain == 3", "next != obj('Item', 77)",
    "next.rare != 7 AND plain == 3", "NONE neighbours.rare == 7", "ALL neighbours.rare == 7",
    "next == NULL AND plain == 3", "next.rare IN {7, NULL} AND plain == 3",
    "TRUEPREDICATE SORT(place DESC) LIMIT(5)", "TRUEPREDICATE SORT(id ASC) LIMIT(5)",
    "rare != 7 SORT(plain ASC)",
  ])
  func aScanIsTakenWhereItIsCheaper(_ text: String) throws {
    let plan = try plan(text)
    #expect(plan.indexes.isEmpty, "\(plan)")
  }

  /// Many terms that an index could answer do not keep others from theirs.
  @Test func eachKindOfTermIsLookedUp() throws {
    let columns = (0..<70).map { PropertySchema("c\($0)", .int, isIndexed: true) }
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Wide",
          properties: columns + [PropertySchema("about", .string, isFullTextIndexed: true)]))
      for id in 0..<20_000 {
        try transaction.create("Wide", ["about": .string("word\(id) all")])
      }
    }
    let snapshot = try database.snapshot()
    let many = (0..<70).map { "c\($0) >= 0" }.joined(separator: " AND ")
    let query = try Query("\(many) AND about TEXT 'word7'", on: "Wide", in: snapshot.schema)
    let plan = try query.explain(in: snapshot)
    #expect(plan.indexes == ["Wide.about"], "\(plan)")
  }

  @Test func severalIndexesAreIntersectedWhereThatIsCheaper() throws {
    let plan = try plan("word == 'word7' AND rare == 7")
    #expect(plan.indexes == ["Item.rare", "Item.word"], "\(plan)")
    // Indexes tell it all: no leaf of the table is opened, and no object tested.
    #expect(plan.testedRowCount == 0)
  }

  @Test func theMostSelectiveTestComesFirst() throws {
    // By their operators alone, the equality would come first.
    let plan = try plan("plain <= 9 AND place < 700 AND plain >= 0")
    let tests = plan.root.parts[0].parts.map(\.text)
    #expect(tests.first?.contains("'place'") == true, "\(plan)")
  }

  @Test func primaryKeysReadTheirOwnLeavesOnly() throws {
    #expect(try plan("id == 12345").leavesRead == 1)
    #expect(try plan("id == 1234567").leavesRead <= 1)
    #expect(try plan("id IN {1, 2, 3, 39999}").leavesRead == 2)
    #expect(try plan("TRUEPREDICATE SORT(id ASC) LIMIT(3)").leavesRead == 1)
  }

  @Test(arguments: ["place < 4000", "place >= 36000", "plain < 5", "rare < 400", "common == 1"])
  func estimatesComeCloseWhereValuesAreSpreadEvenly(_ text: String) throws {
    let plan = try plan(text)
    let expected = Double(try #require(plan.root.expectedRowCount))
    #expect(abs(expected - Double(plan.resultCount)) < 0.2 * Double(plan.resultCount), "\(plan)")
  }

  @Test func thePlanIsATreeWithFigures() throws {
    let plan = try plan("plain == 3 AND place < 20000 SORT(place DESC) LIMIT(20)")
    let lines = "\(plan)".split(separator: "\n").map(String.init)
    #expect(lines.count == 6)
    #expect(lines[0].hasPrefix("SORT by place DESC, the first 20 are kept  "))
    #expect(lines[0].contains("20 objects, expected 20; "))
    #expect(lines[1].hasPrefix("  scan of 'Item' "))
    #expect(lines[1].contains(" leaves read, "))
    #expect(lines[2].hasPrefix("    all of "))
    #expect(lines[3].hasPrefix("      'p"))
    #expect(lines[1].hasSuffix(" ms"))
    #expect(lines[5].hasPrefix("20 objects; "))
    #expect(plan.leavesSkipped > 10)
    let filter = plan.root.parts[0]
    #expect(filter.rowCount == plan.matchingRowCount)
    #expect(filter.time >= filter.parts[0].time)
    let one = "\(try self.plan("id == 12345"))"
    #expect(one.contains("\n1 object; ") && one.contains("; 1 leaf read, "), "\(one)")
  }
}
