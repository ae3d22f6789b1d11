internal import ArgumentParser
internal import TestSupport

/// `simulate processes`: processes that share a file, and are killed and suspended.
struct ProcessesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "processes",
    abstract: "Kill and suspend processes that share a file.",
    discussion: """
      A writer and two readers have a file open; they are killed at random moments, suspended, and \
      started again. Every commit that had returned must be in the file and every version a state \
      between two commits; a check must find no fault, no lock may outlive its process, and a \
      suspended reader may retain only the pages that it reads. Half of the files are encrypted. \
      A seed decides the work and the order of the events; where a signal hits is up to the system.

      The first violation ends the simulation. Exit status: 0 when all is well, 1 for a violation, \
      64 for a command line that makes no sense.
      """)

  @Option(help: "How many processes to kill.")
  var kills = 200

  @Option(help: "The first seed; each file has one of its own.")
  var seed: UInt64 = 0

  @Flag(help: "Write the summary as JSON, for programs.")
  var json = false

  func validate() throws {
    guard (1...1_000_000).contains(kills) else {
      throw ValidationError("--kills is from 1 to 1000000")
    }
    guard !seed.addingReportingOverflow(UInt64(kills)).overflow else {
      throw ValidationError("--seed and --kills together pass the largest number")
    }
  }

  func run() throws {
    ChildProcess.ignoreBrokenPipes()
    let report = ProcessesSimulation(
      killCount: kills, seed: seed,
      progress: { [kills] in writeToStandardError("simulate: \($0) of \(kills) kills") }
    ).run()
    for line in report.details { writeToStandardError(line) }
    print(json ? report.json : report.summary)
    guard report.isSound else { throw ExitCode.failure }
  }
}
