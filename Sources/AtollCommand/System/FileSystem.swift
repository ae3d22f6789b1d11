#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Operations of the command on whole files.
enum FileSystem {
  /// Whether anything is at `path`, be it a link that leads nowhere.
  static func exists(_ path: String) -> Bool {
    var information = stat()
    // SAFETY: the string is passed as a NUL-terminated copy that lives during the call;
    // `information` outlives the call, which writes one `stat` structure.
    return unsafe lstat(path, &information) == 0
  }
}
