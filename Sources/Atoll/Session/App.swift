package import Foundation

/// The server's side of an application: its users and their synced files.
///
///     let app = App(id: "tasks")
///     let user = try await app.login(credentials: .emailPassword(email: "…", password: "…"))
///     let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
///
/// Two values with the same id are the same app.
public final class App: Sendable {
  let core: AppCore

  /// The app with this id at the server that `AppConfiguration` names by default.
  public convenience init(id: String) {
    self.init(id: id, configuration: AppConfiguration())
  }

  /// The app with this id; the configuration of the first one in the process counts.
  public init(id: String, configuration: AppConfiguration) {
    core = AppCore.shared(id: id, configuration: configuration)
  }

  /// The app with its users in a folder of the caller's choice; the first one in the process
  /// counts.
  package init(id: String, configuration: AppConfiguration, folder: String) {
    core = AppCore.shared(
      id: id, configuration: configuration, directory: URL(filePath: folder))
  }

  /// The app as another device has it: its users and files are its own, whatever else has its id.
  package init(unsharedID id: String, configuration: AppConfiguration, folder: URL) {
    core = AppCore(id: id, configuration: configuration, directory: folder)
  }

  /// The id that tells the app from others, here and on the server.
  public var appId: String { core.id }
  /// The configuration that the first app with this id in the process was made with.
  public var configuration: AppConfiguration { core.configuration }

  /// The user who logged in last, or was switched to; nil when none is logged in.
  public var currentUser: User? { core.currentUser }

  /// Everybody who has logged in to the app on this machine and was not removed, by id.
  public var allUsers: [String: User] { core.users }

  /// What is common to the sessions of the app, as the handler of their errors.
  public var syncManager: SyncManager { core.syncManager }
  /// The registration of users who log in with an e-mail address and a password.
  public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(app: core) }

  /// Logs in and makes the user the current one.
  ///
  /// - Throws: `AppError`: `invalidPassword` also where there is no such account,
  ///   `authProviderNotFound`; `httpRequestFailed` when the server cannot be reached.
  @discardableResult
  public func login(credentials: Credentials) async throws -> User {
    try await core.logIn(credentials)
  }

  /// As the asynchronous form; `completion` is called on a queue of the library's own.
  @preconcurrency public func login(
    credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    _Concurrency.Task {
      do { completion(.success(try await core.logIn(credentials))) } catch {
        completion(.failure(error))
      }
    }
  }

  /// Makes a user who is logged in the current one.
  @discardableResult
  public func `switch`(to user: User) -> User {
    core.makeCurrent(user)
    return user
  }
}

extension App: Equatable {
  public static func == (left: App, right: App) -> Bool { left.core === right.core }
}
