import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// What was read from a transaction is no more after its end: an error, whatever became of its
/// pages.
@Suite(.computing) struct TransactionEndTests {
  enum End: CaseIterable {
    case commit, emptyCommit, cancel, failure
  }

  /// What a program may keep of a transaction.
  private struct Kept {
    let transaction: Transaction
    let table: Table
    let object: Object
    let own: Object
    let reader: ObjectReader
    let unopened: ObjectReader
    /// In the middle of a walk.
    let walking: ObjectReader
    let writer: ObjectWriter
  }

  private static let count = 4000

  private static func makeDatabase(in folder: TemporaryFolder, isEncrypted: Bool) throws -> Database
  {
    let database = try Database.open(
      folder.path(of: "a.atoll"),
      options: .init(encryptionKey: isEncrypted ? Array(repeating: 7, count: 64) : nil))
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("id", .int), PropertySchema("text", .string, isIndexed: true),
            PropertySchema("next", linkTo: "Item"),
          ], primaryKey: "id"))
      for id in 0..<count {
        _ = try transaction.create(
          "Item", ["id": .int(Int64(id)), "text": .string("text \(id) \(id &* 7919)")])
      }
    }
    return database
  }

  private static func keep(_ transaction: Transaction) throws -> Kept {
    let writer = try transaction.objectWriter("Item")
    _ = try writer.create(primaryKey: Int64(count))
    let table = try transaction.table("Item")
    let columns = table.schema.columns
    let reader = ObjectReader(table, columns: columns)
    #expect(try reader.select(ObjectKey(integerPrimaryKey: 3)))
    let walking = ObjectReader(table, columns: columns)
    #expect(try walking.next())
    return Kept(
      transaction: transaction, table: table,
      object: try #require(try table.object(primaryKey: .int(3))),
      own: try #require(try table.object(primaryKey: .int(Int64(count)))), reader: reader,
      unopened: ObjectReader(table, columns: columns), walking: walking, writer: writer)
  }

  private static func end(_ end: End, _ database: Database) throws -> Kept {
    struct Failure: Error {}
    let transaction = try database.beginWrite()
    let kept = try keep(transaction)
    switch end {
    case .commit: try transaction.commit()
    case .cancel: transaction.cancel()
    case .emptyCommit:
      transaction.cancel()
      let other = try database.beginWrite()
      let table = try other.table("Item")
      try other.commit()
      #expect(throws: ended(database)) { _ = try table.object(ObjectKey(integerPrimaryKey: 3)) }
    case .failure:
      #expect(throws: Failure.self) {
        transaction.cancel()
        try database.write { _ in throw Failure() }
      }
    }
    return kept
  }

  private static func ended(_ database: Database) -> ObjectError {
    .storage(.transactionEnded(path: database.path))
  }

  @Test(arguments: End.allCases, [false, true])
  func everyUseIsAnError(end: End, isEncrypted: Bool) throws {
    let folder = TemporaryFolder()
    let database = try Self.makeDatabase(in: folder, isEncrypted: isEncrypted)
    let kept = try Self.end(end, database)
    // Its pages are given to others, and the file is cut before them.
    try database.write { transaction in
      for id in 0..<Self.count where id != 3 {
        try transaction.delete("Item", ObjectKey(integerPrimaryKey: Int64(id)))
      }
    }
    _ = try database.compactInPlace()

    let ended = Self.ended(database)
    let (transaction, table) = (kept.transaction, kept.table)
    let key = ObjectKey(integerPrimaryKey: 3)
    let text = try table.column("text")
    for object in [kept.object, kept.own] {
      for column in table.schema.columns {
        #expect(throws: ended) { _ = try object.value(column) }
      }
      #expect(throws: ended) { _ = try object["text"] }
      #expect(throws: ended) { _ = try object.linked(table.column("next")) }
      #expect(throws: ended) { _ = try object.backlinks(table.column("next")) }
    }
    #expect(throws: ended) { _ = try table.object(key) }
    #expect(throws: ended) { _ = try table.object(primaryKey: .int(3)) }
    #expect(throws: ended) { try table.forEach { _ in } }
    #expect(throws: ended) { _ = try kept.unopened.next() }
    // What is left of the leaf that it has opened.
    #expect(throws: ended) { while try kept.walking.next() {} }
    #expect(throws: ended) { _ = try kept.unopened.select(key) }
    #expect(throws: ended) { _ = try kept.writer.create(primaryKey: 99_999) }
    #expect(throws: ended) { _ = try kept.writer.select(key) }
    #expect(throws: ended) { try kept.writer.set(text, "x") }
    #expect(throws: ended) { _ = try transaction.table("Item") }
    #expect(throws: ended) { _ = try transaction.create("Item", ["id": .int(99_999)]) }
    #expect(throws: ended) { try transaction.set("Item", key, "text", .string("x")) }
    #expect(throws: ended) { _ = try transaction.value("Item", key, "text") }
    #expect(throws: ended) { try transaction.delete("Item", key) }
    #expect(throws: ended) { _ = try transaction.objectWriter("Item") }
    #expect(throws: ended) { try transaction.addClass(ClassSchema("B", properties: [])) }
    #expect(throws: ended) { try transaction.addIndex(on: "id", of: "Item") }
    #expect(throws: ended) { try transaction.addProperty(PropertySchema("n", .int), to: "Item") }
    #expect(throws: ended) { try transaction.renameProperty("text", of: "Item", to: "words") }
    #expect(throws: ended) { try transaction.makeOptional("text", of: "Item") }
    #expect(throws: ended) { try transaction.commit() }
    transaction.cancel()
    _ = transaction.changes
    #expect(try database.check().findings == [])
  }

  /// A reader keeps the leaves that it has opened as they were, wherever they lay.
  @Test(arguments: End.allCases, [false, true])
  func anOpenedLeafStaysAsItWas(end: End, isEncrypted: Bool) throws {
    let folder = TemporaryFolder()
    let database = try Self.makeDatabase(in: folder, isEncrypted: isEncrypted)
    let kept = try Self.end(end, database)
    try database.write { transaction in
      for id in 0..<Self.count {
        try transaction.delete("Item", ObjectKey(integerPrimaryKey: Int64(id)))
      }
    }
    _ = try database.compactInPlace()
    #expect(kept.reader.key == ObjectKey(integerPrimaryKey: 3))
    #expect(try kept.reader.value(1) == .string("text 3 23757"))
  }

  /// In a running transaction a change leaves what was read before as it was.
  @Test func objectsOfARunningTransactionCanBeRead() throws {
    let folder = TemporaryFolder()
    let database = try Self.makeDatabase(in: folder, isEncrypted: false)
    try database.write { transaction in
      let kept = try Self.keep(transaction)
      try transaction.set("Item", kept.object.key, "text", .string("new"))
      #expect(try kept.object["text"] == .string("text 3 23757"))
      #expect(try kept.own["id"] == .int(Int64(Self.count)))
    }
  }
}
