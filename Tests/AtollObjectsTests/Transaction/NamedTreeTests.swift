import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Trees that a layer above keeps beside the objects.
@Suite(.computing) struct NamedTreeTests {
  @Test func aTransactionSeesItsOwnChangesAndASnapshotSeesNone() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      let tree = try transaction.namedTree("notes")
      try tree.set([1], for: [5])
      try tree.set([2], for: [7])
    }
    let before = try database.snapshot()
    try database.write { transaction in
      let tree = try transaction.namedTree("notes")
      try tree.set(nil, for: [5])
      try tree.set([3], for: [6])
      #expect(try transaction.namedTree("notes").count == 2)
      #expect(try tree.get([5]) == nil)
      #expect(try tree.first(atOrAfter: [0])?.key == [6])
      #expect(try tree.last(before: [7])?.key == [6])
    }
    let old = try #require(before.namedTree("notes"))
    #expect(old.count == 2)
    #expect(try old.get([5]) == [1])
    #expect(try old.first(atOrAfter: [6])?.key == [7])
    #expect(try old.last(before: [7])?.key == [5])
    #expect(try Self.contents(database) == [[6]: [3], [7]: [2]])
  }

  /// A tree comes with its first entry, and costs no version before.
  @Test func openingATreeChangesNothing() throws {
    let database = try Database.inMemory()
    let version = try database.snapshot().version
    try database.write { transaction in
      let tree = try transaction.namedTree("notes")
      #expect(try tree.get([1]) == nil)
      try tree.set([1], for: [1])
      try tree.set(nil, for: [1])
    }
    #expect(try database.snapshot().version == version)
    #expect(try database.snapshot().namedTree("notes") == nil)
  }

  @Test func aTreeThatWasEmptiedIsStillThere() throws {
    let database = try Database.inMemory()
    try database.write { try $0.namedTree("notes").set([1], for: [1]) }
    try database.write { try $0.namedTree("notes").removeAll() }
    #expect(try database.snapshot().namedTree("notes")?.count == 0)
    try database.write { try $0.namedTree("notes").set([4], for: [2]) }
    #expect(try Self.contents(database) == [[2]: [4]])
    #expect(try database.check().findings == [])
  }

  @Test func whatACancelledTransactionDidIsGone() throws {
    let database = try Database.inMemory()
    try database.write { try $0.namedTree("notes").set([1], for: [1]) }
    let transaction = try database.beginWrite()
    let tree = try transaction.namedTree("notes")
    try tree.set([2], for: [2])
    try transaction.namedTree("others").set([3], for: [3])
    transaction.cancel()
    #expect(throws: ObjectError.storage(.transactionEnded(path: database.path))) {
      try tree.set([1], for: [1])
    }
    #expect(throws: ObjectError.storage(.transactionEnded(path: database.path))) {
      try tree.get([1])
    }
    #expect(try Self.contents(database) == [[1]: [1]])
    #expect(try database.snapshot().namedTreeNames == ["notes"])
  }

  /// Trees and classes are numbered by one counter, whatever is added first.
  @Test func treesAndClassesMayBeAddedInOneTransaction() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.namedTree("a").set([1], for: [1])
      try transaction.addClass(ClassSchema("Thing", properties: [PropertySchema("a", .int)]))
      try transaction.namedTree("b").set([2], for: [2])
      try transaction.create("Thing", ["a": .int(1)])
    }
    try database.write { try $0.addClass(ClassSchema("Other", properties: [])) }
    try database.close()
    let opened = try Database.open(path)
    #expect(try opened.snapshot().namedTreeNames == ["a", "b"])
    #expect(try Self.contents(opened, "b") == [[2]: [2]])
    try opened.write { try $0.namedTree("c").set([3], for: [3]) }
    #expect(try opened.check().findings == [])
  }

  @Test func anEntryHasALimit() throws {
    let database = try Database.inMemory()
    let limit = NamedTree.entryByteCountLimit
    try database.write { transaction in
      let tree = try transaction.namedTree("notes")
      try tree.set(Array(repeating: 1, count: limit - 1), for: [1])
      #expect(
        throws: ObjectError.storage(.valueTooLarge(byteCount: limit + 1, limit: limit))
      ) {
        try tree.set(Array(repeating: 1, count: limit), for: [2])
      }
    }
    #expect(try database.snapshot().namedTree("notes")?.count == 1)
    #expect(throws: ObjectError.invalidSchema(.emptyName)) {
      try database.write { _ = try $0.namedTree("") }
    }
  }

  /// Both compactions and a copy keep the entries; the check reads them.
  @Test func compactionsKeepTheEntries() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    let database = try Database.open(path)
    try Self.fill(database)
    let expected = try Self.contents(database)
    let sizeBefore = try database.status().fileByteCount
    try database.compactInPlace(
      limits: CompactionLimits(transactionCount: 200, stepByteCount: 64 << 10))
    #expect(try database.status().fileByteCount < sizeBefore / 2)
    #expect(try Self.contents(database) == expected)
    #expect(try database.check().findings == [])

    let copyPath = folder.path(of: "copy")
    try database.writeCompactCopy(to: copyPath)
    let copy = try Database.open(copyPath)
    #expect(try Self.contents(copy) == expected)
    #expect(try copy.snapshot().namedTree("empty")?.count == 0)
    #expect(try copy.check().findings == [])
    try copy.close()

    try database.close()
    _ = try Database.compact(path)
    let compacted = try Database.open(path)
    #expect(try Self.contents(compacted) == expected)
    try compacted.write { try $0.namedTree("empty").set([1], for: [1]) }
    #expect(try compacted.check().findings == [])
  }

  /// A tree with entries among pages that are free, and one without.
  private static func fill(_ database: Database) throws {
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Thing", properties: [PropertySchema("a", .data)]))
      let tree = try transaction.namedTree("notes")
      for number in 0..<4000 {
        try tree.set(noise(number), for: [UInt8(number >> 8), UInt8(number & 255)])
      }
      try transaction.namedTree("empty").set([1], for: [1])
    }
    try database.write { transaction in
      let tree = try transaction.namedTree("notes")
      for number in 0..<3800 { try tree.set(nil, for: [UInt8(number >> 8), UInt8(number & 255)]) }
      try transaction.namedTree("empty").removeAll()
    }
  }

  /// Bytes that do not compress.
  private static func noise(_ seed: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(seed))
    return (0..<500).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private static func contents(_ database: Database, _ name: String = "notes") throws
    -> [[UInt8]: [UInt8]]
  {
    var contents: [[UInt8]: [UInt8]] = [:]
    try database.snapshot().namedTree(name)?.forEach { key, value in contents[key] = value }
    return contents
  }
}
