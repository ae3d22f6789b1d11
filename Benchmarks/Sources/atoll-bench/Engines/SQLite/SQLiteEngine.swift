internal import Workloads

/// SQLite through its C interface, in write-ahead logging mode.
///
/// Settings: `synchronous = FULL`, so that every commit syncs the log (`OFF` unless `isSynced`);
/// everything else is SQLite's default, the page cache of 2 MB included. Statements that repeat are
/// prepared once. A delete nullifies the links to the object, as an object database does, by a
/// statement of its own: foreign keys would do it too, but look every friend up when it is inserted
/// (a fifth more for the load).
final class SQLiteEngine {
  private let directory: DatabaseDirectory
  private let isSynced: Bool
  private var connection: SQLiteConnection?
  private var pinned: SQLiteConnection?

  /// Will keep its files in `directory`.
  init(directory: DatabaseDirectory, isSynced: Bool = true) {
    self.directory = directory
    self.isSynced = isSynced
  }

  /// The open connection; using a closed engine is a mistake of the caller.
  var database: SQLiteConnection {
    guard let connection else { preconditionFailure("the engine is open when it is used") }
    return connection
  }

  private func connect() throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: directory.path + "/people.sqlite")
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(isSynced ? "FULL" : "OFF")")
    return connection
  }

  private static let schema = """
    CREATE TABLE IF NOT EXISTS person(
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      email TEXT NOT NULL,
      city TEXT NOT NULL,
      age INTEGER NOT NULL,
      active INTEGER NOT NULL,
      score REAL NOT NULL,
      created_at INTEGER NOT NULL,
      friend INTEGER);
    CREATE INDEX IF NOT EXISTS person_name ON person(name);
    CREATE INDEX IF NOT EXISTS person_friend ON person(friend);
    """
}

extension SQLiteEngine: Engine {
  func open() throws {
    let connection = try connect()
    try connection.execute(Self.schema)
    self.connection = connection
  }

  func close() throws {
    try connection?.close()
    connection = nil
  }

  func insert(_ people: ArraySlice<Person>) throws {
    let insertion = try database.kept("INSERT INTO person VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")
    try database.transaction {
      for person in people { try insert(person, with: insertion) }
    }
  }

  private func insert(_ person: Person, with insertion: SQLiteStatement) throws {
    try insertion.bind(person.id, at: 1)
    try insertion.bind(person.age, at: 5)
    try insertion.bind(person.isActive ? 1 : 0, at: 6)
    try insertion.bind(person.score, at: 7)
    try insertion.bind(person.createdAt, at: 8)
    if let friend = person.friend {
      try insertion.bind(friend, at: 9)
    } else {
      try insertion.bindNull(at: 9)
    }
    // SAFETY: the texts stay in place inside the closures, and the statement is reset in there.
    var (name, email, city) = (person.name, person.email, person.city)
    try name.withUTF8 { bytes in
      try unsafe insertion.bind(bytes, at: 2)
      try email.withUTF8 { bytes in
        try unsafe insertion.bind(bytes, at: 3)
        try city.withUTF8 { bytes in
          try unsafe insertion.bind(bytes, at: 4)
          try insertion.run()
        }
      }
    }
  }

  func update(_ updates: ArraySlice<AgeUpdate>) throws {
    let statement = try database.kept("UPDATE person SET age = ? WHERE id = ?")
    try database.transaction {
      for update in updates {
        try statement.bind(update.age, at: 1)
        try statement.bind(update.key, at: 2)
        try statement.run()
      }
    }
  }

  func delete(keys: [Int]) throws {
    let unlinking = try database.kept("UPDATE person SET friend = NULL WHERE friend = ?")
    let deletion = try database.kept("DELETE FROM person WHERE id = ?")
    try database.transaction {
      for key in keys {
        try unlinking.bind(key, at: 1)
        try unlinking.run()
        try deletion.bind(key, at: 1)
        try deletion.run()
      }
    }
  }

  func sumOfFields(keys: [Int]) throws -> Double {
    let statement = try database.prepare("SELECT age, score, name FROM person WHERE id = ?")
    // One read transaction, or each look-up would take and release the reader's lock.
    try database.execute("BEGIN")
    var sum = 0.0
    for key in keys {
      try statement.bind(key, at: 1)
      if try statement.step() { sum += sumOfFields(statement) }
      statement.reset()
    }
    try database.execute("COMMIT")
    return sum
  }

  func sumOfFieldsOfAll() throws -> Double {
    let statement = try database.prepare("SELECT age, score, name FROM person")
    var sum = 0.0
    while try statement.step() { sum += sumOfFields(statement) }
    return sum
  }

  private func sumOfFields(_ row: SQLiteStatement) -> Double {
    Double(row.integer(0)) + row.double(1) + Double(row.byteCount(2))
  }

  func objectCount() throws -> Int {
    try database.integer("SELECT count(*) FROM person")
  }

  func pin() throws {
    // Empties the log; otherwise the growth would be hidden in its existing space.
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let reader = try connect()
    try reader.execute("BEGIN; SELECT id FROM person LIMIT 1")
    pinned = reader
  }

  func unpin() throws {
    try pinned?.execute("COMMIT")
    try pinned?.close()
    pinned = nil
  }

  func fileByteCount() throws -> Int {
    try directory.fileByteCount()
  }

  func contents() throws -> Contents {
    Contents(
      objectCount: try objectCount(),
      ageSum: try database.integer("SELECT sum(age) FROM person"),
      linkCount: try database.integer("SELECT count(friend) FROM person"))
  }
}
