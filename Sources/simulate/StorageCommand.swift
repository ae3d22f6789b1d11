internal import ArgumentParser
internal import TestSupport

/// `simulate storage`: random work on stores whose disk loses power, fills up and fails.
struct StorageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage",
    abstract: "Simulate the storage layer.",
    discussion: """
      A seed decides a run to the last bit. A run commits to key-value trees on a simulated disk, \
      holds readers of many versions, and compares every state that a reader could be shown with a \
      model. A quarter of the runs are short and cut the power at every write and sync, one run \
      for each; a quarter meet faults of all kinds; half have no faults and much data. In a third \
      of all runs two processes that have the file open take turns. Every run ends with a check of \
      the whole file, and many with flipped bits, which must be noticed.

      Exit status: 0 when all is well, 1 for a violation, 64 for a command line that makes no \
      sense.
      """)

  @OptionGroup var options: SeedOptions<StorageWork>

  func run() throws { try options.run(options.simulation) }
}
