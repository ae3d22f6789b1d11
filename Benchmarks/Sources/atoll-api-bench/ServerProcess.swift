internal import Foundation

/// `atoll serve` as a process of its own, until this value goes.
final class ServerProcess {
  /// Where it listens, for `AppConfiguration(baseURL:)`.
  let address: String
  private let process: Process

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts a server on a free port of this machine, with its data in `folder`.
  ///
  /// - Throws: ``Failure`` when the program is not there or says nothing of an address.
  init(program: String, folder: URL) throws {
    process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = [
      "serve", "--dir", folder.path, "--port", "0", "--development", "--log-level", "error",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Failure(
        description: "no program at \(program): swift build -c release --product atoll, or --server"
      )
    }
    try process.run()
    var text = ""
    while true {
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { throw Failure(description: "the server ended: \(text)") }
      text += String(decoding: part, as: UTF8.self)
      if let found = text.firstMatch(of: /http:\/\/[0-9.]+:[0-9]+/), text.contains("Ctrl-C") {
        address = String(found.0)
        return
      }
    }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }
}
