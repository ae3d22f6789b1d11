import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct KeySpanTests {
  private static let className = "Thing"

  /// Objects with integers as primary keys, which are their keys.
  private func access(_ primaryKeys: [Int64], _ body: (TableAccess) throws -> Void) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          Self.className, properties: [PropertySchema("id", .int)], primaryKey: "id"))
      for key in primaryKeys { try transaction.create(Self.className, ["id": .int(key)]) }
    }
    let table = try database.snapshot().table(Self.className)
    try body(try TableAccess(table))
  }

  @Test(arguments: [(31, 32), (32, 0)] as [(Int64, UInt64)])
  func numbersKeysThatLieDensely(distance: Int64, capacity: UInt64) throws {
    try access([-5, -5 + distance]) { table in
      let span = try KeySpan(table, keysPerObject: 4, minimumCount: 8)
      #expect(span.capacity == capacity)
      #expect(span.isDense == (capacity > 0))
      let keys = [-5, -4, -5 + distance].map { ObjectKey(integerPrimaryKey: $0).rawValue }
      #expect(keys.map { span.number(of: $0) } == [0, 1, UInt64(distance)])
      #expect(span.number(of: keys[0] - 1) >= capacity)
    }
  }

  @Test func numbersNoneAcrossAllIntegers() throws {
    try access([.min, .max]) { table in
      let span = try KeySpan(table, keysPerObject: 64, minimumCount: 1 << 12)
      #expect(!span.isDense)
      let set = try KeySet(of: table)
      let counts = try KeyCounts(of: table)
      for key in [Int64.min, 7, .max].map({ ObjectKey(integerPrimaryKey: $0).rawValue }) {
        #expect(!set.contains(key))
        set.insert(key)
        #expect(set.contains(key))
        counts.add(key)
        counts.add(key)
        #expect(counts[key] == 2)
      }
      #expect(set.byteCount == 3 * 8)
    }
  }

  @Test func numbersNoneOfNoObjects() throws {
    try access([]) { table in
      let span = try KeySpan(table, keysPerObject: 64, minimumCount: 1 << 12)
      #expect(span.capacity == 0)
      #expect(table.isPassWorth(0, each: 100))
    }
  }

  /// Through a bitmap where keys lie densely, else by comparison: the order is the same.
  @Test(arguments: [1, 60, 64, 65, 300, 1_000_000] as [Int64])
  func sortsKeysHoweverDenselyTheyLie(distance: Int64) throws {
    let primaryKeys = (0..<1000).map { Int64($0) * distance - 500 }
    try access(primaryKeys) { table in
      var random = SplitMix64(seed: UInt64(distance))
      for count in [0, 1, 64, 65, 100, 1000] {
        let chosen = primaryKeys.shuffled(using: &random).prefix(count)
          .map { ObjectKey(integerPrimaryKey: $0).rawValue }
        var keys = chosen
        try KeyLists.sort(&keys, table)
        #expect(keys == chosen.sorted())
      }
    }
  }

  @Test(arguments: [(100, 1, true), (101, 1, false), (101, 2, true)] as [(Int64, Int, Bool)])
  func aPassIsWorthItsCostInLookups(count: Int64, lookups: Int, isWorth: Bool) throws {
    try access(Array(0..<count)) { table in
      #expect(table.isPassWorth(lookups, each: 100) == isWorth)
    }
  }

  /// A table may claim as many objects as its file has room for, and no more: queries ask for
  /// memory by that number.
  @Test func refusesMoreObjectsThanTheFileHasRoomFor() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(Self.className, properties: [PropertySchema("number", .int)]))
      try transaction.create(Self.className)
    }
    let table = try database.snapshot().table(Self.className)
    /// The table with a root that claims so many objects.
    func claim(_ count: UInt64) throws -> TableAccess {
      var root = table.tree.root
      root.entryCount = count
      let tree = Tree(root: root, form: table.tree.form, reader: table.tree.reader)
      return try TableAccess(
        Table(
          source: table.source, schema: table.schema, tree: tree, environment: table.environment))
    }
    let limit = table.tree.reader.pageLimit * UInt64(RowGroupPage.maximumRowCount)
    #expect(try claim(limit).count == Int(limit))
    let error = StorageError.corrupted(
      block: table.tree.root.reference.block, .structure(.wrongEntryCount))
    for count in [limit + 1, 1 << 40, TreeRoot.entryCountLimit] {
      #expect(throws: error) { _ = try claim(count) }
    }
  }
}
