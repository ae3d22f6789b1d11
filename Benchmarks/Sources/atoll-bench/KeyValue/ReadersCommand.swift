internal import ArgumentParser
internal import Workloads

/// `atoll-bench readers`: threads that read while one writes.
struct ReadersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers",
    abstract: "Count the look-ups of several threads beside a writer that never rests.",
    discussion: """
      Each look-up is a read transaction of its own; each transaction of the writer is durable. \
      Two lines for each engine: readers_lookups, whose result is the number of wrong values, and \
      readers_commits, whose result is the bytes of the files. `compare` reads them by their \
      seconds for each operation. Exit status 1 when a value is wrong.
      """)

  @OptionGroup var options: KeyValueOptions

  @Option(help: "Threads that read.")
  var readers = 5

  @Option(help: "Seconds for each engine.")
  var seconds = 10.0

  @Option(help: "New values in each transaction of the writer.")
  var updates = 10

  func validate() throws {
    guard (1...100).contains(readers) else { throw ValidationError("--readers is from 1 to 100") }
    guard seconds > 0, seconds <= 3600 else { throw ValidationError("--seconds is up to 3600") }
    guard (1...100_000).contains(updates) else {
      throw ValidationError("--updates is from 1 to 100000")
    }
  }

  func run() throws {
    let workload = ReadersBesideWriter(
      readerCount: readers, seconds: seconds, count: options.count, values: options.values,
      updatesInTransaction: updates)
    var wrongCount = 0
    try options.withDirectory { parent in
      for entry in options.engines {
        progress("\(entry.name) readers")
        let engine = entry.make(try DatabaseDirectory(emptying: entry.name, in: parent))
        try engine.open()
        let outcome = try workload.run(engine)
        try engine.close()
        if outcome.reads.result > 0 {
          progress("WRONG \(entry.name) readers: \(outcome.reads.result) values")
          wrongCount += outcome.reads.result
        }
        for (name, sample) in [
          ("readers_lookups", outcome.reads), ("readers_commits", outcome.commits),
        ] {
          report(
            ResultLine(
              engine: entry.name, workload: name, rows: options.count, samples: [sample]))
        }
      }
    }
    if wrongCount > 0 { throw ExitCode.failure }
  }
}
