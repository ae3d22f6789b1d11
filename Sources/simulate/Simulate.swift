internal import ArgumentParser

/// The command `simulate`: runs Atoll where disks fail and processes die, and compares it with a model.
///
/// Read next: `StorageCommand`; `Storage/StorageRun` is one run, `Storage/StorageSimulation` many.
/// Then `ProcessesCommand`; `Processes/AccountBook` is the work, `Processes/ProcessesRun` one file.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs Atoll where disks fail and processes die, and compares it with a model.",
    subcommands: [StorageCommand.self, ProcessesCommand.self, ActorCommand.self])
}
