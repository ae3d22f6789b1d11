import Dispatch
import Foundation
import GRDB

/// The work of the rows, as an app does it with GRDB.
struct GRDBStore {
  /// The records of the list are those with a smaller `count`.
  static let listLimit = 500

  private let pool: DatabasePool

  /// Creates a file with a write-ahead log, each commit of which is synced to the disk.
  init(path: String) throws {
    pool = try DatabasePool(path: path)
    // A pool sets NORMAL when it opens, with which a commit may be lost when the power fails.
    let level = try pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
      return try Int.fetchOne(database, sql: "PRAGMA synchronous")
    }
    guard level == 2 else {
      throw Comparison.Failure(
        description: "SQLite does not sync its commits: synchronous is \(level ?? -1), not 2")
    }
    try pool.write { database in
      try database.create(table: SampleRecord.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
        table.column("count", .integer).notNull()
        table.column("ratio", .double).notNull()
        table.column("isOpen", .boolean).notNull()
      }
      try database.create(table: WideRecord.databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
        table.column("city", .text).notNull()
        table.column("age", .integer).notNull()
        table.column("height", .double).notNull()
        table.column("isMember", .boolean).notNull()
        table.column("born", .double).notNull()
        table.column("score", .integer)
        table.column("note", .text)
      }
    }
  }

  /// Inserts `count` records that `sample` makes, in one write.
  func fill(_ count: Int, _ sample: (Int) -> SampleRecord) throws {
    try pool.write { database in
      for number in 0..<count { try sample(number).insert(database) }
    }
  }

  /// Makes and inserts the records of `numbers` in one write, and returns the sum of their ages.
  func addWide(_ numbers: Range<Int>, round: Int) throws -> Int {
    try pool.write { database in
      var sum = 0
      for number in numbers {
        let record = WideRecord(
          name: "name \(number)", city: "Oslo", age: number, height: 1.5,
          isMember: number % 2 == 0, born: Date(timeIntervalSince1970: Double(number)),
          score: round, note: "note")
        try record.insert(database)
        sum += record.age
      }
      return sum
    }
  }

  /// Returns a sum of three properties of every record.
  func visit() throws -> Int {
    try pool.read { database in
      var sum = 0
      let records = try SampleRecord.fetchCursor(database)
      while let record = try records.next() {
        sum &+= record.count &+ record.name.utf8.count &+ (record.isOpen ? 1 : 0)
      }
      return sum
    }
  }

  /// Returns the sum of the counts of the records with these keys, in one read.
  func get(_ keys: [Int]) throws -> Int {
    try pool.read { database in
      var sum = 0
      for key in keys { sum &+= try SampleRecord.fetchOne(database, key: key)?.count ?? 0 }
      return sum
    }
  }

  /// Returns the keys that belong to the list, at most `count`.
  func keysOfList(_ count: Int) throws -> [Int] {
    try pool.read { database in
      try SampleRecord.filter(Column("count") < Self.listLimit).order(Column("id")).limit(count)
        .fetchAll(database).map(\.id)
    }
  }

  /// Gives a record a name.
  func rename(_ key: Int, to name: String) throws {
    try pool.write { database in
      guard var record = try SampleRecord.fetchOne(database, key: key) else { return }
      record.name = name
      try record.update(database)
    }
  }

  /// Delivers the list, sorted by name, now and after each change, until what is returned goes.
  func observe(on queue: DispatchQueue, _ deliver: @escaping @Sendable (ShownList) -> Void)
    -> AnyDatabaseCancellable
  {
    let observation = ValueObservation.tracking { database in
      try SampleRecord.filter(Column("count") < Self.listLimit).order(Column("name"))
        .fetchAll(database)
    }
    return observation.start(in: pool, scheduling: .async(onQueue: queue)) { error in
      try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
    } onChange: { records in
      var shown = ShownList(count: records.count)
      for record in records.prefix(ShownList.visibleCount) {
        shown.append(name: record.name, count: record.count)
      }
      deliver(shown)
    }
  }
}
