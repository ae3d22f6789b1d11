#if Sync
internal import AtollObjects

// What the operator of a server does with its users, also beside the running server: that one
// notices the log-ins that were ended.

extension AccountStore {
  /// A user as the operator sees it.
  package struct UserEntry: Equatable, Sendable {
    package let id: String
    package let createdAtMilliseconds: UInt64
    /// Whether every log-in is refused.
    package let isDisabled: Bool
    /// How the user logs in, each as the provider, a colon and the name there; none: anonymous.
    package let identities: [String]
    /// How many log-ins are open.
    package let sessionCount: Int
  }

  /// Returns all users, those who came first at the begin.
  ///
  /// Cost: a pass over users and log-ins.
  package func users(now: UInt64) throws(AccountError) -> [UserEntry] {
    var users: [UserEntry] = []
    do {
      let snapshot = try database.snapshot()
      let (identities, sessions) = (try snapshot.table("Identity"), try snapshot.table("Session"))
      let identityUser = try identities.column("user")
      let sessionUser = try sessions.column("user")
      try snapshot.table("User").forEach { user in
        guard
          case (.string(let id), .int(let createdAt), .bool(let isDisabled)) =
            (try user["id"], try user["createdAt"], try user["isDisabled"])
        else { return }
        let names = try user.backlinks(identityUser).compactMap { key -> String? in
          guard case .string(let name)? = try identities.object(key)?["name"] else { return nil }
          return name
        }
        let openCount = try user.backlinks(sessionUser).count { key in
          guard case .int(let expiry)? = try sessions.object(key)?["expiresAt"] else {
            return false
          }
          return Int64(clamping: now) < expiry
        }
        users.append(
          UserEntry(
            id: id, createdAtMilliseconds: UInt64(clamping: createdAt), isDisabled: isDisabled,
            identities: names.sorted(), sessionCount: openCount))
      }
    } catch { throw .storage(ObjectError(any: error)) }
    return users.sorted {
      ($0.createdAtMilliseconds, $0.id) < ($1.createdAtMilliseconds, $1.id)
    }
  }

  /// Returns the id of a user: of an id itself, of an e-mail address, or of another identity, as the
  /// list has it.
  ///
  /// - Throws: `.noSuchUser`.
  package func userID(of text: String) throws(AccountError) -> String {
    let id = try reading { snapshot throws(ObjectError) -> String? in
      if try snapshot.table("User").object(primaryKey: .string(text)) != nil { return text }
      for name in Self.names(ofLogIn: text) {
        guard let identity = try snapshot.table("Identity").object(primaryKey: .string(name)),
          let column = snapshot.schema.table("Identity")?.column("user"),
          case .string(let id)? = try identity.linked(column)?["id"]
        else { continue }
        return id
      }
      return nil
    }
    guard let id else { throw .noSuchUser(text) }
    return id
  }

  /// The names that an identity may have which the list shows as this, or as this address.
  private static func names(ofLogIn text: String) -> [String] {
    // The exact name first: an address may look like one, as in custom-token:dan@example.com.
    [text] + names(ofEmail: text)
  }

  // MARK: Changes

  /// Refuses all log-ins of a user from now on, and ends those that are open; or allows them again.
  ///
  /// - Returns: How many it ended.
  /// - Throws: `.noSuchUser`.
  @discardableResult
  package func setDisabled(
    _ isDisabled: Bool, user id: String, now: UInt64
  ) throws(AccountError) -> Int {
    try changing(user: id) { key, transaction in
      try transaction.set("User", key, "isDisabled", .bool(isDisabled))
      return isDisabled ? try Self.endSessions(of: id, now: now, in: transaction) : 0
    }
  }

  /// Ends the log-ins of a user, who may log in again.
  ///
  /// - Returns: How many it ended.
  /// - Throws: `.noSuchUser`.
  @discardableResult
  package func endSessions(of id: String, now: UInt64) throws(AccountError) -> Int {
    try changing(user: id) { _, transaction in
      try Self.endSessions(of: id, now: now, in: transaction)
    }
  }

  /// Removes one identity of a user, and ends all log-ins of the user.
  ///
  /// The next log-in with the identity makes a new user, and its e-mail address may be registered
  /// again. Does not check whether the server still accepts the remaining identities.
  ///
  /// - Parameters:
  ///   - text: As `userID(of:)` takes it, but no id.
  ///   - now: Milliseconds since 1970.
  /// - Returns: The user, and how many log-ins it ended.
  /// - Throws: `.noSuchLogIn`; `.onlyLogIn` when the user has no other one.
  @discardableResult
  package func unlink(
    _ text: String, now: UInt64
  ) throws(AccountError) -> (user: String, endedCount: Int) {
    try changing { transaction in
      for name in Self.names(ofLogIn: text) {
        guard let owner = try Self.owner(of: name, in: transaction) else { continue }
        let isAnother = try Self.keys("Identity", of: owner.id, in: transaction).contains { key in
          guard case .string(let other) = try transaction.value("Identity", key, "name") else {
            return false
          }
          // An anonymous identity cannot be used to log in again.
          return !other.hasSameBytes(as: name)
            && !other.hasPrefix("\(SessionOrigin.anonymous.provider):")
        }
        guard isAnother else { throw AccountError.onlyLogIn(text) }
        try transaction.delete("Identity", owner.identity)
        return (owner.id, try Self.endSessions(of: owner.id, now: now, in: transaction))
      }
      throw AccountError.noSuchLogIn(text)
    }
  }

  /// Deletes a user with the identities, and ends the log-ins.
  ///
  /// What the user has synchronised stays. Whoever another service vouches for is a new user with
  /// the next log-in.
  ///
  /// - Returns: How many log-ins it ended.
  /// - Throws: `.noSuchUser`.
  @discardableResult
  package func delete(user id: String, now: UInt64) throws(AccountError) -> Int {
    try changing(user: id) { key, transaction in
      let count = try Self.endSessions(of: id, now: now, in: transaction)
      for identity in try Self.keys("Identity", of: id, in: transaction) {
        try transaction.delete("Identity", identity)
      }
      try transaction.delete("User", key)
      return count
    }
  }

  /// Gives the account of a user another password, and ends the log-ins but one.
  ///
  /// - Returns: How many log-ins it ended.
  /// - Throws: `.noSuchUser`, `.noPassword`, `.busy` without a hash.
  @discardableResult
  func setPassword(
    _ hash: PasswordHash?, user id: String, keeping session: String? = nil, now: UInt64
  ) throws(AccountError) -> Int {
    guard let hash else { throw .busy }
    return try changing(user: id) { _, transaction in
      for key in try Self.keys("Identity", of: id, in: transaction) {
        // Others have no hash.
        guard try transaction.value("Identity", key, "hash") != .data([]) else { continue }
        try transaction.set("Identity", key, "salt", .data(hash.salt))
        try transaction.set("Identity", key, "hash", .data(hash.hash))
        try transaction.set("Identity", key, "logRounds", .int(Int64(hash.cost.logRounds)))
        return try Self.endSessions(of: id, but: session, now: now, in: transaction)
      }
      throw AccountError.noPassword
    }
  }

  /// As `setPassword`, for the operator; takes long.
  @discardableResult
  package func setPassword(
    _ password: String, user id: String, now: UInt64
  ) throws(AccountError) -> Int {
    try setPassword(try newPassword(password).hash(), user: id, now: now)
  }

  private static func endSessions(
    of user: String, but kept: String? = nil, now: UInt64, in transaction: Transaction
  ) throws -> Int {
    let until = now.addingReportingOverflow(accessTokenMilliseconds).partialValue
    let sessions = try keys("Session", of: user, in: transaction).compactMap { key -> String? in
      guard case .string(let id) = try transaction.value("Session", key, "id"), id != kept else {
        return nil
      }
      return id
    }
    for session in sessions { try end(session: session, until: until, in: transaction) }
    return sessions.count
  }

  /// The objects of a class that belong to a user.
  static func keys(
    _ className: String, of user: String, in transaction: Transaction
  ) throws -> [ObjectKey] {
    let column = try transaction.table(className).column("user")
    return try transaction.table("User").object(primaryKey: .string(user))?.backlinks(column) ?? []
  }

  func changing<Result>(
    user id: String, _ body: (ObjectKey, Transaction) throws -> Result
  ) throws(AccountError) -> Result {
    try changing { transaction in
      guard let key = try transaction.key("User", primaryKey: .string(id)) else {
        throw AccountError.noSuchUser(id)
      }
      return try body(key, transaction)
    }
  }
}
#endif
