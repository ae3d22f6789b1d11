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

    package init(userID: String, accessToken: String, refreshToken: String) {
      self.userID = userID
      self.accessToken = accessToken
      self.refreshToken = refreshToken
    }

    enum CodingKeys: String, CodingKey {
      case userID = "user_id"
      case accessToken = "access_token"
      case refreshToken = "refresh_token"
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
    let body =
      switch identity {
      case .anonymous: Credentials(provider: "anon-user")
      case .emailPassword(let email, let password):
        Credentials(provider: "local-userpass", email: email, password: password)
      case .token(let token): Credentials(provider: "custom-token", token: token)
      case .key(let key): Credentials(provider: "api-key", key: key)
      }
    let reply = try await send("POST", "login", body, expecting: 200)
    guard let login = JSON.decode(Login.self, reply.body) else { throw .malformedResponse }
    return login
  }

  /// A new access token.
  ///
  /// - Throws: `.refused` with status 401 when the user has logged out.
  package func refresh(_ refreshToken: String) async throws(TransportError) -> String {
    let reply = try await send(
      "POST", "session", Credentials?.none, token: refreshToken, expecting: 200)
    guard let access = JSON.decode(Access.self, reply.body) else { throw .malformedResponse }
    return access.accessToken
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

  private struct Access: Codable {
    var accessToken: String

    enum CodingKeys: String, CodingKey { case accessToken = "access_token" }
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
