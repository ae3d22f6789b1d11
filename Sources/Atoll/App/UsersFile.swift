internal import Foundation

/// The users of an app who have logged in on this machine, in a file that only its owner can read.
///
/// `users.json` in the app's directory: JSON, replaced as a whole. A file that cannot be decoded is
/// moved aside to `users.json.damaged`: users log in again then, and their synced files are kept.
///
/// Several processes change it, each under the lock of `users.lock` what it knows better: one user,
/// or who is the current one.
struct UsersFile: Sendable {
  struct Contents: Codable, Equatable, Sendable {
    var users: [UserAccount] = []
    var currentUserID: String?
  }

  let directory: URL

  private var url: URL { directory.appendingPathComponent("users.json") }

  func read() -> Contents {
    guard let bytes = try? Data(contentsOf: url) else { return Contents() }
    do { return try JSONDecoder().decode(Contents.self, from: bytes) } catch {
      let aside = url.appendingPathExtension("damaged")
      try? FileManager.default.removeItem(at: aside)
      try? FileManager.default.moveItem(at: url, to: aside)
      return Contents()
    }
  }

  private func lockFile() throws -> FileHandle {
    let url = directory.appendingPathComponent("users.lock")
    if !FileManager.default.fileExists(atPath: url.path) {
      // An empty file that another process makes at the same time is as good.
      _ = FileManager.default.createFile(
        atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    return try FileHandle(forUpdating: url)
  }

  /// Changes what the file holds now.
  func change(_ body: (inout Contents) -> Void) throws {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // Where there is no lock, on a file system without locks, the file is still replaced as a
    // whole.
    let lock = try lockFile()
    defer {
      // Closing alone leaves it locked while a child process, before its program, has it open too.
      _ = flock(lock.fileDescriptor, LOCK_UN)
      try? lock.close()
    }
    while flock(lock.fileDescriptor, LOCK_EX) != 0, errno == EINTR {}
    var contents = read()
    body(&contents)
    try write(contents)
  }

  private func write(_ contents: Contents) throws {
    let manager = FileManager.default
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(contents).write(to: url, options: .atomic)
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
  }
}
