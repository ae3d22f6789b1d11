#if Sync
internal import AtollObjects
internal import AtollTransport
internal import Logging
internal import Synchronization

/// Answers the requests that Format.md lists under "HTTP".
final class ServerResponder: HTTPResponder {
  /// The log-ins that a configuration allows, and whether it allows sync.
  struct Admission: Sendable {
    /// The allowed log-ins.
    var login = ServerConfiguration.Login()
    /// Whether anything may be synchronised at all.
    var hasRules = false
  }

  let accounts: SerialWork<AccountStore>
  let passwords: PasswordQueue
  let signer: TokenSigner
  private let hub: SyncHub
  private let admission: Mutex<Admission>
  private let instruments: LoginInstruments
  private let logger: Logger
  /// Milliseconds since 1970.
  let now: @Sendable () -> UInt64
  /// Log-ins that were ended while their access tokens were still valid, with the end of those.
  ///
  /// As the accounts have them, for an event loop that may not wait for these.
  private let ended: Mutex<[String: UInt64]>
  /// Of log-ins, those that ask for new tokens.
  let refreshes = Mutex(
    AttemptLimit<String>(capacity: 60, intervalMilliseconds: 1_000))

  init(
    accounts: SerialWork<AccountStore>, passwords: PasswordQueue, ended: [String: UInt64],
    signer: TokenSigner, hub: SyncHub, admission: Admission, instruments: LoginInstruments,
    logger: Logger, now: @escaping @Sendable () -> UInt64
  ) {
    self.ended = Mutex(ended)
    self.accounts = accounts
    self.passwords = passwords
    self.signer = signer
    self.hub = hub
    self.admission = Mutex(admission)
    self.instruments = instruments
    self.logger = logger
    self.now = now
  }

  /// Applies another configuration; from then on no log-in begins that it does not allow.
  func setAdmission(_ new: Admission) { admission.withLock { $0 = new } }

  func allows(_ origin: SessionOrigin?) -> Bool {
    origin.map { origin in admission.withLock { $0.login.allows(origin) } } ?? false
  }

  /// Ends what is open of log-ins that were ended; each with the end of its access tokens.
  func close(_ sessions: [String: UInt64]) {
    guard !sessions.isEmpty else { return }
    let now = now()
    ended.withLock { ended in
      ended = ended.filter { $0.value > now }
      ended.merge(sessions) { max($0, $1) }
    }
    hub.end(sessions: Set(sessions.keys))
  }

  /// Ends what is open of the log-ins that were ended in the accounts, as by another process.
  func noteEndedSessions() async {
    let now = now()
    // Accounts that cannot be read are reported by the next request.
    let stored = await accounts.run { (try? $0.endedSessions(now: now)) ?? [:] }
    let new = ended.withLock { known in stored.filter { known[$0.key] == nil } }
    if !new.isEmpty {
      logger.notice("log-ins were ended", metadata: ["count": "\(new.count)"])
    }
    close(new)
  }

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
    case ("GET", ["health"]): return HTTPReply(hub.health, accounts)
    case (let method, let path) where path.count == 4 && path[0] == "v1" && path[1] == "app":
      guard let app = LoginClient.pathComponent(String(path[2])), !app.isEmpty else {
        return Self.notFound
      }
      guard request.body.isEmpty || request.isJSON else { return Self.wrongMediaType }
      switch (method, path[3]) {
      case ("POST", "register"):
        return instruments.count(.registration, await register(request, app))
      case ("POST", "login"): return instruments.count(.login, await login(request, app))
      case ("POST", "identity"):
        return instruments.count(.link, await link(request, app))
      case ("POST", "session"):
        return instruments.count(.refresh, await refresh(request, app))
      case ("DELETE", "session"): return await logOut(request, app)
      case ("DELETE", "user"): return await deleteUser(request, app)
      case ("PUT", "password"): return await changePassword(request, app)
      case (_, "register"), (_, "login"), (_, "session"), (_, "user"), (_, "password"),
        (_, "identity"):
        return Self.wrongMethod
      default: return Self.notFound
      }
    case (_, ["health"]): return Self.wrongMethod
    default: return Self.notFound
    }
  }

  struct Credentials: Decodable, Sendable {
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
    if let closedRegistration { return closedRegistration }
    let (host, now) = (HostKey(request.remoteHost), now())
    return await replying { () throws(AccountError) in
      let registration = try await withAccounts(app) { accounts throws(AccountError) in
        try accounts.registration(email: email, password: password, host: host, now: now)
      }
      let hash = try await passwords.run(for: host) { registration.password.hash() }
      return try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
        try accounts.register(registration, hash, now: now)
        return HTTPReply(status: 201, body: Array("{}".utf8))
      }
    }
  }

  /// A log-in request: the provider and the credentials.
  enum Claim: Sendable {
    case anonymous
    case password(email: String, String)
    case token(String, TokenIssuer)
    case key(String, [APIKey])
  }

  /// What a body asks for, or why it cannot be had.
  enum ReadClaim {
    case claim(Claim)
    case refused(HTTPReply)
  }

  func claim(of body: Credentials) -> ReadClaim {
    let allowed = admission.withLock(\.login)
    switch body.provider {
    case "anon-user":
      guard allowed.isAnonymousAllowed else {
        return .refused(Self.closed("this server takes no anonymous users"))
      }
      return .claim(.anonymous)
    case "local-userpass":
      guard let email = body.email, let password = body.password else {
        return .refused(Self.badBody)
      }
      guard allowed.isPasswordAllowed else {
        return .refused(Self.closed("this server takes no passwords"))
      }
      return .claim(.password(email: email, password))
    case "custom-token":
      guard let token = body.token else { return .refused(Self.badBody) }
      guard let issuer = allowed.issuer else {
        return .refused(Self.closed("this server takes no tokens of other services"))
      }
      return .claim(.token(token, issuer))
    case "api-key":
      guard let key = body.key else { return .refused(Self.badBody) }
      guard !allowed.keys.isEmpty else {
        return .refused(Self.closed("this server takes no API keys"))
      }
      return .claim(.key(key, allowed.keys))
    case nil: return .refused(Self.badBody)
    case .some(let provider):
      return .refused(
        HTTPReply(
          refusing: 400, "unknown-provider",
          "this server knows the providers anon-user, local-userpass, custom-token and api-key, "
            + "not '\(provider)'"))
    }
  }

  /// Why no accounts can be made; nil where they can.
  var closedRegistration: HTTPReply? {
    let login = admission.withLock(\.login)
    guard login.isPasswordAllowed, login.isRegistrationOpen else {
      return Self.closed("this server makes no accounts; ask who runs it for one")
    }
    return nil
  }

  private func login(_ request: HTTPRequest, _ app: String) async -> HTTPReply {
    guard let body = JSON.decode(Credentials.self, request.body) else { return Self.badBody }
    let claim: Claim
    switch self.claim(of: body) {
    case .claim(let read): claim = read
    case .refused(let reply): return reply
    }
    let (host, now) = (HostKey(request.remoteHost), now())
    return await replying { () throws(AccountError) in
      let session = try await begin(claim, app, host: host, now: now)
      logger.info(
        "logged in",
        metadata: ["user": "\(session.user)", "provider": "\(body.provider ?? "")"])
      let login = LoginClient.Login(
        userID: session.user,
        accessToken: signer.sign(Self.token(.access, app, session, now)),
        refreshToken: signer.sign(Self.token(.refresh, app, session, now)),
        identities: try await identities(of: session.user, app))
      return HTTPReply(status: 200, body: JSON.encode(login))
    }
  }

  private func begin(
    _ claim: Claim, _ app: String, host: HostKey, now: UInt64
  ) async throws(AccountError) -> AccountStore.Session {
    switch claim {
    case .anonymous:
      return try await begin(from: .anonymous, app) { accounts, _ throws(AccountError) in
        try accounts.loginAnonymously(host: host, now: now)
      }
    case .password(let email, let password):
      return try await begin(email: email, password: password, app, host: host, now: now)
    case .token(let token, let issuer):
      let origin = SessionOrigin.token(issuer: issuer.fingerprint)
      return try await begin(from: origin, app) { accounts, origin throws(AccountError) in
        try accounts.admit(host: host, now: now)
        let subject: TokenIssuer.Subject
        do throws(TokenIssuer.Problem) {
          subject = try issuer.subject(of: token, nowSeconds: now / 1_000)
        } catch { throw .invalidToken(error) }
        let milliseconds = issuer.sessionMilliseconds(
          of: subject, atMost: accounts.options.sessionMilliseconds, now: now)
        return try accounts.login(
          from: origin, name: subject.name, lasting: milliseconds, now: now)
      }
    case .key(let text, let keys):
      try await withAccounts(app) { accounts throws(AccountError) in
        try accounts.admit(host: host, now: now)
      }
      guard let key = keys.first(where: { $0.matches(text) }) else { throw .invalidKey }
      let origin = SessionOrigin.key(name: key.name, digest: key.digest)
      return try await begin(from: origin, app) { accounts, origin throws(AccountError) in
        try accounts.login(from: origin, name: key.name, now: now)
      }
    }
  }

  private func begin(
    email: String, password: String, _ app: String, host: HostKey, now: UInt64
  ) async throws(AccountError) -> AccountStore.Session {
    let claim = try await withAccounts(app) { accounts throws(AccountError) in
      try accounts.claim(email: email, password: password, host: host, now: now)
    }
    let isRight = try await isRight(claim, host, now)
    return try await begin(from: .password, app) { accounts, _ throws(AccountError) in
      try accounts.login(claim, isRight: isRight, now: now)
    }
  }

  /// Compares a password in its turn.
  func isRight(
    _ claim: AccountStore.PasswordClaim, _ host: HostKey, _ now: UInt64
  ) async throws(AccountError) -> Bool {
    do throws(AccountError) {
      return try await passwords.run(for: host, isRight: { $0 }) { claim.isRight() }
    } catch {
      accounts.enqueue { $0.forget(claim, now: now) }
      throw error
    }
  }

  /// Begins a log-in, if the configuration still allows it.
  ///
  /// That may be another one than when the request came. The log-ins that a new one does not allow
  /// are ended on the queue of the accounts, after it was applied: one that begins here before is
  /// among them.
  private func begin(
    from origin: SessionOrigin, _ app: String,
    _ body:
      @escaping @Sendable (
        AccountStore, SessionOrigin
      ) throws(AccountError) -> AccountStore.Session
  ) async throws(AccountError) -> AccountStore.Session {
    try await withAccounts(app, adopts: true) { accounts throws(AccountError) in
      guard self.allows(origin) else { throw .notAllowed }
      return try body(accounts, origin)
    }
  }

  // MARK: Tokens

  func verify(
    _ request: HTTPRequest, _ use: Token.Use
  ) throws(TokenError) -> Token {
    guard let text = request.bearerToken else { throw .malformed }
    return try signer.verify(text, use: use, nowSeconds: now() / 1_000)
  }

  /// A token of a log-in, which none outlives.
  static func token(
    _ use: Token.Use, _ app: String, _ session: AccountStore.Session, _ now: UInt64
  ) -> Token {
    var end = session.expiresAtMilliseconds
    if use == .access { end = min(end, now + AccountStore.accessTokenMilliseconds) }
    return Token(
      use: use, app: app, user: session.user, session: session.id, issuedAtSeconds: now / 1_000,
      expiresAtSeconds: end / 1_000)
  }

  // MARK: Refusals

  /// Does what needs the accounts of the app, on their queue.
  ///
  /// `adopts`: whether success makes the app that of a server that has none. A refused request does
  /// not: anything that reaches the server could claim it.
  func withAccounts<Answer: Sendable>(
    _ app: String, adopts: Bool = false,
    _ body: @escaping @Sendable (AccountStore) throws(AccountError) -> Answer
  ) async throws(AccountError) -> Answer {
    // It would wait without an end behind what does so.
    guard !accounts.isStuck else { throw .locked }
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
  func replying(_ body: () async throws(AccountError) -> HTTPReply) async -> HTTPReply {
    do throws(AccountError) { return try await body() } catch {
      if case .storage(let error) = error {
        logger.error("accounts failed", metadata: ["error": "\(error)"])
      }
      return error.reply
    }
  }

  static func reply(to error: TokenError) -> HTTPReply {
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
  static let badBody = HTTPReply(
    refusing: 400, "bad-request", "the body is not the JSON object that this request needs")
}

extension AccountError {
  /// The answer to the request that it ended.
  var reply: HTTPReply {
    switch self {
    case .unknownApp, .noApp: HTTPReply(refusing: 404, "unknown-app", description)
    case .invalidEmail: HTTPReply(refusing: 400, "invalid-email", description)
    case .invalidPassword: HTTPReply(refusing: 400, "invalid-password", description)
    case .accountExists: HTTPReply(refusing: 409, "account-exists", description)
    case .identityTaken: HTTPReply(refusing: 409, "identity-taken", description)
    case .passwordExists: HTTPReply(refusing: 409, "password-exists", description)
    case .notLinkable: HTTPReply(refusing: 400, "not-linkable", description)
    case .linkedByOthers, .tooManyIdentities, .onlyLogIn, .noSuchLogIn:
      HTTPReply(refusing: 403, "not-linkable", description)
    case .invalidCredentials, .invalidToken, .invalidKey:
      HTTPReply(refusing: 401, "invalid-credentials", description)
    case .tooManyAttempts(let seconds):
      HTTPReply(
        refusing: 429, "too-many-attempts", description, retryAfterSeconds: seconds)
    case .userDisabled: HTTPReply(refusing: 403, "user-disabled", description)
    case .noPassword: HTTPReply(refusing: 404, "no-password", description)
    // Another request or process was faster.
    case .noSuchUser: HTTPReply(refusing: 401, "session-ended", description)
    case .notAllowed: HTTPReply(refusing: 403, "provider-disabled", description)
    case .sessionEnded: HTTPReply(refusing: 401, "session-ended", description)
    case .busy:
      HTTPReply(refusing: 503, "busy", description, retryAfterSeconds: 5)
    case .crowded, .overtaken, .abandoned, .locked:
      HTTPReply(refusing: 503, "busy", description, retryAfterSeconds: 2)
    case .storage:
      HTTPReply(refusing: 500, "internal-error", "the server failed; its log says why")
    }
  }
}
#endif
