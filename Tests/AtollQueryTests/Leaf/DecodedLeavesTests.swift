import AtollObjects
import AtollStorage
import TestThreads
import Testing

@testable import AtollQuery

/// Scans hold the decoded pages of an encrypted file in groups, where they fit into the cache.
@Suite(.computing) struct DecodedLeavesTests {
  private static let objectCount = 80_000

  private static func database(cacheByteCount: Int) throws -> Database {
    let options = Database.Options(
      cacheByteCount: cacheByteCount, encryptionKey: Array(0..<64))
    let database = try Database.inMemory(options: options)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing", properties: [PropertySchema("a", .int), PropertySchema("b", .double)]))
      for number in 0..<Int64(objectCount) {
        // Neither evenly spaced nor in few values, so that the leaves are many.
        let mixed = number &* 0x1E37_79B9_7F4A_7C15
        try transaction.create("Thing", ["a": .int(mixed), "b": .double(Double(mixed))])
      }
    }
    return database
  }

  private static func leafCount(_ snapshot: Snapshot) throws -> Int {
    var count = 0
    var cursor = try snapshot.table("Thing").tree.cursor()
    while try cursor.next() != nil { count += 1 }
    return count
  }

  /// Looks at a count, and how often the cache was asked meanwhile.
  private static func lookUps(_ text: String, _ snapshot: Snapshot, in database: Database) throws
    -> (count: Int, hitCount: Int, missCount: Int)
  {
    let before = database.store.cache.statistics
    let count = try Query(text, on: "Thing", in: snapshot.schema).count(in: snapshot)
    let after = database.store.cache.statistics
    return (count, after.hitCount - before.hitCount, after.missCount - before.missCount)
  }

  private static let questions = ["a > 0", "b < 0.0", "a > 0 AND b > 0.0", "a < b"]

  @Test func aScanOfKnownLeavesAsksTheCacheOncePerGroup() throws {
    let database = try Self.database(cacheByteCount: 64 << 20)
    let snapshot = try database.snapshot()
    let leafCount = try Self.leafCount(snapshot)
    #expect(leafCount > 2 * DecodedLeafGroup.leafCount)
    for text in Self.questions.prefix(3) {
      let first = try Self.lookUps(text, snapshot, in: database)
      let second = try Self.lookUps(text, snapshot, in: database)
      #expect(second.count == first.count)
      // The groups, the list of leaves and the vectors of two columns.
      #expect(second.hitCount <= leafCount / DecodedLeafGroup.leafCount + 8, "\(text)")
      #expect(second.missCount == 0, "\(text)")
    }
    // A new version has other leaves.
    try database.write { transaction in
      try transaction.create("Thing", ["a": .int(1), "b": .double(1)])
    }
    let next = try database.snapshot()
    #expect(
      try Self.lookUps("a > 0", next, in: database).count
        == Self.lookUps("a > 0", snapshot, in: database).count + 1)
  }

  /// A comparison of two properties opens every leaf, and so finds every page again.
  @Test func aScanThatOpensKnownLeavesMakesNoGroupAgain() throws {
    let database = try Self.database(cacheByteCount: 64 << 20)
    let snapshot = try database.snapshot()
    let root = try snapshot.table("Thing").tree.root.reference
    let page = root.identity
    let groupCount =
      (try Self.leafCount(snapshot) + DecodedLeafGroup.leafCount - 1) / DecodedLeafGroup.leafCount
    func groups() -> [ObjectIdentifier?] {
      (0..<groupCount).map { number in
        database.store.cache.value(page: page, item: DecodedLeaves.item(number))
          .map { ObjectIdentifier($0) }
      }
    }
    _ = try Self.lookUps("a < b", snapshot, in: database)
    let first = groups()
    #expect(first.allSatisfy { $0 != nil })
    _ = try Self.lookUps("a < b", snapshot, in: database)
    #expect(groups() == first)
  }

  private final class Other: Sendable {}

  /// A page that is decoded again lies at another address.
  ///
  /// What was found in it before, held with its neighbours, was read where nothing was any more.
  @Test func vectorsStayWhenTheirPageIsDecodedAgain() throws {
    let database = try Self.database(cacheByteCount: 64 << 20)
    let snapshot = try database.snapshot()
    let table = try snapshot.table("Thing")
    let doubles = try #require(table.schema.column("b")?.id)
    func leaf(of access: TableAccess) throws -> Leaf {
      let list = try #require(try access.leafList(isBuilt: true))
      return Leaf(access, list.entries[0], number: 0)
    }
    // Found by one run: the keys, in the first decoded page.
    let list = try #require(try TableAccess(table).leafList(isBuilt: true))
    let reference = list.entries[0].reference
    func look(_ body: (Leaf) throws -> Void) throws {
      let access = try TableAccess(table)
      try body(leaf(of: access))
      withExtendedLifetime(access) {}
    }
    try look { _ = try $0.keys() }
    weak let first = table.tree.reader.decodedPage(reference)
    #expect(first != nil)
    let access = try TableAccess(table)
    let tested = try leaf(of: access)
    _ = try tested.keys()
    // By another one: doubles, in the page as it is decoded once more.
    database.store.cache.insert(Other(), byteCount: 1, page: reference.identity, item: .max)
    try look { _ = try $0.doubles(doubles) }
    #expect(first != nil)
    // So that the group of the leaf is asked for again: that of others was asked for last.
    _ = access.decodedLeaves?.group(of: DecodedLeafGroup.leafCount)
    _ = try tested.doubles(doubles)
    #expect(first != nil)
    let second = table.tree.reader.decodedPage(reference)
    #expect(second != nil && second !== first)
    withExtendedLifetime((access, tested)) {}
  }

  /// Groups that take a large part of the cache would push the pages out that they are made of.
  @Test(arguments: [0, 1 << 16, 1 << 20])
  func noGroupsAreMadeWhereTheyDoNotFit(cacheByteCount: Int) throws {
    let plenty = try Self.database(cacheByteCount: 64 << 20)
    let scarce = try Self.database(cacheByteCount: cacheByteCount)
    for text in Self.questions + Self.questions {
      let expected = try Self.lookUps(text, plenty.snapshot(), in: plenty)
      let found = try Self.lookUps(text, scarce.snapshot(), in: scarce)
      #expect(found.count == expected.count, "\(text)")
    }
    let root = try scarce.snapshot().table("Thing").tree.root.reference
    let page = root.identity
    #expect(scarce.store.cache.value(page: page, item: DecodedLeaves.item(0)) == nil)
    let known = try plenty.snapshot().table("Thing").tree.root.reference
    let knownPage = known.identity
    #expect(plenty.store.cache.value(page: knownPage, item: DecodedLeaves.item(0)) != nil)
    #expect(scarce.store.cache.statistics.byteCount <= cacheByteCount)
  }
}
