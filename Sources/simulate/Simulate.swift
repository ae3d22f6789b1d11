internal import ArgumentParser

/// The command `simulate`: runs Atoll where disks fail, processes die and files are damaged, and
/// compares it with a model.
///
/// Read next: `StorageCommand`; `Storage/StorageRun` is one run, `Storage/StorageSimulation` many.
/// Then `ProcessesCommand`; `Processes/AccountBook` is the work, `Processes/ProcessesRun` one file.
/// Then `FilesCommand`; `Files/FileCase` is one damaged file, `Cases/CaseSimulation` runs many in
/// processes of their own. `TextCommand` does the same with texts of queries.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs Atoll where disks fail, processes die and files are damaged.",
    subcommands: [
      StorageCommand.self, ProcessesCommand.self, FilesCommand.self, TextCommand.self,
      ActorCommand.self,
    ])
}
