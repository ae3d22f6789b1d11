#if Sync
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The few system calls that a server's folder needs.
package enum FolderCalls {
  enum Kind { case nothing, folder, other }

  /// `lstat(2)`, through links.
  static func kind(of path: String) throws(ServerError) -> Kind {
    var information = stat()
    // SAFETY: the string lives during the call, which writes one `stat` structure.
    guard unsafe stat(path, &information) == 0 else {
      if errno == ENOENT { return .nothing }
      throw .system(.inspect, path: path, errno: errno)
    }
    return information.st_mode & S_IFMT == S_IFDIR ? .folder : .other
  }

  /// `mkdir(2)`, for the owner alone.
  static func makeFolder(_ path: String) throws(ServerError) {
    // SAFETY: the string lives during the call.
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .system(.create, path: path, errno: errno)
    }
  }

  /// What has a name in a folder.
  enum Entry { case nothing, folder, file, other }

  /// `lstat(2)`: a link is none of the kinds that have names.
  static func entry(_ path: String) throws(ServerError) -> Entry {
    var information = stat()
    // SAFETY: the string lives during the call, which writes one `stat` structure.
    guard unsafe lstat(path, &information) == 0 else {
      if errno == ENOENT { return .nothing }
      throw .system(.inspect, path: path, errno: errno)
    }
    return switch information.st_mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG: .file
    default: .other
    }
  }

  /// `stat(2)`: the length of a file.
  static func byteCount(of path: String) throws(ServerError) -> UInt64 {
    var information = stat()
    // SAFETY: the string lives during the call, which writes one `stat` structure.
    guard unsafe stat(path, &information) == 0 else {
      throw .system(.open, path: path, errno: errno)
    }
    return UInt64(clamping: information.st_size)
  }

  /// `realpath(3)`: the one path of a folder that goes through no links.
  static func canonicalPath(_ path: String) throws(ServerError) -> String {
    // SAFETY: the string lives during the call; what it returns is copied, and freed once.
    guard let resolved = unsafe realpath(path, nil) else {
      throw .system(.open, path: path, errno: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// `mkdir(2)`, for the owner alone, where nothing is.
  static func makeNewFolder(_ path: String) throws(ServerError) {
    // SAFETY: the string lives during the call.
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw .system(.create, path: path, errno: errno)
    }
  }

  /// `chmod(2)`: only the owner may look into the folder.
  static func closeToOthers(_ path: String) throws(ServerError) {
    // SAFETY: the string lives during the call.
    guard unsafe chmod(path, 0o700) == 0 else {
      throw .system(.write, path: path, errno: errno)
    }
  }

  /// `statvfs(2)`: the bytes that are free on the disk of a folder; nil when that cannot be found
  /// out.
  package static func freeByteCount(of path: String) -> UInt64? {
    var information = statvfs()
    // SAFETY: the string lives during the call, which writes one `statvfs` structure.
    guard unsafe statvfs(path, &information) == 0 else { return nil }
    let (bytes, isTooLarge) = UInt64(information.f_bavail)
      .multipliedReportingOverflow(by: UInt64(information.f_frsize))
    return isTooLarge ? .max : bytes
  }

  /// The names in a folder.
  static func names(in path: String) throws(ServerError) -> [String] {
    // SAFETY: the stream is read and closed here alone; an entry's name is copied while the entry
    // is valid, that is before the next call of readdir.
    guard let folder = unsafe opendir(path) else {
      throw .system(.read, path: path, errno: errno)
    }
    defer { _ = unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe String(cString: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The first bytes of a file; nil when there is none.
  static func read(_ path: String, byteLimit: Int) throws(ServerError) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(.open, path: path, errno: errno)
    }
    defer { close(descriptor) }
    return try read(descriptor, path, byteLimit: byteLimit)
  }

  private static func read(
    _ descriptor: Int32, _ path: String, byteLimit: Int
  ) throws(ServerError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteLimit)
    var done = 0
    while done < byteLimit {
      let start = done
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        // SAFETY: start < byteLimit, and the count is what is left of the array.
        unsafe systemRead(descriptor, buffer.baseAddress?.advanced(by: start), byteLimit - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(.read, path: path, errno: errno)
      }
      if count == 0 { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  /// Writes a file for the owner only, atomically and durably.
  static func write(_ bytes: [UInt8], to path: String) throws(ServerError) {
    let draft = path + ".new"
    _ = unsafe unlink(draft)
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(.create, path: draft, errno: errno) }
    try writeAndClose(bytes, descriptor, draft)
    try rename(draft, to: path)
  }

  private static func writeAndClose(
    _ bytes: [UInt8], _ descriptor: Int32, _ path: String
  ) throws(ServerError) {
    defer { close(descriptor) }
    try write(bytes, descriptor, path)
    guard fsync(descriptor) == 0 else { throw .system(.write, path: path, errno: errno) }
  }

  private static func write(
    _ bytes: [UInt8], _ descriptor: Int32, _ path: String
  ) throws(ServerError) {
    var done = 0
    while done < bytes.count {
      let start = done
      let count = unsafe bytes.withUnsafeBytes { buffer in
        // SAFETY: start < bytes.count, and the count is what is left of the array.
        unsafe systemWrite(
          descriptor, buffer.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(.write, path: path, errno: errno)
      }
      done += count
    }
  }

  /// Copies a file into a new one for the owner only, durably.
  ///
  /// - Returns: The bytes that were copied.
  static func copy(_ source: String, to path: String) throws(ServerError) -> UInt64 {
    let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .system(.open, path: source, errno: errno) }
    defer { close(input) }
    let output = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw .system(.create, path: path, errno: errno) }
    defer { close(output) }
    var byteCount: UInt64 = 0
    while true {
      let bytes = try read(input, source, byteLimit: 1 << 20)
      if bytes.isEmpty { break }
      try write(bytes, output, path)
      byteCount += UInt64(bytes.count)
    }
    guard fsync(output) == 0 else { throw .system(.write, path: path, errno: errno) }
    return byteCount
  }

  /// Makes a file durable that only the owner may read and write from then on.
  ///
  /// - Returns: Its length.
  static func closeFileToOthers(_ path: String) throws(ServerError) -> UInt64 {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.open, path: path, errno: errno) }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
      throw .system(.write, path: path, errno: errno)
    }
    return try byteCount(of: path)
  }

  /// `rename(2)`.
  static func rename(_ path: String, to newPath: String) throws(ServerError) {
    guard systemRename(path, newPath) == 0 else {
      throw .system(.create, path: newPath, errno: errno)
    }
  }

  /// Removes a folder with all that is in it; what cannot be removed stays.
  static func removeAll(_ path: String) {
    // A link to a folder is a file here: nothing behind it is touched.
    for name in (try? names(in: path)) ?? [] {
      let inner = "\(path)/\(name)"
      // SAFETY: the string lives during the call.
      if unsafe unlink(inner) != 0 { removeAll(inner) }
    }
    // SAFETY: the string lives during the call.
    _ = unsafe rmdir(path)
  }

  /// `unlink(2)`.
  static func remove(_ path: String) throws(ServerError) {
    // SAFETY: the string lives during the call.
    guard unsafe unlink(path) == 0 else { throw .system(.write, path: path, errno: errno) }
  }

  /// Makes the names in a folder durable.
  static func synchronize(_ path: String) throws(ServerError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.open, path: path, errno: errno) }
    defer { close(descriptor) }
    // Some file systems keep no folders on a disk, and say so.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .system(.write, path: path, errno: errno)
    }
  }

  static let standardError = STDERR_FILENO

  /// Writes a line to a descriptor, in one piece where the system can.
  static func writeLine(_ bytes: [UInt8], to descriptor: Int32) {
    // A log that cannot be written is no reason to stop a server.
    try? write(bytes, descriptor, "log")
  }

  /// Whether a pipe or a terminal takes a line at once; so does each file.
  static func takesLine(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // SAFETY: the call reads and writes one structure.
    return unsafe poll(&request, 1, 0) == 1
  }
}

/// A file that one process has for itself, until it closes it or dies.
final class LockedFile: Sendable {
  private let descriptor: Int32

  /// Takes the file at `path`, which is made when it does not exist, and writes this process's id.
  ///
  /// - Throws: `.inUse` with the id that its holder wrote.
  init(_ path: String, folder: String) throws(ServerError) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(.open, path: path, errno: errno) }
    // From here on an error ends the object, and so closes the file.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let failure = errno
      guard failure == EWOULDBLOCK else { throw .system(.lock, path: path, errno: failure) }
      let text = try? FolderCalls.read(path, byteLimit: 32)
      let id = text.map { String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self) }
      throw .inUse(path: folder, processID: id.flatMap { Int32($0) })
    }
    // The id is for the message of others; the lock does not depend on it.
    if ftruncate(descriptor, 0) == 0 {
      let id = Array("\(getpid())\n".utf8)
      _ = unsafe id.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
    }
  }

  deinit {
    release()
    close(descriptor)
  }

  /// Lets others have the file from now on.
  ///
  /// Closing alone leaves it locked for as long as a child process, between its fork and its
  /// program, has the descriptor too.
  func release() { _ = flock(descriptor, LOCK_UN) }
}

// Inside of the types above, `read`, `write` and `rename` mean their own functions.
private func systemRead(
  _ descriptor: Int32, _ address: UnsafeMutableRawPointer?, _ byteCount: Int
) -> Int {
  unsafe read(descriptor, address, byteCount)
}
private func systemRename(_ path: String, _ newPath: String) -> Int32 {
  // SAFETY: the strings live during the call.
  unsafe rename(path, newPath)
}
private func systemWrite(
  _ descriptor: Int32, _ address: UnsafeRawPointer?, _ byteCount: Int
) -> Int {
  unsafe write(descriptor, address, byteCount)
}
#endif
