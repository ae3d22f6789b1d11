internal import Workloads

/// SQLite as a map: a table of an integer primary key and a blob.
///
/// Settings as for `SQLiteEngine`: write-ahead log, `synchronous = FULL`, statements prepared once.
final class SQLiteKeyValueEngine: KeyValueEngine {
  private let directory: DatabaseDirectory
  private var connection: SQLiteConnection?

  init(directory: DatabaseDirectory) {
    self.directory = directory
  }

  private var database: SQLiteConnection {
    guard let connection else { preconditionFailure("the engine is open when it is used") }
    return connection
  }

  private func connect() throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: directory.path + "/entries.sqlite")
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    return connection
  }

  func open() throws {
    let connection = try connect()
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, value BLOB NOT NULL)")
    self.connection = connection
  }

  func close() throws {
    try connection?.close()
    connection = nil
  }

  func put(_ entries: [KeyValueEntry]) throws {
    let statement = try database.kept("INSERT OR REPLACE INTO entry VALUES(?, ?)")
    try database.transaction {
      for entry in entries {
        try statement.bind(entry.key, at: 1)
        // SAFETY: the bytes stay in place until the statement has run and is reset.
        try unsafe entry.value.withUnsafeBytes { bytes in
          try unsafe statement.bind(bytes, at: 2)
          try statement.run()
        }
      }
    }
  }

  func remove(_ keys: ArraySlice<Int>) throws {
    let statement = try database.kept("DELETE FROM entry WHERE id = ?")
    try database.transaction {
      for key in keys {
        try statement.bind(key, at: 1)
        try statement.run()
      }
    }
  }

  func forEachValue(of keys: [Int], _ body: (Int, Span<UInt8>) -> Void) throws {
    let statement = try database.prepare("SELECT value FROM entry WHERE id = ?")
    try database.execute("BEGIN")
    for key in keys {
      try statement.bind(key, at: 1)
      if try statement.step() { statement.withBlob(0) { body(key, $0) } }
      statement.reset()
    }
    try database.execute("COMMIT")
  }

  func forEachValue(_ body: (Int, Span<UInt8>) -> Void) throws {
    let statement = try database.prepare("SELECT id, value FROM entry ORDER BY id")
    while try statement.step() {
      let key = statement.integer(0)
      statement.withBlob(1) { body(key, $0) }
    }
  }

  func makeReader() throws -> any KeyValueReader { try Reader(connect()) }

  func fileByteCount() throws -> Int { try directory.fileByteCount() }

  /// A connection of its own, whose every statement is a read transaction.
  private final class Reader: KeyValueReader {
    private let connection: SQLiteConnection
    private let statement: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
      self.connection = connection
      statement = try connection.prepare("SELECT value FROM entry WHERE id = ?")
    }

    func withValue(of key: Int, _ body: (Span<UInt8>) -> Void) throws -> Bool {
      defer { statement.reset() }
      try statement.bind(key, at: 1)
      guard try statement.step() else { return false }
      statement.withBlob(0, body)
      return true
    }
  }
}
