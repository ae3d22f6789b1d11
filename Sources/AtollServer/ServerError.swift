#if Sync
package import AtollObjects
internal import AtollStorage
package import AtollTransport

/// Why a server did not start.
package enum ServerError: Error, Equatable, Sendable {
  // The folder: another one, or a repair, is needed.

  /// A file has the folder's name.
  case notAFolder(path: String)
  /// The folder holds other things, and nothing of a server.
  case notAStore(path: String)
  /// No server was started in the folder.
  case notAServer(path: String)
  /// Another server uses the folder.
  case inUse(path: String, processID: Int32?)
  /// The folder was made by a newer version.
  case unsupportedStore(path: String, version: Int, newestSupported: Int)
  /// A database of the folder, in which there was data, is not there or empty.
  case missing(path: String)
  /// A small file of the folder does not hold what a server writes there.
  case damaged(path: String)
  /// A database of the folder cannot be used.
  case database(path: String, ObjectError)
  /// A system call failed.
  case system(Operation, path: String, errno: Int32)

  // What was asked for.

  case listening(SyncListener.Failure)
  /// As `listening`, at the address for operators.
  case listeningForOperators(SyncListener.Failure)
  /// Development mode would let everybody on the network in.
  case developmentOutsideLoopback(host: String)
  /// Development mode would ignore the rules of the folder's configuration.
  case developmentWithRules(configuration: String)
  /// The certificate or its key cannot be used.
  case certificate(CertificateError)
  /// The configuration cannot be.
  case configuration(ConfigurationError)
  /// No log-in is possible: neither the configuration nor the folder names an app.
  case noApp(configuration: String)

  package enum Operation: String, Equatable, Sendable {
    case create, open, read, write, lock, inspect
  }
}

extension ServerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAFolder(let path):
      "'\(path)' is a file; name a folder, which is made if it does not exist"
    case .notAStore(let path):
      "'\(path)' holds other files and no server's; name an empty folder or one that does not exist"
    case .notAServer(let path):
      "'\(path)' is no server's folder; start one there first: atoll serve --dir \(path)"
    case .inUse(let path, let processID):
      "another server" + (processID.map { " (process \($0))" } ?? "") + " uses '\(path)'; "
        + "end it first, or name another folder"
    case .unsupportedStore(let path, let version, let newest):
      "'\(path)' has version \(version) of a server's folder, and this program knows \(newest); "
        + "use a newer one"
    case .damaged(let path):
      "'\(path)' does not hold what a server writes there; put it back from a backup"
    case .missing(let path):
      "'\(path)' is missing or empty, and a server that began without it would delete what the "
        + "devices have; put the folder back from a copy; to begin empty, remove it or name "
        + "another one"
    case .database(let path, let error):
      "\(error)\n'\(path)' cannot be used: 'atoll check \(path)' says what is wrong with it, "
        + "'atoll salvage' saves what is whole"
    case .system(let operation, let path, let errno):
      "cannot \(operation.rawValue) '\(path)': \(SystemCalls.message(for: errno))"
    case .listening(.portInUse(let host, let port)):
      "another program listens on \(ServerAddress(host: host, port: port).authority); end it, or "
        + "choose another port with --port (0 takes a free one)"
    case .listening(.notBindable(let host, let port, let errno)):
      "cannot listen on \(ServerAddress(host: host, port: port).authority)"
        + (errno.map { ": \(SystemCalls.message(for: $0))" } ?? "; the host is not known")
    case .listeningForOperators(.portInUse(let host, let port)):
      "another program listens on \(ServerAddress(host: host, port: port).authority), where /health "
        + "and /metrics would be; choose another port with --metrics-port (0 takes a free one)"
    case .listeningForOperators(.notBindable(let host, let port, let errno)):
      "cannot listen on \(ServerAddress(host: host, port: port).authority) for /health and /metrics"
        + (errno.map { ": \(SystemCalls.message(for: $0))" } ?? "; the host is not known")
    case .certificate(let error): error.description
    case .configuration(let error): error.description
    case .noApp(let path):
      "\(path): the server has no app yet; name its id as 'app'"
    case .developmentWithRules(let path):
      "--development would allow everything in spite of the rules of \(path); leave it out, or "
        + "move the file away"
    case .developmentOutsideLoopback(let host):
      "in development mode everybody who reaches \(host) may read and write everything; "
        + "leave --host out, or add --insecure on a network you trust"
    }
  }
}
#endif
