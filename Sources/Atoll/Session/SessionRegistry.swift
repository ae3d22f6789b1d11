internal import AtollObjects
internal import Synchronization

/// The sessions of this process, one for each synced file that it has open.
final class SessionRegistry: Sendable {
  static let shared = SessionRegistry()

  private let sessions = Mutex<[String: SyncSession]>([:])

  /// The session of a file, which begins with the first call.
  func session(
    _ configuration: Realm.Configuration, user: User, file: SharedFile
  ) -> SyncSession {
    let path = file.database.path
    return sessions.withLock { sessions in
      if let session = sessions[path], session.file === file, !session.isEnded { return session }
      sessions[path]?.end()
      let session = SyncSession(configuration, user: user, file: file)
      sessions[path] = session
      file.whenUnused { [weak self] in self?.noteUnused($0) }
      return session
    }
  }

  /// The session of a file; nil when it has none.
  func session(path: String) -> SyncSession? { sessions.withLock { $0[path] } }

  func sessions(of user: User) -> [SyncSession] {
    sessions.withLock { sessions in sessions.values.filter { $0.user == user } }
  }

  /// The user can synchronise again.
  func userLoggedIn(_ user: User) {
    for session in sessions(of: user) { session.reconnect() }
  }

  /// The user cannot synchronise until the next log-in.
  func userLoggedOut(_ user: User) {
    for session in sessions(of: user) { session.disconnect() }
  }

  /// A file is not used any more: its session ends when the server has answered all that was
  /// written.
  private func noteUnused(_ file: SharedFile) {
    let path = file.database.path
    guard let session = session(path: path), session.file === file else { return }
    _Concurrency.Task {
      await session.finishUpload()
      sessions.withLock { sessions in
        // A realm was opened meanwhile: it has this session.
        guard sessions[path] === session, file.isUnused else { return }
        // Before the next one can begin: both use one lock of the network.
        session.end()
        sessions[path] = nil
      }
    }
  }

  /// Ends the sessions of a user who was removed, and tells the application of each.
  ///
  /// The realms that have a file open go on reading it; it belongs to no user, and gets no other
  /// session.
  func end(sessionsOf user: User) {
    for session in sessions(of: user) {
      sessions.withLock { sessions in
        if sessions[session.path] === session { sessions[session.path] = nil }
      }
      session.file.abandon()
      session.end()
      session.report(
        SyncError(
          .clientUserError,
          "the user '\(user.id)' was removed while the file '\(session.path)' was open; close its "
            + "realms, and open a file for another user"))
    }
  }
}
