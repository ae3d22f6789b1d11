internal import AtollObjects
internal import AtollQuery

/// One random data set in Atoll and in SQLite, and the same random questions to both.
struct Agreement {
  /// A query that the two answer differently.
  struct Difference: Error, CustomStringConvertible {
    let seed: UInt64
    let rql: String
    let sql: String
    let found: [Int]
    let expected: [Int]

    var description: String {
      """
      seed \(seed): \(rql)
        SQL: \(sql)
        Atoll found \(found.count) objects, SQLite \(expected.count)
        only Atoll: \(found.filter { !expected.contains($0) }.prefix(10))
        only SQLite: \(expected.filter { !found.contains($0) }.prefix(10))
      """
    }
  }

  let seed: UInt64
  private var random: RandomSource
  private let atoll: Database
  private let sqlite: SQLiteConnection
  private var ids: [Int] = []
  private var nextID = 0

  init(seed: UInt64) throws {
    self.seed = seed
    var random = RandomSource(seed: seed)
    atoll = try Database.inMemory()
    let schema = RandomItem.schema { _ in random.isOne(in: 2) }
    try atoll.write { try $0.addClass(schema) }
    sqlite = try SQLiteConnection(path: ":memory:")
    try sqlite.execute(
      """
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, count INTEGER, rank INTEGER NOT NULL, weight REAL, title TEXT,
        code TEXT NOT NULL, isOpen INTEGER NOT NULL, owner INTEGER);
      CREATE INDEX item_owner ON item(owner);
      """)
    self.random = random
  }

  /// Asks `queryCount` questions, with changes of the data between every thirty.
  mutating func run(queryCount: Int) throws {
    for index in 0..<queryCount {
      if index % 30 == 0 { try change() }
      try ask()
    }
  }

  // MARK: Data

  /// Creates, changes and deletes objects in both, in a transaction each.
  private mutating func change() throws {
    var created: [RandomItem] = []
    for _ in 0..<random.any([0, 1, 40, 300, 1_500]) {
      nextID += random.any([1, 1, 1, 7])
      created.append(RandomItem(id: nextID, ids: ids + created.map(\.id), &random))
    }
    var known = ids + created.map(\.id)
    var deleted: Set<Int> = []
    for _ in 0..<random.number(0...known.count / 5) { deleted.insert(random.any(known)) }
    known.removeAll { deleted.contains($0) }
    var changed: [RandomItem] = []
    if !known.isEmpty {
      for _ in 0..<random.number(0...known.count / 4) {
        changed.append(RandomItem(id: random.any(known), ids: known, &random))
      }
    }
    try atoll.write { transaction in
      for item in created {
        let key = try transaction.create("Item", item.values)
        try Self.link(item, key, transaction)
      }
      for id in deleted {
        try transaction.delete("Item", ObjectKey(integerPrimaryKey: Int64(id)))
      }
      for item in changed {
        let key = ObjectKey(integerPrimaryKey: Int64(item.id))
        for (name, value) in item.values where name != "id" {
          try transaction.set("Item", key, name, value)
        }
        try Self.link(item, key, transaction)
      }
    }
    try sqlite.transaction {
      for item in created { try sqlite.execute("INSERT INTO item VALUES(\(item.sqlValues))") }
      for id in deleted {
        try sqlite.execute(
          "DELETE FROM item WHERE id = \(id); UPDATE item SET owner = NULL WHERE owner = \(id)")
      }
      for item in changed { try sqlite.execute("REPLACE INTO item VALUES(\(item.sqlValues))") }
    }
    ids = known
  }

  private static func link(
    _ item: RandomItem, _ key: ObjectKey, _ transaction: Transaction
  ) throws {
    if let owner = item.owner {
      try transaction.link("Item", key, "owner", toPrimaryKeys: [.int(Int64(owner))])
    } else {
      try transaction.set("Item", key, "owner", .null)
    }
  }

  // MARK: Questions

  private mutating func ask() throws {
    let predicate = RandomPredicate(&random)
    let order = RandomOrder(&random)
    let rql = predicate.rql + order.rql
    let sql = "SELECT p.id FROM item p WHERE \(predicate.sql) \(order.sql)"
    let snapshot = try atoll.snapshot()
    let query = try Query(rql, on: "Item", in: snapshot.schema)
    var found: [Int] = []
    try query.results(in: snapshot).forEach { object in
      if case .int(let id) = try object["id"] { found.append(Int(id)) }
    }
    var expected: [Int] = []
    let statement = try sqlite.prepare(sql)
    while try statement.step() { expected.append(statement.integer(0)) }
    guard try found == expected && query.count(in: snapshot) == expected.count else {
      throw Difference(seed: seed, rql: rql, sql: sql, found: found, expected: expected)
    }
  }
}

extension RandomItem {
  /// The row as SQL literals; no word has a quote in it.
  fileprivate var sqlValues: String {
    let null = "NULL"
    return [
      "\(id)", count.map { "\($0)" } ?? null, "\(rank)", weight.map { "\($0)" } ?? null,
      title.map { "'\($0)'" } ?? null, "'\(code)'", isOpen ? "1" : "0",
      owner.map { "\($0)" } ?? null,
    ].joined(separator: ", ")
  }
}
