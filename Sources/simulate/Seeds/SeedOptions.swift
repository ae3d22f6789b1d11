internal import ArgumentParser
internal import TestSupport

/// The options of a subcommand that does work with many seeds.
struct SeedOptions<Work: SeedWork>: ParsableArguments where Work.Bug: ExpressibleByArgument {
  @Option(name: .customLong(Work.countOption), help: "How many seeds to run.")
  var seeds: UInt64 = Work.defaultSeedCount

  @Option(help: "The first seed; of one alone, exactly that run is replayed.")
  var seed: UInt64 = 0

  @Option(help: "Threads; the results do not depend on them.")
  var threads = 2

  @Option(
    help: ArgumentHelp(
      "Run with this bug planted, which ends with a violation when it is found.",
      valueName: "bug"))
  var planted: Work.Bug?

  @Flag(help: "Write the summary as JSON, for programs.")
  var json = false

  func validate() throws {
    guard seeds >= 1 else { throw ValidationError("--\(Work.countOption) must be at least 1") }
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads must be between 1 and 1024")
    }
    guard !seed.addingReportingOverflow(seeds).overflow else {
      throw ValidationError("--seed and --\(Work.countOption) together pass the largest number")
    }
  }

  /// Does the work and tells what came of it.
  ///
  /// `arguments`: others that decide the work, for replays. `findsPlantedBugs`: whether to look for
  /// them, if more than one run is asked for.
  ///
  /// - Throws: `ExitCode.failure` for a violation, or a planted bug that was not found.
  func run(
    isVerbose: Bool = false, arguments: String = "", findsPlantedBugs: Bool = true,
    outcome: @escaping @Sendable (UInt64, Work.Bug?, Bool) -> SeedOutcome<Work.Event> = {
      Work.outcome(of: $0, planted: $1, isVerbose: $2)
    }
  ) throws {
    var report = SeedSimulation<Work>(
      seeds: seed..<seed + seeds, threadCount: threads, planted: planted,
      // One run is replayed for its own sake.
      findsPlantedBugs: findsPlantedBugs && planted == nil && seeds > 1, isVerbose: isVerbose,
      outcome: outcome,
      progress: { [seeds] in writeToStandardError("simulate: \($0) of \(seeds) \(Work.countOption)")
      }
    ).run()
    report.arguments = arguments
    for line in report.details { writeToStandardError(line) }
    print(json ? report.json : report.summary)
    guard report.isSound else { throw ExitCode.failure }
  }
}
