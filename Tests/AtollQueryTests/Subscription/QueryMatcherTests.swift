import AtollQuery
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// Tests of chosen objects, what answers depend on, and the one text of a query.
@Suite(.computing) struct QueryMatcherTests {
  /// Random queries without SORT, DISTINCT and LIMIT on random objects.
  private static func forEachQuery(
    seed: UInt64, _ body: (inout RandomWorld, Query, inout SplitMix64) throws -> Void
  ) throws {
    var world = try RandomWorld(seed: seed)
    var random = SplitMix64(seed: seed &+ 77)
    for _ in 0..<80 {
      let made = world.query()
      let schema = try world.database.snapshot().schema
      guard var request = try? QuerySyntax.parse(made.text) else { continue }
      request.descriptors = []
      guard let query = try? Query(request, on: made.className, in: schema) else { continue }
      try body(&world, query, &random)
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func chosenObjectsPassAsInAScan(seed: UInt64) throws {
    try Self.forEachQuery(seed: seed) { world, query, random in
      let snapshot = try world.database.snapshot()
      let all = try query.results(in: snapshot).keys
      var keys: [ObjectKey] = []
      try snapshot.table(query.bound.table.name).forEach { keys.append($0.key) }
      // Some that do not exist, and some twice.
      keys += [ObjectKey(rawValue: 1 << 61), ObjectKey(rawValue: 3)] + keys.prefix(2)
      keys = keys.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
      let passing = Set(all)
      let expected = Set(keys).filter(passing.contains).sorted()
      #expect(try query.matches(keys: keys, in: snapshot) == expected)
    }
  }

  /// Runs that stop at any object and go on from there find what one run finds, by all ways.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func boundedRunsFindTheSame(seed: UInt64) throws {
    var stopCount = 0
    try Self.forEachQuery(seed: seed) { world, query, random in
      let snapshot = try world.database.snapshot()
      let expected = try query.results(in: snapshot).keys.sorted()
      let clock = JumpingClock(seed: random.next())
      let (found, stops) = try Self.parts(of: query, in: snapshot, clock)
      stopCount += stops
      #expect(found == expected, "\(query.bound.table.name)")

      var keys: [ObjectKey] = []
      try snapshot.table(query.bound.table.name).forEach { keys.append($0.key) }
      keys = (keys + [ObjectKey(rawValue: 1 << 61)]).filter { _ in
        Bool.random(using: &random)
      }
      let chosen = Set(keys)
      let foundAmong = try Self.parts(of: query, among: keys, in: snapshot, clock)
      #expect(foundAmong == expected.filter(chosen.contains), "\(query.bound.table.name)")
    }
    #expect(stopCount > 50)
  }

  /// What bounded runs find that go on where the one before stopped, and how often they stopped.
  private static func parts(
    of query: Query, in snapshot: Snapshot, _ clock: JumpingClock
  ) throws -> (found: [ObjectKey], stopCount: Int) {
    var found: [ObjectKey] = []
    var stopCount = 0
    var start: ObjectKey?
    while true {
      let part = try query.matches(from: start, in: snapshot, within: clock.budget())
      found += part.keys
      guard let next = part.next else { return (found, stopCount) }
      let isFurther = start.map { $0 < next } ?? true
      #expect(isFurther)
      start = next
      stopCount += 1
    }
  }

  private static func parts(
    of query: Query, among keys: [ObjectKey], in snapshot: Snapshot, _ clock: JumpingClock
  ) throws -> [ObjectKey] {
    var found: [ObjectKey] = []
    var keys = keys
    while !keys.isEmpty {
      let part = try query.matches(keys: keys, in: snapshot, within: clock.budget())
      found += part.keys
      let rest = part.next.map { next in keys.filter { $0 >= next } } ?? []
      let isFurther = rest.count < keys.count
      #expect(isFurther)
      keys = rest
    }
    return found
  }

  /// Many leaves, of which some are left out by their zones; texts in dictionaries and outside.
  @Test(arguments: ["i > 17000", "i BETWEEN {300, 700} OR s LIKE '*a?c*'", "t CONTAINS 'z9'"])
  func boundedRunsFindTheSameInManyLeaves(text: String) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("i", .int), PropertySchema("s", .string), PropertySchema("t", .string),
          ]))
      for number in 0..<20_000 as Range<Int64> {
        try transaction.create(
          "Thing",
          [
            "i": .int(number), "s": .string(["abc", "xaxcx", "ac", "aäc"][Int(number % 7) % 4]),
            "t": .string("z\(number)"),
          ])
      }
    }
    let snapshot = try database.snapshot()
    let query = try Query(text, on: "Thing", in: snapshot.schema)
    let expected = try query.results(in: snapshot).keys
    for seed in 0..<5 as Range<UInt64> {
      let (found, _) = try Self.parts(of: query, in: snapshot, JumpingClock(seed: seed))
      #expect(found == expected)
    }
  }

  /// What the test of one value would take is known before it is run.
  @Test func aTestThatWouldTakeTooLongIsNotRun() throws {
    let database = try Database.inMemory()
    let long = String(repeating: "a", count: 2_000_000)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("s", .string), PropertySchema("m", .mixed),
            PropertySchema("l", .string, collection: .list),
          ]))
      try transaction.create(
        "Thing", ["s": .string(long), "m": .string(long), "l": .list([.string(long)])])
    }
    let snapshot = try database.snapshot()
    let piece = String(repeating: "a?", count: 60_000)
    for text in ["s LIKE '*\(piece)b*'", "m LIKE '*\(piece)b*'", "ANY l LIKE '*\(piece)b*'"] {
      let query = try Query(text, on: "Thing", in: snapshot.schema)
      let budget = QueryBudget(nanoseconds: .max, valueNanoseconds: 250_000_000) { 0 }
      #expect(throws: QueryTooExpensive.self) {
        _ = try query.matches(from: nil, in: snapshot, within: budget).keys
      }
      #expect(throws: QueryTooExpensive.self) {
        let keys = [ObjectKey(rawValue: 1)]
        _ = try query.matches(keys: keys, in: snapshot, within: budget).keys
      }
    }
    let query = try Query("s LIKE '*a?b*'", on: "Thing", in: snapshot.schema)
    let budget = QueryBudget(nanoseconds: .max, valueNanoseconds: 250_000_000) { 0 }
    #expect(try query.matches(from: nil, in: snapshot, within: budget).keys.isEmpty)
  }

  /// A change that touches nothing that a query reads leaves its answer as it is; where a query is
  /// local, the objects that were touched are all that has to be tested.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func dependenciesAreAllThatAnAnswerDependsOn(seed: UInt64) throws {
    var counts = (untouched: 0, local: 0)
    try Self.forEachQuery(seed: seed) { world, query, random in
      let old = try world.database.snapshot()
      let before = try query.results(in: old).keys
      let changes = try world.changeSome(&random)
      let snapshot = try world.database.snapshot()
      let after = try query.results(in: snapshot).keys
      let dependencies = query.dependencies
      if try !dependencies.areTouched(by: world.database.difference(from: old, to: snapshot)) {
        counts.untouched += 1
        #expect(before == after, "\(query.bound.table.name), \(changes)")
      }
      guard dependencies.isLocal else { return }
      counts.local += 1
      let changed = changes.classes[dependencies.className] ?? ClassChanges()
      let touched = changed.inserted + changed.modified.keys + changed.deleted
      let rest = before.filter { !touched.contains($0) }
      let again = try query.matches(keys: touched, in: snapshot)
      #expect((rest + again).sorted() == after)
    }
    #expect(counts.untouched > 0)
    #expect(counts.local > 0)
  }

  @Test func dependenciesNameClassesPropertiesAndLinks() throws {
    let world = try RandomWorld(seed: 0, indexed: false)
    let schema = try world.database.snapshot().schema
    func dependencies(_ text: String) throws -> QueryDependencies {
      try Query(text, on: "A", in: schema).dependencies
    }
    let local = try dependencies("i > 3 AND (s == 'x' OR ANY li == 2) SORT(d ASC)")
    #expect(local.properties == ["A": ["i", "s", "li", "d"]])
    #expect(local.isLocal)
    let linked = try dependencies("l.i == 2")
    #expect(linked.properties == ["A": ["l"], "B": ["i"]])
    #expect(linked.links.map(\.property) == ["l"])
    #expect(!linked.isLocal)
    let own = try dependencies("self.i == 2")
    #expect(own.properties == ["A": ["self", "i"]])
    #expect(!own.isLocal)
    let backward = try dependencies("ANY @links.B.ll.s == 'x'")
    #expect(backward.properties == ["A": [], "B": ["ll", "s"]])
    #expect(backward.links.map(\.isBackward) == [true])
    let nested = try dependencies("SUBQUERY(ll, $x, $x.d > 1).@count > 0 AND ls.@max.n > 3")
    #expect(nested.properties == ["A": ["ll", "ls", "n"], "B": ["d"]])
    let object = try dependencies("self == obj('A', 3)")
    #expect(object.properties == ["A": ["self"]])
    #expect(!object.isLocal)
    #expect(try dependencies("TRUEPREDICATE").properties == ["A": []])
    let grouped = try dependencies("i > 1 GROUP(s, @sum.d)")
    #expect(grouped.properties == ["A": ["i", "s", "d"]])
  }

  /// The test of an object behind links reads these, and nothing else.
  @Test func aTransactionsOwnChangesAreSeen() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Thing", properties: [PropertySchema("i", .int)]))
      let keys = try (0..<5000).map { try transaction.create("Thing", ["i": .int($0)]) }
      let query = try Query("i >= $0", on: "Thing", in: transaction.schema, arguments: [.int(4000)])
      #expect(try query.matches(keys: [keys[10], keys[4500]], in: transaction) == [keys[4500]])
      try transaction.set("Thing", keys[10], "i", .int(9000))
      try transaction.delete("Thing", keys[4500])
      #expect(try query.matches(keys: [keys[10], keys[4500]], in: transaction) == [keys[10]])
    }
    let snapshot = try database.snapshot()
    let matcher = try QueryMatcher(
      Query("i BETWEEN {100, 200}", on: "Thing", in: snapshot.schema), in: snapshot)
    let keys = (1...5000 as ClosedRange<UInt64>).map { ObjectKey(rawValue: $0) }
    #expect(try matcher.matches(keys).count == 101 - 0)
    #expect(try matcher.matches([]) == [])
    let grouped = try Query("TRUEPREDICATE GROUP(i)", on: "Thing", in: snapshot.schema)
    #expect(throws: QueryError.self) { try QueryMatcher(grouped, in: snapshot) }
  }

  /// The canonical text of a query asks the same, and is its own canonical text.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func canonicalTextAsksTheSame(seed: UInt64) throws {
    try Self.forEachQuery(seed: seed) { world, query, _ in
      let snapshot = try world.database.snapshot()
      let text = try query.canonicalText(in: snapshot)
      let again = try Query(text, on: query.bound.table.name, in: snapshot.schema)
      #expect(try again.canonicalText() == text)
      #expect(try again.results(in: snapshot).keys == query.results(in: snapshot).keys, "\(text)")
    }
  }
}

extension JumpingClock {
  /// A budget of which some objects take all.
  fileprivate func budget() -> QueryBudget {
    QueryBudget(nanoseconds: 100_000, valueNanoseconds: 1e9) { self.look() }
  }
}

extension RandomWorld {
  /// Sets a property of some objects of one class, or makes or deletes one.
  fileprivate mutating func changeSome(_ random: inout SplitMix64) throws -> ChangeSet {
    try database.write { transaction in
      let name = Bool.random(using: &random) ? "A" : "B"
      var keys: [ObjectKey] = []
      try transaction.table(name).forEach { keys.append($0.key) }
      let schema = transaction.schema[name]?.properties ?? []
      guard
        let property = schema.filter({ $0.type != .link && $0.name != "id" })
          .randomElement(using: &random)
      else { return ChangeSet() }
      if Int.random(in: 0..<6, using: &random) == 0, let key = keys.randomElement(using: &random) {
        try transaction.delete(name, key)
        return transaction.changes
      }
      for key in keys.shuffled(using: &random).prefix(4) {
        let other = keys.randomElement(using: &random) ?? key
        try transaction.set(
          name, key, property.name, transaction.value(name, other, property.name))
      }
      return transaction.changes
    }
  }
}
