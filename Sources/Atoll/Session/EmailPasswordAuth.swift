/// Registers users who log in with an e-mail address and a password.
public struct EmailPasswordAuth: Sendable {
  let app: AppCore

  /// Makes an account.
  ///
  /// - Throws: `AppError` with the code `accountNameInUse`, `badRequest` for an address or password
  ///   that the server does not take, `httpRequestFailed` when it cannot be reached.
  public func registerUser(email: String, password: String) async throws {
    try await app.service().register(email: email, password: password)
  }

  /// As the asynchronous form; `completion` is called on a queue of the library's own.
  @preconcurrency public func registerUser(
    email: String, password: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    _Concurrency.Task {
      do {
        try await registerUser(email: email, password: password)
        completion(nil)
      } catch { completion(error) }
    }
  }
}
