internal import ArgumentParser

/// The command: measures the engines, and compares the results.
@main
struct AtollBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atoll-bench",
    abstract: "Runs the same workloads on several databases and compares them.",
    subcommands: [
      RunCommand.self, KeyValueCommand.self, ReadersCommand.self, PinnedCommand.self,
      CompareCommand.self, AgreeCommand.self,
    ])
}
