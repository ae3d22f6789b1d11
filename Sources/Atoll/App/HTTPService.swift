#if Sync
internal import AtollTransport

/// The app's service over HTTP.
///
/// Normative text: Format.md, "HTTP".
struct HTTPService: AppService {
  private let client: LoginClient

  /// - Throws: `AppError` with the code `badRequest` when the address is none.
  init(
    _ configuration: AppConfiguration, appID: String, waitingAtMost milliseconds: Int? = nil
  ) throws {
    let configured = configuration.defaultRequestTimeoutMS ?? 60_000
    do {
      client = LoginClient(
        try ServerAddress(configuration.serverURL), appID: appID, trust: configuration.trust,
        timeoutMilliseconds: UInt64(min(Int(clamping: configured), milliseconds ?? .max)))
    } catch { throw AppError(error) }
  }

  func register(email: String, password: String) async throws {
    try await request { () async throws(TransportError) in
      try await client.register(email: email, password: password)
    }
  }

  func logIn(_ credentials: Credentials) async throws -> LogInAnswer {
    let identity = try Self.identity(credentials)
    let login = try await request { () async throws(TransportError) in
      try await client.login(identity)
    }
    return LogInAnswer(
      userID: login.userID, accessToken: login.accessToken, refreshToken: login.refreshToken,
      identities: login.identities.map(Self.identities))
  }

  func link(_ refreshToken: String, _ credentials: Credentials) async throws -> [UserIdentity] {
    let identity = try Self.identity(credentials)
    return Self.identities(
      try await request { () async throws(TransportError) in
        try await client.link(refreshToken, identity)
      })
  }

  func refresh(_ refreshToken: String) async throws -> RefreshAnswer {
    let access = try await request { () async throws(TransportError) in
      try await client.access(refreshToken)
    }
    return RefreshAnswer(
      accessToken: access.accessToken, identities: access.identities.map(Self.identities))
  }

  private static func identity(_ credentials: Credentials) throws -> LoginClient.Identity {
    switch credentials {
    case .anonymous: .anonymous
    case .emailPassword(let email, let password):
      .emailPassword(email: email, password: password)
    case .jwt(let token): .token(token)
    case .serverAPIKey(let key): .key(key)
    case .userAPIKey, .apple, .google, .googleId, .facebook:
      throw AppError(
        .authProviderNotFound,
        "servers know the log-ins anonymous, emailPassword, jwt and serverAPIKey, not this one")
    }
  }

  private static func identities(_ linked: [LoginClient.LinkedIdentity]) -> [UserIdentity] {
    linked.map { UserIdentity(providerType: $0.provider, identifier: $0.id) }
  }

  func logOut(_ refreshToken: String) async throws {
    try await request { () async throws(TransportError) in try await client.logOut(refreshToken) }
  }

  func deleteUser(_ refreshToken: String) async throws {
    try await request { () async throws(TransportError) in
      try await client.deleteUser(refreshToken)
    }
  }

  func changePassword(
    _ refreshToken: String, from password: String, to newPassword: String
  ) async throws {
    try await request { () async throws(TransportError) in
      try await client.changePassword(refreshToken, from: password, to: newPassword)
    }
  }

  private func request<Answer>(
    _ body: () async throws(TransportError) -> Answer
  ) async throws -> Answer {
    do { return try await body() } catch { throw AppError(error) }
  }
}

extension AppError {
  init(_ error: TransportError) {
    switch error {
    case .invalidAddress: self.init(.badRequest, error.description)
    case .refused(let refusal):
      self.init(Self.code(refusal), error.description, httpStatusCode: refusal.status)
    case .unreachable, .timedOut, .closed, .tls, .malformedResponse, .responseTooLarge:
      self.init(.httpRequestFailed, error.description)
    }
  }

  /// The code that programs know for the server's word.
  private static func code(_ refusal: TransportError.Refusal) -> Code {
    switch refusal.code {
    case "account-exists", "identity-taken": .accountNameInUse
    case "password-exists": .valueAlreadyExists
    case "invalid-credentials": .invalidPassword
    case "invalid-email", "invalid-password": .badRequest
    case "unknown-provider", "provider-disabled": .authProviderNotFound
    case "too-many-attempts", "busy": .tooManyRequests
    case "user-disabled": .userDisabled
    case "no-password": .userNotFound
    case "unknown-app": .userAppDomainMismatch
    case "session-ended", "token-expired", "invalid-token": .invalidSession
    default:
      switch refusal.status {
      case 401: .invalidSession
      case 400..<500: .badRequest
      default: .internalServerError
      }
    }
  }
}
#endif
