import TestSupport
import TestThreads
import Testing

@testable import AtollObjects
@testable import AtollQuery

/// Answers that follow changes, against a fresh query and a comparison of whole answers.
@Suite(.computing) struct LiveQueryTests {
  /// What was followed of one query, and in which ways.
  private struct Followed {
    let text: String
    let className: String
    let live: LiveQuery
    var keys: [ObjectKey]
  }

  /// Random queries on random objects, of which random transactions change all kinds of properties.
  @Test(arguments: seeds(8))
  func answersAreThoseOfAFreshQuery(seed: UInt64) throws {
    var world = try RandomWorld(seed: seed)
    var followed: [Followed] = []
    var version = try world.database.snapshot()
    while followed.count < 40 {
      let made = followed.count % 4 == 3 ? world.sortedQuery() : world.query()
      guard let query = try? Query(made.text, on: made.className, in: version.schema) else {
        continue
      }
      let keys = try query.results(in: version).keys
      let live =
        Bool.random(using: &world.random)
        ? LiveQuery(query, keys: KeyList(keys)) : try LiveQuery(query, in: version)
      #expect(live.keys.array == keys)
      followed.append(
        Followed(text: made.text, className: made.className, live: live, keys: keys))
    }
    for step in 0..<12 {
      for _ in 0..<[1, 1, 1, 3].any(&world.random) { try world.changeAnything() }
      // New indexes make another schema.
      if step % 8 == 7 { try world.change() }
      let next = try world.database.snapshot()
      // As of transactions of this process, which are known, and as of those of others.
      let difference =
        step % 2 == 0
        ? world.database.difference(from: version, to: next)
        : VersionDifference(from: version, to: next, ChangeHistory())
      let reading = VersionReading(difference)
      for index in followed.indices {
        let one = followed[index]
        let table = try next.table(one.className).schema.id
        let modified = try difference.reached(table)
        let found = try one.live.advance(by: reading, modified: modified)
        let fresh = try Query(one.text, on: one.className, in: next.schema)
          .results(in: next).keys
        let expected = ResultDifference(from: one.keys, to: fresh, modified: modified)
        try #require(one.live.keys.array == fresh, "\(one.className): \(one.text)")
        try #require(found == expected, "\(one.className): \(one.text)")
        followed[index].keys = fresh
      }
      version = next
    }
    // Most answers were not looked for again.
    let runCount = followed.reduce(0) { $0 + $1.live.runCount }
    #expect(runCount < followed.count * 12)
  }

  // MARK: Cost

  private func things(_ count: Int64) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("id", .int), PropertySchema("i", .int), PropertySchema("n", .int),
          ], primaryKey: "id"))
      for id in 0..<count {
        try transaction.create("Thing", ["id": .int(id), "i": .int(id % 1000)])
      }
    }
    return database
  }

  private func key(_ id: Int64) -> ObjectKey { ObjectKey(integerPrimaryKey: id) }

  /// Follows a query through a transaction and compares it with a fresh one.
  ///
  /// - Returns: How often it ran.
  private func follow(
    _ text: String, _ database: Database, _ live: LiveQuery, _ change: (Transaction) throws -> Void
  ) throws -> Int {
    let old = try database.snapshot()
    let before = live.runCount
    try database.write(change)
    let new = try database.snapshot()
    let table = try new.table("Thing").schema.id
    let difference = database.difference(from: old, to: new)
    let oldKeys = live.keys.array
    let modified = try difference.reached(table)
    let found = try live.advance(by: VersionReading(difference), modified: modified)
    let fresh = try Query(text, on: "Thing", in: new.schema).results(in: new).keys
    #expect(live.keys.array == fresh)
    #expect(found == ResultDifference(from: oldKeys, to: fresh, modified: modified))
    return live.runCount - before
  }

  @Test(arguments: [
    "i < 500", "i < 500 SORT(n DESC, i ASC)", "TRUEPREDICATE SORT(i ASC) LIMIT(20)",
    "i > 3 LIMIT(50)", "i >= 0 DISTINCT(i)",
  ])
  func aFewChangesDoNotMakeItRunAgain(text: String) throws {
    let database = try things(5000)
    let snapshot = try database.snapshot()
    let live = try LiveQuery(Query(text, on: "Thing", in: snapshot.schema), in: snapshot)
    #expect(live.runCount == 1)
    let isDistinct = text.contains("DISTINCT")
    // A property that most of them do not read.
    let unread = try follow(text, database, live) { transaction in
      try transaction.set("Thing", key(7), "n", .int(5))
    }
    #expect(unread == 0)
    for number in 0..<10 as Range<Int64> {
      let runs = try follow(text, database, live) { transaction in
        try transaction.set("Thing", key(number * 31), "i", .int(number * 100))
        try transaction.set("Thing", key(number * 7 + 2000), "n", .int(-number))
        try transaction.create("Thing", ["id": .int(-1 - number), "i": .int(number)])
        if number % 2 == 0 { try transaction.delete("Thing", key(number + 4000)) }
      }
      #expect(runs == (isDistinct ? 1 : 0))
    }
    let many = try follow(text, database, live) { transaction in
      for id in 1000..<3000 as Range<Int64> { try transaction.set("Thing", key(id), "i", .int(3)) }
    }
    #expect(many == 1)
  }

  /// A limit whose reserve is used up runs again, once.
  @Test func aLimitRunsAgainWhenItsReserveIsUsedUp() throws {
    let database = try things(5000)
    let snapshot = try database.snapshot()
    let text = "TRUEPREDICATE SORT(i ASC) LIMIT(20)"
    let live = try LiveQuery(Query(text, on: "Thing", in: snapshot.schema), in: snapshot)
    var runs = 0
    for _ in 0..<100 {
      let first = try #require(live.keys.first)
      runs += try follow(text, database, live) { try $0.delete("Thing", first) }
    }
    #expect(runs == 1)
  }
}

extension RandomWorld {
  /// A query with a sort that may be followed step by step.
  fileprivate mutating func sortedQuery() -> RandomQuery {
    var made = query()
    for step in [" SORT(", " DISTINCT(", " LIMIT("] {
      if let range = made.text.firstRange(of: step) {
        made.text = String(made.text[..<range.lowerBound])
      }
    }
    let paths = [
      "i", "io", "d", "do", "f", "n", "b", "so", "s", "t", "u", "x", "m", "l.s", "self.l.d",
    ]
    let keys = (0..<[1, 1, 2].any(&random)).map { _ in
      "\(paths.any(&random)) \(["ASC", "DESC"].any(&random))"
    }
    made.text += " SORT(\(keys.joined(separator: ", ")))"
    if Bool.random(using: &random) { made.text += " SORT(i ASC)" }
    if Bool.random(using: &random) {
      made.text += " LIMIT(\(Int.random(in: 0...9, using: &random)))"
    }
    return made
  }
}
