internal import Synchronization
internal import TestSupport

/// Runs of many seeds on several threads, and what came of them.
///
/// Every run is on its own and the sums do not depend on their order, so neither do the results.
struct StorageSimulation: Sendable {
  var seeds: Range<UInt64>
  var threadCount: Int
  /// A bug that every run has.
  var planted: PlantedBug?
  /// Whether to look for each planted bug afterwards.
  var findsPlantedBugs: Bool
  /// Called with the count of seeds done, now and then, on any thread.
  var progress: @Sendable (UInt64) -> Void = { _ in }

  /// How many seeds a planted bug may hide in.
  static let plantedSeedLimit: UInt64 = 60

  func run() -> StorageReport {
    let report = Mutex(StorageReport(seeds: seeds, planted: planted))
    let next = Atomic(seeds.lowerBound)
    let done = Atomic<UInt64>(0)
    let stride = max(500, UInt64(seeds.count) / 20)
    onThreads(threadCount) { _ in
      while true {
        let seed = next.add(1, ordering: .relaxed).oldValue
        guard seed < seeds.upperBound else { return }
        let outcome = StorageOutcome(seed: seed, planted: planted)
        report.withLock { $0.add(outcome) }
        let count = done.add(1, ordering: .relaxed).newValue
        if count % stride == 0 { progress(count) }
      }
    }
    if findsPlantedBugs {
      let bugs = PlantedBug.allCases
      let nextBug = Atomic(0)
      onThreads(threadCount) { _ in
        while true {
          let index = nextBug.add(1, ordering: .relaxed).oldValue
          guard index < bugs.count else { return }
          let found = Self.find(bugs[index])
          report.withLock { $0.plantedBugs[bugs[index].rawValue] = .some(found) }
        }
      }
    }
    return report.withLock { $0 }
  }

  /// The first violation that a planted bug leads to.
  static func find(_ bug: PlantedBug) -> StorageViolation? {
    for seed in 0..<plantedSeedLimit {
      if let violation = StorageOutcome(seed: seed, planted: bug).violation { return violation }
    }
    return nil
  }
}

/// What came of all runs of one seed.
struct StorageOutcome: Equatable, Sendable {
  private(set) var tally = StorageTally()
  private(set) var digest: UInt64 = 0
  private(set) var violation: StorageViolation?

  /// Runs one seed; if its profile says so, once more for each place where something may strike.
  init(seed: UInt64, planted: PlantedBug?) {
    do {
      let profile = try add(seed, [], planted).profile
      if profile.shape == .everyCut { try strikeEverywhere(seed, planted) }
    } catch let found as StorageViolation {
      violation = found
    } catch {
      violation = StorageViolation(
        seed: seed, strikes: [], step: 0, message: "\(error)", history: [])
    }
  }

  private mutating func strikeEverywhere(_ seed: UInt64, _ planted: PlantedBug?) throws {
    var random = SplitMix64(seed: ~seed)
    func cut(below limit: Int) -> StorageStrike {
      StorageStrike(
        kind: .powerCut, operationCount: Int.random(in: 0..<limit, using: &random))
    }
    var cutCount = 0
    while try strikes([.init(kind: .powerCut, operationCount: cutCount)], seed, planted) {
      cutCount += 1
    }
    // Everywhere in the recovery from one of the cuts, and in what follows it.
    let first = cut(below: max(1, cutCount))
    var count = 0
    while try strikes([first, .init(kind: .powerCut, operationCount: count)], seed, planted) {
      count += 1
    }
    // Again and again.
    for _ in 0..<3 {
      let cuts = (0..<4).map { _ in cut(below: 7) }
      _ = try add(seed, [cut(below: max(1, cutCount))] + cuts, planted)
    }
    // Another failure everywhere, and a power cut soon after.
    let others = StorageStrike.Kind.allCases.filter { $0 != .powerCut }
    let kind = others[Int(seed / 4 % UInt64(others.count))]
    count = 0
    while try strikes([.init(kind: kind, operationCount: count), cut(below: 10)], seed, planted) {
      count += 1
    }
  }

  /// Runs with these strikes, and returns whether the last of them that is a place to try has come:
  /// the second of two power cuts, else the first.
  private mutating func strikes(
    _ strikes: [StorageStrike], _ seed: UInt64, _ planted: PlantedBug?
  ) throws -> Bool {
    let isDouble = strikes.allSatisfy { $0.kind == .powerCut }
    return try add(seed, strikes, planted).struckCount >= (isDouble ? strikes.count : 1)
  }

  private mutating func add(
    _ seed: UInt64, _ strikes: [StorageStrike], _ planted: PlantedBug?
  ) throws -> StorageRun {
    let run = try StorageRun(seed: seed, strikes: strikes, planted: planted)
    defer {
      tally += run.tally
      digest = (digest ^ run.digest) &* 0x9E37_79B9_7F4A_7C15
    }
    try run.run()
    return run
  }
}
