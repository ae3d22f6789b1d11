internal import ArgumentParser
internal import TestSupport

/// The options of a subcommand that does work with many seeds.
struct SeedOptions<Work: SeedWork>: ParsableArguments {
  @Option(name: .customLong(Work.countOption), help: "How many seeds to run.")
  var seeds: UInt64 = Work.defaultSeedCount

  @Option(help: "The first seed; of one alone, exactly that run is replayed.")
  var seed: UInt64 = 0

  @Option(help: "Threads; the results do not depend on them.")
  var threads = 2

  @Flag(help: "Stop at the first violation.")
  var first = false

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

  /// The work that is asked for.
  var simulation: SeedSimulation<Work> {
    var simulation = SeedSimulation<Work>(seeds: seed..<seed + seeds, threadCount: threads)
    simulation.stopsAtFirst = first
    simulation.progress = { [seeds] in
      writeToStandardError("simulate: \($0) of \(seeds) \(Work.countOption)")
    }
    return simulation
  }

  /// Does the work and tells what came of it.
  ///
  /// - Throws: `ExitCode.failure` for a violation.
  func run(_ simulation: SeedSimulation<Work>) throws {
    let report = simulation.run()
    for line in report.details { writeToStandardError(line) }
    print(json ? report.json : report.summary)
    guard report.isSound else { throw ExitCode.failure }
  }
}
