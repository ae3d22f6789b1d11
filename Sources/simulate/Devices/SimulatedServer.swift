#if Sync
internal import Foundation
internal import TestSupport

/// `atoll serve` in a process of its own, which can be killed and started again at the same port.
struct SimulatedServer {
  /// Why there is no server.
  enum Failure: Error, CustomStringConvertible {
    case notBuilt(path: String)
    case silent(String)

    var description: String {
      switch self {
      case .notBuilt(let path):
        "there is no program 'atoll' beside '\(path)': build the product 'atoll' in the same "
          + "configuration"
      case .silent(let text): "'atoll serve' did not say where it listens: \(text)"
      }
    }
  }

  let folder: String
  private let program: String
  private var process: ChildProcess?
  private(set) var port = 0

  /// - Throws: `.notBuilt` when the program does not lie beside this one.
  init(folder: String) throws {
    self.folder = folder
    let own = ChildProcess.path(ofProgram: "simulate")
    program = URL(filePath: own).deletingLastPathComponent().appending(path: "atoll").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Failure.notBuilt(path: own)
    }
  }

  var address: String { "http://127.0.0.1:\(port)" }

  /// Starts it and waits until it listens: at any free port the first time, at the same one later.
  mutating func start() throws {
    let process = try ChildProcess(
      program,
      [
        "serve", "--dir", folder, "--port", "\(port)", "--metrics-port", "0", "--development",
        "--log-level", "error",
      ])
    self.process = process
    let line: String?
    do { line = try process.receive(within: .seconds(60)) } catch {
      throw Failure.silent("it ended: \(process.waitForEnd())")
    }
    // Atoll server on http://127.0.0.1:40112, data in …
    let words = (line ?? "").split(separator: " ")
    guard let place = words.first(where: { $0.hasPrefix("http://") })?.split(separator: ":").last,
      let number = Int(place.filter(\.isNumber))
    else { throw Failure.silent(line ?? "not within a minute") }
    port = number
  }

  mutating func kill() throws {
    process?.kill()
    process = nil
  }
}
#endif
