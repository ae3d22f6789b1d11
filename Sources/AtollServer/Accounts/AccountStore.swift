#if Sync
package import AtollObjects
package import AtollTransport

/// Users, their credentials and log-ins, in a separate database.
///
/// Used by one thread at a time. Nothing here takes long but the two calls that say so: what hashes a
/// password is given out, to be done elsewhere. Times are in milliseconds since 1970.
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
    /// Nil for one that this version does not know.
    package let origin: SessionOrigin?
    package let expiresAtMilliseconds: UInt64
  }

  let database: Database
  let options: Options
  let random: @Sendable () -> UInt64
  /// Wrong passwords for accounts.
  var guesses = PasswordGuesses()
  /// Of a host all requests, and those that hash a password.
  private var hostAttempts = AttemptLimit<HostKey>(capacity: 300, intervalMilliseconds: 100)
  private var hashAttempts = AttemptLimit<HostKey>(capacity: 100, intervalMilliseconds: 250)
  private var counter: UInt32
  /// Stands for that of an account that does not exist.
  let decoy: PasswordHash?
  /// When to look again for ended log-ins whose tokens have expired.
  var nextSweep: UInt64 = 0

  package init(
    _ database: Database, options: Options, random: @escaping @Sendable () -> UInt64
  ) throws(ObjectError) {
    self.database = database
    self.options = options
    self.random = random
    counter = UInt32(truncatingIfNeeded: random())
    decoy = PasswordHash.decoy(cost: options.passwordCost, random: random)
    try Self.addWhatIsNewer(to: database)
    try Self.noteOrigins(database)
  }

  /// Adds the classes and properties to an older server's file that it lacks.
  private static func addWhatIsNewer(to database: Database) throws(ObjectError) {
    let schema = try database.snapshot().schema
    let newClasses = classes.filter { schema[$0.name] == nil }
    let newProperties = classes.flatMap { wanted in
      let known = schema[wanted.name]?.properties.map(\.name)
      return wanted.properties.filter { !(known?.contains($0.name) ?? true) }
        .map { (className: wanted.name, property: $0) }
    }
    guard !newClasses.isEmpty || !newProperties.isEmpty else { return }
    try writing(database) { transaction throws(ObjectError) in
      try transaction.addClasses(newClasses)
      for (className, property) in newProperties {
        try transaction.addProperty(property, to: className)
      }
    }
  }

  private static let classes = [
    ClassSchema(
      "Setting", properties: [PropertySchema("name", .string), PropertySchema("value", .string)],
      primaryKey: "name"),
    ClassSchema(
      "User",
      properties: [
        PropertySchema("id", .string), PropertySchema("createdAt", .int),
        PropertySchema("isDisabled", .bool),
        // Was registered, and has not logged in since.
        PropertySchema("isFresh", .bool),
      ], primaryKey: "id"),
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
        // The text of a `SessionOrigin`.
        PropertySchema("origin", .string),
      ], primaryKey: "id"),
    // Log-ins that were ended, until the last of their access tokens expires.
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

  // MARK: Log-ins

  /// Makes a user without a name and logs it in.
  package func loginAnonymously(host: HostKey, now: UInt64) throws(AccountError) -> Session {
    try spend(host, now, isHashing: false)
    return try begin(user: userID(now), named: [], from: .anonymous, now: now, isNew: true)
  }

  /// Logs a user in whom something else has vouched for; the first time makes the user.
  ///
  /// `name`: who the user is there; `milliseconds`: how long the log-in lasts, nil: as long as any.
  package func login(
    from origin: SessionOrigin, name: String, lasting milliseconds: UInt64? = nil, now: UInt64
  ) throws(AccountError) -> Session {
    let identity = "\(origin.provider):\(name)"
    let known = try reading { snapshot throws(ObjectError) -> String? in
      guard let found = try snapshot.table("Identity").object(primaryKey: .string(identity)),
        let column = snapshot.schema.table("Identity")?.column("user"),
        let user = try found.linked(column), case .string(let id) = try user["id"]
      else { return nil }
      return id
    }
    let id = known ?? userID(now)
    if known == nil {
      try writing { transaction throws(ObjectError) in
        try transaction.create("User", Self.user(id, now))
        let key = try transaction.create("Identity", ["name": .string(identity)])
        try transaction.link("Identity", key, "user", toPrimaryKeys: [.string(id)])
      }
    }
    return try begin(
      user: id, named: [identity], from: origin, lasting: milliseconds, now: now)
  }

  /// Refuses a host that has tried too often; what follows costs about as much as a password.
  package func admit(host: HostKey, now: UInt64) throws(AccountError) {
    try spend(host, now, isHashing: true)
  }

  func spend(
    _ host: HostKey, _ now: UInt64, isHashing: Bool
  ) throws(AccountError) {
    let wait =
      hostAttempts.wait(host, now: now)
      ?? (isHashing ? hashAttempts.wait(host, now: now) : nil)
    if let wait { throw .tooManyAttempts(retryAfterSeconds: wait / 1_000 + 1) }
    hostAttempts.take(host, now: now)
    if isHashing { hashAttempts.take(host, now: now) }
  }

  package func close() { try? database.close() }

  // MARK: Helpers

  static func user(_ id: String, _ now: UInt64, isFresh: Bool = false) -> [String: Value] {
    ["id": .string(id), "createdAt": .int(Int64(clamping: now)), "isFresh": .bool(isFresh)]
  }

  func userID(_ now: UInt64) -> String {
    counter &+= 1
    let id = ObjectID(
      seconds: UInt32(truncatingIfNeeded: now / 1_000), random: random(), counter: counter)
    return "\(id)"
  }

  func sessionID() -> String {
    let digits = (0..<2).map { _ in
      let text = String(random(), radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits.joined()
  }

  func reading<Result>(
    _ body: (Snapshot) throws(ObjectError) -> Result
  ) throws(AccountError) -> Result {
    do throws(ObjectError) { return try body(try database.snapshot()) } catch {
      throw .storage(error)
    }
  }

  func writing(
    _ body: (Transaction) throws(ObjectError) -> Void
  ) throws(AccountError) {
    do throws(ObjectError) { try Self.writing(database, body) } catch { throw .storage(error) }
  }

  /// As `writing`, with what may throw anything.
  func changing<Result>(_ body: (Transaction) throws -> Result) throws(AccountError) -> Result {
    do { return try database.write(body) } catch let error as AccountError { throw error } catch {
      throw .storage(ObjectError(any: error))
    }
  }

  static func writing(
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
