/// Work that a seed decides, which is done with many seeds.
protocol SeedWork: SendableMetatype {
  /// What is counted.
  associatedtype Event: RawRepresentable<String> & CaseIterable & Hashable & Sendable
  where Event.AllCases: Sendable

  /// The subcommand of `simulate`.
  static var commandName: String { get }
  /// The option that says how many seeds to run, and what the summary calls them.
  static var countOption: String { get }
  /// The default number of seeds.
  static var defaultSeedCount: UInt64 { get }

  /// Does the work of one seed.
  ///
  /// `isVerbose`: whether every step is printed, if the work supports it.
  static func outcome(of seed: UInt64, isVerbose: Bool) -> SeedOutcome<Event>

  /// The counts that people want to see in the summary.
  static func headline(_ tally: SeedTally<Event>) -> String
}

extension SeedWork {
  static var countOption: String { "seeds" }
}

/// How often each event happened.
struct SeedTally<Event: Hashable & Sendable>: Equatable, Sendable {
  private var counts: [Event: Int] = [:]

  subscript(event: Event) -> Int {
    get { counts[event] ?? 0 }
    set { counts[event] = newValue == 0 ? nil : newValue }
  }

  static func += (tally: inout SeedTally, other: SeedTally) {
    tally.counts.merge(other.counts) { $0 + $1 }
  }
}

/// What should not have happened, with what it takes to see it again.
struct SeedViolation: Error, Equatable, CustomStringConvertible {
  var seed: UInt64
  var step: Int
  /// What befell the run at chosen places.
  var strikes: [String] = []
  var message: String
  /// What happened before, the last at the end.
  var history: [String]

  var description: String {
    let places = strikes.map { ", \($0)" }.joined()
    return "seed \(seed), step \(step)\(places): \(message)"
  }
}

/// What came of the work of one seed.
struct SeedOutcome<Event: Hashable & Sendable>: Equatable, Sendable {
  var tally = SeedTally<Event>()
  /// Equal for equal runs.
  var digest: UInt64 = 0
  var violation: SeedViolation?
}
