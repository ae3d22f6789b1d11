#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#endif

/// The directory that holds one engine's files and nothing else.
struct DatabaseDirectory {
  let path: String

  /// Empties the directory `name` in `parent`, and creates it when there is none.
  init(emptying name: String, in parent: String) throws {
    path = parent + "/" + name
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Runs `body` with `parent`, or with a temporary directory that is removed afterwards.
  static func withParent(_ parent: String?, _ body: (String) throws -> Void) throws {
    let process = ProcessInfo.processInfo.processIdentifier
    let temporary = FileManager.default.temporaryDirectory.path + "/atoll-bench-\(process)"
    defer {
      // Nothing to do when it fails: the results are out, and the system clears its own directory.
      if parent == nil { try? FileManager.default.removeItem(atPath: temporary) }
    }
    try body(parent ?? temporary)
  }

  /// The lengths of all files together, in bytes.
  func fileByteCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
      var status = stat()
      // SAFETY: `status` is a local variable, alive for the call.
      guard unsafe stat(path + "/" + name, &status) == 0 else {
        throw CocoaError(.fileReadUnknown)
      }
      return sum + Int(status.st_size)
    }
  }
}
