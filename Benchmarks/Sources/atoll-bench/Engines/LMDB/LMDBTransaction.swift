internal import CLMDB

/// What LMDB refused to do.
struct LMDBError: Error, CustomStringConvertible {
  let code: Int32

  // SAFETY: mdb_strerror returns a constant C string, which is copied.
  var description: String { "LMDB error \(code): \(unsafe String(cString: mdb_strerror(code)))" }

  /// Throws unless `code` means success.
  static func check(_ code: Int32) throws {
    guard code == MDB_SUCCESS else { throw LMDBError(code: code) }
  }

  /// Whether an entry was found; throws when `code` means anything else.
  static func isFound(_ code: Int32) throws -> Bool {
    if code == MDB_NOTFOUND { return false }
    try check(code)
    return true
  }
}

/// A transaction, which is aborted when it dies without a commit.
@safe struct LMDBTransaction: ~Copyable {
  /// LMDB's own handle, valid while this value lives.
  @unsafe let handle: OpaquePointer

  /// Begins a transaction of an open environment.
  init(environment: OpaquePointer?, isReadOnly: Bool) throws {
    var begun: OpaquePointer?
    let flags = isReadOnly ? UInt32(MDB_RDONLY) : 0
    try LMDBError.check(unsafe mdb_txn_begin(environment, nil, flags, &begun))
    guard let begun = unsafe begun else { preconditionFailure("success gives a transaction") }
    unsafe handle = begun
  }

  deinit {
    unsafe mdb_txn_abort(handle)
  }

  /// Makes the changes durable; the handle is invalid afterwards, whether it throws or not.
  consuming func commit() throws {
    let handle = unsafe handle
    discard self
    try LMDBError.check(unsafe mdb_txn_commit(handle))
  }
}

/// A place in one of the trees, closed when it dies; must not outlive its transaction.
@safe struct LMDBCursor: ~Copyable {
  private let handle: OpaquePointer

  /// Opens a cursor that stands nowhere.
  init(_ tree: MDB_dbi, in transaction: borrowing LMDBTransaction) throws {
    var opened: OpaquePointer?
    try LMDBError.check(unsafe mdb_cursor_open(transaction.handle, tree, &opened))
    guard let opened = unsafe opened else { preconditionFailure("success gives a cursor") }
    unsafe handle = opened
  }

  deinit {
    unsafe mdb_cursor_close(handle)
  }

  /// Goes to the next entry, at first to the first one; nil behind the last.
  ///
  /// The record is valid until the next change of the transaction.
  func next() throws -> LMDBRecord? {
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    let code = unsafe mdb_cursor_get(handle, &key, &value, MDB_NEXT)
    guard try LMDBError.isFound(code) else { return nil }
    return unsafe LMDBRecord(value)
  }

  /// Goes to the entry with `key`; nil when there is none.
  ///
  /// The record is valid until the next change of the transaction.
  func seek(_ key: Int) throws -> LMDBRecord? {
    var value = unsafe MDB_val()
    let code = unsafe withKey(key) { unsafe mdb_cursor_get(handle, $0, &value, MDB_SET) }
    guard try LMDBError.isFound(code) else { return nil }
    return unsafe LMDBRecord(value)
  }

  /// Replaces the record at the cursor, whose key is `key`, with one of the same length.
  func replace(_ key: Int, with record: inout [UInt8]) throws {
    let code = unsafe record.withUnsafeMutableBytes { bytes in
      var value = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      return unsafe withKey(key) { unsafe mdb_cursor_put(handle, $0, &value, UInt32(MDB_CURRENT)) }
    }
    try LMDBError.check(code)
  }

  /// Removes the entry at the cursor.
  func remove() throws {
    try LMDBError.check(unsafe mdb_cursor_del(handle, 0))
  }
}

/// Lends an integer key as LMDB wants it.
func withKey<R>(_ key: Int, _ body: (UnsafeMutablePointer<MDB_val>) throws -> R) rethrows -> R {
  var key = key
  // SAFETY: the value points to the local variable, and both live for the call.
  return try unsafe withUnsafeMutableBytes(of: &key) { bytes in
    var value = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
    return try unsafe body(&value)
  }
}
