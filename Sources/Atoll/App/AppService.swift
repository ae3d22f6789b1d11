/// What an app asks of its server outside of synchronisation.
protocol AppService: Sendable {
  /// - Throws: `AppError`.
  func register(email: String, password: String) async throws
  /// - Throws: `AppError`.
  func logIn(_ credentials: Credentials) async throws -> LogInAnswer
  /// - Returns: A new access token.
  /// - Throws: `AppError`; `invalidSession` when the refresh token is no longer good.
  func refresh(_ refreshToken: String) async throws -> String
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
}

/// The service of a build without networking.
struct NoService: AppService {
  func register(email: String, password: String) async throws { throw Self.error }

  func logIn(_ credentials: Credentials) async throws -> LogInAnswer { throw Self.error }

  func refresh(_ refreshToken: String) async throws -> String { throw Self.error }

  func logOut(_ refreshToken: String) async throws { throw Self.error }

  func deleteUser(_ refreshToken: String) async throws { throw Self.error }

  func changePassword(
    _ refreshToken: String, from password: String, to newPassword: String
  ) async throws { throw Self.error }

  static let error = AppError(
    .notCallable,
    "this build has no networking: enable the package trait Sync of Atoll, which is on by default")
}
