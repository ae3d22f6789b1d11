internal import CLMDB
internal import Workloads

/// LMDB as a map: one tree with integer keys.
///
/// Settings as for `LMDBEngine`.
@safe final class LMDBKeyValueEngine: KeyValueEngine {
  private let directory: DatabaseDirectory
  private var environment: OpaquePointer?
  private var entries: MDB_dbi = 0

  init(directory: DatabaseDirectory) {
    self.directory = directory
  }

  private func begin(isReadOnly: Bool) throws -> LMDBTransaction {
    unsafe try LMDBTransaction(environment: environment, isReadOnly: isReadOnly)
  }

  func open() throws {
    // SAFETY: `environment` is a stored property of a class and stays in place during the call.
    try LMDBError.check(unsafe mdb_env_create(&environment))
    try LMDBError.check(unsafe mdb_env_set_mapsize(environment, 64 << 30))
    try LMDBError.check(unsafe mdb_env_set_maxdbs(environment, 1))
    try LMDBError.check(
      unsafe mdb_env_open(environment, directory.path, UInt32(MDB_NOTLS), 0o644))
    let transaction = try begin(isReadOnly: false)
    let flags = UInt32(MDB_CREATE | MDB_INTEGERKEY)
    try LMDBError.check(unsafe mdb_dbi_open(transaction.handle, "entries", flags, &entries))
    try transaction.commit()
  }

  func close() {
    unsafe mdb_env_close(environment)
    unsafe environment = nil
  }

  func put(_ newEntries: [KeyValueEntry]) throws {
    let transaction = try begin(isReadOnly: false)
    for entry in newEntries {
      // SAFETY: LMDB copies the bytes during the call and does not write to them.
      let code = unsafe entry.value.withUnsafeBytes { bytes in
        var value = unsafe MDB_val(
          mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return unsafe withKey(entry.key) {
          unsafe mdb_put(transaction.handle, entries, $0, &value, 0)
        }
      }
      try LMDBError.check(code)
    }
    try transaction.commit()
  }

  func remove(_ keys: ArraySlice<Int>) throws {
    let transaction = try begin(isReadOnly: false)
    for key in keys {
      let code = unsafe withKey(key) { unsafe mdb_del(transaction.handle, entries, $0, nil) }
      _ = try LMDBError.isFound(code)
    }
    try transaction.commit()
  }

  func forEachValue(of keys: [Int], _ body: (Int, Span<UInt8>) -> Void) throws {
    let transaction = try begin(isReadOnly: true)
    for key in keys {
      _ = try unsafe Self.withValue(of: key, entries, transaction.handle) { body(key, $0) }
    }
  }

  func forEachValue(_ body: (Int, Span<UInt8>) -> Void) throws {
    let transaction = try begin(isReadOnly: true)
    var cursor: OpaquePointer?
    try LMDBError.check(unsafe mdb_cursor_open(transaction.handle, entries, &cursor))
    defer { unsafe mdb_cursor_close(cursor) }
    while true {
      var key = unsafe MDB_val()
      var value = unsafe MDB_val()
      let code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      guard try LMDBError.isFound(code) else { return }
      // SAFETY: keys of this tree have the size of an integer.
      let number = unsafe key.mv_data.loadUnaligned(as: Int.self)
      unsafe Self.lend(value) { body(number, $0) }
    }
  }

  func makeReader() throws -> any KeyValueReader {
    unsafe Reader(environment: environment, entries: entries)
  }

  func fileByteCount() throws -> Int { try directory.fileByteCount() }

  /// Looks a key up in a transaction; false when it is not there.
  @unsafe fileprivate static func withValue(
    of key: Int, _ tree: MDB_dbi, _ transaction: OpaquePointer, _ body: (Span<UInt8>) -> Void
  ) throws -> Bool {
    var value = unsafe MDB_val()
    let code = unsafe withKey(key) { unsafe mdb_get(transaction, tree, $0, &value) }
    guard try LMDBError.isFound(code) else { return false }
    unsafe lend(value, body)
    return true
  }

  /// Lends the bytes of a value, which stay in place while `body` runs.
  @unsafe private static func lend(_ value: MDB_val, _ body: (Span<UInt8>) -> Void) {
    let bytes = unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
    body(span)
  }

  /// A read transaction that is renewed for each look-up, as LMDB advises.
  @safe private final class Reader: KeyValueReader {
    private let environment: OpaquePointer?
    private let entries: MDB_dbi
    private var transaction: OpaquePointer?

    init(environment: OpaquePointer?, entries: MDB_dbi) {
      unsafe self.environment = environment
      self.entries = entries
    }

    deinit { unsafe mdb_txn_abort(transaction) }

    func withValue(of key: Int, _ body: (Span<UInt8>) -> Void) throws -> Bool {
      if let transaction = unsafe transaction {
        try LMDBError.check(unsafe mdb_txn_renew(transaction))
      } else {
        let flags = UInt32(MDB_RDONLY)
        // SAFETY: a stored property of a class stays in place during the call.
        try LMDBError.check(unsafe mdb_txn_begin(environment, nil, flags, &transaction))
      }
      guard let transaction = unsafe transaction else { return false }
      defer { unsafe mdb_txn_reset(transaction) }
      return try unsafe LMDBKeyValueEngine.withValue(of: key, entries, transaction, body)
    }
  }
}
