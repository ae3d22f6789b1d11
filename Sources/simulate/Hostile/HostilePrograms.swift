#if Sync
internal import Foundation
internal import TestSupport

/// The programs of an attack: the server that was built with this one, and the clients in Python.
struct HostilePrograms {
  /// What is not where it should be.
  enum Missing: Error, CustomStringConvertible {
    case server(beside: String)
    case clients(above: String)
    case python

    var description: String {
      switch self {
      case .server(let path):
        "there is no program 'atoll' beside '\(path)': build the product 'atoll' in the same "
          + "configuration"
      case .clients(let path):
        "there is no \(HostilePrograms.clients) in a folder above '\(path)': run the program from "
          + "where it was built"
      case .python: "there is no 'python3' in the PATH: install Python 3.11 or newer"
      }
    }
  }

  static let clients = "Tests/Wire/hostile.py"

  let server: String
  private let python: String
  private let script: String

  init() throws(Missing) {
    let own = URL(filePath: ChildProcess.path(ofProgram: "simulate"))
    let folder = own.deletingLastPathComponent()
    server = folder.appending(path: "atoll").path
    guard FileManager.default.isExecutableFile(atPath: server) else {
      throw .server(beside: own.path)
    }
    guard let script = Self.script(above: folder) else { throw .clients(above: own.path) }
    self.script = script
    guard let python = Self.path(of: "python3") else { throw .python }
    self.python = python
  }

  /// Runs the clients, whose output is this program's.
  ///
  /// - Returns: Their exit status.
  func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [script] + arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 1
  }

  private static func script(above folder: URL) -> String? {
    var folder = folder.standardizedFileURL
    while folder.path != "/" {
      let script = folder.appending(path: clients).path
      if FileManager.default.fileExists(atPath: script) { return script }
      folder = folder.deletingLastPathComponent()
    }
    return nil
  }

  private static func path(of program: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
#endif
