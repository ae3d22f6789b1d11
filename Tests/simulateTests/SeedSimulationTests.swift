import ArgumentParser
import TestSupport
import TestThreads
import Testing

@testable import simulate

private enum MadeUpEvent: String, CaseIterable, Sendable {
  case tries, sevenths
}

/// Work that goes wrong for every seventh seed.
private enum MadeUpWork: SeedWork {
  typealias Event = MadeUpEvent

  static let commandName = "made-up"
  static let defaultSeedCount: UInt64 = 5

  static func outcome(of seed: UInt64, isVerbose: Bool) -> SeedOutcome<MadeUpEvent> {
    var outcome = SeedOutcome<MadeUpEvent>()
    outcome.tally[.tries] = 1
    outcome.digest = seed &* 0x9E37_79B9_7F4A_7C15
    guard seed.isMultiple(of: 7) else { return outcome }
    outcome.tally[.sevenths] = 1
    outcome.violation = SeedViolation(
      seed: seed, step: 3, message: "\(seed / 7) \"sevens\"", history: ["six", "seven"])
    return outcome
  }

  static func headline(_ tally: SeedTally<MadeUpEvent>) -> String { "tries \(tally[.tries])" }
}

/// What becomes of the seeds of any work.
@Suite(.computing) struct SeedSimulationTests {
  private static func simulation(
    _ seeds: Range<UInt64>, threads: Int = 2
  ) -> SeedSimulation<MadeUpWork> {
    SeedSimulation<MadeUpWork>(seeds: seeds, threadCount: threads)
  }

  @Test func theResultsDoNotDependOnTheThreads() {
    let alone = Self.simulation(0..<50, threads: 1).run()
    #expect(alone == Self.simulation(0..<50, threads: 3).run())
    #expect(alone.tally[.tries] == 50 && alone.tally[.sevenths] == 8)
    #expect(alone.violations.map(\.seed) == [0, 7, 14, 21, 28, 35, 42, 49])
    #expect(alone.digest != 0 && alone.digest != Self.simulation(1..<51).run().digest)
  }

  /// A violation names how to reproduce it.
  @Test func aViolationIsReplayed() throws {
    var simulation = Self.simulation(3..<12)
    simulation.arguments = " --harsh"
    let report = simulation.run()
    #expect(!report.isSound)
    #expect(
      report.details == [
        "violation: seed 7, step 3: 1 \"sevens\"", "  six", "  seven",
        "  replay: swift run simulate made-up --seeds 1 --seed 7 --harsh",
      ])
    let again = Self.simulation(7..<8).run()
    #expect(again.violations == report.violations)
  }

  @Test func aReportIsOneLine() {
    let report = Self.simulation(7..<8).run()
    let digest = hexadecimal(7 &* 0x9E37_79B9_7F4A_7C15)
    #expect(report.summary == "seeds 1, tries 1, violations 1, digest \(digest)")
    #expect(
      report.json == "{\"firstSeed\":7,\"seeds\":1,\"digest\":\"\(digest)\",\"tries\":1,"
        + "\"sevenths\":1,\"violations\":[{\"seed\":7,\"step\":3,"
        + #""message":"seed 7, step 3: 1 \"sevens\""}]}"#)
  }

  @Test func whatIsSoundSaysNothing() {
    let report = Self.simulation(1..<7).run()
    #expect(report.isSound && report.details.isEmpty)
    #expect(report.summary.contains("violations 0"))
  }

  /// Work that never comes to what it is about proves little.
  @Test func manySoundSeedsTellWhatNeverHappened() {
    var simulation = Self.simulation(0..<200)
    simulation.outcome = { seed, isVerbose in
      MadeUpWork.outcome(of: 7 * seed + 1, isVerbose: isVerbose)
    }
    #expect(simulation.run().details == ["never happened: sevenths"])
    simulation.seeds = 0..<199
    #expect(simulation.run().details.isEmpty)
  }

  @Test func tenViolationsAreEnough() {
    let details = Self.simulation(0..<100).run().details
    #expect(details.count { $0.hasPrefix("violation:") } == 10)
    #expect(details.last == "and 5 more")
  }

  /// With one thread no seed is begun after it.
  @Test func stopsAtTheFirstViolation() {
    var simulation = Self.simulation(1..<40, threads: 1)
    simulation.stopsAtFirst = true
    let report = simulation.run()
    #expect(report.violations.map(\.seed) == [7])
    #expect(report.tally[.tries] == 7)
  }

  @Test func theStatusSaysWhetherSomethingWasFound() throws {
    let sound = try SeedOptions<MadeUpWork>.parse(["--seed", "1", "--json"])
    #expect(sound.simulation.seeds == 1..<6)
    try sound.run(sound.simulation)
    let unsound = try SeedOptions<MadeUpWork>.parse(["--seeds", "8", "--first"])
    #expect(unsound.simulation.stopsAtFirst)
    #expect(throws: ExitCode.failure) { try unsound.run(unsound.simulation) }
    for arguments in [
      ["--seeds", "0"], ["--threads", "0"], ["--seed", "18446744073709551615"],
    ] {
      #expect(throws: (any Error).self) { try SeedOptions<MadeUpWork>.parse(arguments) }
    }
  }
}
