internal import ArgumentParser

/// `atoll-bench agree`: random queries whose answers must be those of SQLite.
struct AgreeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agree",
    abstract: "Run the same random queries on Atoll and SQLite.",
    discussion: """
      Each seed makes a data set with nulls, links and random indexes, changes it again and again, \
      and asks both for the objects that pass a random predicate, in a random order. The first \
      difference is printed with its seed, and the exit status is 1.
      """)

  @Option(help: "The first seed.")
  var seed: UInt64 = 0

  @Option(help: "Seeds to run, one data set each.")
  var seeds = 20

  @Option(help: "Queries of each seed.")
  var queries = 100

  func validate() throws {
    guard seeds >= 1, queries >= 1 else {
      throw ValidationError("--seeds and --queries must be at least 1")
    }
  }

  func run() throws {
    for offset in 0..<UInt64(seeds) {
      do {
        var agreement = try Agreement(seed: seed &+ offset)
        try agreement.run(queryCount: queries)
      } catch let difference as Agreement.Difference {
        print(difference)
        throw ExitCode.failure
      }
      if offset % 20 == 19 { progress("\((offset + 1) * UInt64(queries)) queries agree") }
    }
    print("\(seeds * queries) queries agree")
  }
}
