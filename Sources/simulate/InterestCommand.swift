internal import ArgumentParser

/// `simulate interest`: what a change costs a server that has many views.
struct InterestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "interest",
    abstract: "Measure what a change costs beside many views, and compare who is told of it.",
    discussion: """
      A server in memory has more and more views of the forms =, IN, ranges, prefixes, AND and OR, \
      each with constants of its own; then more and more connected users who may read what they \
      own and what belongs to their teams. Each change concerns as many devices however many there \
      are, so it should cost the same. Counted is the whole work of the server: it takes the push \
      in, judges it, commits, finds the views and makes the batches, and takes the confirmations \
      in. What every device holds in the end is compared with a plain reading of its queries.

      Exit status: 0 when every device holds what it should, 1 when one does not, 64 for a command \
      line that makes no sense.
      """)

  @Option(parsing: .upToNextOption, help: "Numbers of views to measure.")
  var views: [Int] = [1, 6, 100, 1_000, 10_000, 100_000]

  @Option(parsing: .upToNextOption, help: "Numbers of connected users to measure.")
  var users: [Int] = [100, 10_000]

  @Option(help: "How many changes are measured for each.")
  var changes = 6_000

  @Option(help: "The seed of the changes.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (views + users).allSatisfy({ (1...1_000_000).contains($0) }), changes > 0 else {
      throw ValidationError("numbers of views, users and changes are at least 1")
    }
  }

  func run() throws {
    do {
      try run("views", views) {
        try InterestMeasurement.views($0, changeCount: changes, seed: seed)
      }
      try run("users", users) {
        try InterestMeasurement.users($0, changeCount: changes, seed: seed)
      }
    } catch let problem as InterestProblem {
      print("error: \(problem)")
      throw ExitCode.failure
    }
  }

  private func run(
    _ name: String, _ counts: [Int], _ measure: (Int) throws -> InterestMeasurement
  ) throws {
    guard !counts.isEmpty else { return }
    print("\(Self.right(name, 8))  µs/change  changes/s  frames/change    ratio")
    var first: Int?
    for count in counts {
      let found = try measure(count)
      let base = first ?? found.nanosecondsPerChange
      first = base
      let ratio = Double(found.nanosecondsPerChange) / Double(max(1, base))
      print(
        Self.right("\(count)", 8),
        Self.right(Self.tenths(Double(found.nanosecondsPerChange) / 1_000), 10),
        Self.right("\(1_000_000_000 / max(1, found.nanosecondsPerChange))", 10),
        Self.right(Self.tenths(found.framesPerChange), 14),
        Self.right("\(Int((ratio * 100).rounded())) %", 8))
    }
  }

  private static func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
