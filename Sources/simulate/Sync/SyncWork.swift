internal import AtollSync

/// What the runs do.
struct SyncOptions: Sendable {
  var lists = ListOptions()
  /// Whether they are small and full of faults, so that a bug shows sooner.
  var isHarsh = false
}

/// `simulate sync` as work that a seed decides.
enum SyncWork: SeedWork {
  typealias Event = SyncEvent

  static let commandName = "sync"
  static let defaultSeedCount: UInt64 = 2000

  static func outcome(of seed: UInt64, isVerbose: Bool) -> SeedOutcome<SyncEvent> {
    outcome(of: seed, SyncOptions(), isVerbose: isVerbose)
  }

  static func outcome(
    of seed: UInt64, _ options: SyncOptions, isVerbose: Bool = false
  ) -> SeedOutcome<SyncEvent> {
    let run = SyncRun(seed: seed, options: options, isVerbose: isVerbose)
    var outcome = SeedOutcome<SyncEvent>()
    do {
      try run.run()
    } catch let found as SeedViolation {
      outcome.violation = found
    } catch {
      outcome.violation = run.violation("\(error)")
    }
    outcome.tally = run.tally
    outcome.digest = run.digest
    return outcome
  }

  static func headline(_ tally: SeedTally<SyncEvent>) -> String {
    ([.transactions, .operations, .messages] + SyncEvent.faults + SyncEvent.answers)
      .map { "\($0.rawValue) \(tally[$0])" }.joined(separator: ", ")
  }
}
