internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import Foundation
internal import Synchronization

extension SyncError {
  /// Stands for an error that waits for the application.
  public struct ActionToken: Equatable, Sendable {
    /// Where the copy of the file will lie.
    let copyPath: String
    let session: SyncSession
  }
}

extension SyncSession {
  /// Keeps a copy of the file, lets it synchronise again, and connects.
  ///
  /// Realms of the file stay open. What the server has not got is in the copy only; what is written
  /// after the copy was made is sent to the server. A copy that cannot be written is told to the
  /// session's error handler, and nothing is changed then.
  ///
  /// - Parameter token: The token of an error's `clientResetInfo()`.
  public static func immediatelyHandleError(_ token: SyncError.ActionToken) {
    let session = token.session
    do { try ClientReset.allow(session.file.database, copyPath: token.copyPath) } catch {
      return session.report(
        SyncError(.clientResetError, "the file cannot be kept as '\(token.copyPath)': \(error)"))
    }
    session.resume()
  }

  /// As the form with one argument.
  public static func immediatelyHandleError(
    _ token: SyncError.ActionToken, syncManager: SyncManager
  ) {
    immediatelyHandleError(token)
  }
}

/// The reset of one session's file, as its `clientResetMode` says.
final class ClientReset: Sendable {
  typealias BeforeBlock = @Sendable (Realm) -> Void
  typealias AfterBlock = @Sendable (Realm, Realm) -> Void

  let mode: ResetMode
  private let configuration: Realm.Configuration
  private let before: BeforeBlock?
  private let after: AfterBlock?
  /// For `manual`.
  private let errorHandler: SyncManager.ErrorHandler?
  // SAFETY: a frozen realm is for any thread.
  private struct Frozen: @unchecked Sendable {
    let context: _RealmContext
  }
  /// What the file held before the commit that ends the reset.
  private let frozen = Mutex<Frozen?>(nil)

  init(_ configuration: Realm.Configuration) {
    self.configuration = configuration
    switch configuration.syncConfiguration?.clientResetMode {
    case .manual(let handler):
      (mode, before, after, errorHandler) = (.manual, nil, nil, handler)
    case .discardUnsyncedChanges(let before, let after):
      (mode, self.before, self.after, errorHandler) = (.discard, before, after, nil)
    case .recoverUnsyncedChanges(let before, let after),
      .recoverOrDiscardUnsyncedChanges(let before, let after):
      (mode, self.before, self.after, errorHandler) = (.recover, before, after, nil)
    case nil: (mode, before, after, errorHandler) = (.recover, nil, nil, nil)
    }
  }

  // MARK: Blocks

  /// Lets the application see the file as it is before the reset.
  func willEnd(_ file: SharedFile) {
    guard before != nil || after != nil, let snapshot = try? file.database.snapshot() else {
      return
    }
    let context = _RealmContext(
      file: file, configuration: configuration, confinement: .current,
      version: ReadVersion(snapshot), isFrozen: true)
    frozen.withLock { $0 = Frozen(context: context) }
    before?(Realm(context))
  }

  /// Lets the application see what the reset has made of it.
  func didEnd() throws {
    let before = frozen.withLock { frozen in
      defer { frozen = nil }
      return frozen
    }
    guard let after, let before else { return }
    after(Realm(before.context), try Realm(configuration: configuration))
  }

  // MARK: Manual

  /// Tells the application that the file waits for it.
  func report(_ message: String, _ session: SyncSession) {
    let token = SyncError.ActionToken(
      copyPath: Self.copyPath(of: session.path, session.file.database.clock()), session: session)
    let error = SyncError(
      reset: token,
      message
        + "; pass the token of clientResetInfo() to SyncSession.immediatelyHandleError, which "
        + "keeps a copy at '\(token.copyPath)', or close the file and open it again")
    guard let errorHandler else { return session.report(error) }
    session.user.app.syncManager.tell { errorHandler(error, session) }
  }

  /// A file that waited for the application when it was closed waits no more.
  ///
  /// - Throws: What writing a copy throws; the file is left as it is then.
  func allowAfterClosing(_ database: Database) throws {
    guard mode == .manual, try SyncClient.isResetRequired(database.snapshot()) else { return }
    try Self.allow(database, copyPath: Self.copyPath(of: database.path, database.clock()))
  }

  /// Keeps a copy, then allows the reset: in this order, so that nothing is given up without one.
  ///
  /// What is written while the copy is made, or before the server is reached, is not given up.
  static func allow(_ database: Database, copyPath: String) throws {
    let snapshot = try database.snapshot()
    guard try SyncClient.isResetRequired(snapshot) else { return }
    let copied = try SyncClient.newestNumber(snapshot)
    let folder = URL(filePath: copyPath).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try database.writeCompactCopy(to: copyPath, encryption: .unchanged)
    try SyncClient.allowReset(database, upTo: copied)
  }

  /// In the folder `recovered` beside the file, named by the time in milliseconds since 1970.
  ///
  /// `mark`: behind the file's name.
  private static func copyPath(
    of path: String, _ milliseconds: UInt64, mark: String = ""
  ) -> String {
    let url = URL(filePath: path)
    let name = "\(url.deletingPathExtension().lastPathComponent)\(mark)-\(milliseconds)"
    return url.deletingLastPathComponent().appending(path: "recovered")
      .appending(path: name).appendingPathExtension(url.pathExtension).path
  }

  // MARK: Losses

  /// How many copies there are of a file for one kind of loss.
  ///
  /// The oldest stays, as it has what the server lost first, and the newest ones.
  static let copyLimit = 3

  /// Behind the file's name in that of its copy.
  private static func mark(_ loss: Loss) -> String {
    switch loss {
    case .all: "-emptied"
    case .newer: "-newer"
    }
  }

  /// Keeps a copy of a file that has what the server has not any more.
  ///
  /// - Returns: Its path.
  static func keepCopy(of database: Database, before loss: Loss) throws(ObjectError) -> String {
    let path = copyPath(of: database.path, database.clock(), mark: mark(loss))
    let folder = URL(filePath: path).deletingLastPathComponent()
    // What is wrong with the folder is what is wrong with the copy in it.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try database.writeCompactCopy(to: path)
    removeOldCopies(of: database.path, loss)
    return path
  }

  /// Removes the copies of a file that are too many; one that cannot be removed stays.
  static func removeOldCopies(of path: String, _ loss: Loss) {
    let url = URL(filePath: path)
    let folder = url.deletingLastPathComponent().appending(path: "recovered")
    let start = url.deletingPathExtension().lastPathComponent + mark(loss) + "-"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let copies = names.compactMap { name -> (time: UInt64, url: URL)? in
      let copy = folder.appending(path: name)
      guard name.hasPrefix(start), copy.pathExtension == url.pathExtension,
        let time = UInt64(copy.deletingPathExtension().lastPathComponent.dropFirst(start.count))
      else { return nil }
      return (time, copy)
    }
    for copy in copies.sorted(by: { $0.time > $1.time }).dropFirst(copyLimit - 1).dropLast() {
      try? FileManager.default.removeItem(at: copy.url)
      // What shows who has it open.
      try? FileManager.default.removeItem(atPath: copy.url.path + "-lock")
    }
  }
}
