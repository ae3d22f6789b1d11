#if Sync
internal import AtollObjects
internal import AtollTransport
internal import Logging
internal import Synchronization

/// Answers the requests that Format.md lists under "HTTP".
final class ServerResponder: HTTPResponder {
  static let accessTokenSeconds: UInt64 = 30 * 60

  /// The log-ins that a configuration allows, and whether it allows sync.
  struct Admission: Sendable {
    /// The allowed log-ins.
    var login = ServerConfiguration.Login()
    /// Whether anything may be synchronised at all.
    var hasRules = false
  }

  private let accounts: SerialWork<AccountStore>
  private let passwords: PasswordQueue
  private let signer: TokenSigner
  private let hub: SyncHub
  private let admission: Mutex<Admission>
  private let logger: Logger
  /// Milliseconds since 1970.
  private let now: @Sendable () -> UInt64
  /// Log-ins that were ended while their access tokens were still valid, with the end of those.
  ///
  /// As the accounts have them, for an event loop that may not wait for these.
  private let ended: Mutex<[String: UInt64]>

  init(
    accounts: SerialWork<AccountStore>, passwords: PasswordQueue, ended: [String: UInt64],
    signer: TokenSigner, hub: SyncHub, admission: Admission, logger: Logger,
    now: @escaping @Sendable () -> UInt64
  ) {
    self.ended = Mutex(ended)
    self.accounts = accounts
    self.passwords = passwords
    self.signer = signer
    self.hub = hub
    self.admission = Mutex(admission)
    self.logger = logger
    self.now = now
  }

  /// Applies another configuration; existing log-ins stay valid.
  func setAdmission(_ new: Admission) { admission.withLock { $0 = new } }

  // MARK: Sync connections

  func admit(_ request: HTTPRequest) -> SyncAdmission {
    let token: Token
    do throws(TokenError) {
      token = try verify(request, .access)
    } catch { return .refused(Self.reply(to: error)) }
    guard ended.withLock({ $0[token.session] }) == nil else {
      return .refused(Self.reply(to: .expired))
    }
    guard admission.withLock(\.hasRules) else {
      return .refused(
        HTTPReply(
          refusing: 403, "no-rules",
          "the server has no rules that allow anything; give it a configuration, or start it with "
            + "--development to try it out"))
    }
    let (expiry, isLater) = token.expiresAtSeconds.multipliedReportingOverflow(by: 1_000)
    return .accepted(
      user: token.user, session: token.session, expiresAtMilliseconds: isLater ? nil : expiry)
  }

  // MARK: Requests

  func respond(to request: HTTPRequest) async -> HTTPReply {
    let reply = await answer(request)
    // Neither tokens nor passwords stand in a path.
    logger.debug(
      "request",
      metadata: [
        "method": "\(request.method)", "path": "\(request.path)", "status": "\(reply.status)",
        "host": "\(request.remoteHost)",
      ])
    return reply
  }

  private func answer(_ request: HTTPRequest) async -> HTTPReply {
    let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    switch (request.method, Array(parts)) {
    case ("GET", ["health"]): return HTTPReply(status: 200, body: JSON.encode(["status": "ok"]))
    case ("GET", ["metrics"]):
      return HTTPReply(
        status: 200, contentType: "text/plain; version=0.0.4",
        body: Array(hub.counters.values.text.utf8))
    case (let method, let path) where path.count == 4 && path[0] == "v1" && path[1] == "app":
      guard let app = LoginClient.pathComponent(String(path[2])), !app.isEmpty else {
        return Self.notFound
      }
      guard request.body.isEmpty || request.isJSON else { return Self.wrongMediaType }
      switch (method, path[3]) {
      case ("POST", "register"): return await register(request, app)
      case ("POST", "login"): return await login(request, app)
      case ("POST", "session"): return await refresh(request, app)
      case ("DELETE", "session"): return await logOut(request, app)
      case (_, "register"), (_, "login"), (_, "session"): return Self.wrongMethod
      default: return Self.notFound
      }
    case (_, ["health"]), (_, ["metrics"]): return Self.wrongMethod
    default: return Self.notFound
    }
  }

  private struct Credentials: Decodable, Sendable {
    var provider: String?
    var email: String?
    var password: String?
    var token: String?
    var key: String?
  }

  private func register(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    guard let body = JSON.decode(Credentials.self, request.body), let email = body.email,
      let password = body.password
    else { return Self.badBody }
    let login = admission.withLock(\.login)
    guard login.isPasswordAllowed, login.isRegistrationOpen else {
      return Self.closed("this server makes no accounts; ask who runs it for one")
    }
    let (host, now) = (request.remoteHost, now())
    return await replying { () throws(AccountError) in
      let registration = try await withAccounts(app) { accounts throws(AccountError) in
        try accounts.registration(email: email, password: password, host: host, now: now)
      }
      let hash = try await passwords.run { registration.hash() }
      return try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
        try accounts.register(registration, hash, now: now)
        return HTTPReply(status: 201, body: Array("{}".utf8))
      }
    }
  }

  /// A log-in request: the provider and the credentials.
  private enum Claim: Sendable {
    case anonymous
    case password(email: String, String)
    case token(String, TokenIssuer)
    case key(String, [APIKey])
  }

  private func login(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    guard let body = JSON.decode(Credentials.self, request.body) else { return Self.badBody }
    let allowed = admission.withLock(\.login)
    let claim: Claim
    switch body.provider {
    case "anon-user":
      guard allowed.isAnonymousAllowed else {
        return Self.closed("this server takes no anonymous users")
      }
      claim = .anonymous
    case "local-userpass":
      guard let email = body.email, let password = body.password else { return Self.badBody }
      guard allowed.isPasswordAllowed else {
        return Self.closed("this server takes no passwords")
      }
      claim = .password(email: email, password)
    case "custom-token":
      guard let token = body.token else { return Self.badBody }
      guard let issuer = allowed.issuer else {
        return Self.closed("this server takes no tokens of other services")
      }
      claim = .token(token, issuer)
    case "api-key":
      guard let key = body.key else { return Self.badBody }
      guard !allowed.keys.isEmpty else { return Self.closed("this server takes no API keys") }
      claim = .key(key, allowed.keys)
    case nil: return Self.badBody
    case .some(let provider):
      return HTTPReply(
        refusing: 400, "unknown-provider",
        "this server knows the providers anon-user, local-userpass, custom-token and api-key, not "
          + "'\(provider)'")
    }
    let (host, now) = (request.remoteHost, now())
    return await replying { () throws(AccountError) in
      let session = try await begin(claim, app, host: host, now: now)
      logger.info(
        "logged in",
        metadata: ["user": "\(session.user)", "provider": "\(body.provider ?? "")"])
      let login = LoginClient.Login(
        userID: session.user,
        accessToken: signer.sign(
          Self.token(.access, app, session.user, session.id, now, Self.accessTokenSeconds)),
        refreshToken: signer.sign(
          Self.token(
            .refresh, app, session.user, session.id, now,
            session.expiresAtMilliseconds / 1_000 - now / 1_000)))
      return HTTPReply(status: 200, body: JSON.encode(login))
    }
  }

  private func begin(
    _ claim: Claim, _ app: String, host: String, now: UInt64
  ) async throws(AccountError) -> AccountStore.Session {
    switch claim {
    case .anonymous:
      return try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
        try accounts.loginAnonymously(host: host, now: now)
      }
    case .password(let email, let password):
      return try await begin(email: email, password: password, app, host: host, now: now)
    case .token(let token, let issuer):
      return try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
        try accounts.admit(host: host, now: now)
        let subject: String
        do throws(TokenIssuer.Problem) {
          subject = try issuer.subject(of: token, nowSeconds: now / 1_000)
        } catch { throw .invalidToken(error) }
        return try accounts.login(.token, name: subject, now: now)
      }
    case .key(let text, let keys):
      return try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
        try accounts.admit(host: host, now: now)
        guard let key = keys.first(where: { $0.matches(text) }) else { throw .invalidKey }
        return try accounts.login(.key, name: key.name, now: now)
      }
    }
  }

  private func begin(
    email: String, password: String, _ app: String, host: String, now: UInt64
  ) async throws(AccountError) -> AccountStore.Session {
    let claim = try await withAccounts(app) { accounts throws(AccountError) in
      try accounts.claim(email: email, password: password, host: host, now: now)
    }
    let isRight: Bool
    do throws(AccountError) {
      isRight = try await passwords.run { claim.isRight() }
    } catch {
      accounts.enqueue { $0.forget(claim, now: now) }
      throw error
    }
    return try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
      try accounts.login(claim, isRight: isRight, now: now)
    }
  }

  private func refresh(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    let token: Token
    do throws(TokenError) {
      token = try verify(request, .refresh)
    } catch { return Self.reply(to: error) }
    guard token.app == app else { return AccountError.unknownApp(app).reply }
    let (signer, now) = (signer, now())
    return await replying { () throws(AccountError) in
      try await withAccounts(token.app) { accounts throws(AccountError) in
        guard try accounts.isOpen(session: token.session, now: now) else { throw .sessionEnded }
        let access = signer.sign(
          Self.token(.access, token.app, token.user, token.session, now, Self.accessTokenSeconds))
        return HTTPReply(status: 200, body: JSON.encode(["access_token": access]))
      }
    }
  }

  private func logOut(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    let token: Token
    do throws(TokenError) {
      token = try verify(request, .refresh)
    } catch { return Self.reply(to: error) }
    guard token.app == app else { return AccountError.unknownApp(app).reply }
    let now = now()
    let until = now + Self.accessTokenSeconds * 1_000
    ended.withLock { ended in
      ended = ended.filter { $0.value > now }
      ended[token.session] = until
    }
    hub.end(session: token.session)
    return await replying { () throws(AccountError) in
      try await withAccounts(token.app) { accounts throws(AccountError) in
        try accounts.end(session: token.session, until: until, now: now)
        return HTTPReply(status: 204)
      }
    }
  }

  // MARK: Tokens

  private func verify(
    _ request: HTTPRequest, _ use: Token.Use
  ) throws(TokenError) -> Token {
    guard let text = request.bearerToken else { throw .malformed }
    return try signer.verify(text, use: use, nowSeconds: now() / 1_000)
  }

  private static func token(
    _ use: Token.Use, _ app: String, _ user: String, _ session: String, _ now: UInt64,
    _ seconds: UInt64
  ) -> Token {
    Token(
      use: use, app: app, user: user, session: session, issuedAtSeconds: now / 1_000,
      expiresAtSeconds: now / 1_000 + seconds)
  }

  // MARK: Refusals

  /// Does what needs the accounts of the app, on their queue.
  ///
  /// `adopts`: whether success makes the app that of a server that has none. A refused request does
  /// not: anything that reaches the server could claim it.
  private func withAccounts<Answer: Sendable>(
    _ app: String, adopts: Bool = false,
    _ body: @escaping @Sendable (AccountStore) throws(AccountError) -> Answer
  ) async throws(AccountError) -> Answer {
    let logger = logger
    let answer = await accounts.run { accounts -> Result<Answer, AccountError> in
      do throws(AccountError) {
        try accounts.check(app: app)
        let answer = try body(accounts)
        if adopts, try accounts.adopt(app: app) {
          logger.notice("adopted app", metadata: ["app": "\(app)"])
        }
        return .success(answer)
      } catch { return .failure(error) }
    }
    return try answer.get()
  }

  /// Returns the reply of `body`, or that to its error.
  private func replying(_ body: () async throws(AccountError) -> HTTPReply) async -> HTTPReply {
    do throws(AccountError) { return try await body() } catch {
      if case .storage(let error) = error {
        logger.error("accounts failed", metadata: ["error": "\(error)"])
      }
      return error.reply
    }
  }

  private static func reply(to error: TokenError) -> HTTPReply {
    switch error {
    case .expired: HTTPReply(refusing: 401, "token-expired", "the token has expired")
    case .malformed, .forged, .wrongUse:
      HTTPReply(refusing: 401, "invalid-token", "the token is not one of this server; log in again")
    }
  }

  private static func closed(_ text: String) -> HTTPReply {
    HTTPReply(refusing: 403, "provider-disabled", text)
  }

  private static let notFound = HTTPReply(
    refusing: 404, "not-found", "there is nothing at this path")
  private static let wrongMethod = HTTPReply(
    refusing: 405, "wrong-method", "this path is for another method")
  private static let wrongMediaType = HTTPReply(
    refusing: 415, "wrong-media-type", "the body of a request is application/json")
  private static let badBody = HTTPReply(
    refusing: 400, "bad-request", "the body is not the JSON object that this request needs")
}

extension AccountError {
  /// The answer to the request that it ended.
  fileprivate var reply: HTTPReply {
    switch self {
    case .unknownApp, .noApp: HTTPReply(refusing: 404, "unknown-app", description)
    case .invalidEmail: HTTPReply(refusing: 400, "invalid-email", description)
    case .invalidPassword: HTTPReply(refusing: 400, "invalid-password", description)
    case .accountExists: HTTPReply(refusing: 409, "account-exists", description)
    case .invalidCredentials, .invalidToken, .invalidKey:
      HTTPReply(refusing: 401, "invalid-credentials", description)
    case .tooManyAttempts(let seconds):
      HTTPReply(
        refusing: 429, "too-many-attempts", description, retryAfterSeconds: seconds)
    case .sessionEnded: HTTPReply(refusing: 401, "session-ended", description)
    case .busy:
      HTTPReply(refusing: 503, "busy", description, retryAfterSeconds: 5)
    case .crowded, .abandoned:
      HTTPReply(refusing: 503, "busy", description, retryAfterSeconds: 2)
    case .storage:
      HTTPReply(refusing: 500, "internal-error", "the server failed; its log says why")
    }
  }
}
#endif
