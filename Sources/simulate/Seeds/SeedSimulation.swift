internal import Synchronization
internal import TestSupport

/// Runs of many seeds on several threads, and what came of them.
///
/// Every run is on its own and the sums do not depend on their order, so neither do the results;
/// unless the simulation stops at the first violation, which comes sooner on one thread or another.
struct SeedSimulation<Work: SeedWork>: Sendable {
  var seeds: Range<UInt64>
  var threadCount: Int
  /// What decides the work beside the seed, as a command says it.
  var arguments = ""
  /// Whether no seed is begun after a violation.
  var stopsAtFirst = false
  /// Whether every step is printed.
  var isVerbose = false
  /// Does the work of one seed.
  var outcome: @Sendable (UInt64, Bool) -> SeedOutcome<Work.Event> = {
    Work.outcome(of: $0, isVerbose: $1)
  }
  /// Called with the count of seeds done, now and then, on any thread.
  var progress: @Sendable (UInt64) -> Void = { _ in }

  func run() -> SeedReport<Work> {
    let report = Mutex(SeedReport<Work>(seeds: seeds, arguments: arguments))
    let next = Atomic(seeds.lowerBound)
    let done = Atomic<UInt64>(0)
    let stride = max(500, UInt64(seeds.count) / 20)
    onThreads(threadCount) { _ in
      while !stopsAtFirst || report.withLock({ $0.violations.isEmpty }) {
        let seed = next.add(1, ordering: .relaxed).oldValue
        guard seed < seeds.upperBound else { return }
        let outcome = outcome(seed, isVerbose)
        report.withLock { $0.add(outcome) }
        let count = done.add(1, ordering: .relaxed).newValue
        if count % stride == 0 { progress(count) }
      }
    }
    return report.withLock { $0 }
  }
}
