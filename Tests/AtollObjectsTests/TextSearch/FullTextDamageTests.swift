@testable import AtollObjects
import AtollStorage
import TestThreads
import Testing

/// A full-text index that does not say what the objects say is found by `check`, both ways.
@Suite(.computing) struct FullTextDamageTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Note",
          properties: [
            PropertySchema("text", .string, isOptional: true, isFullTextIndexed: true)
          ]))
      for text in ["Åse på båt", "on a boat", "a boat, a boat"] {
        try transaction.create("Note", ["text": .string(text)])
      }
      try transaction.create("Note")
    }
    try database.expectSound()
  }

  private func publish(_ body: (inout ClassRecord.ColumnRecord, WriteTransaction) throws -> Void)
    throws
  {
    let transaction = try database.store.beginWrite()
    let catalogue = try Catalogue(root: transaction.base.catalogue, reader: transaction.reader)
    var record = try #require(catalogue.records.first)
    try body(&record.columns[0], transaction)
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: Catalogue.treeID, transaction: transaction)
    try tree.set(record.encoded(), for: record.key)
    try transaction.commit(catalogue: try tree.flush())
  }

  private func changeIndex(_ body: (MutableIndex) throws -> Void) throws {
    try publish { column, transaction in
      let record = try #require(column.fullText)
      let tree = MutableIndex(
        root: record.root, treeID: record.treeID, transaction: transaction)
      try body(tree)
      column.fullText?.root = try tree.flush()
    }
  }

  private func findings() throws -> [String] { try database.check().findings.map(\.message) }

  private static func token(_ token: String) -> [UInt8] {
    Index.range(ofToken: Array(token.utf8)).lower
  }

  private static let missing =
    "full-text index of Note.text: a word of an object has no entry in it (1 in all)"
  private static let extra =
    "full-text index of Note.text: an entry has no object with its word (1 in all)"

  @Test func namesAWordWithoutEntry() throws {
    try changeIndex { try $0.remove(Self.token("åse"), key: 1) }
    #expect(try findings() == [Self.missing])
  }

  @Test func namesAnEntryWithoutWord() throws {
    try changeIndex { try $0.insert(Self.token("ase"), key: 1) }
    #expect(try findings() == [Self.extra])
  }

  @Test func namesAnEntryOfAnObjectWithoutText() throws {
    try changeIndex { try $0.insert(Self.token("boat"), key: 4) }
    #expect(try findings() == [Self.extra])
  }

  @Test func namesAnEntryOfNobody() throws {
    try changeIndex { try $0.insert(Self.token("boat"), key: 77) }
    #expect(try findings() == [Self.extra])
  }

  @Test func namesAnEntryUnderAnotherWord() throws {
    try changeIndex { index in
      try index.remove(Self.token("boat"), key: 2)
      try index.insert(Self.token("Boat"), key: 2)
    }
    #expect(try findings() == [Self.missing, Self.extra])
  }

  @Test func namesAnIndexThatIsLost() throws {
    try publish { column, _ in column.fullText?.root = .empty }
    #expect(
      try findings().first
        == "full-text index of Note.text: a word of an object has no entry in it (8 in all)")
  }

  @Test func aFullTextIndexOfNumbersIsNoCatalogue() throws {
    try publish { column, _ in column.layout.value = .int }
    #expect(throws: ObjectError.self) { try database.snapshot() }
  }
}
