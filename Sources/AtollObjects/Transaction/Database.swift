public import AtollStorage
internal import Synchronization

/// An open database file.
///
/// Share one among all threads and tasks. Reading goes through `snapshot()`,
/// writing through `write(_:)`; readers and the one writer never wait for each
/// other. Several processes may open the same file.
public final class Database: Sendable {
  /// How a database is opened.
  public struct Options: Sendable {
    /// Which access is asked for.
    public enum Mode: Sendable {
      /// Existing file, no writes.
      case readOnly
      /// Existing file.
      case readWrite
      /// Existing file, or a new one.
      case create
    }

    /// Whether the file may be written, and made when there is none.
    public var mode: Mode
    /// The most bytes that decoded pages may take in memory.
    ///
    /// Nil: 64 MiB, and 256 MiB for an encrypted file: all pages of that are decoded, where most of
    /// a plain file are read in place. It is filled by what is read, and in an encrypted file by
    /// what is written, and goes with the last reference to the database.
    public var cacheByteCount: Int?
    /// The key of an encrypted file: 64 random bytes, or 32.
    ///
    /// A new file is encrypted when there is a key. Without it the data is lost.
    public var encryptionKey: [UInt8]?
    /// What a commit waits for that does not say so itself.
    public var durability: Durability
    /// The wall clock, in milliseconds since 1970.
    package var clock: @Sendable () -> UInt64 = {
      SystemCalls.millisecondsSince1970()
    }
    /// Random numbers, for what tells files and openings of one file apart.
    package var random: @Sendable () -> UInt64 = { SystemCalls.randomNumber() }
    /// The layer above that takes part in the database's transactions; nil: none does.
    package var participant: (any DatabaseParticipant)?

    /// Makes options; by default a missing file is made, and commits wait for the disk.
    public init(
      mode: Mode = .create, cacheByteCount: Int? = nil, encryptionKey: [UInt8]? = nil,
      durability: Durability = .full
    ) {
      self.mode = mode
      self.cacheByteCount = cacheByteCount
      self.encryptionKey = encryptionKey
      self.durability = durability
    }

    var cacheByteLimit: Int { cacheByteCount ?? (encryptionKey == nil ? 64 << 20 : 256 << 20) }
  }

  package let store: PageStore
  let durability: Durability
  package let clock: @Sendable () -> UInt64
  package let random: @Sendable () -> UInt64
  /// A random number of this opening, which is in no file: copies of a file do not share it.
  package let openingNumber: UInt64
  /// The number that the file has on its disk, which a copy of it has not; 0 in memory.
  package let fileNumber: UInt64
  let participant: (any DatabaseParticipant)?
  private let newestCatalogue: Mutex<VersionCatalogue?>
  /// What was committed here last.
  let changeHistory = ChangeHistory()

  package init(store: PageStore, options: Options = Options(), fileNumber: UInt64 = 0) {
    self.store = store
    self.fileNumber = fileNumber
    durability = options.durability
    clock = options.clock
    random = options.random
    openingNumber = options.random()
    participant = options.participant
    newestCatalogue = Mutex(nil)
  }

  /// Opens the database in the file at `path`.
  ///
  /// - Throws: `.storage` with the operating system's words, or with what is wrong with the file.
  public static func open(_ path: String, options: Options = Options()) throws(ObjectError)
    -> Database
  {
    do throws(StorageError) {
      // Before any file is made.
      _ = try options.key(for: path)
      let mode: PosixFile.Mode =
        switch options.mode {
        case .readOnly: .readOnly
        case .readWrite: .readWrite
        case .create: .create
        }
      var attempts = 0
      while true {
        let file = try PosixFile(path: path, mode: mode)
        try Recovery.refuseForeign(file, isCreating: options.mode == .create)
        let coordinator: any Coordinator
        do throws(StorageError) {
          coordinator = try self.coordinator(for: file)
        } catch .moved where attempts < 100 {
          // A compaction put another file in its place before we attached.
          attempts += 1
          continue
        }
        return Database(
          store: try store(file, coordinator, options), options: options,
          fileNumber: file.identity.inode)
      }
    } catch { throw .storage(error) }
  }

  /// The lock file beside `file`; on a read-only file system there need not be one.
  static func coordinator(for file: PosixFile) throws(StorageError) -> any Coordinator {
    do throws(StorageError) {
      return try LockFile(for: file)
    } catch .io(.open, _, ErrorNumber.readOnlyFileSystem.rawValue) where file.isReadOnly {
      try LockFile.attachUnseen(to: file)
      return LocalCoordinator(path: file.path)
    }
  }

  /// As `coordinator(for:)`, of a file without other users.
  ///
  /// - Throws: `.inUse`, also when a compaction put another file in its place at this moment.
  static func soleCoordinator(for file: PosixFile) throws(StorageError) -> any Coordinator {
    let coordinator: any Coordinator
    do throws(StorageError) { coordinator = try self.coordinator(for: file) } catch .moved {
      throw .inUse(path: file.path, processIDs: [])
    }
    guard try coordinator.isOnlyProcess() else { throw .inUse(file.path, coordinator) }
    return coordinator
  }

  /// Makes a database in memory, which is gone with the last reference to it.
  public static func inMemory(options: Options = Options()) throws(ObjectError) -> Database {
    do throws(StorageError) {
      let path = "in-memory database"
      return Database(
        store: try store(MemoryFile(path: path), LocalCoordinator(path: path), options),
        options: options)
    } catch { throw .storage(error) }
  }

  package static func store(
    _ file: any DataFile, _ coordinator: any Coordinator, _ options: Options
  ) throws(StorageError) -> PageStore {
    let makeFileID: (() -> [UInt8])? = if options.mode == .create { randomFileID } else { nil }
    return try PageStore(
      file: file, coordinator: coordinator, cacheByteCount: options.cacheByteLimit,
      key: try options.key(for: file.path), makeFileID: makeFileID)
  }

  private static func randomFileID() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Ends the use of the file: no snapshot and no transaction begins after this.
  ///
  /// Snapshots that live go on reading; the file is closed with the last of them. What was
  /// committed becomes durable, unless a transaction is still running. Those that wait in
  /// `writeAsync` throw `.storage(.closed)`.
  public func close() throws(ObjectError) {
    do throws(StorageError) { try store.close() } catch { throw .storage(error) }
  }

  /// The file's path.
  public var path: String { store.path }

  // MARK: Reading

  /// The newest version, pinned until the snapshot is gone.
  public func snapshot() throws(ObjectError) -> Snapshot {
    do {
      let storage = try store.snapshot()
      let version = try storage.extra { reader throws(ObjectError) in
        OpenVersion(catalogue: try catalogue(of: storage), reader: reader)
      }
      return Snapshot(storage: storage, version: version)
    } catch { throw ObjectError(any: error) }
  }

  /// The decoded catalogue of a version; that of the newest is kept.
  private func catalogue(of storage: StorageSnapshot) throws(ObjectError) -> VersionCatalogue {
    let known = newestCatalogue.withLock { $0 }
    if let known, known.transaction == storage.transaction { return known }
    let decoded = VersionCatalogue(
      transaction: storage.transaction,
      catalogue: try Catalogue(root: storage.slot.catalogue, reader: storage.reader),
      previous: known)
    adopt(decoded)
    return decoded
  }

  /// Keeps the catalogue when it is newer than the one that is kept.
  func adopt(_ catalogue: VersionCatalogue) {
    newestCatalogue.withLock { newest in
      if (newest?.transaction ?? 0) < catalogue.transaction { newest = catalogue }
    }
  }

  // MARK: Writing

  /// Runs `body` in a transaction and commits it.
  ///
  /// Waits for the writer before. When `body` throws, nothing it did remains. A `write` inside of
  /// `body` throws `.storage(.insideWrite)`. Objects, tables and results that `body` has read
  /// cannot be read when it has returned: it returns keys or values.
  ///
  /// `durability`: what it waits for before it returns; nil: what the database was opened with.
  @discardableResult
  public func write<Result>(
    durability: Durability? = nil, _ body: (Transaction) throws -> Result
  ) throws -> Result {
    let transaction = try beginWrite()
    return try store.whileWriting {
      do {
        let result = try body(transaction)
        try transaction.commit(durability: durability)
        return result
      } catch {
        transaction.cancel()
        throw error
      }
    }
  }

  /// Begins a transaction that ends with its `commit()` or `cancel()`; waits for the writer before.
  ///
  /// The transaction may end on another thread, so it is not known whether a thread waits for
  /// itself: one that begins a second transaction while it holds the first waits for ever.
  public func beginWrite() throws(ObjectError) -> Transaction {
    do { return try transaction(of: store.beginWrite()) } catch {
      throw ObjectError(any: error)
    }
  }

  /// As `beginWrite`; nil, at once, while another transaction writes.
  package func tryBeginWrite() throws(ObjectError) -> Transaction? {
    do { return try store.tryBeginWrite().map { try transaction(of: $0) } } catch {
      throw ObjectError(any: error)
    }
  }

  private func transaction(of storage: WriteTransaction) throws(ObjectError) -> Transaction {
    do {
      let known = newestCatalogue.withLock { $0 }
      if let known, known.transaction == storage.base.transaction {
        return Transaction(database: self, storage: storage, catalogue: known)
      }
      let catalogue = VersionCatalogue(
        transaction: storage.base.transaction,
        catalogue: try Catalogue(root: storage.base.catalogue, reader: storage.reader),
        previous: known)
      return Transaction(database: self, storage: storage, catalogue: catalogue)
    } catch { throw ObjectError(any: error) }
  }
}

extension Database.Options: CustomReflectable {
  /// The key for the file at `path`; throws `.encryption` when its length is wrong.
  fileprivate func key(for path: String) throws(StorageError) -> EncryptionKey? {
    try encryptionKey.map { bytes throws(StorageError) in try EncryptionKey(bytes, path: path) }
  }

  /// Printed without the key.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "mode": mode, "cacheByteCount": cacheByteLimit, "isEncrypted": encryptionKey != nil,
        "durability": durability,
      ])
  }
}
