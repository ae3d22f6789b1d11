internal import ArgumentParser
internal import Workloads

/// `atoll-bench pinned`: how much the files grow under a reader that stays.
struct PinnedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinned",
    abstract: "Measure the growth of the files while a reader pins an old version.",
    discussion: """
      Each transaction updates ten random objects. After 100, 1000 and so on transactions, and at \
      the end, a line whose result is the bytes grown. The peers' durable commits would take long, \
      so by default theirs are not synced (SQLite: synchronous = OFF, LMDB: MDB_NOSYNC), which \
      changes their time and not their growth; Atoll's are durable always.
      """)

  @Option(help: "An engine, may be repeated: \(engineNames.joined(separator: ", ")).")
  var engine = ["atoll", "sqlite-unsynced", "lmdb-unsynced"]

  @Option(help: "Objects of the bulk load.")
  var rows = standardRowCount

  @Option(help: "Transactions.")
  var commits = 100_000

  @Option(help: "Directory for the databases, on a real disk (default: a temporary one).")
  var dir: String?

  func validate() throws {
    guard rows >= 1 else { throw ValidationError("--rows must be at least 1") }
    guard commits >= 1 else { throw ValidationError("--commits must be at least 1") }
    for name in engine where !engineNames.contains(name) {
      throw ValidationError("no engine '\(name)'; there are \(engineNames)")
    }
  }

  func run() throws {
    let workload = PinnedGrowth(rows: rows, commitCount: commits)
    try DatabaseDirectory.withParent(dir) { parent in
      for entry in EngineEntry.all where engine.contains(entry.name) {
        progress("\(entry.name) pinned")
        let engine = entry.make(try DatabaseDirectory(emptying: entry.name, in: parent))
        try engine.open()
        try workload.run(engine) { sample in
          report(
            ResultLine(
              engine: entry.name, workload: "pinned_\(sample.operations)", rows: rows,
              samples: [sample]))
        }
        try engine.close()
        // The next engine has the disk to itself.
        _ = try DatabaseDirectory(emptying: entry.name, in: parent)
      }
    }
  }
}

private let engineNames = EngineEntry.all.map(\.name)
