#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the command does with files as a whole.
enum FileSystem {
  /// Whether anything is at `path`, be it a link that leads nowhere.
  static func exists(_ path: String) -> Bool {
    var information = stat()
    // SAFETY: the string is passed as a NUL-terminated copy that lives during the call;
    // `information` outlives the call, which writes one `stat` structure.
    return unsafe lstat(path, &information) == 0
  }
}
