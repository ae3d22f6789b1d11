internal import ArgumentParser
internal import AtollSync
internal import TestSupport

/// `simulate sync`: random work on devices and a server whose disks, network and processes fail.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Simulate devices and a server.",
    discussion: """
      A seed decides a run to the last bit. Devices commit random transactions and change their \
      subscriptions, on simulated disks; connections die at any message, networks part, devices \
      and the server crash at any write; files are copied, and restored from backups. After every \
      step each file is compared with a model that keeps the server's values and replays the \
      outbox on them. At the end all devices synchronise: every device holds the server's objects \
      of its subscriptions, every operation is answered once, and a new device with the same \
      subscriptions reads the same.

      With --lists, transactions do many operations on few lists. Each element that is inserted \
      has an identity of the simulation's own, by which the lists are verified: what a \
      transaction records is what it did to each element; elements that no device removed are \
      there, and no others; they keep their order unless they are moved; what a device inserted \
      stays together; no answer tells of a removal that was none; an append to a long list costs \
      what it costs on a short one.

      Then every planted bug is run until it is found, with --lists those in the use of lists: a \
      simulation that finds none proves nothing. Exit status: 0 when all is well, 1 for a violation or a planted bug that was not \
      found, 64 for a command line that makes no sense.
      """)

  @OptionGroup var options: SeedOptions<SyncWork>

  @Option(help: "The most operations of a transaction on one list; 1: as on other properties.")
  var lists = 1

  @Option(
    help: ArgumentHelp(
      "Verify only this of the rules of lists; more than once for several.", valueName: "rule"))
  var listRule: [ListOracle] = []

  @Option(
    help: ArgumentHelp("Run with this bug in the devices' use of lists.", valueName: "bug"))
  var plantedInLists: ListBug?

  @Flag(help: "Print every step and message, to the standard error stream.")
  var verbose = false

  func validate() throws {
    guard !verbose || options.seeds == 1 else {
      throw ValidationError("--verbose needs --seeds 1")
    }
    guard (1...1000).contains(lists) else {
      throw ValidationError("--lists must be between 1 and 1000")
    }
    guard lists > 1 || (listRule.isEmpty && plantedInLists == nil) else {
      throw ValidationError("rules of lists, and bugs in their use, need --lists")
    }
  }

  func run() throws {
    var lists = ListOptions(operationCount: lists, bug: plantedInLists)
    if !listRule.isEmpty { lists.oracles = Set(listRule) }
    var arguments = self.lists > 1 ? " --lists \(self.lists)" : ""
    for rule in listRule { arguments += " --list-rule \(rule.rawValue)" }
    if let bug = plantedInLists { arguments += " --planted-in-lists \(bug.rawValue)" }
    try options.run(
      isVerbose: verbose, arguments: arguments, findsPlantedBugs: !lists.isOn
    ) { [lists] seed, planted, isVerbose in
      SyncWork.outcome(of: seed, planted: planted, lists: lists, isVerbose: isVerbose)
    }
    guard lists.isOn, options.seeds > 1, options.planted == nil, plantedInLists == nil else {
      return
    }
    try findBugs(lists)
  }

  /// Looks for what can be planted in the devices' use of lists.
  private func findBugs(_ lists: ListOptions) throws {
    var isComplete = true
    for bug in ListBug.allCases {
      var buggy = lists
      buggy.bug = bug
      let found = SeedSimulation<SyncWork>.findFirst { seed, isPlanted in
        SyncWork.outcome(
          of: seed, planted: nil, lists: isPlanted ? buggy : lists, isVerbose: false)
      }
      isComplete = isComplete && found != nil
      writeToStandardError(
        "planted bug \(bug.rawValue) " + (found.map { "found: \($0)" } ?? "NOT FOUND"))
    }
    guard isComplete else { throw ExitCode.failure }
  }
}

extension SyncFault: ExpressibleByArgument {}
extension ListOracle: ExpressibleByArgument {}
extension ListBug: ExpressibleByArgument {}
