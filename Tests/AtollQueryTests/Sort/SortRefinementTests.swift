import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Sorts in which the first look at a key tells little, against a plain sort, and what they read.
///
/// Ties, long common beginnings, values outside the leaves.
@Suite(.computing) struct SortRefinementTests {
  private struct World {
    let database: Database
    let snapshot: Snapshot
    /// In the order of their keys.
    let rows: [[String: Value]]

    init(_ properties: [PropertySchema], _ rows: [[String: Value]]) throws {
      database = try Database.inMemory()
      try database.write { transaction in
        try transaction.addClass(ClassSchema("Row", properties: properties))
        for row in rows { _ = try transaction.create("Row", row) }
      }
      snapshot = try database.snapshot()
      self.rows = rows
    }

    /// The rows that a sort gives.
    func found(_ text: String) throws -> [Int] {
      try Query(text, on: "Row", in: snapshot.schema).results(in: snapshot).keys
        .map { Int($0.rawValue) - 1 }
    }

    /// The rows that a plain sort gives, ties in the order of their keys.
    func expected(_ keys: [(String, Bool)]) -> [Int] {
      rows.indices.sorted { a, b in
        for (name, isAscending) in keys {
          let order = Value.sortOrder(rows[a][name] ?? .null, rows[b][name] ?? .null)
          if order != .equal { return (order == .less) == isAscending }
        }
        return a < b
      }
    }

    /// How often a page or a vector was asked for while `body` ran.
    func lookUps(_ body: () throws -> Void) throws -> Int {
      let cache = try snapshot.table("Row").tree.reader.cache
      let before = cache.statistics
      try body()
      let after = cache.statistics
      return after.hitCount + after.missCount - before.hitCount - before.missCount
    }

    /// Leaves of the class.
    func leafCount() throws -> Int {
      try Query("TRUEPREDICATE", on: "Row", in: snapshot.schema).explain(in: snapshot).leavesRead
    }
  }

  private static func text(_ keys: [(String, Bool)]) -> String {
    "TRUEPREDICATE SORT(" + keys.map { "\($0) \($1 ? "ASC" : "DESC")" }.joined(separator: ", ")
      + ")"
  }

  // MARK: Right

  /// Null, short strings, and beginnings of one stem with and without an end of their own; some
  /// are too long for a leaf.
  private static func bytes(_ random: inout SplitMix64, isLong: Bool) -> [UInt8]? {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let ending = (0..<number(0...2)).map { _ in [0, 98, 120, 122][number(0...3)] as UInt8 }
    let stem = [UInt8](repeating: 120, count: 12_000)
    switch number(0...9) {
    case 0: return nil
    case 1: return ending
    case 2, 3: return stem.prefix([8, 12, 64, 65, 128, 640][number(0...5)]) + ending
    case 4: return isLong ? stem.prefix([8_190, 9_000, 12_000][number(0...2)]) + ending : ending
    default: return stem.prefix(number(0...200)) + ending
    }
  }

  private static func world(_ seed: UInt64, _ count: Int) throws -> World {
    var random = SplitMix64(seed: seed)
    var rows: [[String: Value]] = []
    for index in 0..<count {
      var row: [String: Value] = [
        "few": .int(Int64.random(in: 0...3, using: &random)),
        "many": .int(Int64.random(in: 0..<Int64(count / 3), using: &random)),
        // Equal in their high bits.
        "score": .double(1 + Double(UInt64.random(in: 0...99, using: &random)) * 0x1p-50),
        "id": .uuid(UniqueID(high: random.next() & 3, low: 0)),
      ]
      let isLong = index % 8 == 0
      if let bytes = bytes(&random, isLong: isLong) {
        row["text"] = .string(String(decoding: bytes, as: UTF8.self))
      }
      if let bytes = bytes(&random, isLong: isLong) { row["data"] = .data(bytes) }
      if Bool.random(using: &random),
        let date = Timestamp(seconds: 7, nanoseconds: Int32.random(in: 0...9, using: &random))
      {
        row["date"] = .date(date)
      }
      rows.append(row)
    }
    return try World(
      [
        PropertySchema("few", .int), PropertySchema("many", .int), PropertySchema("score", .double),
        PropertySchema("id", .uuid), PropertySchema("text", .string, isOptional: true),
        PropertySchema("data", .data, isOptional: true),
        PropertySchema("date", .date, isOptional: true),
      ], rows)
  }

  private static let sorts: [[(String, Bool)]] = [
    [("text", true)], [("text", false)], [("data", true)], [("data", false)],
    [("few", true), ("text", true)], [("few", false), ("text", false)],
    [("many", true), ("text", false)], [("many", false), ("data", true), ("score", true)],
    [("text", true), ("data", false), ("many", true)], [("score", false), ("text", true)],
    [("few", true), ("date", true), ("text", false)], [("date", false), ("id", true)],
    [("few", true), ("id", false), ("text", true)], [("id", true), ("score", true)],
  ]

  @Test(arguments: [(1, 3_000), (2, 400), (3, 12)])
  func tiesAndLongBeginningsKeepTheTotalOrder(seed: UInt64, count: Int) throws {
    let world = try Self.world(seed, count)
    for sort in Self.sorts {
      let text = Self.text(sort)
      let expected = world.expected(sort)
      #expect(try world.found(text) == expected, "\(text)")
      for limit in [5, 300, 1_100] {
        let limited = try world.found(text + " LIMIT(\(limit))")
        #expect(limited == Array(expected.prefix(limit)), "\(text) LIMIT(\(limit))")
      }
      // Rows far apart, and rows in another order than that of their leaves.
      let some = expected.filter { world.rows[$0]["few"] == .int(1) }
      let found = try world.found(
        text.replacing("TRUEPREDICATE", with: "few == 1"))
      #expect(found == some, "\(text)")
      let again = try world.found("TRUEPREDICATE SORT(many DESC) LIMIT(900) " + text.dropFirst(14))
      let order = world.expected(sort + [("many", false)])
      let kept = Set(world.expected([("many", false)]).prefix(900))
      #expect(again == order.filter { kept.contains($0) }, "\(text)")
    }
  }

  /// Runs that are larger than a batch, and many batches.
  @Test(arguments: [2, 10, 300])
  func batchesOfAnySizeGiveOneOrder(batchLimit: Int) throws {
    let world = try Self.world(4, 1_500)
    for sort in Self.sorts {
      let query = try Query(Self.text(sort), on: "Row", in: world.snapshot.schema)
      let run = try QueryRun(query.bound, [], in: world.snapshot, for: .keys)
      guard case .sort(let keys) = run.pipeline.steps.first else {
        Issue.record("a sort")
        return
      }
      var rows = RowList()
      try run.forEachLeaf { leaf, selection in
        rows.append(leaf, selection)
        return true
      }
      let places = EntryPlaces(rows.leaves, rows: nil)
      var entries = rows.rows.map {
        places.place(leaf: Int($0 >> 16), row: Int($0 & 0xFFFF), number: 0)
      }
      try unsafe entries.withUnsafeMutableBufferPointer {
        try unsafe EntrySort(
          $0, keys, rows.leaves, places, run.execution, batchLimit: batchLimit
        ).sort()
      }
      let found = entries.map { entry in
        let (leaf, row) = places[entry]
        return Int(rows.leaves[leaf].rowGroup.key(row)) - 1
      }
      #expect(found == world.expected(sort), "\(Self.text(sort))")
    }
  }

  /// Of values of several pages the bytes behind the first ones are read where they lie.
  @Test func valuesOfSeveralPagesAreTold() throws {
    let stem = String(repeating: "stem", count: 300_000)
    let ends = ["b", "", "a", "bb", "b", "\u{0}"]
    let world = try World(
      [PropertySchema("text", .string)],
      (ends.map { stem + $0 } + [String(stem.prefix(600_000)), stem.prefix(524_272) + "z"]).map {
        ["text": .string($0)]
      })
    for isAscending in [true, false] {
      let sort = [("text", isAscending)]
      #expect(try world.found(Self.text(sort)) == world.expected(sort))
    }
  }

  // MARK: Few look-ups

  private static func ties() throws -> World {
    var random = SplitMix64(seed: 5)
    return try World(
      [
        PropertySchema("few", .int), PropertySchema("name", .string),
        PropertySchema("url", .string),
      ],
      (0..<12_000).map { _ in
        [
          "few": .int(Int64.random(in: 0..<1_500, using: &random)),
          "name": .string("First\(random.next() % 200) Last\(random.next() % 1_000)"),
          "url": .string("https://example.com/\(random.next())"),
        ]
      })
  }

  @Test func ofManyShortRunsTheNextKeyIsReadInFewPasses() throws {
    let world = try Self.ties()
    let leafCount = try world.leafCount()
    let sort = [("few", true), ("name", true)]
    var found: [Int] = []
    let count = try world.lookUps { found = try world.found(Self.text(sort)) }
    #expect(found == world.expected(sort))
    // A look at the page and one at the vector in each pass; run after run it is one for each row
    // and comparison.
    #expect(count < 20 * leafCount, "\(count) for \(leafCount) leaves")
    let plan = try Query(Self.text(sort), on: "Row", in: world.snapshot.schema)
      .explain(in: world.snapshot)
    #expect(plan.root.leavesRead >= leafCount && plan.root.leavesRead < 12 * leafCount, "\(plan)")
    #expect(plan.leavesRead == plan.root.leavesRead + leafCount)
  }

  @Test(arguments: [100, 1_500, 3_000])
  func ofStringsWithOneBeginningTheFirstAreKeptWithoutALookAtEach(limit: Int) throws {
    let world = try Self.ties()
    let leafCount = try world.leafCount()
    let sort = [("url", true)]
    var found: [Int] = []
    let count = try world.lookUps {
      found = try world.found(Self.text(sort) + " LIMIT(\(limit))")
    }
    #expect(found == Array(world.expected(sort).prefix(limit)))
    #expect(count < 80 * leafCount, "\(count) for \(leafCount) leaves")
  }

  /// `step`: the order in which they come.
  @Test(arguments: [1, 7_919, 599])
  func beginningsThatGetEverLongerAreToldApartInFewPasses(step: Int) throws {
    let world = try World(
      [PropertySchema("text", .string)],
      (0..<600).map { index in
        ["text": .string(String(repeating: "a", count: index * step % 600 * 13))]
      })
    let leafCount = try world.leafCount()
    var found: [Int] = []
    let count = try world.lookUps { found = try world.found(Self.text([("text", true)])) }
    #expect(found == world.expected([("text", true)]))
    #expect(count < 60 * leafCount, "\(count) for \(leafCount) leaves")
  }

  @Test func valuesOutsideTheLeavesAreReadAFewTimes() throws {
    var random = SplitMix64(seed: 6)
    let stem = String(repeating: "x", count: 9_000)
    let world = try World(
      [PropertySchema("text", .string)],
      (0..<200).map { _ in ["text": .string("\(stem)\(random.next() % 100)")] })
    var found: [Int] = []
    let count = try world.lookUps { found = try world.found(Self.text([("text", false)])) }
    #expect(found == world.expected([("text", false)]))
    #expect(count < 8 * 200, "\(count) for 200 values")
  }
}
