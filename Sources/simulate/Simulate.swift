internal import ArgumentParser

/// The command `simulate`: runs Atoll on disks that fail, and compares it with a model.
///
/// Read next: `StorageCommand`; `Storage/StorageRun` is one run, `Storage/StorageSimulation` many.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs Atoll on simulated disks that fail, and compares it with a model.",
    subcommands: [StorageCommand.self])
}
