import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// A layer above takes part in transactions, in check and in salvage.
@Suite(.computing) struct ParticipantTests {
  /// Keeps a journal of the changes of each commit in a tree of its own.
  private struct Journal: DatabaseParticipant {
    static let tree = "journal"

    func join(_ transaction: Transaction) -> any TransactionParticipant { Page(transaction) }

    func check(_ snapshot: Snapshot) -> [String] {
      snapshot.namedTree(Self.tree) == nil ? ["there is no journal"] : []
    }

    func mend(_ transaction: Transaction) throws(ObjectError) {
      try transaction.namedTree(Self.tree).set(Array("mended".utf8), for: [0])
    }
  }

  private final class Page: TransactionParticipant, ChangeWitness {
    private unowned let transaction: Transaction
    private var text = ""

    init(_ transaction: Transaction) { self.transaction = transaction }

    func witness(of writer: TableWriter) -> (any ChangeWitness)? { self }

    func didChangeSchema() { text += "schema " }

    func writeDeferred() { transaction.hasDeferredWrites = false }

    func willCommit() throws(ObjectError) {
      guard !text.isEmpty else { return }
      try transaction.namedTree(Journal.tree).set(Array(text.utf8), for: [1])
    }

    func keptKey(_ primaryKey: Value, _ writer: TableWriter) -> UInt64? { nil }

    func willRemove(_ keys: [UInt64], of table: TableSchema) { text += "remove\(keys) " }

    func willChange(_ column: Column, of key: UInt64, _ writer: TableWriter) {
      text += "change \(column.name) "
    }

    func willChange(_ part: Value, in column: Column, of key: UInt64, _ writer: TableWriter) {
      text += "part \(part) "
    }

    func willChange(
      _ change: ElementChange, in column: Column, of key: UInt64, _ writer: TableWriter
    ) { text += "element " }

    func willRearrange(
      _ column: Column, of key: UInt64, _ writer: TableWriter, _ order: [Int], moved: Set<Int>
    ) { text += "order\(order) " }

    func willClear(_ places: [Int], in column: Column, of key: UInt64, _ writer: TableWriter) {
      text += "clear\(places) "
    }

    func didAssign(_ column: Column, of key: UInt64, _ writer: TableWriter) { text += "assign " }

    func didIncrement(
      _ column: Column, of key: UInt64, by delta: Int64, _ writer: TableWriter
    ) { text += "add \(delta) " }

    func didInsert(_ key: UInt64, _ writer: TableWriter) { text += "insert " }

    func willDelete(_ key: UInt64, _ writer: TableWriter) { text += "delete " }
  }

  private static func options() -> Database.Options {
    var options = Database.Options()
    options.participant = Journal()
    return options
  }

  private static func page(_ database: Database) throws -> String? {
    try database.snapshot().namedTree(Journal.tree)?.get([1])
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func itHearsOfEachChangeAndWritesInTheSameCommit() throws {
    let database = try Database.inMemory(options: Self.options())
    let key = try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Row",
          properties: [
            PropertySchema("n", .int), PropertySchema("list", .int, collection: .list),
            PropertySchema("links", linkTo: "Row", collection: .list),
          ]))
      return try transaction.create("Row", ["n": .int(1)])
    }
    #expect(try Self.page(database) == "schema insert ")
    try database.write { transaction in
      try transaction.increment("Row", key, "n", by: 2)
      try transaction.set("Row", key, "list", .list([.int(1), .int(2)]))
      try transaction.append("Row", key, "list", .int(3))
    }
    #expect(try Self.page(database) == "change n add 2 change list assign element ")
    try database.write { transaction in
      let column = try transaction.schema.requireTable("Row").requireColumn("list")
      try transaction.rearrange(key, column, [1, 0, 2], moved: [0])
    }
    #expect(try Self.page(database) == "order[1, 0, 2] ")
    let other = try database.write { transaction in
      let other = try transaction.create("Row")
      let link = try transaction.schema.link(to: other, of: "Row")
      try transaction.append("Row", key, "links", link)
      return other
    }
    try database.write { try $0.delete("Row", other) }
    #expect(try Self.page(database) == "delete remove[\(other.rawValue)] clear[0] ")
    #expect(try database.check().findings == [])
  }

  @Test func checkAsksItAndSalvageLetsItMend() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "source")
    let database = try Database.open(path)
    try database.write { try $0.addClass(ClassSchema("Row", properties: [])) }
    try database.close()
    let again = try Database.open(path, options: Self.options())
    #expect(try again.check().findings.map(\.message) == ["there is no journal"])
    try again.close()
    _ = try Database.salvage(path, to: folder.path(of: "copy"), options: Self.options())
    let copy = try Database.open(folder.path(of: "copy"), options: Self.options())
    #expect(try copy.check().findings == [])
    #expect(try copy.snapshot().namedTree(Journal.tree)?.get([0]) == Array("mended".utf8))
    #expect(try Self.page(copy) == nil)
  }

  /// Nothing is read through it, and nothing put off stays so.
  @Test func whatIsPutOffIsMadeBeforeARead() throws {
    let database = try Database.inMemory(options: Self.options())
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Row", properties: [PropertySchema("n", .int)]))
      let key = try transaction.create("Row", ["n": .int(1)])
      transaction.hasDeferredWrites = true
      #expect(try transaction.value("Row", key, "n") == .int(1))
      #expect(!transaction.hasDeferredWrites)
    }
  }
}
