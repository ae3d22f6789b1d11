internal import ArgumentParser

/// The command `simulate`: runs Atoll where disks fail, processes die and files are damaged, and
/// compares it with a model.
///
/// Read next: `StorageCommand`; `Storage/StorageRun` is one run, `Seeds/SeedSimulation` many. Then
/// `ProcessesCommand`; `Processes/AccountBook` is the work, `Processes/ProcessesRun` one file. Then
/// `FilesCommand`; `Files/FileCase` damages a file, `Files/FileTrial` is what is done with it, and
/// `Cases/CaseSimulation` runs many in processes of their own. `TextCommand` and `DataCommand` do
/// the same with texts of queries and with data to import, `ApiCommand` with programs of the Swift
/// interface: `Api/ApiRun` is one, `Api/ApiWorld` the model; `GraphsCommand` with objects made of
/// objects: `Graphs/GraphTrial` is one case, `Graphs/GraphModel` what must come of it.
/// `MigrationsCommand` brings files from one version of their classes to another:
/// `Migrations/MigrationTrial` is one file, `Migrations/FleetScript` one migration and its model,
/// `Migrations/MigrationTrial+Processes` what several processes do at once.
/// `WhereCommand` compares conditions in Swift with a plain reading: `Where/WhereMaker` composes
/// them, `Where/WhereReading` tells what their paths lead to. Then `SyncCommand`:
/// `Sync/Model/SyncModel` is what a device must hold, `Sync/Lists/ListScript` what a transaction
/// does to a list, `Sync/SyncRun` one run of devices and a server. `LeaksCommand` compares two
/// worlds (`Leaks/LeakWorld`) in which one user must receive the same frames. `InterestCommand`
/// measures what a change costs beside many views. `MessagesCommand`
/// lets one side be hostile: `Messages/MessageTrial` is one conversation, `Messages/MessageForger`
/// makes its frames. `DevicesCommand` kills devices and a server that are processes:
/// `Devices/SimulatedDevice` is one, `Devices/DevicesRun` what is done to them,
/// `Devices/DevicesJudgement` what must come of it. `HostileCommand` attacks such a server with the
/// clients of Tests/Wire. `FuzzCommand` gives the same trials inputs that
/// libFuzzer makes: `Fuzz/FuzzTarget` lists their kinds.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs Atoll where disks fail, processes die and files are damaged.",
    subcommands: [
      StorageCommand.self, ProcessesCommand.self, FilesCommand.self, TextCommand.self,
      DataCommand.self, ApiCommand.self, GraphsCommand.self, WhereCommand.self, SyncCommand.self,
      LeaksCommand.self, InterestCommand.self, MessagesCommand.self, FuzzCommand.self,
      MigrationsCommand.self,
      MigratorCommand.self, FleetReaderCommand.self, ActorCommand.self,
    ] + networkSubcommands)

  /// The subcommands that use the network.
  private static var networkSubcommands: [any ParsableCommand.Type] {
    #if Sync
    [DevicesCommand.self, DeviceCommand.self, HostileCommand.self]
    #else
    []
    #endif
  }
}
