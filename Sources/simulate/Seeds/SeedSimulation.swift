internal import Synchronization
internal import TestSupport

/// Runs of many seeds on several threads, and what came of them.
///
/// Every run is on its own and the sums do not depend on their order, so neither do the results.
struct SeedSimulation<Work: SeedWork>: Sendable {
  var seeds: Range<UInt64>
  var threadCount: Int
  /// A bug that every run has.
  var planted: Work.Bug?
  /// Whether to look for each planted bug afterwards.
  var findsPlantedBugs: Bool
  /// Whether every step is printed.
  var isVerbose = false
  /// Does the work of one seed.
  var outcome: @Sendable (UInt64, Work.Bug?, Bool) -> SeedOutcome<Work.Event> = {
    Work.outcome(of: $0, planted: $1, isVerbose: $2)
  }
  /// Called with the count of seeds done, now and then, on any thread.
  var progress: @Sendable (UInt64) -> Void = { _ in }

  func run() -> SeedReport<Work> {
    let report = Mutex(SeedReport<Work>(seeds: seeds, planted: planted))
    let next = Atomic(seeds.lowerBound)
    let done = Atomic<UInt64>(0)
    let stride = max(500, UInt64(seeds.count) / 20)
    onThreads(threadCount) { _ in
      while true {
        let seed = next.add(1, ordering: .relaxed).oldValue
        guard seed < seeds.upperBound else { return }
        let outcome = outcome(seed, planted, isVerbose)
        report.withLock { $0.add(outcome) }
        let count = done.add(1, ordering: .relaxed).newValue
        if count % stride == 0 { progress(count) }
      }
    }
    if findsPlantedBugs {
      onThreads(threadCount, each: Array(Work.Bug.allCases)) { bug in
        let found = Self.find(bug, outcome)
        report.withLock { $0.plantedBugs[bug.rawValue] = .some(found) }
      }
    }
    return report.withLock { $0 }
  }

  /// The first violation that a planted bug leads to, and that is not there without it.
  static func find(
    _ bug: Work.Bug,
    _ outcome: (UInt64, Work.Bug?, Bool) -> SeedOutcome<Work.Event> = {
      Work.outcome(of: $0, planted: $1, isVerbose: $2)
    }
  ) -> SeedViolation? {
    findFirst { seed, isPlanted in outcome(seed, isPlanted ? bug : nil, false) }
  }

  /// The first violation of work with a bug that is not there without it.
  static func findFirst(
    _ outcome: (_ seed: UInt64, _ isPlanted: Bool) -> SeedOutcome<Work.Event>
  ) -> SeedViolation? {
    for seed in 0..<Work.plantedSeedLimit {
      guard let found = outcome(seed, true).violation, outcome(seed, false).violation == nil else {
        continue
      }
      return found
    }
    return nil
  }
}
