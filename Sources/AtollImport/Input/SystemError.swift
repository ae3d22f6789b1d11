import AtollStorage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The operating system refused a call on a file that is not a database.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  package enum Operation: String, Equatable {
    case open, read, write, status
  }

  package let operation: Operation
  package let path: String
  package let errno: Int32

  /// The error of the call of this thread that has just failed.
  package static func current(_ operation: Operation, _ path: String) -> SystemError {
    #if canImport(Glibc)
    SystemError(operation: operation, path: path, errno: Glibc.errno)
    #else
    SystemError(operation: operation, path: path, errno: Darwin.errno)
    #endif
  }

  package var description: String {
    let verb = operation == .status ? "inspect" : operation.rawValue
    return "cannot \(verb) '\(path)': \(SystemCalls.message(for: errno))"
  }
}
