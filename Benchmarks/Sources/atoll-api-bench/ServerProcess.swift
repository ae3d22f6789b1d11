internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// `atoll serve` as a process of its own, until this value goes.
final class ServerProcess {
  /// Where it listens, for `AppConfiguration(baseURL:)`.
  let address: String
  private let metricsAddress: String
  private let process: Process

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts a server on a free port of this machine, with its data in `folder`.
  ///
  /// - Throws: ``Failure`` when the program is missing or prints no address.
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
        description: "no program at \(program): build the product 'atoll', or give --server"
      )
    }
    try process.run()
    var text = ""
    while true {
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { throw Failure(description: "the server ended: \(text)") }
      text += String(decoding: part, as: UTF8.self)
      let found = text.matches(of: /http:\/\/[0-9.]+:[0-9]+/)
      if found.count >= 2, text.contains("Ctrl-C") {
        address = String(found[0].0)
        metricsAddress = String(found[1].0)
        return
      }
    }
  }

  /// A number of `GET /metrics`.
  nonisolated(nonsending) func metric(_ name: String) async throws -> Int {
    guard let url = URL(string: "\(metricsAddress)/metrics") else {
      throw Failure(description: "no address: \(metricsAddress)")
    }
    let text = String(
      decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
      if let value = Int(line.dropFirst(name.count + 1)) { return value }
    }
    throw Failure(description: "no \(name) among the metrics: \(text)")
  }

  /// The memory of the server that is in use, in kilobytes.
  func residentKilobytes() throws -> Int {
    let path = "/proc/\(process.processIdentifier)/status"
    let status = try String(contentsOfFile: path, encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let line, let value = Int(line.filter(\.isNumber)) else {
      throw Failure(description: "no VmRSS in \(path)")
    }
    return value
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }
}
