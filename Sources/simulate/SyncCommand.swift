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

      Then every planted bug is run until it is found: a simulation that finds none proves \
      nothing. Exit status: 0 when all is well, 1 for a violation or a planted bug that was not \
      found, 64 for a command line that makes no sense.
      """)

  @OptionGroup var options: SeedOptions<SyncWork>

  @Flag(help: "Print every step and message, to the standard error stream.")
  var verbose = false

  func validate() throws {
    guard !verbose || options.seeds == 1 else {
      throw ValidationError("--verbose needs --seeds 1")
    }
  }

  func run() throws { try options.run(isVerbose: verbose) }
}

extension SyncFault: ExpressibleByArgument {}
