internal import ArgumentParser
internal import Foundation

/// Measures the Swift interface, beside GRDB's, and sync between a server and devices over TCP.
@main
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atoll-api-bench",
    abstract: "Measure the Swift interface and sync.",
    discussion: """
      Prints a line of JSON for each row: its name, what was measured, the goal where there is one, \
      and a checksum of what was read. A row that GRDB does too has GRDB's time, the ratio of its \
      time to Atoll's, and the least ratio that is the goal. Sync is measured between a server, the \
      program atoll beside this one, and devices in this process.
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case local, notifications, grdb, sync, lists
  }

  @Argument(
    help: """
      What to measure: local, notifications, grdb (Atoll beside its records), sync, lists (synced \
      ones); by default all.
      """)
  var parts: [Part] = Part.allCases

  @Option(help: "Objects that are read, and brought to a new device.")
  var rows = 1_000_000

  @Option(
    help: "Idle devices that the server has beside those that are measured; one host has 1000.")
  var clients = 990

  @Option(help: "A folder on a real disk, where durable commits have their real cost.")
  var dir = NSTemporaryDirectory()

  @Option(help: "The program atoll; by default the one beside this program.")
  var server: String?

  func validate() throws {
    guard rows >= 1_000 else { throw ValidationError("--rows must be at least 1000") }
    // More than a server takes of one host would wait for ever.
    guard 0...990 ~= clients else { throw ValidationError("--clients must be from 0 to 990") }
  }

  func run() async throws {
    let folder = URL(filePath: dir).appending(path: "atoll-api-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The users of an app are kept in the program's data directory, which goes with the rest here.
    // SAFETY: no other thread reads the environment yet.
    unsafe setenv("XDG_DATA_HOME", folder.path, 1)
    if parts.contains(.local) { try LocalBench.run(rowCount: rows, folder: folder) }
    if parts.contains(.notifications) { try NotificationBench.run(rowCount: rows) }
    if parts.contains(.grdb) { try GRDBBench.run(rowCount: rows, folder: folder) }
    for part in [Part.sync, .lists] where parts.contains(part) {
      let bench = try await SyncBench(
        rowCount: rows, folder: folder.appending(path: part.rawValue),
        program: server ?? Self.programBeside)
      if part == .sync { try await bench.run(clients) } else { try await bench.measureLists() }
    }
  }

  private static var programBeside: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "atoll")
      .path
  }
}
