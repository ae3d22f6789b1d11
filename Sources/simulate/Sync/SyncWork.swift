internal import AtollSync

/// `simulate sync` as work that a seed decides.
enum SyncWork: SeedWork {
  typealias Event = SyncEvent
  typealias Bug = SyncFault

  static let commandName = "sync"
  static let defaultSeedCount: UInt64 = 2000
  static let plantedSeedLimit: UInt64 = 6000

  static func outcome(
    of seed: UInt64, planted: SyncFault?, isVerbose: Bool
  ) -> SeedOutcome<SyncEvent> {
    outcome(of: seed, planted: planted, lists: ListOptions(), isVerbose: isVerbose)
  }

  static func outcome(
    of seed: UInt64, planted: SyncFault?, lists: ListOptions, isVerbose: Bool
  ) -> SeedOutcome<SyncEvent> {
    let run = SyncRun(seed: seed, planted: planted, lists: lists, isVerbose: isVerbose)
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
