internal import Foundation
internal import Synchronization

/// What all `App` values with one id share: the configuration, the users, the way to the server.
final class AppCore: Sendable {
  let id: String
  let configuration: AppConfiguration
  let syncManager = SyncManager()
  /// Where the app's users and their synced files are kept.
  let directory: URL
  private let file: UsersFile
  /// Asked instead of the server; nil where there is a server.
  let substitute: (any AppService)?
  private let state: Mutex<State>

  private struct State {
    /// In the order of their first log-in.
    var users: [User] = []
    var currentUserID: String?
  }

  private static let apps = Mutex<[String: AppCore]>([:])

  /// The app with this id; `directory` is where a new app's users and their synced files are kept.
  static func shared(
    id: String, configuration: AppConfiguration, directory: URL? = nil
  ) -> AppCore {
    apps.withLock { apps in
      if let app = apps[id] { return app }
      let app = AppCore(
        id: id, configuration: configuration, directory: directory ?? ProgramDirectory.app(id))
      apps[id] = app
      return app
    }
  }

  init(
    id: String, configuration: AppConfiguration, directory: URL,
    asking substitute: (any AppService)? = nil
  ) {
    self.id = id
    self.substitute = substitute
    self.configuration = configuration
    self.directory = directory
    file = UsersFile(directory: directory)
    state = Mutex(State())
    let stored = file.read()
    let users = stored.users.map { User($0, app: self) }
    state.withLock { state in
      state.users = users
      state.currentUserID = stored.currentUserID
    }
  }

  // MARK: Users

  var users: [String: User] {
    state.withLock { state in Dictionary(uniqueKeysWithValues: state.users.map { ($0.id, $0) }) }
  }

  func user(_ id: String) -> User? {
    state.withLock { state in state.users.first { $0.id == id } }
  }

  var currentUser: User? {
    let user = state.withLock { state in state.users.first { $0.id == state.currentUserID } }
    guard let user, user.stored.isLoggedIn else { return nil }
    return user
  }

  func makeCurrent(_ user: User) {
    precondition(
      user.app === self, "the user \(user.id) belongs to the app \(user.app.id), not to \(id)")
    state.withLock { $0.currentUserID = user.id }
    save(nil, isCurrentChanged: true)
  }

  func logIn(_ credentials: Credentials) async throws -> User {
    if case .anonymous = credentials, let user = anonymousUser, await isAccepted(user),
      user.stored.isAnonymous
    {
      return user
    }
    let answer = try await service().logIn(credentials)
    var email: String?
    if case .emailPassword(let address, _) = credentials { email = address }
    let identity = UserIdentity(
      providerType: credentials.provider, identifier: email ?? answer.userID)
    let user = state.withLock { state in
      defer { state.currentUserID = answer.userID }
      if let user = state.users.first(where: { $0.id == answer.userID }) { return user }
      let user = User(
        UserAccount(
          id: answer.userID, accessToken: "", refreshToken: "", identities: [], email: email,
          isLoggedIn: false), app: self)
      state.users.append(user)
      return user
    }
    user.change { account in
      account.accessToken = answer.accessToken
      account.refreshToken = answer.refreshToken
      account.isLoggedIn = true
      if let email { account.email = email }
      if let identities = answer.identities {
        account.identities = identities
      } else if !account.identities.contains(identity) {
        account.identities.append(identity)
      }
    }
    save(user, isCurrentChanged: true)
    SessionRegistry.shared.userLoggedIn(user)
    return user
  }

  /// The anonymous user that is logged in: logging in again gives the same one.
  private var anonymousUser: User? {
    users.values.first { $0.stored.isAnonymous }
  }

  /// How long a log-in waits for the server to say whether it still knows the user, in
  /// milliseconds; then it is taken to be out of reach, and the user goes on without it.
  private static let checkMilliseconds = 3_000

  /// Whether the server has not refused the user's session for ever, as one does that has lost its
  /// data.
  private func isAccepted(_ user: User) async -> Bool {
    do {
      _ = try await refreshAccessToken(of: user, waitingAtMost: Self.checkMilliseconds)
    } catch {
      return (error as? AppError)?.code != .invalidSession
    }
    return true
  }

  func logOut(_ user: User) async {
    let refreshToken = user.stored.refreshToken
    user.change { account in
      account.accessToken = ""
      account.refreshToken = ""
      account.isLoggedIn = false
    }
    let isCurrent = state.withLock { state in
      guard state.currentUserID == user.id else { return false }
      state.currentUserID = state.users.last { $0.stored.isLoggedIn }?.id
      return true
    }
    save(user, isCurrentChanged: isCurrent)
    SessionRegistry.shared.userLoggedOut(user)
    // The token expires by itself where the server cannot be reached.
    if !refreshToken.isEmpty { try? await service().logOut(refreshToken) }
  }

  /// Where a user's synced files are kept.
  func directory(of user: User) -> URL {
    directory.appending(path: ProgramDirectory.fileName(user.id))
  }

  func remove(_ user: User) throws {
    state.withLock { state in state.users.removeAll { $0.id == user.id } }
    save(user)
    SessionRegistry.shared.end(sessionsOf: user)
    let directory = directory(of: user)
    if FileManager.default.fileExists(atPath: directory.path) {
      try FileManager.default.removeItem(at: directory)
    }
  }

  /// Deletes a user on the server, and then here.
  func delete(_ user: User) async throws {
    try await service().deleteUser(try refreshToken(of: user))
    // The server has ended the log-ins.
    user.change { $0.refreshToken = "" }
    await logOut(user)
    try remove(user)
  }

  func changePassword(
    of user: User, from password: String, to newPassword: String
  ) async throws {
    try await service().changePassword(
      try refreshToken(of: user), from: password, to: newPassword)
  }

  /// Lets a user log in in another way too.
  func link(_ credentials: Credentials, to user: User) async throws {
    let identities = try await service().link(try refreshToken(of: user), credentials)
    user.change { account in
      account.identities = identities
      if case .emailPassword(let email, _) = credentials { account.email = email }
    }
    save(user)
  }

  private func refreshToken(of user: User) throws -> String {
    let stored = user.stored
    guard stored.isLoggedIn, !stored.refreshToken.isEmpty else {
      throw AppError(.invalidSession, "the user \(user.id) is logged out; log in first")
    }
    return stored.refreshToken
  }

  /// A new access token for a user.
  ///
  /// - Throws: `AppError`; with `invalidSession` the user is logged out.
  func refreshAccessToken(
    of user: User, waitingAtMost milliseconds: Int? = nil
  ) async throws -> String {
    do {
      let refreshToken = user.stored.refreshToken
      let answer = try await service(waitingAtMost: milliseconds).refresh(refreshToken)
      user.change { account in
        // A user who was logged out meanwhile stays so.
        guard account.refreshToken == refreshToken else { return }
        account.accessToken = answer.accessToken
        // None is ever taken away: an answer with fewer was overtaken by a link.
        if let identities = answer.identities, identities.count >= account.identities.count {
          account.identities = identities
        }
      }
      save(user)
      return answer.accessToken
    } catch let error as AppError where error.code == .invalidSession {
      user.change { $0.isLoggedIn = false }
      save(user)
      throw error
    }
  }

  /// Stores one user, or that he was removed, and who is the current one; what other processes
  /// stored of other users stays.
  private func save(_ user: User?, isCurrentChanged: Bool = false) {
    let (users, current) = state.withLock { ($0.users, $0.currentUserID) }
    do {
      try file.change { contents in
        if isCurrentChanged { contents.currentUserID = current }
        guard let user else { return }
        guard users.contains(where: { $0 === user }) else {
          return contents.users.removeAll { $0.id == user.id }
        }
        if let index = contents.users.firstIndex(where: { $0.id == user.id }) {
          contents.users[index] = user.stored
        } else {
          contents.users.append(user.stored)
        }
      }
    } catch {
      syncManager.report(
        AppError(.unknown, "the users of the app \(id) could not be stored: \(error)"), nil)
    }
  }
}
