#if Sync
internal import AtollTransport

extension ServerResponder {
  /// Lets the user of a log-in log in in another way too.
  func link(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    guard let body = JSON.decode(Credentials.self, request.body) else { return Self.badBody }
    let claim: Claim
    switch self.claim(of: body) {
    case .claim(let read): claim = read
    case .refused(let reply): return reply
    }
    // Before any account is looked at: what the server makes none of is refused alike.
    if case .password = claim, let closedRegistration { return closedRegistration }
    let host = HostKey(request.remoteHost)
    return await withLogIn(request, app) { session, now throws(AccountError) in
      // Else who has a key for a while would have its user for good.
      switch session.origin {
      case .anonymous, .password: break
      case .key, .token, nil: throw .linkedByOthers
      }
      try await link(claim, to: session, app, host: host, now: now)
      let identities = try await identities(of: session.user, app)
      return HTTPReply(
        status: 200, body: JSON.encode(LoginClient.LinkedIdentities(identities: identities)))
    }
  }

  private func link(
    _ claim: Claim, to session: AccountStore.Session, _ app: String, host: HostKey, now: UInt64
  ) async throws(AccountError) {
    switch claim {
    case .anonymous: throw .notLinkable
    case .password(let email, let password):
      let link = try await withAccounts(app) { accounts throws(AccountError) in
        try accounts.passwordLink(
          email: email, password: password, user: session.user, host: host, now: now)
      }
      let test: AccountStore.PasswordTest
      do throws(AccountError) {
        test = try await passwords.run(for: host, isRight: \.isRight) { link.test() }
      } catch {
        accounts.enqueue { $0.forget(link.claim, now: now) }
        throw error
      }
      do throws(AccountError) {
        try await linking(.password, to: session, app, now) { accounts throws(AccountError) in
          try accounts.link(link, test, now: now)
        }
      } catch {
        // What says nothing of the password is no guess.
        switch error {
        case .sessionEnded, .notAllowed, .userDisabled, .busy, .overtaken, .tooManyIdentities:
          accounts.enqueue { $0.forget(link.claim, now: now) }
        default: break
        }
        throw error
      }
    case .token(let token, let issuer):
      try await admit(host, app, now)
      let subject: TokenIssuer.Subject
      do throws(TokenIssuer.Problem) {
        subject = try issuer.subject(of: token, nowSeconds: now / 1_000)
      } catch { throw .invalidToken(error) }
      try await link(
        .token(issuer: issuer.fingerprint), name: subject.name, to: session, app, now)
    case .key(let text, let keys):
      try await admit(host, app, now)
      guard let key = keys.first(where: { $0.matches(text) }) else { throw .invalidKey }
      try await link(
        .key(name: key.name, digest: key.digest), name: key.name, to: session, app, now)
    }
  }

  private func admit(
    _ host: HostKey, _ app: String, _ now: UInt64
  ) async throws(AccountError) {
    try await withAccounts(app) { accounts throws(AccountError) in
      try accounts.admit(host: host, now: now)
    }
  }

  private func link(
    _ origin: SessionOrigin, name: String, to session: AccountStore.Session, _ app: String,
    _ now: UInt64
  ) async throws(AccountError) {
    try await linking(origin, to: session, app, now) { accounts throws(AccountError) in
      try accounts.link(from: origin, name: name, to: session.user)
    }
  }

  /// Links what the configuration still allows, if the log-in still holds.
  private func linking(
    _ origin: SessionOrigin, to session: AccountStore.Session, _ app: String, _ now: UInt64,
    _ body: @escaping @Sendable (AccountStore) throws(AccountError) -> Void
  ) async throws(AccountError) {
    try await withAccounts(app) { accounts throws(AccountError) in
      guard self.allows(origin) else { throw .notAllowed }
      guard try accounts.session(session.id, now: now) != nil else { throw .sessionEnded }
      try body(accounts)
    }
  }

  /// The ways in which a user logs in, as answers have them.
  func identities(
    of user: String, _ app: String
  ) async throws(AccountError) -> [LoginClient.LinkedIdentity] {
    try await withAccounts(app) { accounts throws(AccountError) in
      try accounts.identities(of: user).map { .init(provider: $0.provider, id: $0.id) }
    }
  }
}
#endif
