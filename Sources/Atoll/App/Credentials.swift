/// What a user logs in with.
///
/// - Note: `atoll serve` knows `anonymous`, `emailPassword`, `jwt` and `serverAPIKey`, as its
///   configuration says; with any other the log-in throws `AppError` with the code
///   `authProviderNotFound`.
public enum Credentials: Sendable {
  /// A user without a name; another log-in makes another user.
  case anonymous
  /// A user who was registered with `app.emailPasswordAuth.registerUser`.
  case emailPassword(email: String, password: String)
  /// A JSON Web Token that another service has signed.
  case jwt(token: String)
  /// A key that a user made for programs of its own.
  case userAPIKey(String)
  /// A key that the operator of the server made.
  case serverAPIKey(String)
  case apple(idToken: String)
  case google(serverAuthCode: String)
  case googleId(token: String)
  case facebook(accessToken: String)

  /// The provider's name in the log-in request.
  var provider: String {
    switch self {
    case .anonymous: "anon-user"
    case .emailPassword: "local-userpass"
    case .jwt: "custom-token"
    case .userAPIKey, .serverAPIKey: "api-key"
    case .apple: "oauth2-apple"
    case .google, .googleId: "oauth2-google"
    case .facebook: "oauth2-facebook"
    }
  }
}
