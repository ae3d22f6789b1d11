@testable import AtollObjects
import AtollStorage
import TestThreads
import Testing

/// Files whose pages are whole and whose contents contradict each other: `check` says how.
@Suite(.computing) struct ObjectDamageTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("age", .int, isIndexed: true),
            PropertySchema("best", linkTo: "Person"),
            PropertySchema("friends", linkTo: "Person", collection: .list),
          ])
      ])
      let people = try (0..<50).map {
        try transaction.create("Person", ["age": .int(Int64($0 % 5))])
      }
      let table = try transaction.table("Person")
      let links = try people.map { Value.link(try #require(try table.object($0)).link) }
      for (index, key) in people.enumerated() {
        try transaction.set("Person", key, "best", links[(index + 1) % 50])
        try transaction.set(
          "Person", key, "friends", .list([links[0], links[0], links[(index * 7) % 50]]))
      }
    }
    try database.expectSound()
  }

  /// Publishes a version whose catalogue says what `body` makes of the class's record.
  private func publish(_ body: (inout ClassRecord, WriteTransaction) throws -> Void) throws {
    let transaction = try database.store.beginWrite()
    let catalogue = try Catalogue(root: transaction.base.catalogue, reader: transaction.reader)
    var record = try #require(catalogue.records.first)
    try body(&record, transaction)
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: Catalogue.treeID, transaction: transaction)
    try tree.set(record.encoded(), for: record.key)
    try transaction.commit(catalogue: try tree.flush())
  }

  private func changeIndex(_ body: (MutableIndex) throws -> Void) throws {
    try publish { record, transaction in
      let index = try #require(record.columns[0].index)
      let tree = MutableIndex(
        root: index.root, treeID: index.treeID, transaction: transaction)
      try body(tree)
      record.columns[0].index?.root = try tree.flush()
    }
  }

  private func changeBacklinks(_ column: Int, _ body: (MutableIndex) throws -> Void) throws {
    try publish { record, transaction in
      let backlinks = try #require(record.columns[column].backlinks)
      let tree = MutableIndex(
        root: backlinks.root, treeID: backlinks.treeID, transaction: transaction, mode: .counted)
      try body(tree)
      record.columns[column].backlinks?.root = try tree.flush()
    }
  }

  private func findings() throws -> [String] { try database.check().findings.map(\.message) }

  private static func bytes(_ value: Int64) throws -> [UInt8] {
    try #require(Index.bytes(of: .int(value)))
  }

  private static func target(_ key: UInt64) throws -> [UInt8] {
    try #require(Index.bytes(of: Index.target(key)))
  }

  @Test func namesAnIndexEntryWithoutObject() throws {
    try changeIndex { try $0.insert(Self.bytes(3), key: 77) }
    #expect(
      try findings() == [
        "index of Person.age: an entry has no object with its value (1 in all)"
      ])
  }

  @Test func namesAnIndexEntryWithAnotherValue() throws {
    try changeIndex { index in
      try index.remove(Self.bytes(0), key: 1)
      try index.insert(Self.bytes(99), key: 1)
    }
    #expect(
      try findings() == [
        "index of Person.age: an object has no entry in it (1 in all)",
        "index of Person.age: an entry has no object with its value (1 in all)",
      ])
  }

  @Test func namesAnObjectWithoutIndexEntry() throws {
    try changeIndex { index in
      for key: UInt64 in [1, 6, 11] { try index.remove(Self.bytes(0), key: key) }
    }
    #expect(
      try findings() == ["index of Person.age: an object has no entry in it (3 in all)"])
  }

  @Test func namesADanglingBacklink() throws {
    try changeBacklinks(1) { try $0.insert(Self.target(5), key: 20) }
    #expect(
      try findings() == [
        "backlinks of Person.best: a backlink has no link (it dangles) (1 in all)"
      ])
  }

  @Test func namesABacklinkFromNobodyToNobody() throws {
    try changeBacklinks(2) { try $0.insert(Self.target(700), key: 900) }
    #expect(
      try findings() == [
        "backlinks of Person.friends: a backlink has no link (it dangles) (1 in all)"
      ])
  }

  @Test func namesALinkWithoutBacklink() throws {
    try changeBacklinks(1) { try $0.remove(Self.target(5), key: 4) }
    #expect(try findings() == ["backlinks of Person.best: a link has no backlink (1 in all)"])
  }

  @Test func namesALinkThatCountsTwiceAndIsListedOnce() throws {
    try changeBacklinks(2) { try $0.remove(Self.target(1), key: 3) }
    #expect(try findings() == ["backlinks of Person.friends: a link has no backlink (1 in all)"])
  }

  @Test func namesALinkToAnObjectThatDoesNotExist() throws {
    try publish { record, transaction in
      // The rows of a version in which object 50 is gone, the backlinks of this one.
      let environment = RowGroupEnvironment(
        store: BlobStore(reader: transaction.reader, transaction: transaction))
      let writer = TableWriter(
        record: record, continuing: nil, storage: transaction, environment: environment,
        newTreeID: { preconditionFailure("no mixed value holds a link") })
      try writer.carryOut(TableRemoval(keys: [50])) { _, _, _, _ in }
      record = try writer.flush()
    }
    #expect(
      try findings() == [
        "1 links of Person.best lead to objects that do not exist",
        "1 links of Person.friends lead to objects that do not exist",
      ])
  }

  /// Members of a set are found by a binary search, in the leaf and outside as one value too.
  @Test(arguments: [2, 4000]) func namesASetThatIsNotInOrder(byteCount: Int) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Bag", properties: [PropertySchema("set", .string, collection: .set)]))
      try transaction.create("Bag", ["set": .set([.string("a"), .string("b")])])
    }
    try database.expectSound()
    let transaction = try database.store.beginWrite()
    let catalogue = try Catalogue(root: transaction.base.catalogue, reader: transaction.reader)
    let environment = RowGroupEnvironment(
      store: BlobStore(reader: transaction.reader, transaction: transaction))
    let writer = TableWriter(
      record: try #require(catalogue.records.first), continuing: nil, storage: transaction,
      environment: environment,
      newTreeID: { preconditionFailure("no mixed value holds a link") })
    #expect(try writer.select(1))
    let members = ["b", "a"].map { Value.string(String(repeating: $0, count: byteCount)) }
    try writer.setSelected(writer.schema.columns[0], .set(members))
    let record = try writer.flush()
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: Catalogue.treeID, transaction: transaction)
    try tree.set(record.encoded(), for: record.key)
    try transaction.commit(catalogue: try tree.flush())
    #expect(
      try database.check().findings.map(\.message) == ["Bag.set: a set or map is not in order"])
  }

  @Test func namesAWrongEntryCount() throws {
    try publish { record, _ in record.rows.root.entryCount += 1 }
    #expect(try findings() == ["the root says 51 entries, its leaves hold 50"])
    try publish { record, _ in record.rows.root.entryCount -= 1 }
    try database.expectSound()
    try publish { record, _ in record.columns[0].index?.root.main.entryCount = 7 }
    #expect(try findings() == ["the root says 7 entries, its leaves hold 50"])
  }

  @Test func namesAnIndexThatIsLost() throws {
    try publish { record, _ in record.columns[0].index?.root = .empty }
    #expect(
      try findings() == ["index of Person.age: an object has no entry in it (50 in all)"])
  }

  @Test func namesATreeInThePlaceOfAnother() throws {
    try publish { record, _ in
      let other = record.columns[1].backlinks?.root ?? .empty
      record.columns[0].index?.root = other
    }
    #expect(try findings().contains("it belongs to another tree"))
    try publish { record, _ in record.rows.root = record.columns[1].backlinks?.root.main ?? .empty }
    let found = try database.check().findings
    #expect(found.contains { $0.message.hasPrefix("it is of kind") && $0.block != nil })
    // Reading says so too, instead of showing something else.
    #expect(throws: ObjectError.self) {
      try database.snapshot().table("Person").object(ObjectKey(rawValue: 3))
    }
  }

  /// What a tree says of a leaf's values is what a scan leaves the leaf out by.
  @Test func namesAZoneMapThatDoesNotHold() throws {
    try database.write { transaction in
      for index in 0..<20_000 { try transaction.create("Person", ["age": .int(Int64(index))]) }
    }
    try database.expectSound()
    try publish { record, transaction in
      let root = record.rows.root.reference
      var payload = try transaction.reader.page(root, kind: .branch).bytes.copy()
      let table = try database.snapshot().table("Person")
      var cursor = table.tree.cursor()
      var summaries: [[UInt8]] = []
      while let entry = try cursor.next() { summaries.append(entry.summary.copy()) }
      // The zones of one leaf in the place of another's.
      let other = try #require(
        summaries.indices.dropFirst().first { summaries[$0].count == summaries[$0 - 1].count })
      let place = try #require(payload.firstRange(of: summaries[other - 1]))
      payload.replaceSubrange(place, with: summaries[other])
      record.rows.root.reference = try transaction.makePage(
        kind: .branch, treeID: record.rows.treeID, payload: payload, compress: true)
      try transaction.freePage(root)
    }
    let found = try findings()
    #expect(found.contains("the zone map of Person.age does not hold for its values"), "\(found)")
  }

  /// A delta with fewer entries than its root says, which a commit would move for ever.
  @Test func aCommitNamesADeltaThatLacksEntries() throws {
    try database.write { transaction in
      // Ages that lie far apart, so that the main tree has more than one leaf.
      for index in 0..<9000 {
        try transaction.create("Person", ["age": .int(Int64(index) &* 0x1234_5678_9ABC)])
      }
    }
    try database.write { try $0.create("Person", ["age": .int(77)]) }
    try publish { record, _ in
      let added = record.columns[0].index?.root.added.entryCount ?? 0
      #expect(added > 0)
      record.columns[0].index?.root.added.entryCount = added + 100_000
    }
    let block = try database.snapshot().catalogue.records[0].columns[0].index?.root.added
    let error = ObjectError.storage(
      .corrupted(block: block?.reference.block ?? 0, .structure(.wrongEntryCount)))
    #expect(throws: error) { try database.write { try $0.create("Person", ["age": .int(78)]) } }
  }

  /// A class that gives out a key that one of its objects has.
  @Test func aNewObjectNeverTakesTheKeyOfAnother() throws {
    try publish { record, _ in record.nextKey = 7 }
    #expect(throws: ObjectError.self) { try database.write { try $0.create("Person") } }
    #expect(try database.snapshot().table("Person").count == 50)
  }

  @Test func namesACatalogueThatCannotBeRead() throws {
    let transaction = try database.store.beginWrite()
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: Catalogue.treeID, transaction: transaction)
    try tree.set([1, 2, 3], for: ClassRecord.key(1))
    try transaction.commit(catalogue: try tree.flush())
    #expect(throws: ObjectError.self) { try database.snapshot() }
    #expect(try database.check().findings.count == 1)
    #expect(throws: ObjectError.self) { try database.write { _ in } }
  }
}
