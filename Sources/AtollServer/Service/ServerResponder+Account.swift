#if Sync
internal import AtollTransport

// What users do to their own accounts, with the refresh token of a log-in.

extension ServerResponder {
  private struct PasswordChange: Decodable, Sendable {
    var password: String
    var newPassword: String

    enum CodingKeys: String, CodingKey {
      case password
      case newPassword = "new_password"
    }
  }

  /// Deletes the user of a log-in.
  func deleteUser(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    await withLogIn(request, app) { session, now throws(AccountError) in
      try await withAccounts(app) { accounts throws(AccountError) in
        _ = try accounts.delete(user: session.user, now: now)
      }
      return HTTPReply(status: 204)
    }
  }

  /// Gives the account of a log-in's user another password; the other log-ins end.
  func changePassword(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    guard let body = JSON.decode(PasswordChange.self, request.body) else { return Self.badBody }
    let host = HostKey(request.remoteHost)
    return await withLogIn(request, app) { session, now throws(AccountError) in
      let (claim, new) = try await withAccounts(app) { accounts throws(AccountError) in
        let new = try accounts.newPassword(body.newPassword)
        return (
          try accounts.claim(user: session.user, password: body.password, host: host, now: now),
          new
        )
      }
      let isRight = try await isRight(claim, host, now)
      try await withAccounts(app) { accounts throws(AccountError) in
        _ = try accounts.confirm(claim, isRight: isRight, now: now)
      }
      let hash = try await passwords.run(for: host) { new.hash() }
      try await withAccounts(app) { accounts throws(AccountError) in
        // Another request may have been faster.
        try accounts.checkCurrent(claim)
        _ = try accounts.setPassword(
          hash, user: session.user, keeping: session.id, now: now)
      }
      return HTTPReply(status: 204)
    }
  }

  /// Does `body` for the log-in of a refresh token, if it still holds.
  func withLogIn(
    _ request: HTTPRequest, _ app: String,
    _ body: (AccountStore.Session, UInt64) async throws(AccountError) -> HTTPReply
  ) async -> HTTPReply {
    var isOpen = false
    let reply = await withRefreshToken(request, app) { token, now throws(AccountError) in
      let session = try await withAccounts(app) { accounts throws(AccountError) in
        try accounts.session(token.session, now: now)
      }
      guard let session, allows(session.origin) else { throw .sessionEnded }
      isOpen = true
      return try await body(session, now)
    }
    // At once: the accounts are watched only now and then. Not for a token that has ended: whoever has
    // one would have all that ended looked at, again and again.
    if isOpen { await noteEndedSessions() }
    return reply
  }
}
#endif
