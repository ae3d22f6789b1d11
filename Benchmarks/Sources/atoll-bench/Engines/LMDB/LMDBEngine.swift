internal import CLMDB
internal import Workloads

/// LMDB through its C interface: packed records by key, and a tree of (name, key) beside it.
///
/// Settings: every commit is durable as LMDB does it by default, unless `isSynced` is false. It has
/// no queries (those workloads are passed over) and this schema has no backlinks, so that a delete
/// leaves links to nowhere.
@safe final class LMDBEngine {
  private let directory: DatabaseDirectory
  private let isSynced: Bool
  private var environment: OpaquePointer?
  private var people: MDB_dbi = 0
  private var names: MDB_dbi = 0
  private var pinned: OpaquePointer?

  /// The largest size of the file in bytes: address space, not memory.
  private static let mapByteCount = 64 << 30

  /// Will keep its files in `directory`.
  init(directory: DatabaseDirectory, isSynced: Bool = true) {
    self.directory = directory
    self.isSynced = isSynced
  }

  private func begin(isReadOnly: Bool) throws -> LMDBTransaction {
    unsafe try LMDBTransaction(environment: environment, isReadOnly: isReadOnly)
  }

  /// Opens both trees; throws `MDB_NOTFOUND` when they are not there and may not be created.
  private func openTrees(isCreating: Bool) throws {
    let transaction = try begin(isReadOnly: !isCreating)
    let creation = isCreating ? MDB_CREATE : 0
    try LMDBError.check(
      unsafe mdb_dbi_open(
        transaction.handle, "people", UInt32(creation | MDB_INTEGERKEY), &people))
    // Duplicates are the keys of the objects, packed without a header each.
    let duplicates = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP
    try LMDBError.check(
      unsafe mdb_dbi_open(transaction.handle, "names", UInt32(creation | duplicates), &names))
    try transaction.commit()
  }
}

extension LMDBEngine: Engine {
  func open() throws {
    // SAFETY: `environment` is a stored property of a class and stays in place during the call.
    try LMDBError.check(unsafe mdb_env_create(&environment))
    try LMDBError.check(unsafe mdb_env_set_mapsize(environment, Self.mapByteCount))
    try LMDBError.check(unsafe mdb_env_set_maxdbs(environment, 2))
    // Read transactions are bound to objects, not threads: the pinned reader shares ours.
    try LMDBError.check(
      unsafe mdb_env_open(
        environment, directory.path, UInt32(MDB_NOTLS | (isSynced ? 0 : MDB_NOSYNC)), 0o644))
    do {
      try openTrees(isCreating: false)
    } catch let error as LMDBError where error.code == MDB_NOTFOUND {
      try openTrees(isCreating: true)
    }
  }

  func close() {
    unsafe mdb_env_close(environment)
    unsafe environment = nil
  }

  func insert(_ newcomers: ArraySlice<Person>) throws {
    let transaction = try begin(isReadOnly: false)
    var packed: [UInt8] = []
    for person in newcomers {
      LMDBRecord.pack(person, into: &packed)
      // SAFETY: LMDB copies the bytes during the call. Keys ascend, so appending is allowed.
      let code = unsafe packed.withUnsafeMutableBytes { bytes in
        var value = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        return unsafe withKey(person.id) {
          unsafe mdb_put(transaction.handle, people, $0, &value, UInt32(MDB_APPEND))
        }
      }
      try LMDBError.check(code)
      var name = person.name
      try LMDBError.check(
        // SAFETY: as above.
        name.withUTF8 { bytes in
          var nameKey = unsafe MDB_val(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
          return unsafe withKey(person.id) {
            unsafe mdb_put(transaction.handle, names, &nameKey, $0, 0)
          }
        })
    }
    try transaction.commit()
  }

  func update(_ updates: ArraySlice<AgeUpdate>) throws {
    let transaction = try begin(isReadOnly: false)
    try update(updates, in: transaction)
    try transaction.commit()
  }

  private func update(
    _ updates: ArraySlice<AgeUpdate>, in transaction: borrowing LMDBTransaction
  ) throws {
    let cursor = try LMDBCursor(people, in: transaction)
    var copy: [UInt8] = []
    for update in updates {
      guard let record = try cursor.seek(update.key) else { continue }
      record.copy(into: &copy, settingAge: update.age)
      try cursor.replace(update.key, with: &copy)
    }
  }

  func delete(keys: [Int]) throws {
    let transaction = try begin(isReadOnly: false)
    try delete(keys: keys, in: transaction)
    try transaction.commit()
  }

  private func delete(keys: [Int], in transaction: borrowing LMDBTransaction) throws {
    let cursor = try LMDBCursor(people, in: transaction)
    for key in keys {
      guard let record = try cursor.seek(key) else { continue }
      var name = record.name
      try cursor.remove()
      let code = unsafe name.withUnsafeMutableBytes { bytes in
        var nameKey = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        return unsafe withKey(key) { unsafe mdb_del(transaction.handle, names, &nameKey, $0) }
      }
      try LMDBError.check(code)
    }
  }

  func sumOfFields(keys: [Int]) throws -> Double {
    let transaction = try begin(isReadOnly: true)
    let cursor = try LMDBCursor(people, in: transaction)
    var sum = 0.0
    for key in keys {
      if let record = try cursor.seek(key) { sum += sumOfFields(record) }
    }
    return sum
  }

  func sumOfFieldsOfAll() throws -> Double {
    let transaction = try begin(isReadOnly: true)
    let cursor = try LMDBCursor(people, in: transaction)
    var sum = 0.0
    while let record = try cursor.next() { sum += sumOfFields(record) }
    return sum
  }

  private func sumOfFields(_ record: LMDBRecord) -> Double {
    Double(record.age) + record.score + Double(record.nameByteCount)
  }

  func objectCount() throws -> Int {
    let transaction = try begin(isReadOnly: true)
    var statistics = MDB_stat()
    try LMDBError.check(unsafe mdb_stat(transaction.handle, people, &statistics))
    return statistics.ms_entries
  }

  func pin() throws {
    try LMDBError.check(unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &pinned))
  }

  func unpin() {
    unsafe mdb_txn_abort(pinned)
    unsafe pinned = nil
  }

  func fileByteCount() throws -> Int {
    try directory.fileByteCount()
  }

  func contents() throws -> Contents {
    let transaction = try begin(isReadOnly: true)
    let cursor = try LMDBCursor(people, in: transaction)
    var contents = Contents(objectCount: 0, ageSum: 0, linkCount: nil)
    while let record = try cursor.next() {
      contents.objectCount += 1
      contents.ageSum += record.age
    }
    return contents
  }
}
