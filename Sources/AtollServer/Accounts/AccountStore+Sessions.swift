#if Sync
internal import AtollObjects

extension AccountStore {
  func begin(
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
}
#endif
