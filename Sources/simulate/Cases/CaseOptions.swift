internal import ArgumentParser
internal import TestSupport

/// The options of a subcommand that runs single cases.
struct CaseOptions: ParsableArguments {
  @Option(help: "How many cases to run.")
  var count: UInt64 = 2000

  @Option(help: "The number of the first case; with --count 1, exactly that one is replayed.")
  var seed: UInt64 = 0

  @Option(help: "Processes at a time; the results do not depend on them.")
  var processes = 2

  @Flag(help: "Stop soon after the first violation.")
  var first = false

  @Flag(help: "Write the summary as JSON, for programs.")
  var json = false

  @Flag(help: .hidden)
  var worker = false

  func validate() throws {
    guard count >= 1 else { throw ValidationError("--count must be at least 1") }
    guard (1...1024).contains(processes) else {
      throw ValidationError("--processes must be between 1 and 1024")
    }
    guard !seed.addingReportingOverflow(count).overflow else {
      throw ValidationError("--seed and --count together pass the largest number")
    }
  }

  var numbers: Range<UInt64> { seed..<seed + count }

  /// Runs the cases: `body` those of this process, when it is a worker.
  func run(_ kind: CaseSimulation.Kind, _ body: (CaseWorker) throws -> Void) throws {
    if worker { return try body(CaseWorker(numbers: numbers)) }
    let report = try CaseSimulation(
      kind: kind, numbers: numbers, processCount: processes, stopsAtFirst: first,
      progress: { [count] in writeToStandardError("simulate: \($0) of \(count) cases") }
    ).run()
    for line in report.details { writeToStandardError(line) }
    print(json ? report.json : report.summary)
    guard report.isSound else { throw ExitCode.failure }
  }
}
