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
      for each; a quarter meet faults of all kinds; half have no faults and much data. In a third of \
      all runs two processes that have the file open take turns.

      Then every planted bug is run until it is found: a simulation that finds none proves \
      nothing. Exit status: 0 when all is well, 1 for a violation or a planted bug that was not \
      found, 64 for a command line that makes no sense.
      """)

  @Option(help: "How many seeds to run.")
  var seeds: UInt64 = 200

  @Option(help: "The first seed; with --seeds 1, exactly that run is replayed.")
  var seed: UInt64 = 0

  @Option(help: "Threads; the results do not depend on them.")
  var threads = 2

  @Option(
    help: ArgumentHelp(
      "Run with this bug planted, which ends with a violation when it is found.",
      valueName: "bug"))
  var planted: PlantedBug?

  @Flag(help: "Write the summary as JSON, for programs.")
  var json = false

  func validate() throws {
    guard seeds >= 1 else { throw ValidationError("--seeds must be at least 1") }
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads must be between 1 and 1024")
    }
    guard !seed.addingReportingOverflow(seeds).overflow else {
      throw ValidationError("--seed and --seeds together pass the largest number")
    }
  }

  func run() throws {
    let report = StorageSimulation(
      seeds: seed..<seed + seeds, threadCount: threads, planted: planted,
      // One run is replayed for its own sake.
      findsPlantedBugs: planted == nil && seeds > 1,
      progress: { [seeds] in writeToStandardError("simulate: \($0) of \(seeds) seeds") }
    ).run()
    for line in report.details { writeToStandardError(line) }
    print(json ? report.json : report.summary)
    guard report.isSound else { throw ExitCode.failure }
  }
}

extension PlantedBug: ExpressibleByArgument {}
