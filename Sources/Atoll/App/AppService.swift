/// What an app asks of its server outside of synchronisation.
protocol AppService: Sendable {
  /// - Throws: `AppError`.
  func register(email: String, password: String) async throws
  /// - Throws: `AppError`.
  func logIn(_ credentials: Credentials) async throws -> LogInAnswer
  /// - Returns: All ways in which the user logs in.
  /// - Throws: `AppError`.
  func link(_ refreshToken: String, _ credentials: Credentials) async throws -> [UserIdentity]
  /// - Throws: `AppError`; `invalidSession` when the refresh token is no longer good.
  func refresh(_ refreshToken: String) async throws -> RefreshAnswer
  /// - Throws: `AppError`.
  func logOut(_ refreshToken: String) async throws
  /// - Throws: `AppError`.
  func deleteUser(_ refreshToken: String) async throws
  /// - Throws: `AppError`; `invalidPassword` when the old one is wrong.
  func changePassword(
    _ refreshToken: String, from password: String, to newPassword: String
  ) async throws
}

/// What the server answers to a log-in.
struct LogInAnswer: Sendable {
  var userID: String
  var accessToken: String
  var refreshToken: String
  /// How the user logs in; nil from a server that does not tell.
  var identities: [UserIdentity]?
}

/// What the server answers to a refresh token.
struct RefreshAnswer: Sendable {
  var accessToken: String
  /// How the user logs in; nil from a server that does not tell.
  var identities: [UserIdentity]?
}

/// The service of a build without networking.
struct NoService: AppService {
  func register(email: String, password: String) async throws { throw Self.error }

  func logIn(_ credentials: Credentials) async throws -> LogInAnswer { throw Self.error }

  func link(_ refreshToken: String, _ credentials: Credentials) async throws -> [UserIdentity] {
    throw Self.error
  }

  func refresh(_ refreshToken: String) async throws -> RefreshAnswer { throw Self.error }

  func logOut(_ refreshToken: String) async throws { throw Self.error }

  func deleteUser(_ refreshToken: String) async throws { throw Self.error }

  func changePassword(
    _ refreshToken: String, from password: String, to newPassword: String
  ) async throws { throw Self.error }

  static let error = AppError(
    .notCallable,
    "this build has no networking: enable the package trait Sync of Atoll, which is on by default")
}
