internal import CSQLite

/// An error of SQLite.
struct SQLiteError: Error, CustomStringConvertible {
  let code: Int32
  let message: String

  var description: String { "SQLite error \(code): \(message)" }
}

/// One connection to a database file, closed by `close()` or with the last reference.
///
/// Used by one thread only: the connection is opened without SQLite's mutexes.
@safe final class SQLiteConnection {
  private var handle: OpaquePointer?
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the file at `path`, and creates it when there is none.
  init(path: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    // SAFETY: `handle` is a stored property of a class and stays in place during the call.
    try check(unsafe sqlite3_open_v2(path, &handle, flags, nil))
    // A connection that is opened, or reads, beside a writer may have to wait for the log's locks.
    try check(unsafe sqlite3_busy_timeout(handle, 10_000))
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// Finalizes the kept statements and closes the file, which checkpoints the log.
  func close() throws {
    statements.removeAll()
    try check(unsafe sqlite3_close(handle))
    unsafe handle = nil
  }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Parses and plans one statement.
  func prepare(_ sql: String) throws -> SQLiteStatement {
    var statement: OpaquePointer?
    // SAFETY: `statement` is a local variable, alive for the call.
    try check(unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    guard let statement = unsafe statement else {
      preconditionFailure("a statement is never empty text")
    }
    return unsafe SQLiteStatement(owning: statement, connection: self)
  }

  /// The statement for `sql`, prepared at the first call and kept until the connection closes.
  func kept(_ sql: String) throws -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// Prepares `sql`, and returns the first column of its first row.
  func integer(_ sql: String) throws -> Int {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Does `body` in one transaction that is durable on return; rolls back when it throws.
  func transaction(_ body: () throws -> Void) throws {
    try kept("BEGIN IMMEDIATE").run()
    do {
      try body()
    } catch {
      try execute("ROLLBACK")
      throw error
    }
    try kept("COMMIT").run()
  }

  /// Throws the connection's last error unless `code` means success.
  func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    // SAFETY: sqlite3_errmsg returns a C string that is valid until the next call; it is copied.
    throw SQLiteError(code: code, message: unsafe String(cString: sqlite3_errmsg(handle)))
  }
}
