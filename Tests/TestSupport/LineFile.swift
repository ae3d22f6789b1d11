#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file to which lines are appended; the death of the process loses none.
package final class LineFile: Sendable {
  package struct Failure: Error {
    package let sentence: String
  }

  private let descriptor: Int32

  /// Opens the file, or makes it.
  package init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(sentence: "\(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Adds a line, from any thread.
  package func append(_ line: String) throws {
    let bytes = Array("\(line)\n".utf8)
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else {
      throw Failure(sentence: "a line was not written: \(String(cString: strerror(errno)))")
    }
  }

  /// Returns when all lines are on the disk.
  package func synchronize() throws {
    #if canImport(Darwin)
    let status = fsync(descriptor)
    #else
    let status = fdatasync(descriptor)
    #endif
    guard status == 0 else {
      throw Failure(sentence: "not synchronised: \(String(cString: strerror(errno)))")
    }
  }
}
