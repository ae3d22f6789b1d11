internal import CSQLite

/// A prepared statement, finalized with the last reference.
///
/// Parameters count from 1 and columns from 0, as in SQLite.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer
  private unowned let connection: SQLiteConnection

  /// Takes over `handle`, which belongs to `connection`.
  init(owning handle: OpaquePointer, connection: SQLiteConnection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  /// Goes to the next row; false when there is none.
  func step() throws -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      try connection.check(code)
      return false
    }
  }

  /// Makes the statement ready for the next values.
  func reset() {
    unsafe sqlite3_reset(handle)
  }

  /// Steps to the end and resets.
  func run() throws {
    defer { reset() }
    while try step() {}
  }

  func bind(_ value: Int, at parameter: Int32) throws {
    try connection.check(unsafe sqlite3_bind_int64(handle, parameter, Int64(value)))
  }

  func bind(_ value: Double, at parameter: Int32) throws {
    try connection.check(unsafe sqlite3_bind_double(handle, parameter, value))
  }

  func bindNull(at parameter: Int32) throws {
    try connection.check(unsafe sqlite3_bind_null(handle, parameter))
  }

  /// Binds a text without copying it.
  ///
  /// - Parameters:
  ///   - text: UTF-8, which must stay in place until the statement is reset or bound again.
  ///   - parameter: the parameter's number.
  /// - Throws: `SQLiteError` when there is no such parameter.
  @unsafe func bind(_ text: UnsafeBufferPointer<UInt8>, at parameter: Int32) throws {
    let characters = unsafe UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    try connection.check(
      unsafe sqlite3_bind_text(handle, parameter, characters, Int32(text.count), nil))
  }

  /// Binds bytes without copying them, under the same rules as a text.
  @unsafe func bind(_ bytes: UnsafeRawBufferPointer, at parameter: Int32) throws {
    try connection.check(
      unsafe sqlite3_bind_blob(handle, parameter, bytes.baseAddress, Int32(bytes.count), nil))
  }

  /// Lends the bytes of a blob column.
  func withBlob(_ column: Int32, _ body: (Span<UInt8>) -> Void) {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    // SAFETY: the bytes stay in place until the statement steps on, which `body` cannot do.
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
    body(span)
  }

  func integer(_ column: Int32) -> Int {
    Int(unsafe sqlite3_column_int64(handle, column))
  }

  func double(_ column: Int32) -> Double {
    unsafe sqlite3_column_double(handle, column)
  }

  /// The UTF-8 length of a text column in bytes.
  func byteCount(_ column: Int32) -> Int {
    // The text is fetched too: without it SQLite could answer from the record's header alone.
    _ = unsafe sqlite3_column_text(handle, column)
    return Int(unsafe sqlite3_column_bytes(handle, column))
  }
}
