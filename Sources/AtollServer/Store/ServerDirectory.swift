#if Sync
internal import AtollCapture
internal import AtollObjects
internal import AtollStorage

/// The folder of a server: everything that it keeps, for one server at a time.
///
///     atoll-server    which version of this layout it has
///     lock            locked while a server runs; holds its process id
///     token.key       32 random bytes that sign all tokens
///     accounts.atoll  users and their log-ins
///     store.atoll     what is synchronised
///     server.yaml     the configuration, if there is one; only people write it
///     starting        there until the first start has made the databases
///
/// Without `starting` a database that is missing or empty was lost: a server that began with an
/// empty one would make all devices delete what they have. A lost key costs only log-ins.
///
/// Readable by its owner alone. The lock goes with `release`, or with the last reference.
package final class ServerDirectory: Sendable {
  /// The layout's version that this program writes, and the newest that it reads.
  static let version = 1
  static let markerName = "atoll-server"
  static let accountsName = "accounts.atoll"
  static let storeName = "store.atoll"
  static let configurationName = "server.yaml"
  static let startingName = "starting"
  static let keyByteCount = 32

  package let path: String
  /// Signs all tokens.
  package let tokenKey: [UInt8]
  /// Whether the folder was made, or was empty.
  package let isNew: Bool
  /// Whether the key was made: then no older token is valid.
  package let isKeyNew: Bool
  /// Whether no start has got as far as making the databases.
  private let isStarting: Bool
  private let lock: LockedFile

  /// Opens a server's folder, or makes one where nothing is or an empty folder.
  ///
  /// - Parameters:
  ///   - path: Of the folder.
  ///   - random: Gives the bytes of a new key.
  ///   - willMake: Called before a folder becomes a server's; nothing is written when it throws.
  /// - Throws: `.notAFolder`, `.notAStore`, `.inUse`, `.unsupportedStore`, `.damaged`, `.system`,
  ///   and what `willMake` throws.
  package init(
    _ path: String, random: () -> UInt64, willMake: () throws(ServerError) -> Void = {}
  ) throws(ServerError) {
    self.path = path
    let kind = try FolderCalls.kind(of: path)
    guard kind != .other else { throw .notAFolder(path: path) }
    // Before anything is written: a folder that is not a server's stays as it is.
    let names =
      kind == .nothing ? [] : Set(try FolderCalls.names(in: path)).subtracting(["lock"])
    if !names.contains(Self.markerName) {
      // The remains of a start that failed before it wrote the marker.
      guard
        names.isSubset(of: [
          "token.key", "token.key.new", "atoll-server.new", Self.configurationName,
          Self.startingName, "\(Self.startingName).new",
        ])
      else { throw .notAStore(path: path) }
      try willMake()
    }
    if kind == .nothing { try FolderCalls.makeFolder(path) }
    lock = try LockedFile("\(path)/lock", folder: path)
    try FolderCalls.closeToOthers(path)

    let markerPath = "\(path)/\(Self.markerName)"
    let marker = try FolderCalls.read(markerPath, byteLimit: 256)
    isNew = marker == nil
    if let marker { try Self.check(marker, markerPath, folder: path) }
    let keyPath = "\(path)/token.key"
    if let key = try FolderCalls.read(keyPath, byteLimit: Self.keyByteCount + 1) {
      guard key.count == Self.keyByteCount else { throw .damaged(path: keyPath) }
      tokenKey = key
      isKeyNew = false
    } else {
      tokenKey = (0..<Self.keyByteCount / 8).flatMap { _ in
        let number = random()
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
      }
      try FolderCalls.write(tokenKey, to: keyPath)
      isKeyNew = true
    }
    let startingPath = "\(path)/\(Self.startingName)"
    if isNew {
      // The marker comes last, and never without the other: from then on each database exists, or
      // a start that was cut off is finished by the next.
      try FolderCalls.write([], to: startingPath)
      try FolderCalls.synchronize(path)
      try FolderCalls.write(Array("version \(Self.version)\n".utf8), to: markerPath)
    }
    isStarting = try Self.isStarting(path)
    try FolderCalls.synchronize(path)
  }

  /// Takes note that the databases are there, before a device can connect: from now on they must
  /// be.
  func didStart() throws(ServerError) {
    guard isStarting else { return }
    try FolderCalls.synchronize(path)
    try FolderCalls.remove("\(path)/\(Self.startingName)")
    try FolderCalls.synchronize(path)
  }

  /// Checks that a folder is a server's, of a version that this program knows.
  ///
  /// - Throws: `.notAServer`, `.unsupportedStore`, `.damaged`, `.system`.
  package static func check(folder: String) throws(ServerError) {
    let path = "\(folder)/\(markerName)"
    guard try FolderCalls.kind(of: folder) == .folder,
      let marker = try FolderCalls.read(path, byteLimit: 256)
    else { throw .notAServer(path: folder) }
    try check(marker, path, folder: folder)
  }

  private static func check(
    _ marker: [UInt8], _ path: String, folder: String
  ) throws(ServerError) {
    let words = String(decoding: marker, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, words[0] == "version", let version = Int(words[1]), version > 0 else {
      throw .damaged(path: path)
    }
    guard version <= Self.version else {
      throw .unsupportedStore(path: folder, version: version, newestSupported: Self.version)
    }
  }

  package var accountsPath: String { "\(path)/\(Self.accountsName)" }
  package var storePath: String { "\(path)/\(Self.storeName)" }

  /// Lets another server use the folder; the databases are closed before.
  package func release() { lock.release() }

  /// Whether no start of a server's folder has got as far as making its databases.
  static func isStarting(_ folder: String) throws(ServerError) -> Bool {
    try FolderCalls.kind(of: "\(folder)/\(startingName)") != .nothing
  }

  /// Opens one of the folder's databases, which is made only in a folder's first start.
  ///
  /// - Throws: `.missing` for one that is not there or empty; `.database`.
  func open(_ path: String) throws(ServerError) -> Database {
    try Self.open(path, isMaking: isStarting)
  }

  /// Opens one of a server's databases.
  ///
  /// - Throws: `.missing` for one that is not there or empty; `.database`.
  static func open(_ path: String, isMaking: Bool) throws(ServerError) -> Database {
    do throws(ObjectError) {
      return try Database.open(
        path, options: .init(mode: isMaking ? .create : .readWrite).recording())
    } catch .storage(.io(.open, path, ErrorNumber.notFound.rawValue)) {
      throw .missing(path: path)
    } catch .storage(.empty) {
      throw .missing(path: path)
    } catch { throw .database(path: path, error) }
  }
}
#endif
