import AtollStorage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the command does with files as a whole.
enum FileSystem {
  static let noSuchFile = ENOENT

  /// Removes a file, if it is there.
  static func remove(_ path: String) {
    // SAFETY: the string is passed as a NUL-terminated copy that lives during the call.
    _ = unsafe unlink(path)
  }

  /// Removes a database that nobody has open, with its lock file.
  static func removeDatabase(_ path: String) {
    remove(path)
    remove(path + LockFile.pathSuffix)
  }

  /// Whether anything is at `path`, be it a link that leads nowhere.
  static func exists(_ path: String) -> Bool {
    var information = stat()
    // SAFETY: as above; `information` outlives the call, which writes one `stat` structure.
    return unsafe lstat(path, &information) == 0
  }
}
