#if Sync
internal import AtollTransport
internal import Synchronization

extension ServerResponder {
  /// Does `body` with the refresh token of a request, at its time; refuses any other token.
  func withRefreshToken(
    _ request: HTTPRequest, _ app: String,
    _ body: (Token, UInt64) async throws(AccountError) -> HTTPReply
  ) async -> HTTPReply {
    let token: Token
    do throws(TokenError) {
      token = try verify(request, .refresh)
    } catch { return Self.reply(to: error) }
    guard token.app == app else { return AccountError.unknownApp(app).reply }
    let now = now()
    return await replying { () throws(AccountError) in try await body(token, now) }
  }

  func refresh(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    await withRefreshToken(request, app) { token, now throws(AccountError) in
      try spendRefresh(of: token.session, now)
      let session = try await withAccounts(app) { accounts throws(AccountError) in
        try accounts.session(token.session, now: now)
      }
      guard let session else { throw .sessionEnded }
      guard allows(session.origin) else {
        close([session.id: try await end(session.id, app, now)])
        throw .sessionEnded
      }
      let access = LoginClient.Access(
        accessToken: signer.sign(Self.token(.access, app, session, now)),
        identities: try await identities(of: session.user, app))
      return HTTPReply(status: 200, body: JSON.encode(access))
    }
  }

  /// Refuses a log-in that asks for tokens again and again: each lasts for half an hour.
  private func spendRefresh(of session: String, _ now: UInt64) throws(AccountError) {
    let wait = refreshes.withLock { refreshes -> UInt64? in
      if let wait = refreshes.wait(session, now: now) { return wait }
      refreshes.take(session, now: now)
      return nil
    }
    if let wait { throw .tooManyAttempts(retryAfterSeconds: wait / 1_000 + 1) }
  }

  func logOut(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    await withRefreshToken(request, app) { token, now throws(AccountError) in
      // At once, whatever the accounts have to do before.
      close([token.session: now + AccountStore.accessTokenMilliseconds])
      _ = try await end(token.session, app, now)
      return HTTPReply(status: 204)
    }
  }

  /// - Returns: When the last access token of the log-in expires.
  private func end(
    _ session: String, _ app: String, _ now: UInt64
  ) async throws(AccountError) -> UInt64 {
    try await withAccounts(app) { accounts throws(AccountError) in
      try accounts.end(sessions: [session], now: now)
    }
  }
}
#endif
