public import Foundation
internal import Synchronization

extension Realm {
  /// Which file a realm is, and how it is opened.
  public struct Configuration: Sendable {
    private static let `default` = Mutex(Configuration())

    /// What is used where no configuration is given.
    public static var defaultConfiguration: Configuration {
      get { Self.default.withLock { $0 } }
      set { Self.default.withLock { $0 = newValue } }
    }

    /// The file; setting it clears `inMemoryIdentifier`.
    public var fileURL: URL? {
      didSet { if fileURL != nil { inMemoryIdentifier = nil } }
    }

    /// The name of a realm in memory, which is gone with its last instance in the process; setting
    /// it clears `fileURL` and `syncConfiguration`.
    public var inMemoryIdentifier: String? {
      didSet {
        guard inMemoryIdentifier != nil else { return }
        fileURL = nil
        syncConfiguration = nil
      }
    }

    /// Makes it a synced realm; clears `inMemoryIdentifier`.
    public var syncConfiguration: SyncConfiguration? {
      didSet { if syncConfiguration != nil { inMemoryIdentifier = nil } }
    }

    /// 64 random bytes; who loses them loses the data.
    public var encryptionKey: Data?
    /// Whether the file must exist and is not written.
    public var readOnly: Bool
    /// The version of the classes that the code expects.
    ///
    /// A higher one than the file's lets classes lose properties, with all that is in them, give them
    /// other types, and require values: null becomes zero or nothing.
    public var schemaVersion: UInt64
    /// What moves the data of a file that has a lower `schemaVersion`, when it is opened; not that of
    /// a synced realm.
    @preconcurrency public var migrationBlock: MigrationBlock?
    /// Whether to begin with an empty file when the classes do not fit.
    public var deleteRealmIfMigrationNeeded: Bool
    /// Is asked, with the bytes of the file and the bytes in use, at the first opening in the
    /// process.
    @preconcurrency public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
    /// The only classes of the realm; nil for all that are mentioned.
    public var objectTypes: [ObjectBase.Type]?
    /// A file to copy when there is none yet.
    public var seedFilePath: URL?
    /// What a commit waits for; where a realm is open already at this
    /// place, the stronger of both openings holds.
    public var durability: Durability
    /// Is told of a failure of the file that cannot be thrown where it is met: a damaged page, or a
    /// disk that fails, when a property or a collection is read; nil: the process ends with the
    /// sentence of the error.
    ///
    /// What is read then is nothing: nil, 0, an empty text, an empty collection; a later read tries
    /// again. A write that meets a failure throws it at its end, and the handler is called only
    /// where its end cannot throw it, as that of `cancelWrite()`. Called where the realm is read, of
    /// a frozen realm by any thread, and without a lock: it may open and read realms, and not write.
    /// It is not called for what it meets itself while it runs. Of several openings at one place,
    /// the first handler that there is holds; of all openings of a file, the first is told on a
    /// thread of the library when the file cannot be closed.
    @preconcurrency public var failureHandler: (@Sendable (Realm.Error) -> Void)?
    /// Whether primary keys are such in the file too; otherwise they are properties as all others,
    /// so that several objects may have one key.
    var hasPrimaryKeys = true
    @available(
      *, unavailable,
      message: "the number of versions is not limited; a frozen realm or a reference keeps its own"
    )
    public var maximumNumberOfActiveVersions: UInt? {
      get { nil }
      set {}
    }

    /// Describes a realm, by default in the file `defaultFileURL`.
    ///
    /// A name in memory takes the place of the file. Nothing is checked before the realm is opened.
    @preconcurrency public init(
      fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
      syncConfiguration: SyncConfiguration? = nil, encryptionKey: Data? = nil,
      readOnly: Bool = false, schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
      deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil,
      durability: Durability = .full, failureHandler: (@Sendable (Realm.Error) -> Void)? = nil
    ) {
      self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
      self.inMemoryIdentifier = inMemoryIdentifier
      self.syncConfiguration = syncConfiguration
      self.encryptionKey = encryptionKey
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.objectTypes = objectTypes
      self.seedFilePath = seedFilePath
      self.durability = durability
      self.failureHandler = failureHandler
    }

    /// What a commit waits for before it returns.
    public enum Durability: Sendable {
      /// The version is on the disk.
      case full
      /// Nothing: after a power cut the last moments may be lost, and never a part of a commit.
      ///
      /// The end of a process loses nothing. A later commit that is `full`, and the end of the last
      /// realm of the file, make all before it durable.
      case relaxed
    }

    /// `default.realm` in the program's folder for data: `$XDG_DATA_HOME/PROGRAM`, or else
    /// `~/.local/share/PROGRAM`; on Apple's systems the folder for application support.
    public static var defaultFileURL: URL { dataFolder.appending(path: "default.realm") }

    static var dataFolder: URL {
      let information = ProcessInfo.processInfo
      #if canImport(Darwin)
      let base = URL.applicationSupportDirectory
      #else
      let home = information.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      let base =
        home.map { URL(filePath: $0) } ?? URL.homeDirectory.appending(path: ".local/share")
      #endif
      return base.appending(path: information.processName)
    }

    /// Which database this is: by the file's real path, however it is spelled, or by its name.
    func fileIdentity() throws -> SharedFile.Identity {
      if let inMemoryIdentifier {
        guard !inMemoryIdentifier.isEmpty else {
          throw Realm.Error(.invalidInput, "a realm in memory needs a name that is not empty")
        }
        return .memory(inMemoryIdentifier)
      }
      guard let fileURL, !fileURL.path.isEmpty else {
        throw Realm.Error(
          .invalidInput, "the configuration names neither a file nor a realm in memory")
      }
      let url = fileURL.standardizedFileURL
      let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
      return .file(
        folder.appending(path: url.lastPathComponent).resolvingSymlinksInPath().path)
    }
  }
}

extension Realm.Configuration: Equatable {
  /// Whether both name the same realm, opened alike; blocks of code cannot be compared.
  public static func == (a: Self, b: Self) -> Bool {
    a.fileURL == b.fileURL && a.inMemoryIdentifier == b.inMemoryIdentifier
      && a.encryptionKey == b.encryptionKey && a.readOnly == b.readOnly
      && a.schemaVersion == b.schemaVersion
      && a.deleteRealmIfMigrationNeeded == b.deleteRealmIfMigrationNeeded
      && a.durability == b.durability
      && a.objectTypes?.map { ObjectIdentifier($0) } == b.objectTypes?.map { ObjectIdentifier($0) }
      && a.seedFilePath == b.seedFilePath
      && (a.syncConfiguration == nil) == (b.syncConfiguration == nil)
  }
}

extension Realm.Configuration: CustomStringConvertible {
  /// The configuration without its key.
  public var description: String {
    let place = fileURL?.path ?? inMemoryIdentifier.map { "memory '\($0)'" } ?? "nothing"
    var words = ["schemaVersion: \(schemaVersion)"]
    if readOnly { words.append("readOnly") }
    if encryptionKey != nil { words.append("encrypted") }
    if syncConfiguration != nil { words.append("synced") }
    if let objectTypes { words.append("objectTypes: \(objectTypes.map { $0.className() })") }
    return "Realm.Configuration(\(place), \(words.joined(separator: ", ")))"
  }
}
