#if Sync
internal import AtollCapture
internal import AtollObjects
internal import AtollStorage

/// A copy of a server's folder, made while the server runs or not, from which one can be started.
///
/// What it holds, in the order in which it is read:
///
///     store.atoll     one version of it, without free space
///     accounts.atoll  a version that is not older: whoever has written what is in the store has
///                     an account
///     token.key       byte for byte, as what follows: tokens stay valid
///     server.yaml     if there is one
///     other files     such as certificates, in folders of the folder too
///     atoll-server    last: a folder without it is no server's
///
/// Each database is read as other readers do it: one version is pinned while it is copied, and
/// nobody waits. All is written to a folder beside the destination, made durable, and renamed: what
/// has the destination's name is whole.
///
/// Left out are the files that belong to running processes, and what cannot be copied while others
/// may use it: other databases, links, sockets.
package struct ServerBackup {
  /// What was copied.
  package struct Report: Equatable, Sendable {
    /// The version of the store's file that was copied.
    package var version: UInt64
    package var fileCount = 0
    /// The bytes of the copies.
    package var byteCount: UInt64 = 0
    /// Paths in the folder of what is not in the copy, and may be missed.
    package var leftOut: [String] = []
  }

  /// Between the destination's name and a number, in the name of the folder until it is whole.
  package static let draftMark = ".incomplete-"

  private static let keyName = "token.key"
  private static let databaseSuffix = ".atoll"

  private let folder: String
  private let draft: String
  private let progress: (String, Double) -> Void
  private var report = Report(version: 0)
  private var folders: [String] = []

  /// Copies the folder of a server.
  ///
  /// - Parameters:
  ///   - folder: The server's folder.
  ///   - destination: The copy: nothing has its name, and it lies in a folder that exists.
  ///   - random: Gives the number in the name of the folder while it is not whole.
  ///   - freeByteCount: How many bytes are free for a folder; nil when that is not known.
  ///   - progress: Told the name of a database that is copied, and the share that is done.
  /// - Returns: What was copied.
  /// - Throws: `BackupError`: then nothing is at the destination.
  package static func make(
    of folder: String, at destination: String, random: () -> UInt64,
    freeByteCount: (String) -> UInt64? = FolderCalls.freeByteCount,
    progress: @escaping (String, Double) -> Void = { _, _ in }
  ) throws(BackupError) -> Report {
    let destination = trimmed(destination)
    try serving { () throws(ServerError) in try ServerDirectory.check(folder: folder) }
    let parent = try parent(of: destination, outside: folder)
    guard try serving({ () throws(ServerError) in try !ServerDirectory.isStarting(folder) }) else {
      throw .isStarting(folder: folder)
    }
    let draft = destination + draftMark + String(random(), radix: 16)
    var backup = ServerBackup(folder: folder, draft: draft, progress: progress)
    return try backup.run(to: destination, parent, freeByteCount)
  }

  private init(folder: String, draft: String, progress: @escaping (String, Double) -> Void) {
    self.folder = folder
    self.draft = draft
    self.progress = progress
  }

  // MARK: Where

  private static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }

  /// The folder that the copy is made in.
  private static func parent(
    of destination: String, outside folder: String
  ) throws(BackupError) -> String {
    guard try serving({ () throws(ServerError) in try FolderCalls.entry(destination) }) == .nothing
    else { throw .destinationExists(path: destination) }
    let parent =
      destination.lastIndex(of: "/").map { slash in
        slash == destination.startIndex ? "/" : String(destination[..<slash])
      } ?? "."
    let (inner, outer) = try serving { () throws(ServerError) in
      (try FolderCalls.canonicalPath(parent), try FolderCalls.canonicalPath(folder))
    }
    guard inner != outer, !inner.hasPrefix(outer + "/") else {
      throw .destinationInside(path: destination, folder: folder)
    }
    return parent
  }

  // MARK: What

  private mutating func run(
    to destination: String, _ parent: String, _ freeByteCount: (String) -> UInt64?
  ) throws(BackupError) -> Report {
    let store = try open(ServerDirectory.storeName)
    defer { try? store.close() }
    let accounts = try open(ServerDirectory.accountsName)
    defer { try? accounts.close() }
    let files = try files(in: nil)
    let needed =
      try Self.copying("\(folder)/\(ServerDirectory.storeName)") { () throws(ObjectError) in
        try store.status().liveByteCount + accounts.status().liveByteCount
      } + files.reduce(0) { $0 + $1.byteCount }
    if let free = freeByteCount(parent), free < needed {
      throw .noRoom(path: destination, neededByteCount: needed, freeByteCount: free)
    }
    try Self.serving { () throws(ServerError) in try FolderCalls.makeNewFolder(draft) }
    do throws(BackupError) {
      // The accounts after the store: who has written comes before what was written.
      report.version = try copy(store, ServerDirectory.storeName)
      _ = try copy(accounts, ServerDirectory.accountsName)
      try copy(files)
      try finish(as: destination, in: parent)
      return report
    } catch {
      FolderCalls.removeAll(draft)
      throw error
    }
  }

  private func open(_ name: String) throws(BackupError) -> Database {
    let path = "\(folder)/\(name)"
    do throws(ObjectError) {
      return try Database.open(path, options: .init(mode: .readOnly).recording())
    } catch .storage(.io(.open, path, ErrorNumber.notFound.rawValue)) {
      throw .server(.missing(path: path))
    } catch .storage(.empty) {
      throw .server(.missing(path: path))
    } catch { throw .server(.database(path: path, error)) }
  }

  private mutating func copy(_ database: Database, _ name: String) throws(BackupError) -> UInt64 {
    let path = "\(draft)/\(name)"
    let version = try Self.copying("\(folder)/\(name)") { () throws(ObjectError) in
      try database.writeCompactCopy(to: path) { progress(name, $0) }
    }
    let byteCount = try Self.serving { () throws(ServerError) in
      // Nobody has the copy open.
      let lockPath = path + PosixFile.lockFileSuffix
      if try FolderCalls.entry(lockPath) != .nothing { try FolderCalls.remove(lockPath) }
      return try FolderCalls.closeFileToOthers(path)
    }
    note(byteCount)
    return version
  }

  private mutating func note(_ byteCount: UInt64) {
    report.fileCount += 1
    report.byteCount += byteCount
  }

  /// A file that is copied byte for byte.
  private struct File {
    /// Its path in the folder.
    var path: String
    var byteCount: UInt64
  }

  /// The files to copy in one folder of the folder, and in those below; nil: the folder itself.
  private mutating func files(in inner: String?) throws(BackupError) -> [File] {
    let place = inner.map { "\(folder)/\($0)" } ?? folder
    var names = try Self.serving { () throws(ServerError) in try FolderCalls.names(in: place) }
    names.sort()
    var files: [File] = []
    if inner == nil {
      // The server cannot do without; they may be links to where such files are kept.
      for name in [Self.keyName, ServerDirectory.configurationName, ServerDirectory.markerName] {
        guard names.contains(name) || name != ServerDirectory.configurationName else { continue }
        let byteCount = try Self.serving { () throws(ServerError) in
          try FolderCalls.byteCount(of: "\(place)/\(name)")
        }
        files.append(File(path: name, byteCount: byteCount))
      }
      names.removeAll(where: Self.isServers)
    }
    for name in names {
      let path = inner.map { "\($0)/\(name)" } ?? name
      let entry = try Self.serving { () throws(ServerError) in
        try FolderCalls.entry("\(folder)/\(path)")
      }
      switch entry {
      case .folder:
        folders.append(path)
        files += try self.files(in: path)
      case .file where Self.isOfProcesses(name): break
      case .file where name.hasSuffix(Self.databaseSuffix): report.leftOut.append(path)
      case .file:
        let byteCount = try Self.serving { () throws(ServerError) in
          try FolderCalls.byteCount(of: "\(folder)/\(path)")
        }
        files.append(File(path: path, byteCount: byteCount))
      case .other: report.leftOut.append(path)
      // It was removed a moment ago.
      case .nothing: break
      }
    }
    return files
  }

  /// Whether a name in the folder is one that a server gives, and so is copied on purpose or not.
  private static func isServers(_ name: String) -> Bool {
    let own = [
      keyName, ServerDirectory.markerName, ServerDirectory.configurationName,
      ServerDirectory.storeName, ServerDirectory.accountsName, ServerDirectory.startingName,
    ]
    return name == "lock" || own.contains(name) || own.contains { name == $0 + ".new" }
  }

  /// Whether a file belongs to processes that have a database open, or to a compaction.
  private static func isOfProcesses(_ name: String) -> Bool {
    name.hasSuffix(databaseSuffix + PosixFile.lockFileSuffix)
      || name.contains(databaseSuffix + "-compacting-")
  }

  private mutating func copy(_ files: [File]) throws(BackupError) {
    for path in folders {
      try Self.serving { () throws(ServerError) in
        try FolderCalls.makeNewFolder("\(draft)/\(path)")
      }
    }
    // The marker comes last, so that what is not whole is no server's folder.
    let isMarker = { (file: File) in file.path == ServerDirectory.markerName }
    for file in files.filter({ !isMarker($0) }) + files.filter(isMarker) {
      let path = "\(folder)/\(file.path)"
      // What others keep here may go away meanwhile, as a log or an old certificate.
      let isOthers = !Self.isServers(file.path)
      if isOthers,
        try Self.serving({ () throws(ServerError) in try FolderCalls.entry(path) }) == .nothing
      {
        report.leftOut.append(file.path)
        continue
      }
      let byteCount = try Self.serving { () throws(ServerError) in
        try FolderCalls.copy(path, to: "\(draft)/\(file.path)")
      }
      note(byteCount)
    }
  }

  /// Makes the copy durable and gives it its name.
  private func finish(as destination: String, in parent: String) throws(BackupError) {
    try Self.serving { () throws(ServerError) in
      // A parent that cannot be made durable is noticed before anything has the name.
      try FolderCalls.synchronize(parent)
      for path in folders.reversed() { try FolderCalls.synchronize("\(draft)/\(path)") }
      try FolderCalls.synchronize(draft)
    }
    // Another backup may have been faster. One that comes between the two calls makes the second
    // fail, as a folder replaces an empty one at most.
    guard
      try Self.serving({ () throws(ServerError) in try FolderCalls.entry(destination) })
        == .nothing
    else { throw .destinationExists(path: destination) }
    try Self.serving { () throws(ServerError) in
      try FolderCalls.rename(draft, to: destination)
      try FolderCalls.synchronize(parent)
    }
  }

  // MARK: Errors

  private static func serving<Result>(
    _ body: () throws(ServerError) -> Result
  ) throws(BackupError) -> Result {
    do throws(ServerError) { return try body() } catch { throw .server(error) }
  }

  private static func copying<Result>(
    _ path: String, _ body: () throws(ObjectError) -> Result
  ) throws(BackupError) -> Result {
    do throws(ObjectError) { return try body() } catch { throw .copying(path: path, error) }
  }
}
#endif
