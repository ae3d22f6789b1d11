#if Sync
internal import AtollObjects

extension AccountStore {
  /// How long an access token is valid, and so how long one may outlive a log-in that was ended.
  package static let accessTokenMilliseconds: UInt64 = 30 * 60_000

  /// Begins a log-in of a user.
  ///
  /// `names`: of the identity that it rests on, any of them; none for a user without a name.
  /// `milliseconds`: how long it lasts at most; nil: as long as any.
  func begin(
    user: String, named names: [String], from origin: SessionOrigin,
    lasting milliseconds: UInt64? = nil, now: UInt64, isNew: Bool = false
  ) throws(AccountError) -> Session {
    let (expiry, isNever) = now.addingReportingOverflow(
      milliseconds ?? options.sessionMilliseconds)
    let session = Session(
      user: user, id: sessionID(), origin: origin, expiresAtMilliseconds: isNever ? .max : expiry)
    try changing { transaction in
      if isNew {
        try transaction.create("User", Self.user(user, now))
      } else {
        // Another process may have deleted or disabled the user a moment ago.
        guard let found = try transaction.table("User").object(primaryKey: .string(user)) else {
          throw AccountError.invalidCredentials
        }
        if try found["isDisabled"] == .bool(true) { throw AccountError.userDisabled }
        // Or it may have taken the identity from the user.
        let owners = try names.map { try Self.owner(of: $0, in: transaction)?.id }
        guard owners.contains(user) else { throw AccountError.invalidCredentials }
        if try found["isFresh"] == .bool(true) {
          try transaction.set("User", found.key, "isFresh", .bool(false))
        }
      }
      let key = try transaction.create(
        "Session",
        [
          "id": .string(session.id), "origin": .string(origin.text),
          "expiresAt": .int(Int64(clamping: session.expiresAtMilliseconds)),
        ])
      try transaction.link("Session", key, "user", toPrimaryKeys: [.string(user)])
    }
    return session
  }

  /// Returns a log-in that still holds.
  package func session(_ id: String, now: UInt64) throws(AccountError) -> Session? {
    try reading { snapshot throws(ObjectError) in
      guard let found = try snapshot.table("Session").object(primaryKey: .string(id)),
        case .int(let expiry) = try found["expiresAt"], Int64(clamping: now) < expiry,
        case .string(let origin) = try found["origin"],
        let column = snapshot.schema.table("Session")?.column("user"),
        let user = try found.linked(column), case .string(let userID) = try user["id"]
      else { return nil }
      return Session(
        user: userID, id: id, origin: SessionOrigin(text: origin),
        expiresAtMilliseconds: UInt64(clamping: expiry))
    }
  }

  // MARK: The end

  /// Ends log-ins; those that have ended already stay so.
  ///
  /// - Returns: When the last of their access tokens expires.
  @discardableResult
  package func end(sessions: [String], now: UInt64) throws(AccountError) -> UInt64 {
    let until = now.addingReportingOverflow(Self.accessTokenMilliseconds).partialValue
    // Whoever ends what has ended, again and again, costs no commit.
    let sessions = try reading { snapshot throws(ObjectError) in
      let (open, ended) = (try snapshot.table("Session"), try snapshot.table("EndedSession"))
      var left: [String] = []
      for session in sessions {
        let key = Value.string(session)
        if try open.object(primaryKey: key) == nil, try ended.object(primaryKey: key) != nil {
          continue
        }
        left.append(session)
      }
      return left
    }
    guard !sessions.isEmpty else { return until }
    try writing { transaction throws(ObjectError) in
      for session in sessions { try Self.end(session: session, until: until, in: transaction) }
    }
    guard nextSweep <= now else { return until }
    // As often as they expire, so that there are never more than those of two such times.
    nextSweep = until
    do { try database.write { try Self.remove("EndedSession", "until", upTo: now, in: $0) } } catch
    {
      throw .storage(ObjectError(any: error))
    }
    return until
  }

  static func end(
    session: String, until: UInt64, in transaction: Transaction
  ) throws(ObjectError) {
    _ = try transaction.upsert(
      "EndedSession", primaryKey: .string(session), ["until": .int(Int64(clamping: until))])
    guard let key = try transaction.key("Session", primaryKey: .string(session)) else { return }
    try transaction.delete("Session", key)
  }

  /// Ends all log-ins that rest on what is not allowed.
  ///
  /// - Returns: Those that it ended, with the time when the last of their access tokens expires.
  package func endSessions(
    now: UInt64, unless isAllowed: (SessionOrigin) -> Bool
  ) throws(AccountError) -> [String: UInt64] {
    var sessions: [String] = []
    do {
      try database.snapshot().table("Session").forEach { session in
        guard case (.string(let id), .string(let text)) = (try session["id"], try session["origin"])
        else { return }
        if !(SessionOrigin(text: text).map(isAllowed) ?? false) { sessions.append(id) }
      }
    } catch { throw .storage(ObjectError(any: error)) }
    guard !sessions.isEmpty else { return [:] }
    let until = try end(sessions: sessions, now: now)
    return Dictionary(uniqueKeysWithValues: sessions.map { ($0, until) })
  }

  /// Log-ins that were ended and whose access tokens may be valid, with the end of those.
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

  /// Forgets the log-ins that ended by themselves, and the anonymous users who had no other ones.
  ///
  /// Such a user cannot log in again. Objects that the user has stored stay.
  ///
  /// Cost: a pass over users and log-ins.
  ///
  /// - Returns: Whether that was all; there are more anonymous users than go at once.
  @discardableResult
  package func removeWhatEnded(now: UInt64) throws -> Bool {
    try database.write { transaction in
      try Self.remove("Session", "expiresAt", upTo: now, in: transaction)
      try Self.remove("EndedSession", "until", upTo: now, in: transaction)
      let (oldest, isLater) = now.subtractingReportingOverflow(options.sessionMilliseconds)
      return try isLater || Self.removeForsaken(madeUpTo: oldest, in: transaction)
    }
  }

  /// The maximum of users that one transaction removes: log-ins wait for it.
  private static let removalLimit = 10_000

  /// Forgets the users without a name and without a log-in; those who are disabled stay listed.
  ///
  /// - Returns: Whether there are no more of them.
  private static func removeForsaken(
    madeUpTo time: UInt64, in transaction: Transaction
  ) throws -> Bool {
    let users = try transaction.table("User")
    let identityUser = try transaction.table("Identity").column("user")
    let sessionUser = try transaction.table("Session").column("user")
    var keys: [ObjectKey] = []
    try users.forEach { user in
      guard case .int(let createdAt) = try user["createdAt"], createdAt <= Int64(clamping: time),
        try user["isDisabled"] != .bool(true), try user.backlinks(identityUser).isEmpty,
        try user.backlinks(sessionUser).isEmpty
      else { return }
      keys.append(user.key)
    }
    for key in keys.prefix(removalLimit) { try transaction.delete("User", key) }
    return keys.count <= removalLimit
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

  // MARK: Older files

  /// Notes what the log-ins rest on that an older server began, by the identities of their users.
  static func noteOrigins(_ database: Database) throws(ObjectError) {
    var origins: [(key: ObjectKey, text: String)] = []
    do {
      let snapshot = try database.snapshot()
      guard let user = snapshot.schema.table("Session")?.column("user"),
        let identityUser = snapshot.schema.table("Identity")?.column("user")
      else { return }
      let identities = try snapshot.table("Identity")
      try snapshot.table("Session").forEach { session in
        guard try session["origin"] == .string("") else { return }
        var name: String?
        if let key = try session.linked(user)?.backlinks(identityUser).first,
          case .string(let text)? = try identities.object(key)?["name"]
        {
          name = text
        }
        origins.append((session.key, SessionOrigin(identity: name).text))
      }
    } catch { throw ObjectError(any: error) }
    guard !origins.isEmpty else { return }
    try writing(database) { transaction throws(ObjectError) in
      for (key, text) in origins {
        // Another process may have ended it.
        guard try transaction.contains("Session", key) else { continue }
        try transaction.set("Session", key, "origin", .string(text))
      }
    }
  }
}
#endif
