#if Sync
package import AtollObjects
internal import AtollStorage

/// Why the folder of a server was not copied; nothing is at the destination then.
package enum BackupError: Error, Equatable, Sendable {
  /// Something has the name of the copy.
  case destinationExists(path: String)
  /// The copy would be a part of what it copies.
  case destinationInside(path: String, folder: String)
  /// The first start of the server has not made its databases yet.
  case isStarting(folder: String)
  /// The disk of the destination has less room than the copy needs.
  case noRoom(path: String, neededByteCount: UInt64, freeByteCount: UInt64)
  /// A database was not copied, by a fault of its own or of the copy.
  case copying(path: String, ObjectError)
  /// The folder is no server's, or a file of it was not copied.
  case server(ServerError)
}

extension BackupError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .destinationExists(let path):
      "'\(path)' exists; a backup is a new folder"
    case .destinationInside(let path, let folder):
      "'\(path)' lies in '\(folder)', which it would be a copy of; name a folder outside"
    case .isStarting(let folder):
      "no start of the server in '\(folder)' has made its databases yet; start it, and try again"
    case .noRoom(let path, let needed, let free):
      "the backup takes \(needed) bytes, and \(free) are free for '\(path)'; make room, or name a "
        + "folder on another disk"
    case .copying(let path, let error):
      "\(error)\n'\(path)' was not copied, and nothing is left of the backup"
    case .server(let error): error.description
    }
  }
}
#endif
