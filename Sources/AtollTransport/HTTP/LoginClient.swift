#if Sync
/// Logs users in at a server.
///
/// Normative text: Format.md, "HTTP".
package struct LoginClient: Sendable {
  /// What a log-in gives.
  package struct Login: Codable, Equatable, Sendable {
    package var userID: String
    /// Opens sync connections for half an hour.
    package var accessToken: String
    /// Gives new access tokens, until the user logs out.
    package var refreshToken: String
    /// How the user logs in; nil from a server that does not tell.
    package var identities: [LinkedIdentity]?

    package init(
      userID: String, accessToken: String, refreshToken: String, identities: [LinkedIdentity]? = nil
    ) {
      self.userID = userID
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.identities = identities
    }

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case accessToken = "access_token"
      case refreshToken = "refresh_token"
      case identities
    }
  }

  /// A way in which a user logs in.
  package struct LinkedIdentity: Codable, Equatable, Sendable {
    /// The name of the provider, as in a log-in.
    package var provider: String
    /// Who the user is there.
    package var id: String

    package init(provider: String, id: String) {
      self.provider = provider
      self.id = id
    }
  }

  /// The answer to a link.
  package struct LinkedIdentities: Codable, Equatable, Sendable {
    package var identities: [LinkedIdentity]

    package init(identities: [LinkedIdentity]) { self.identities = identities }
  }

  /// What a refresh token gives.
  package struct Access: Codable, Equatable, Sendable {
    /// Opens sync connections for half an hour.
    package var accessToken: String
    /// How the user logs in; nil from a server that does not tell.
    package var identities: [LinkedIdentity]?

    package init(accessToken: String, identities: [LinkedIdentity]?) {
      self.accessToken = accessToken
      self.identities = identities
    }

    enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case identities
    }
  }

  /// Who wants to log in.
  package enum Identity: Equatable, Sendable {
    /// A new user without a name.
    case anonymous
    case emailPassword(email: String, password: String)
    /// A JSON Web Token of a service that the server trusts.
    case token(String)
    /// A key that the operator of the server made.
    case key(String)
  }

  package let appID: String
  private let client: HTTPClient

  package init(
    _ address: ServerAddress, appID: String, trust: ServerTrust = .system,
    timeoutMilliseconds: UInt64 = 30_000
  ) {
    self.appID = appID
    client = HTTPClient(address, trust: trust, timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Makes an account.
  ///
  /// - Throws: `.refused` with code `account-exists`, `invalid-email`, `weak-password`,
  ///   `unknown-app`, `too-many-attempts`.
  package func register(email: String, password: String) async throws(TransportError) {
    let body = Credentials(email: email, password: password)
    _ = try await send("POST", "register", body, expecting: 201)
  }

  /// Logs a user in.
  ///
  /// - Throws: `.refused` with code `invalid-credentials`, `unknown-app`, `too-many-attempts`.
  package func login(_ identity: Identity) async throws(TransportError) -> Login {
    let reply = try await send("POST", "login", Self.body(identity), expecting: 200)
    guard let login = JSON.decode(Login.self, reply.body) else { throw .malformedResponse }
    return login
  }

  /// Lets the user of a refresh token log in in another way too.
  ///
  /// - Returns: All ways in which the user logs in.
  /// - Throws: `.refused` with code `account-exists`, `identity-taken`, `password-exists`,
  ///   `invalid-credentials`, `too-many-attempts`.
  package func link(
    _ refreshToken: String, _ identity: Identity
  ) async throws(TransportError) -> [LinkedIdentity] {
    let reply = try await send(
      "POST", "identity", Self.body(identity), token: refreshToken, expecting: 200)
    guard let answer = JSON.decode(LinkedIdentities.self, reply.body) else {
      throw .malformedResponse
    }
    return answer.identities
  }

  private static func body(_ identity: Identity) -> Credentials {
    switch identity {
    case .anonymous: Credentials(provider: "anon-user")
    case .emailPassword(let email, let password):
      Credentials(provider: "local-userpass", email: email, password: password)
    case .token(let token): Credentials(provider: "custom-token", token: token)
    case .key(let key): Credentials(provider: "api-key", key: key)
    }
  }

  /// A new access token.
  ///
  /// - Throws: `.refused` with status 401 when the user has logged out.
  package func refresh(_ refreshToken: String) async throws(TransportError) -> String {
    try await access(refreshToken).accessToken
  }

  /// A new access token, and how the user logs in.
  ///
  /// - Throws: As `refresh`.
  package func access(_ refreshToken: String) async throws(TransportError) -> Access {
    let reply = try await send(
      "POST", "session", Credentials?.none, token: refreshToken, expecting: 200)
    guard let access = JSON.decode(Access.self, reply.body) else { throw .malformedResponse }
    return access
  }

  /// Withdraws a refresh token; the sync connections of its log-in end.
  package func logOut(_ refreshToken: String) async throws(TransportError) {
    _ = try await send("DELETE", "session", Credentials?.none, token: refreshToken, expecting: 204)
  }

  /// Deletes the user of a refresh token, with the account; all log-ins end.
  package func deleteUser(_ refreshToken: String) async throws(TransportError) {
    _ = try await send("DELETE", "user", Credentials?.none, token: refreshToken, expecting: 204)
  }

  /// Gives the account of a refresh token's user another password; the other log-ins end.
  ///
  /// - Throws: `.refused` with code `invalid-credentials`, `invalid-password`, `too-many-attempts`.
  package func changePassword(
    _ refreshToken: String, from password: String, to newPassword: String
  ) async throws(TransportError) {
    let body = Credentials(password: password, newPassword: newPassword)
    _ = try await send("PUT", "password", body, token: refreshToken, expecting: 204)
  }

  private struct Credentials: Codable {
    var provider: String?
    var email: String?
    var password: String?
    var newPassword: String?
    var token: String?
    var key: String?

    enum CodingKeys: String, CodingKey {
      case provider, email, password, token, key
      case newPassword = "new_password"
    }
  }

  private func send(
    _ method: String, _ action: String, _ body: Credentials?, token: String? = nil,
    expecting status: Int
  ) async throws(TransportError) -> HTTPReply {
    guard let app = Self.pathComponent(appID) else {
      throw .refused(
        .init(status: 400, code: "invalid-app-id", message: "'\(appID)' is no id of an app"))
    }
    let reply = try await client.send(
      method, "/v1/app/\(app)/\(action)", json: body.map { JSON.encode($0) }, bearerToken: token)
    guard reply.status == status else { throw reply.refusal }
    return reply
  }

  /// An id that can stand in a path as it is; nil for any other.
  package static func pathComponent(_ id: String) -> String? {
    let isPlain = id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    let isTraversal = id.allSatisfy { $0 == "." }
    return isPlain && !isTraversal && id.utf8.count <= 128 ? id : nil
  }
}
#endif
