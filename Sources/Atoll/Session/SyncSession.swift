internal import AtollObjects
internal import AtollSync
public import Foundation
internal import Synchronization

/// The synchronisation of one file in this process.
///
/// Begins when a synced file is opened, and ends after the last realm of the file was closed, once
/// the server has answered what was written; a suspended one ends with the last realm. Not reaching
/// the server is normal: it is tried again, later and later. Of several processes that have the
/// file open one is connected; the others read what it receives and write what it sends.
public final class SyncSession: Sendable {
  /// Whether the session synchronises.
  public enum State: Sendable {
    /// It is connected, or tries to be.
    case active
    /// It was suspended, or its user is not logged in.
    case inactive
    /// It has ended: its user was removed, or its file was closed.
    case invalid
  }

  /// Whether there is a connection to the server.
  public enum ConnectionState: Sendable {
    case disconnected
    case connecting
    case connected
  }

  /// A direction of the synchronisation.
  public enum ProgressDirection: Sendable {
    case upload
    case download
  }

  /// The path of the file.
  let path: String
  let user: User
  /// Keeps the file open for as long as the session has something to do.
  let file: SharedFile
  private let configurationOfFile: Realm.Configuration
  /// What happens when the file has to synchronise again.
  let reset: ClientReset
  private let network: SessionNetwork
  private let refusals = Mutex(Refusals())

  /// What is known here of the entries of the inbox.
  private struct Refusals {
    /// Those that this process has reported: the notes in the file come later.
    var reported: Set<InboxEntry.ID> = []
    /// Whether there may be some that were not reported, and no event will name again.
    var hasUnreported = false
  }

  init(_ configuration: Realm.Configuration, user: User, file: SharedFile) {
    path = file.database.path
    self.user = user
    self.file = file
    configurationOfFile = configuration
    reset = ClientReset(configuration)
    network = SessionNetwork(database: file.database, user: user)
    note(.detail, "the session of the user '\(user.id)' begins")
    network.begin(self)
  }

  /// Whether the session synchronises, does not for now, or has ended.
  public var state: State {
    if network.isEnded || user.state == .removed { return .invalid }
    return network.isSuspended || !user.isLoggedIn ? .inactive : .active
  }

  /// The state of the connection of this process.
  ///
  /// While another process is connected for the file, it is `disconnected`.
  public var connectionState: ConnectionState { network.connectionState }

  /// The connection's state now, and whenever it changes.
  public var connectionStates: AsyncStream<ConnectionState> { network.connectionStates() }

  /// The user whose data the file holds.
  public func parentUser() -> User? { user.state == .removed ? nil : user }

  /// How the file was opened.
  public func configuration() -> SyncConfiguration? { configurationOfFile.syncConfiguration }

  /// Ends the connection of this process until `resume()`; writing and reading go on.
  ///
  /// Those who wait for uploads and downloads get an error. Another process that has the file open
  /// may connect instead, once what has arrived is applied.
  public func suspend() { network.suspend() }

  /// Connects again after `suspend()`, and at once where the session waits after a failure.
  public func resume() { network.resume(self) }

  /// Tries to connect at once instead of waiting after failures.
  public func reconnect() { network.reconnect(self) }

  /// Waits until the server has answered everything that was written before, or until everything
  /// that the server had when it was asked is in the file.
  ///
  /// Offline it waits on.
  ///
  /// - Throws: `CancellationError`; `SyncError` with the code `clientSessionError` when the session
  ///   is suspended or ends, `clientUserError` when its user is not logged in.
  public func wait(for direction: ProgressDirection) async throws {
    let use = FileUse(file)
    defer { withExtendedLifetime(use) {} }
    switch direction {
    case .upload: try await network.waitForUpload()
    case .download: try await network.waitForDownload()
    }
  }

  /// As the asynchronous form.
  ///
  /// `block` is called with nil or the error, on `queue` or else on a queue of the library's own.
  @preconcurrency public func wait(
    for direction: ProgressDirection, queue: DispatchQueue? = nil,
    block: @escaping @Sendable ((any Error)?) -> Void
  ) {
    _Concurrency.Task {
      var failure: (any Error)?
      do { try await wait(for: direction) } catch { failure = error }
      if let queue { queue.async { [failure] in block(failure) } } else { block(failure) }
    }
  }

  /// Waits until something holds of the file, asking after each commit of any process.
  func wait(until isReached: @escaping @Sendable (Snapshot) throws -> Bool) async throws {
    let use = FileUse(file)
    defer { withExtendedLifetime(use) {} }
    try await network.wait(until: isReached)
  }

  /// Waits until the session is suspended or ends, and throws then.
  func waitForSuspension() async throws {
    let use = FileUse(file)
    defer { withExtendedLifetime(use) {} }
    try await network.waitForInterruption()
  }

  /// Tries to connect if there is no connection, waits until an attempt of this process fails, and
  /// throws then; waits on without an attempt, as where another process is connected.
  func waitForConnectionFailure() async throws {
    let use = FileUse(file)
    defer { withExtendedLifetime(use) {} }
    try await network.waitForFailure(self)
  }

  /// Looks for a reset that waited when the file was closed, before the first connection.
  func prepare() {
    do { try reset.allowAfterClosing(file.database) } catch {
      network.suspend()
      report(SyncError(.clientResetError, "the file cannot be kept before its reset: \(error)"))
    }
  }

  /// The file has to synchronise again, and the application has to say when.
  func requireReset(_ message: String) {
    note(.warn, "the file has to synchronise again: \(message)")
    // Until then there is nothing to connect for.
    network.suspend()
    reset.report(message, self)
  }

  /// The server has nothing of what the file holds, which is going to be removed; there is a copy.
  func noteCopy(_ path: String, before loss: Loss) {
    let reason =
      switch loss {
      case .all: "the server has none of the objects that this file holds, so they are removed here"
      case .newer:
        "the server was restored from a backup that is older than this file, and lacks what it got "
          + "since, which is undone here"
      }
    report(
      SyncError(
        reset: SyncError.ActionToken(copyPath: path, session: self),
        "\(reason); there is a copy of the file at '\(path)'"))
  }

  /// An attempt to connect has failed, or a connection ended as the file cannot be used; there will
  /// be another attempt.
  func noteFailure(_ error: any Error) { network.noteFailure(error) }

  /// Waits until the server has answered everything; gives up when nothing is going to be sent.
  func finishUpload() async { try? await network.waitForUpload() }

  var isEnded: Bool { network.isEnded }

  /// The state of the connection has changed.
  func noteConnection() { network.noteConnection() }

  /// The connection has ended with an error for the application.
  ///
  /// Without a user who is logged in the network is for other processes; there is another attempt
  /// after the next log-in, or when the application asks for it.
  func noteStop() {
    if !user.isLoggedIn { disconnect() }
  }

  /// Ends the connection; there is another one when the user is logged in.
  func disconnect() { network.disconnect() }

  /// Tells the application of what the client's core says.
  func handle(_ event: SyncEvent) {
    note(event)
    switch event {
    case .welcomed: tellOfRefusals(nil)
    case .inboxGrew(let ids): tellOfRefusals(ids)
    case .schemaRefused(let refusal):
      report(
        SyncError(
          .clientSessionError,
          "the server refuses the classes of this file: "
            + (refusal.text.isEmpty ? refusal.reason.sentence : refusal.text)))
    case .reported(let message): report(SyncError(.serverWarning, message.text))
    case .resetEnded:
      do { try reset.didEnd() } catch {
        report(SyncError(.clientInternalError, "the file cannot be read: \(error)"))
      }
    case .verified(let count):
      guard count > 0 else { break }
      report(
        SyncError(.serverWarning, "\(AtollSync.SyncError.contentsDiffer(subscriptionCount: count))")
      )
    case .setChanged, .answered, .reached, .newIdentity: break
    }
  }

  /// Tells of the entries of the inbox that were not told of, and notes in the file that they were.
  ///
  /// Noted after a handler has heard of them: what waits in memory for one dies with the process.
  ///
  /// - Parameter ids: The entries that are new; nil: any entry may not have been told of.
  private func tellOfRefusals(_ ids: [InboxEntry.ID]?) {
    do {
      let hasUnreported = refusals.withLock { refusals in
        defer { refusals.hasUnreported = false }
        return refusals.hasUnreported
      }
      let untold = try RefusalNotes.untold(hasUnreported ? nil : ids, file.database.snapshot())
      for entries in Dictionary(grouping: untold, by: \.transactionName)
        .sorted(by: { $0.key < $1.key }).map(\.value)
      {
        let new = refusals.withLock { refusals in
          defer { refusals.reported.formUnion(entries.map(\.id)) }
          return entries.filter { !refusals.reported.contains($0.id) }
        }
        guard !new.isEmpty else { continue }
        let ids = new.map(\.id)
        let isTaken = user.app.syncManager.report(SyncError(refused: new), self) {
          self.noteTold(ids)
        }
        guard !isTaken else { continue }
        refusals.withLock { refusals in
          refusals.reported.subtract(ids)
          refusals.hasUnreported = true
        }
      }
    } catch {
      refusals.withLock { $0.hasUnreported = true }
      report(SyncError(.clientInternalError, "the inbox cannot be read: \(error)"))
    }
  }

  /// A handler has heard of entries of the inbox.
  private func noteTold(_ ids: [InboxEntry.ID]) {
    do {
      try file.database.write { try RefusalNotes.note(ids, in: $0) }
    } catch {
      // The next process tells of them again.
      if !isEnded {
        report(SyncError(.clientInternalError, "the file cannot be written: \(error)"))
      }
    }
  }

  /// A wait for a download has ended, in this process or another one.
  func noteDownload(_ number: UInt64) {
    do { try DownloadWaits.end(number, in: file.database) } catch {
      report(SyncError(.clientInternalError, "the file cannot be written: \(error)"))
    }
  }

  /// Ends the session for good.
  func end() {
    network.end()
    note(.detail, "the session ends")
  }

  /// Waits until the app's handler has returned from all that was reported before.
  package func waitForHandler() async { await user.app.syncManager.waitForHandler() }

  /// Tells the app's handler.
  func report(_ error: any Error) {
    note((error as? SyncError)?.code == .serverWarning ? .warn : .error, "\(error)")
    user.app.syncManager.report(error, self)
  }
}

extension SyncSession: Equatable {
  public static func == (left: SyncSession, right: SyncSession) -> Bool { left === right }
}
