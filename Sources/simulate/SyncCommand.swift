internal import ArgumentParser
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

      Exit status: 0 when all is well, 1 for a violation, 64 for a command line that makes no \
      sense.
      """)

  @OptionGroup var options: SeedOptions<SyncWork>

  @Option(help: "The most operations of a transaction on one list; 1: as on other properties.")
  var lists = 1

  @Option(
    help: ArgumentHelp(
      "Verify only this of the rules of lists; more than once for several.", valueName: "rule"))
  var listRule: [ListOracle] = []

  @Flag(help: "Only small runs that are full of faults, in which a bug shows sooner.")
  var harsh = false

  @Flag(help: "Print every step and message, to the standard error stream.")
  var verbose = false

  func validate() throws {
    guard !verbose || options.seeds == 1 else {
      throw ValidationError("--verbose needs --seeds 1")
    }
    guard (1...1000).contains(lists) else {
      throw ValidationError("--lists must be between 1 and 1000")
    }
    guard lists > 1 || listRule.isEmpty else {
      throw ValidationError("rules of lists need --lists")
    }
  }

  func run() throws {
    var work = SyncOptions(lists: ListOptions(operationCount: lists), isHarsh: harsh)
    if !listRule.isEmpty { work.lists.oracles = Set(listRule) }
    var simulation = options.simulation
    simulation.isVerbose = verbose
    simulation.arguments = (lists > 1 ? " --lists \(lists)" : "") + (harsh ? " --harsh" : "")
    for rule in listRule { simulation.arguments += " --list-rule \(rule.rawValue)" }
    simulation.outcome = { [work] in SyncWork.outcome(of: $0, work, isVerbose: $1) }
    try options.run(simulation)
  }
}

extension ListOracle: ExpressibleByArgument {}
