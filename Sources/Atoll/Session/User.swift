internal import Foundation
internal import Synchronization

/// An account that logged in to an app once; synced files belong to it.
///
/// A user stays known to the program after a restart, so that files open without the network; only
/// the log-in itself needs the server.
public final class User: Sendable {
  /// Whether the user can synchronise.
  public enum State: Sendable {
    case loggedOut
    case loggedIn
    case removed
  }

  /// The user's id on the server.
  public let id: String
  let app: AppCore
  private let account: Mutex<UserAccount>

  init(_ account: UserAccount, app: AppCore) {
    id = account.id
    self.app = app
    self.account = Mutex(account)
  }

  var stored: UserAccount { account.withLock { $0 } }

  func change(_ body: (inout UserAccount) -> Void) { account.withLock { body(&$0) } }

  /// Whether the user is logged in, logged out, or was removed from the app.
  public var state: State {
    guard app.user(id) != nil else { return .removed }
    return stored.isLoggedIn ? .loggedIn : .loggedOut
  }

  /// Whether the user is logged in, and was not removed.
  public var isLoggedIn: Bool { state == .loggedIn }

  /// The ways in which this user logs in, as the server knew them at the last log-in, link or
  /// refresh of the access token.
  public var identities: [UserIdentity] { stored.identities }

  /// The token that requests carry; nil once logged out.
  public var accessToken: String? {
    let token = stored.accessToken
    return token.isEmpty ? nil : token
  }

  /// The token that new access tokens are asked for with; nil once logged out.
  public var refreshToken: String? {
    let token = stored.refreshToken
    return token.isEmpty ? nil : token
  }

  /// What the log-in told of the person.
  public var profile: UserProfile { UserProfile(email: stored.email) }

  /// The sessions of this user's synced files.
  public var allSessions: [SyncSession] { SessionRegistry.shared.sessions(of: self) }

  /// Ends the user's sessions and forgets the tokens; files stay as they are.
  ///
  /// Works without the network. The server is told if it can be reached now; else the tokens, which
  /// no program holds any more, are valid there until they expire.
  public func logOut() async throws { await app.logOut(self) }

  /// As the asynchronous form.
  ///
  /// - Parameter completion: Called with nil, on a queue of the library's own.
  @preconcurrency public func logOut(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    _Concurrency.Task {
      await app.logOut(self)
      completion(nil)
    }
  }

  /// Logs the user out, and deletes the synced files that this program has of the user.
  ///
  /// Realms that are open stay readable; their sessions end, each with a `SyncError` of the code
  /// `clientUserError` to the app's `syncManager.errorHandler`.
  @discardableResult
  public func remove() async throws -> User {
    await app.logOut(self)
    try app.remove(self)
    return self
  }

  /// As the asynchronous form; `completion` is called on a queue of the library's own.
  @preconcurrency public func remove(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    _Concurrency.Task {
      do {
        try await remove()
        completion(nil)
      } catch { completion(error) }
    }
  }

  /// Deletes the user on the server, with the account, and then here as `remove` does.
  ///
  /// What the user has synchronised stays on the server, for those whom its rules let have it.
  ///
  /// - Throws: `AppError` with the code `invalidSession` for a user who is logged out,
  ///   `httpRequestFailed` when the server cannot be reached: then nothing is deleted.
  public func delete() async throws { try await app.delete(self) }

  /// As the asynchronous form; `completion` is called on a queue of the library's own.
  @preconcurrency public func delete(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    _Concurrency.Task {
      do {
        try await delete()
        completion(nil)
      } catch { completion(error) }
    }
  }

  /// Lets the user log in in another way too, beside those of before; id, realms and sessions stay.
  ///
  /// An anonymous user so becomes one who can log in on other devices. With `emailPassword` the
  /// account is made, if the server lets apps make accounts; one that was registered with the same
  /// password, and was never used to log in, becomes the user's.
  ///
  /// - Parameter credentials: Those of the other way; not `anonymous`.
  /// - Returns: This user, whose `identities` have the new one.
  /// - Throws: `AppError` with the code `accountNameInUse` when another user logs in that way,
  ///   `valueAlreadyExists` for a second e-mail address, `invalidPassword` for a key, a token or a
  ///   password that is not right, `badRequest` for what cannot be an account or for `anonymous`,
  ///   `authProviderNotFound` for what the server does not take, `tooManyRequests`, `invalidSession`
  ///   for a user who is logged out, `httpRequestFailed` when the server cannot be reached.
  @discardableResult
  public func linkUser(credentials: Credentials) async throws -> User {
    try await app.link(credentials, to: self)
    return self
  }

  /// As the asynchronous form.
  ///
  /// - Parameters:
  ///   - credentials: Those of the other way.
  ///   - completion: Called on a queue of the library's own.
  @preconcurrency public func linkUser(
    credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    _Concurrency.Task {
      do { completion(.success(try await linkUser(credentials: credentials))) } catch {
        completion(.failure(error))
      }
    }
  }

  /// Gives the user's account another password; the user's other devices have to log in again.
  ///
  /// - Throws: `AppError` with the code `invalidPassword` when `password` is not the account's,
  ///   `badRequest` for a new one that the server does not take, `tooManyRequests` after too many
  ///   wrong ones, `userNotFound` for a user without a password, `invalidSession` for one who is
  ///   logged out, `httpRequestFailed` when the server cannot be reached.
  public func changePassword(from password: String, to newPassword: String) async throws {
    try await app.changePassword(of: self, from: password, to: newPassword)
  }
}

extension User: Hashable {
  public static func == (left: User, right: User) -> Bool {
    left.id == right.id && left.app === right.app
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// What the log-in told of a person.
public struct UserProfile: Hashable, Sendable {
  /// The e-mail address of the last log-in with one; nil when there was none.
  public let email: String?

  init(email: String?) { self.email = email }
}
