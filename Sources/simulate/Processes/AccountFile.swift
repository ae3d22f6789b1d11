internal import AtollObjects
internal import TestSupport

/// A version of the file that is not what it should be.
struct WrongVersion: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// How the accounts lie in a database: a class of accounts, and one object that says which commit
/// it is and what the digests of all accounts give.
enum AccountFile {
  static let classes = [
    ClassSchema(
      "Account",
      properties: [
        PropertySchema("id", .int), PropertySchema("balance", .int),
        PropertySchema("stamp", .int, isIndexed: true), PropertySchema("text", .string),
        PropertySchema("partner", linkTo: "Account"),
      ], primaryKey: "id"),
    ClassSchema(
      "Ledger",
      properties: [
        PropertySchema("id", .int), PropertySchema("number", .int), PropertySchema("digest", .int),
      ], primaryKey: "id"),
  ]

  static let cacheByteCount = 1 << 20

  static func open(
    _ path: String, isEncrypted: Bool, mode: Database.Options.Mode = .readWrite
  ) throws -> Database {
    let key = isEncrypted ? [UInt8](0..<64) : nil
    return try Database.open(
      path, options: .init(mode: mode, cacheByteCount: cacheByteCount, encryptionKey: key))
  }

  /// Makes the file with the state of commit 0.
  static func make(_ path: String, isEncrypted: Bool, _ book: AccountBook) throws {
    let database = try open(path, isEncrypted: isEncrypted, mode: .create)
    try database.write { transaction in
      try transaction.addClasses(classes)
      var store = TransactionAccounts(transaction, digest: 0)
      try book.begin(&store)
      try transaction.create(
        "Ledger", ["id": .int(0), "number": .int(0), "digest": .int(store.signedDigest)])
    }
    try database.close()
  }

  /// Does the next commit in a transaction that is not yet committed, and returns its number.
  static func nextCommit(_ transaction: Transaction, _ book: AccountBook) throws -> Int64 {
    let ledger = ObjectKey(integerPrimaryKey: 0)
    let number = try int(transaction.value("Ledger", ledger, "number")) + 1
    let digest = try int(transaction.value("Ledger", ledger, "digest"))
    var store = TransactionAccounts(transaction, digest: UInt64(bitPattern: digest))
    try book.commit(number, &store)
    try transaction.set("Ledger", ledger, "number", .int(number))
    try transaction.set("Ledger", ledger, "digest", .int(store.signedDigest))
    return number
  }

  /// Checks that a version is a state between two commits, and returns the number of the first.
  @discardableResult
  static func verify(_ snapshot: Snapshot) throws -> Int64 {
    let (number, accounts) = try contents(snapshot)
    let ledger = try ledger(snapshot)
    let digest = accounts.reduce(0) { $0 ^ $1.value.digest(id: $1.key) }
    guard digest == UInt64(bitPattern: ledger.digest) else {
      throw WrongVersion("version \(snapshot.version) mixes the states of several commits")
    }
    guard accounts.values.reduce(0, { $0 + $1.balance }) == AccountBook.total else {
      throw WrongVersion("the balances of version \(snapshot.version) do not add up")
    }
    if let late = accounts.first(where: { $0.value.stamp > number }) {
      throw WrongVersion(
        "version \(snapshot.version) is commit \(number), and has account \(late.key) of commit "
          + "\(late.value.stamp)")
    }
    return number
  }

  /// Which commit a version is, and its accounts.
  static func contents(_ snapshot: Snapshot) throws -> (number: Int64, accounts: [Int64: Account]) {
    var accounts: [Int64: Account] = [:]
    let table = try snapshot.table("Account")
    let (balance, stamp, text) = (
      try table.column("balance"), try table.column("stamp"), try table.column("text")
    )
    try table.forEach { object in
      accounts[object.key.integerPrimaryKey] = Account(
        balance: try int(object.value(balance)), stamp: try int(object.value(stamp)),
        text: try string(object.value(text)))
    }
    return (try ledger(snapshot).number, accounts)
  }

  private static func ledger(_ snapshot: Snapshot) throws -> (number: Int64, digest: Int64) {
    guard let ledger = try snapshot.table("Ledger").object(primaryKey: .int(0)) else {
      throw WrongVersion("version \(snapshot.version) has no ledger")
    }
    return (try int(ledger["number"]), try int(ledger["digest"]))
  }

  static func int(_ value: Value) throws -> Int64 {
    guard case .int(let number) = value else { throw WrongVersion("\(value) is no integer") }
    return number
  }

  static func string(_ value: Value) throws -> String {
    guard case .string(let text) = value else { throw WrongVersion("\(value) is no string") }
    return text
  }
}

/// The accounts as a transaction sees them, with what their digests give.
struct TransactionAccounts: AccountStore {
  private let transaction: Transaction
  private var digest: UInt64

  init(_ transaction: Transaction, digest: UInt64) {
    self.transaction = transaction
    self.digest = digest
  }

  var signedDigest: Int64 { Int64(bitPattern: digest) }

  func account(_ id: Int64) throws -> Account? {
    let key = ObjectKey(integerPrimaryKey: id)
    guard try transaction.contains("Account", key) else { return nil }
    return Account(
      balance: try AccountFile.int(transaction.value("Account", key, "balance")),
      stamp: try AccountFile.int(transaction.value("Account", key, "stamp")),
      text: try AccountFile.string(transaction.value("Account", key, "text")))
  }

  mutating func put(_ id: Int64, _ account: Account) throws {
    if let old = try self.account(id) { digest ^= old.digest(id: id) }
    digest ^= account.digest(id: id)
    try transaction.upsert(
      "Account", primaryKey: .int(id),
      [
        "balance": .int(account.balance), "stamp": .int(account.stamp),
        "text": .string(account.text),
      ])
    // Links to objects that come and go, so that a check has backlinks to compare.
    let key = ObjectKey(integerPrimaryKey: id)
    let partner = Int64(account.text.utf8.count) % AccountBook.accountCount
    if try transaction.contains("Account", ObjectKey(integerPrimaryKey: partner)) {
      try transaction.link("Account", key, "partner", toPrimaryKeys: [.int(partner)])
    }
  }

  mutating func remove(_ id: Int64) throws {
    if let old = try account(id) { digest ^= old.digest(id: id) }
    try transaction.delete("Account", ObjectKey(integerPrimaryKey: id))
  }
}
