/// What is kept of a user on disk.
struct UserAccount: Codable, Equatable, Sendable {
  var id: String
  var accessToken: String
  var refreshToken: String
  var identities: [UserIdentity]
  var email: String?
  var isLoggedIn: Bool

  /// Whether the user is logged in, and could not log in again.
  var isAnonymous: Bool {
    isLoggedIn && identities.map(\.providerType) == [Credentials.anonymous.provider]
  }
}

/// One way in which a user logs in.
public struct UserIdentity: Codable, Hashable, Sendable {
  /// The name of the provider, `local-userpass` for one.
  public let providerType: String
  /// Who the user is to the provider.
  public let identifier: String

  init(providerType: String, identifier: String) {
    self.providerType = providerType
    self.identifier = identifier
  }
}
