internal import ArgumentParser

/// The command `simulate`: runs Atoll on disks that fail and files that are damaged, and compares it
/// with a model.
///
/// Read next: `StorageCommand`; `Storage/StorageRun` is one run, `Storage/StorageSimulation` many.
/// Then `FilesCommand`; `Files/FileCase` is one damaged file, `Cases/CaseSimulation` runs many in
/// processes of their own. `TextCommand` does the same with texts of queries.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs Atoll on disks that fail and on damaged files, and compares it with a model.",
    subcommands: [StorageCommand.self, FilesCommand.self, TextCommand.self])
}
