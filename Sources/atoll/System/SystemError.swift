#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The operating system refused a call of this command on a file that is not a database.
struct SystemError: Error, Equatable, CustomStringConvertible {
  enum Operation: String, Equatable {
    case open, read, write, status
  }

  let operation: Operation
  let path: String
  let errno: Int32

  /// The error of the call that has just failed.
  static func current(_ operation: Operation, _ path: String) -> SystemError {
    #if canImport(Glibc)
    SystemError(operation: operation, path: path, errno: Glibc.errno)
    #else
    SystemError(operation: operation, path: path, errno: Darwin.errno)
    #endif
  }

  var description: String {
    // SAFETY: strerror returns a NUL-terminated string that lives until this thread's next
    // call; it is copied at once, and the command has one thread.
    let words = unsafe String(cString: strerror(errno))
    let verb = operation == .status ? "inspect" : operation.rawValue
    return "cannot \(verb) '\(path)': \(words)"
  }
}
