internal import TestSupport

/// `simulate storage` as work that a seed decides.
enum StorageWork: SeedWork {
  typealias Event = StorageEvent

  static let commandName = "storage"
  static let defaultSeedCount: UInt64 = 200

  static func outcome(of seed: UInt64, isVerbose: Bool) -> SeedOutcome<StorageEvent> {
    SeedOutcome(seed: seed)
  }

  static func headline(_ tally: SeedTally<StorageEvent>) -> String {
    let faults = StorageEvent.faults.map { "\($0.rawValue) \(tally[$0])" }.joined(separator: ", ")
    return "transactions \(tally[.transactions]), power cuts \(tally[.powerCuts]), "
      + "double crashes \(tally[.doubleCrashes]), \(faults)"
  }
}

/// What comes of all runs of one seed.
extension SeedOutcome<StorageEvent> {
  /// Runs one seed; if its profile says so, once more for each place where something may strike.
  init(seed: UInt64) {
    self.init()
    do {
      let profile = try add(seed, []).profile
      if profile.shape == .everyCut { try strikeEverywhere(seed) }
    } catch let found as SeedViolation {
      violation = found
    } catch {
      violation = SeedViolation(seed: seed, step: 0, message: "\(error)", history: [])
    }
  }

  private mutating func strikeEverywhere(_ seed: UInt64) throws {
    var random = SplitMix64(seed: ~seed)
    func cut(below limit: Int) -> StorageStrike {
      StorageStrike(
        kind: .powerCut, operationCount: Int.random(in: 0..<limit, using: &random))
    }
    var cutCount = 0
    while try strikes([.init(kind: .powerCut, operationCount: cutCount)], seed) {
      cutCount += 1
    }
    // Everywhere in the recovery from one of the cuts, and in what follows it.
    let first = cut(below: max(1, cutCount))
    var count = 0
    while try strikes([first, .init(kind: .powerCut, operationCount: count)], seed) {
      count += 1
    }
    // Again and again.
    for _ in 0..<3 {
      let cuts = (0..<4).map { _ in cut(below: 7) }
      _ = try add(seed, [cut(below: max(1, cutCount))] + cuts)
    }
    // Another failure everywhere, and a power cut soon after.
    let others = StorageStrike.Kind.allCases.filter { $0 != .powerCut }
    let kind = others[Int(seed / 4 % UInt64(others.count))]
    count = 0
    while try strikes([.init(kind: kind, operationCount: count), cut(below: 10)], seed) {
      count += 1
    }
  }

  /// Runs with these strikes, and returns whether the last of them that is a place to try has come:
  /// the second of two power cuts, else the first.
  private mutating func strikes(_ strikes: [StorageStrike], _ seed: UInt64) throws -> Bool {
    let isDouble = strikes.allSatisfy { $0.kind == .powerCut }
    return try add(seed, strikes).struckCount >= (isDouble ? strikes.count : 1)
  }

  private mutating func add(_ seed: UInt64, _ strikes: [StorageStrike]) throws -> StorageRun {
    let run = try StorageRun(seed: seed, strikes: strikes)
    defer {
      tally += run.tally
      digest = (digest ^ run.digest) &* 0x9E37_79B9_7F4A_7C15
    }
    try run.run()
    return run
  }
}
