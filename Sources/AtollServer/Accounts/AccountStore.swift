#if Sync
package import AtollObjects
internal import AtollTransport

/// Why an account is not made, or a user not logged in.
package enum AccountError: Error, Equatable, Sendable {
  /// The server is for another app.
  case unknownApp(String)
  /// No app was ever adopted, and only development mode adopts one.
  case noApp
  case invalidEmail
  case invalidPassword(least: Int, most: Int)
  case accountExists
  /// No such account, or another password; the error does not reveal which.
  case invalidCredentials
  case invalidToken(TokenIssuer.Problem)
  case invalidKey
  case tooManyAttempts(retryAfterSeconds: UInt64)
  /// The user has logged out, or the log-in is too old.
  case sessionEnded
  /// The system has no memory for a password hash.
  case busy
  case storage(ObjectError)
}

extension AccountError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownApp(let id): "this server is for another app than '\(id)'"
    case .noApp:
      "this server is for no app yet; name one in its configuration, or start it with "
        + "--development to adopt the first"
    case .invalidEmail: "that is no e-mail address"
    case .invalidPassword(let least, let most):
      "a password has from \(least) to \(most) characters"
    case .accountExists: "there is an account with this e-mail address"
    case .invalidCredentials: "no such account, or a wrong password"
    case .invalidToken(let problem): problem.sentence
    case .invalidKey: "this server does not know the API key"
    case .tooManyAttempts(let seconds): "too many attempts; try again in \(seconds) s"
    case .sessionEnded: "the user has logged out; log in again"
    case .busy: "the server has no memory for this now"
    case .storage(let error): "\(error)"
    }
  }
}

/// Users, their credentials and log-ins, in a separate database.
///
/// Used by one thread at a time; passwords take a while. Times are in milliseconds since 1970.
package final class AccountStore {
  package struct Options: Sendable {
    /// Whether the first app that a user logs in or registers with is adopted.
    package var adoptsApp = false
    var passwordCost = PasswordHash.Cost.normal
    /// Whether a password matches a hash: the slow part of a log-in.
    var matches: @Sendable (PasswordHash, String) -> Bool = { $0.matches($1) }
    /// How long a log-in lasts.
    package var sessionMilliseconds: UInt64 = 60 * 24 * 3_600_000

    package init() {}

    /// Passwords cost next to nothing, to the server and to an attacker who guesses them.
    package static var forTests: Options {
      var options = Options()
      options.passwordCost = .least
      return options
    }
  }

  /// A user who has logged in.
  package struct Session: Equatable, Sendable {
    package let user: String
    package let id: String
    package let expiresAtMilliseconds: UInt64
  }

  /// The provider of an identity, the prefix of its name.
  package enum ProviderName: String, Sendable {
    case token = "custom-token"
    case key = "api-key"
  }

  package static let passwordLength = 6...128
  /// A character may have any number of bytes.
  private static let passwordByteLimit = 1_024

  private let database: Database
  private let options: Options
  private let random: () -> UInt64
  /// Wrong passwords for an account; of a host all requests, and those that hash a password.
  private var accountAttempts = AttemptLimit(capacity: 10, intervalMilliseconds: 6_000)
  private var hostAttempts = AttemptLimit(capacity: 300, intervalMilliseconds: 100)
  private var hashAttempts = AttemptLimit(capacity: 100, intervalMilliseconds: 250)
  private var counter: UInt32
  /// Stands for that of an account that does not exist.
  private let decoy: PasswordHash?
  /// When to look again for ended log-ins whose tokens have expired.
  private var nextSweep: UInt64 = 0

  package init(
    _ database: Database, options: Options, random: @escaping @Sendable () -> UInt64
  ) throws(ObjectError) {
    self.database = database
    self.options = options
    self.random = random
    counter = UInt32(truncatingIfNeeded: random())
    decoy = PasswordHash.decoy(cost: options.passwordCost, random: random)
    let schema = try database.snapshot().schema
    // Of an older server's file, those that are newer.
    let missing = Self.classes.filter { schema[$0.name] == nil }
    if !missing.isEmpty {
      try Self.writing(database) { transaction throws(ObjectError) in
        try transaction.addClasses(missing)
      }
    }
  }

  private static let classes = [
    ClassSchema(
      "Setting", properties: [PropertySchema("name", .string), PropertySchema("value", .string)],
      primaryKey: "name"),
    ClassSchema(
      "User", properties: [PropertySchema("id", .string), PropertySchema("createdAt", .int)],
      primaryKey: "id"),
    // `name` is the provider, a colon and the user's name there.
    ClassSchema(
      "Identity",
      properties: [
        PropertySchema("name", .string), PropertySchema("user", linkTo: "User"),
        PropertySchema("salt", .data), PropertySchema("hash", .data),
        PropertySchema("logRounds", .int),
      ], primaryKey: "name"),
    ClassSchema(
      "Session",
      properties: [
        PropertySchema("id", .string), PropertySchema("user", linkTo: "User"),
        PropertySchema("expiresAt", .int),
      ], primaryKey: "id"),
    // Log-ins that a user ended, until the last of their access tokens expires.
    ClassSchema(
      "EndedSession", properties: [PropertySchema("id", .string), PropertySchema("until", .int)],
      primaryKey: "id"),
  ]

  // MARK: The app

  /// The app that this server is for; nil before one was adopted.
  package func appID() throws(AccountError) -> String? {
    try reading { snapshot throws(ObjectError) in try Self.app(in: snapshot) }
  }

  /// The app of a file of accounts.
  static func app(in snapshot: Snapshot) throws(ObjectError) -> String? {
    guard snapshot.schema["Setting"] != nil,
      let setting = try snapshot.table("Setting").object(primaryKey: .string("app")),
      case .string(let id) = try setting["value"]
    else { return nil }
    return id
  }

  /// Refuses every app but the server's own, or one that may become it.
  package func check(app: String) throws(AccountError) {
    if let known = try appID() {
      guard known == app else { throw .unknownApp(app) }
    } else if !options.adoptsApp {
      throw .noApp
    }
  }

  /// Makes an app that was checked the server's own, in development and if it has none.
  ///
  /// - Returns: whether it has become so now.
  package func adopt(app: String) throws(AccountError) -> Bool {
    guard options.adoptsApp, try appID() == nil else { return false }
    try setApp(app)
    return true
  }

  /// Makes an app the server's own, which has none.
  package func setApp(_ app: String) throws(AccountError) {
    try writing { transaction throws(ObjectError) in
      try transaction.create("Setting", ["name": .string("app"), "value": .string(app)])
    }
  }

  // MARK: Accounts

  /// Makes an account and its user.
  package func register(
    email: String, password: String, host: String, now: UInt64
  ) throws(AccountError) {
    try spend(host, now, isHashing: true)
    let name = try Self.name(ofEmail: email)
    guard Self.passwordLength.contains(password.count),
      password.utf8.count <= Self.passwordByteLimit
    else {
      throw .invalidPassword(
        least: Self.passwordLength.lowerBound, most: Self.passwordLength.upperBound)
    }
    // First, so that an answer for a name that is taken is not faster than for one that is free.
    guard let hash = PasswordHash(password, cost: options.passwordCost, random: random) else {
      throw .busy
    }
    guard try self.hash(of: name) == nil else { throw .accountExists }
    let id = userID(now)
    do throws(AccountError) {
      try writing { transaction throws(ObjectError) in
        try transaction.create("User", Self.user(id, now))
        let identity = try transaction.create(
          "Identity",
          [
            "name": .string(name), "salt": .data(hash.salt), "hash": .data(hash.hash),
            "logRounds": .int(Int64(hash.cost.logRounds)),
          ])
        try transaction.link("Identity", identity, "user", toPrimaryKeys: [.string(id)])
      }
    } catch .storage(.duplicatePrimaryKey) {
      // Another process was faster.
      throw .accountExists
    }
  }

  /// Makes a user without a name and logs it in.
  package func loginAnonymously(host: String, now: UInt64) throws(AccountError) -> Session {
    try spend(host, now, isHashing: false)
    let id = userID(now)
    return try begin(user: id, now: now, isNew: true)
  }

  /// Logs in a user with an account.
  package func login(
    email: String, password: String, host: String, now: UInt64
  ) throws(AccountError) -> Session {
    try spend(host, now, isHashing: true)
    let name: String
    do throws(AccountError) { name = try Self.name(ofEmail: email) } catch {
      throw .invalidCredentials
    }
    if let wait = accountAttempts.wait(name, now: now) {
      throw .tooManyAttempts(retryAfterSeconds: wait / 1_000 + 1)
    }
    // No account has a longer one. This test is first: the later steps must not depend on the
    // existence of the account, except for the one hash that is always computed.
    guard password.utf8.count <= Self.passwordByteLimit else {
      accountAttempts.take(name, now: now)
      throw .invalidCredentials
    }
    let found = try hash(of: name)
    let isRight = (found?.hash ?? decoy).map { options.matches($0, password) } ?? false
    guard isRight, let found else {
      accountAttempts.take(name, now: now)
      throw .invalidCredentials
    }
    return try begin(user: found.user, now: now, isNew: false)
  }

  /// Logs a user in whom something else has vouched for; the first time makes the user.
  ///
  /// `provider` and `name`: the identity of the user there.
  package func login(
    _ provider: ProviderName, name: String, now: UInt64
  ) throws(AccountError) -> Session {
    let identity = "\(provider.rawValue):\(name)"
    let known = try reading { snapshot throws(ObjectError) -> String? in
      guard let found = try snapshot.table("Identity").object(primaryKey: .string(identity)),
        let column = snapshot.schema.table("Identity")?.column("user"),
        let user = try found.linked(column), case .string(let id) = try user["id"]
      else { return nil }
      return id
    }
    if let known { return try begin(user: known, now: now, isNew: false) }
    let id = userID(now)
    try writing { transaction throws(ObjectError) in
      try transaction.create("User", Self.user(id, now))
      let key = try transaction.create("Identity", ["name": .string(identity)])
      try transaction.link("Identity", key, "user", toPrimaryKeys: [.string(id)])
    }
    return try begin(user: id, now: now, isNew: false)
  }

  /// Refuses a host that has tried too often; what follows costs about as much as a password.
  package func admit(host: String, now: UInt64) throws(AccountError) {
    try spend(host, now, isHashing: true)
  }

  private func spend(
    _ host: String, _ now: UInt64, isHashing: Bool
  ) throws(AccountError) {
    let wait =
      hostAttempts.wait(host, now: now)
      ?? (isHashing ? hashAttempts.wait(host, now: now) : nil)
    if let wait { throw .tooManyAttempts(retryAfterSeconds: wait / 1_000 + 1) }
    hostAttempts.take(host, now: now)
    if isHashing { hashAttempts.take(host, now: now) }
  }

  private func hash(of name: String) throws(AccountError) -> (user: String, hash: PasswordHash)? {
    try reading { snapshot throws(ObjectError) in
      guard let identity = try snapshot.table("Identity").object(primaryKey: .string(name)),
        let column = snapshot.schema.table("Identity")?.column("user"),
        let user = try identity.linked(column), case .string(let id) = try user["id"],
        case .data(let salt) = try identity["salt"], case .data(let hash) = try identity["hash"],
        case .int(let logRounds) = try identity["logRounds"],
        let stored = PasswordHash(
          cost: .init(logRounds: Int(logRounds)), salt: salt, hash: hash)
      else { return nil }
      return (id, stored)
    }
  }

  // MARK: Sessions

  private func begin(
    user: String, now: UInt64, isNew: Bool
  ) throws(AccountError) -> Session {
    let expiry = now.addingReportingOverflow(options.sessionMilliseconds).partialValue
    let session = Session(user: user, id: sessionID(), expiresAtMilliseconds: expiry)
    try writing { transaction throws(ObjectError) in
      if isNew { try transaction.create("User", Self.user(user, now)) }
      let key = try transaction.create(
        "Session", ["id": .string(session.id), "expiresAt": .int(Int64(clamping: expiry))])
      try transaction.link("Session", key, "user", toPrimaryKeys: [.string(user)])
    }
    return session
  }

  /// Whether a log-in still holds.
  package func isOpen(session: String, now: UInt64) throws(AccountError) -> Bool {
    try reading { snapshot throws(ObjectError) in
      guard let found = try snapshot.table("Session").object(primaryKey: .string(session)),
        case .int(let expiry) = try found["expiresAt"]
      else { return false }
      return Int64(clamping: now) < expiry
    }
  }

  /// Ends a log-in; one that has ended already stays so.
  ///
  /// `until`: when the last of its access tokens expires.
  package func end(session: String, until: UInt64, now: UInt64) throws(AccountError) {
    try writing { transaction throws(ObjectError) in
      _ = try transaction.upsert(
        "EndedSession", primaryKey: .string(session), ["until": .int(Int64(clamping: until))])
      guard let key = try transaction.key("Session", primaryKey: .string(session)) else { return }
      try transaction.delete("Session", key)
    }
    guard nextSweep <= now else { return }
    // As often as they expire, so that there are never more than those of two such times.
    nextSweep = until
    do { try database.write { try Self.remove("EndedSession", "until", upTo: now, in: $0) } } catch
    {
      if let error = error as? ObjectError { throw .storage(error) }
    }
  }

  /// Log-ins that a user ended and whose access tokens may be valid, with the end of those.
  package func endedSessions(now: UInt64) throws -> [String: UInt64] {
    var ended: [String: UInt64] = [:]
    try database.snapshot().table("EndedSession").forEach { session in
      guard case (.string(let id), .int(let until)) = (try session["id"], try session["until"]),
        until > Int64(clamping: now)
      else { return }
      ended[id] = UInt64(clamping: until)
    }
    return ended
  }

  /// Forgets the log-ins that ended by themselves.
  package func removeEndedSessions(now: UInt64) throws {
    try database.write { transaction in
      try Self.remove("Session", "expiresAt", upTo: now, in: transaction)
      try Self.remove("EndedSession", "until", upTo: now, in: transaction)
    }
  }

  private static func remove(
    _ className: String, _ property: String, upTo now: UInt64, in transaction: Transaction
  ) throws {
    var keys: [ObjectKey] = []
    try transaction.table(className).forEach { object in
      guard case .int(let time) = try object[property] else { return }
      if time <= Int64(clamping: now) { keys.append(object.key) }
    }
    for key in keys { try transaction.delete(className, key) }
  }

  package func close() { try? database.close() }

  // MARK: Helpers

  /// An e-mail address as the name of an identity: letters of either case are one.
  private static func name(ofEmail email: String) throws(AccountError) -> String {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let isPlain = email.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isPlain, email.utf8.count <= 254
    else { throw .invalidEmail }
    return "local-userpass:" + email.lowercased()
  }

  private static func user(_ id: String, _ now: UInt64) -> [String: Value] {
    ["id": .string(id), "createdAt": .int(Int64(clamping: now))]
  }

  private func userID(_ now: UInt64) -> String {
    counter &+= 1
    let id = ObjectID(
      seconds: UInt32(truncatingIfNeeded: now / 1_000), random: random(), counter: counter)
    return "\(id)"
  }

  private func sessionID() -> String {
    let digits = (0..<2).map { _ in
      let text = String(random(), radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits.joined()
  }

  private func reading<Result>(
    _ body: (Snapshot) throws(ObjectError) -> Result
  ) throws(AccountError) -> Result {
    do throws(ObjectError) { return try body(try database.snapshot()) } catch {
      throw .storage(error)
    }
  }

  private func writing(
    _ body: (Transaction) throws(ObjectError) -> Void
  ) throws(AccountError) {
    do throws(ObjectError) { try Self.writing(database, body) } catch { throw .storage(error) }
  }

  private static func writing(
    _ database: Database, _ body: (Transaction) throws(ObjectError) -> Void
  ) throws(ObjectError) {
    let transaction = try database.beginWrite()
    do throws(ObjectError) {
      try body(transaction)
      try transaction.commit()
    } catch {
      transaction.cancel()
      throw error
    }
  }
}
#endif
