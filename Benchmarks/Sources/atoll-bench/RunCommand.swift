internal import ArgumentParser
internal import Workloads

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `atoll-bench run`: one JSON object a line for each engine and workload.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run workloads; results on standard output, progress on standard error.",
    discussion: "Exit status 1 when a result is wrong.")

  @Option(help: "An engine, may be repeated: \(engineNames.joined(separator: ", ")) or all.")
  var engine: [String] = ["all"]

  @Option(help: "Objects of the bulk load.")
  var rows = standardRowCount

  @Option(help: "Directory for the databases, on a real disk (default: a temporary one).")
  var dir: String?

  @Option(help: "Report only these workloads, separated by commas.")
  var only: String?

  func validate() throws {
    guard rows >= 1 else { throw ValidationError("--rows must be at least 1") }
    for name in engine where name != "all" && !engineNames.contains(name) {
      throw ValidationError("no engine '\(name)'; there are \(engineNames) and all")
    }
    let known = Workload.all.map(\.name)
    for name in selection ?? [] where !known.contains(name) {
      throw ValidationError("no workload '\(name)'; there are \(known.joined(separator: ", "))")
    }
  }

  func run() throws {
    let engines = EngineEntry.all.filter { entry in
      entry.isInAll && engine.contains("all") || engine.contains(entry.name)
    }
    var failureCount = 0
    try DatabaseDirectory.withParent(dir) { parent in
      let runner = Runner(rows: rows, selection: selection, parentDirectory: parent)
      failureCount = try runner.run(engines: engines)
    }
    if failureCount > 0 { throw ExitCode.failure }
  }

  private var selection: Set<String>? {
    only.map { Set($0.split(separator: ",").map(String.init)) }
  }
}

private let engineNames = EngineEntry.all.map(\.name)
