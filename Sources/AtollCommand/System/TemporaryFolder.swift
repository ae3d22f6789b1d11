import AtollImport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A new folder for the files of one run, removed with all that is in it when the object dies.
final class TemporaryFolder {
  let path: String

  init(prefix: String) throws(SystemError) {
    // SAFETY: getenv returns nil or a NUL-terminated string, copied at once; nothing in this
    // process changes the environment.
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    let pattern = "\(parent)/\(prefix)XXXXXX"
    var name = Array(pattern.utf8CString)
    let isMade = unsafe name.withUnsafeMutableBufferPointer { buffer in
      // SAFETY: the buffer is not empty and ends in NUL; mkdtemp overwrites its six X in place.
      unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
    }
    guard isMade else { throw SystemError.current(.open, pattern) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// Removes a folder with all that is in it; what cannot be removed stays.
  private static func remove(_ path: String) {
    // SAFETY: the stream is read and closed here alone; an entry's name is copied while the
    // entry is valid, that is before the next call of readdir.
    guard let folder = unsafe opendir(path) else { return }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe String(cString: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    unsafe closedir(folder)
    for name in names {
      // A link to a folder is a file here: nothing behind it is touched.
      if unsafe unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    }
    unsafe rmdir(path)
  }
}
