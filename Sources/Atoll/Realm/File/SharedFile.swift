internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import Foundation
internal import Synchronization

/// A database that is open in this process, shared by the realms of all threads.
///
/// Closed with the last of them.
final class SharedFile: Sendable {
  let database: Database
  let identity: Identity
  let writers = WriterLine()
  let unheldObjects = UnheldObjects()
  /// The writes and the updates of subscriptions that realms have open here, by the realm.
  private let begunWrites = Mutex<[ObjectIdentifier: BegunWrite]>([:])
  /// Held while initial subscriptions run.
  let initialSubscriptions = Mutex(InitialSubscriptions())
  /// Whether a set of implied subscriptions that the server refused was asked for again.
  let hasRetriedSet = Atomic(false)
  /// How many realms and waits use the file; its session goes on without them only to upload.
  private let useCount = Atomic(0)
  private let unusedHandler = Mutex<(@Sendable (SharedFile) -> Void)?>(nil)
  /// Who is told of a failure that no realm is there for any more.
  private let failureHandler = Mutex<(@Sendable (Realm.Error) -> Void)?>(nil)
  private let encryptionKey: Data?
  private let isReadOnly: Bool
  /// Whether the user whose data it holds was removed while it was open.
  let isAbandoned = Atomic(false)
  private let watcher = Mutex<CommitWatcher?>(nil)

  /// What tells files apart.
  enum Identity: Hashable, Sendable, CustomStringConvertible {
    case file(String)
    case memory(String)

    var description: String {
      switch self {
      case .file(let path): "the file '\(path)'"
      case .memory(let name): "the realm '\(name)' in memory"
      }
    }
  }

  private init(_ database: Database, _ identity: Identity, _ configuration: Realm.Configuration) {
    self.database = database
    self.identity = identity
    encryptionKey = configuration.encryptionKey
    isReadOnly = configuration.readOnly
  }

  deinit {
    watcher.withLock { $0 = nil }
    do {
      try database.close()
      Logger.note(.detail, "\(identity) was closed")
    } catch { tellOfClosing(error) }
  }

  // MARK: Failures

  /// Takes over the failure handler of an opening, where those before it have none.
  func admitFailureHandler(_ handler: (@Sendable (Realm.Error) -> Void)?) {
    failureHandler.withLock { $0 = $0 ?? handler }
  }

  /// Tells that the last use of the file could not end as it should.
  ///
  /// A commit that waits for the disk is in the file: only the mark is missing that no process has
  /// the file open. One that does not wait may be lost. No call of the app can return this error,
  /// so without a handler the process goes on.
  private func tellOfClosing(_ error: ObjectError) {
    // Whoever has taken the file away wants nothing of it.
    if case .storage(.moved) = error { return }
    guard Realm.Error.isFailure(error) else { return }
    Logger.note(.error, "\(identity) cannot be closed: \(error)")
    guard let handler = failureHandler.withLock({ $0 }) else { return }
    let url: URL? = if case .file(let path) = identity { URL(filePath: path) } else { nil }
    let failure = Realm.Error(error, doing: "the file cannot be closed", fileURL: url)
    // The last use may end under a lock.
    DispatchQueue.global().async { handler(failure) }
  }

  // MARK: Uses

  /// Whether no realm of the file is open and nothing waits for its session.
  var isUnused: Bool { useCount.load(ordering: .acquiring) == 0 }

  fileprivate func beginUse() { useCount.add(1, ordering: .relaxed) }

  fileprivate func endUse() {
    guard useCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    let handler = unusedHandler.withLock { $0 }
    handler?(self)
  }

  /// Sets what is called after the last use has ended; a session ends itself by it.
  func whenUnused(_ handler: @escaping @Sendable (SharedFile) -> Void) {
    unusedHandler.withLock { $0 = handler }
  }

  /// Notifies the realms of the file, from now on, of each commit of any process.
  func watch() {
    watcher.withLock { watcher in
      if watcher == nil { watcher = CommitWatcher(database, identity) }
    }
  }

  // MARK: Open files

  // SAFETY: the references are read and written under the lock only.
  private struct Weak: @unchecked Sendable {
    weak var file: SharedFile?
  }

  private static let open = Mutex<[Identity: Weak]>([:])

  /// The file of a configuration, if some realm of the process has it open.
  static func existing(_ configuration: Realm.Configuration) throws -> SharedFile? {
    let identity = try configuration.fileIdentity()
    return open.withLock { $0[identity]?.file }
  }

  /// The file of a configuration; opened, or made, if it is not open.
  static func open(_ configuration: Realm.Configuration) throws -> SharedFile {
    let identity = try configuration.fileIdentity()
    return try open.withLock { open in
      if let file = open[identity]?.file {
        try file.check(configuration)
        return file
      }
      let database = try newDatabase(configuration, identity)
      Logger.note(.detail, "\(configuration.fileName) was opened")
      let file = SharedFile(database, identity, configuration)
      open = open.filter { $0.value.file != nil }
      open[identity] = Weak(file: file)
      return file
    }
  }

  /// Stays as it is for the realms that have it open; who opens the path from now on gets another
  /// file.
  func abandon() {
    isAbandoned.store(true, ordering: .releasing)
    Self.open.withLock { open in
      if open[identity]?.file === self { open[identity] = nil }
    }
  }

  private func check(_ configuration: Realm.Configuration) throws {
    guard configuration.encryptionKey == encryptionKey else {
      throw Realm.Error(
        .alreadyOpen, "the file is already open with another encryption key",
        fileURL: configuration.fileURL)
    }
    guard configuration.readOnly == isReadOnly else {
      throw Realm.Error(
        .alreadyOpen,
        "the file is already open \(isReadOnly ? "read-only" : "for writing"), and cannot be "
          + "opened otherwise at the same time", fileURL: configuration.fileURL)
    }
  }

  private static func newDatabase(
    _ configuration: Realm.Configuration, _ identity: Identity
  ) throws -> Database {
    do {
      switch identity {
      case .memory: return try Database.inMemory(options: .recording)
      case .file(let path):
        try prepare(path, configuration)
        let database = try opened(path, configuration)
        guard try isToBeCompacted(database, configuration) else { return database }
        try database.close()
        // That others have the file open, or that there is no room, is no reason not to open it.
        do {
          _ = try Database.compact(path, encryptionKey: configuration.keyBytes)
          Logger.note(.info, "\(identity) was compacted")
        } catch { Logger.note(.warn, "\(identity) was not compacted: \(error)") }
        return try opened(path, configuration)
      }
    } catch let error as Realm.Error {
      throw error
    } catch {
      throw Realm.Error(error, fileURL: configuration.fileURL)
    }
  }

  private static func opened(
    _ path: String, _ configuration: Realm.Configuration
  ) throws -> Database {
    let database = try Database.open(
      path,
      options: Database.Options(
        mode: configuration.readOnly ? .readOnly : .create, encryptionKey: configuration.keyBytes
      ).recording())
    if !configuration.readOnly, try database.snapshot().isServerStore {
      try database.close()
      throw Realm.Error(
        .incompatibleHistories,
        "'\(path)' is the store of a server, which alone writes to it: what a realm changed there "
          + "would reach no device; open it with readOnly, or the realm of a device",
        fileURL: configuration.fileURL)
    }
    return database
  }

  private static func isToBeCompacted(
    _ database: Database, _ configuration: Realm.Configuration
  ) throws -> Bool {
    guard let ask = configuration.shouldCompactOnLaunch else { return false }
    let status = try database.status()
    return ask(Int(clamping: status.fileByteCount), Int(clamping: status.liveByteCount))
  }

  /// Makes the folder, and copies the seed file.
  private static func prepare(_ path: String, _ configuration: Realm.Configuration) throws {
    let manager = FileManager.default
    guard !manager.fileExists(atPath: path) else { return }
    if configuration.readOnly {
      throw Realm.Error(
        .fileNotFound, "there is no file '\(path)', and a read-only realm makes none",
        fileURL: configuration.fileURL)
    }
    do {
      let folder = URL(filePath: path).deletingLastPathComponent()
      try manager.createDirectory(at: folder, withIntermediateDirectories: true)
      if let seed = configuration.seedFilePath {
        try manager.copyItem(at: seed, to: URL(filePath: path))
      }
    } catch let error as CocoaError {
      throw Realm.Error(
        error.code == .fileWriteNoPermission ? .filePermissionDenied : .fileAccess,
        error.localizedDescription, fileURL: configuration.fileURL)
    }
  }

  // MARK: Open writes

  /// A write or an update of subscriptions that a realm has open.
  private struct BegunWrite {
    /// Where it was begun.
    let thread: UInt
    /// Whether others wait for its end: an update of subscriptions holds no lock.
    let isLocking: Bool
    /// The first failure that a read of another realm has met meanwhile on that thread: what was
    /// read may be in the write.
    var failure: Realm.Error?
  }

  /// A realm has begun a write here, or has ended it.
  func noteWrite(of realm: AnyObject, isOpen: Bool) {
    note(isOpen ? BegunWrite(thread: ThreadNumber.current, isLocking: true) : nil, of: realm)
  }

  /// A realm has begun an update of subscriptions here, or has ended it.
  func noteUpdate(by realm: AnyObject, isOpen: Bool) {
    note(isOpen ? BegunWrite(thread: ThreadNumber.current, isLocking: false) : nil, of: realm)
  }

  /// A realm has one of both at most.
  private func note(_ write: BegunWrite?, of realm: AnyObject) {
    let id = ObjectIdentifier(realm)
    begunWrites.withLock { $0[id] = write }
  }

  /// Whether a realm has a write open that was begun on this thread: to wait for it would never
  /// end.
  var isWrittenHere: Bool {
    let thread = ThreadNumber.current
    return begunWrites.withLock { writes in
      writes.contains { $0.value.isLocking && $0.value.thread == thread }
    }
  }

  /// A realm without a write has met a failure: what writes on this thread fails, too.
  func noteFailure(_ failure: Realm.Error) {
    let thread = ThreadNumber.current
    begunWrites.withLock { writes in
      for (realm, write) in writes where write.thread == thread && write.failure == nil {
        writes[realm]?.failure = failure
      }
    }
  }

  /// The failure of other realms that makes the open write of this one fail.
  func failure(ofWriteIn realm: AnyObject) -> Realm.Error? {
    let id = ObjectIdentifier(realm)
    return begunWrites.withLock { $0[id]?.failure }
  }
}

/// One use of a file, from its making to its end.
final class FileUse: Sendable {
  private let file: SharedFile

  init(_ file: SharedFile) {
    self.file = file
    file.beginUse()
  }

  deinit { file.endUse() }
}

extension Realm.Configuration {
  /// The file as messages name it.
  var fileName: String {
    let identity = try? fileIdentity()
    return identity.map { "\($0)" } ?? "a realm without a file"
  }

  var keyBytes: [UInt8]? { encryptionKey.map { [UInt8]($0) } }

  /// Refuses what contradicts itself.
  func check() throws {
    if let encryptionKey, encryptionKey.count != 64 {
      throw Realm.Error(
        .invalidInput, "an encryption key has 64 bytes, and not \(encryptionKey.count)")
    }
    if encryptionKey != nil, inMemoryIdentifier != nil {
      throw Realm.Error(.invalidInput, "a realm in memory cannot be encrypted")
    }
    if readOnly, shouldCompactOnLaunch != nil || deleteRealmIfMigrationNeeded {
      throw Realm.Error(
        .invalidInput,
        "a read-only realm can neither be compacted nor be deleted for a migration; set "
          + "shouldCompactOnLaunch and deleteRealmIfMigrationNeeded only where readOnly is false")
    }
    if syncConfiguration != nil, deleteRealmIfMigrationNeeded {
      throw Realm.Error(.invalidInput, "a synced realm cannot be deleted for a migration")
    }
  }
}
