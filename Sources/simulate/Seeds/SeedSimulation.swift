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
        let outcome = Work.outcome(of: seed, planted: planted, isVerbose: isVerbose)
        report.withLock { $0.add(outcome) }
        let count = done.add(1, ordering: .relaxed).newValue
        if count % stride == 0 { progress(count) }
      }
    }
    if findsPlantedBugs {
      onThreads(threadCount, each: Array(Work.Bug.allCases)) { bug in
        let found = Self.find(bug)
        report.withLock { $0.plantedBugs[bug.rawValue] = .some(found) }
      }
    }
    return report.withLock { $0 }
  }

  /// The first violation that a planted bug leads to, and that is not there without it.
  static func find(_ bug: Work.Bug) -> SeedViolation? {
    for seed in 0..<Work.plantedSeedLimit {
      guard let found = Work.outcome(of: seed, planted: bug, isVerbose: false).violation,
        Work.outcome(of: seed, planted: nil, isVerbose: false).violation == nil
      else { continue }
      return found
    }
    return nil
  }
}
