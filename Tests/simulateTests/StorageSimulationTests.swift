import ArgumentParser
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few runs of what the command does with thousands.
@Suite(.computing) struct StorageSimulationTests {
  private static func simulation(
    _ seeds: Range<UInt64>, threads: Int = 2, planted: PlantedBug? = nil
  ) -> SeedSimulation<StorageWork> {
    SeedSimulation<StorageWork>(
      seeds: seeds, threadCount: threads, planted: planted, findsPlantedBugs: false)
  }

  /// All shapes of runs; 1 cuts the power at every operation, 3 meets faults of all kinds.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func storesKeepToTheModel(seed: UInt64) {
    let outcome = StorageWork.outcome(of: seed, planted: nil, isVerbose: false)
    #expect(outcome.violation == nil, "\(outcome.violation.map(\.history) ?? [])")
    #expect(outcome.tally[.transactions] > 0)
    #expect((outcome.tally[.doubleCrashes] > 0) == (seed % 4 == 1) || seed % 4 == 3)
  }

  @Test(arguments: PlantedBug.allCases)
  func findsEveryPlantedBug(bug: PlantedBug) {
    #expect(SeedSimulation<StorageWork>.find(bug) != nil)
  }

  @Test func aSeedDecidesTheRunWhateverTheThreads() {
    let alone = Self.simulation(0..<4, threads: 1).run()
    let together = Self.simulation(0..<4, threads: 3).run()
    #expect(alone == together)
    #expect(alone.digest != 0)
    let other = Self.simulation(1..<5).run()
    #expect(other.digest != alone.digest)
  }

  /// A violation names how to reproduce it.
  @Test func aViolationIsReplayed() throws {
    let report = Self.simulation(0..<8, planted: .skippedSync).run()
    let violation = try #require(report.violations.first)
    #expect(!report.isSound)
    #expect(report.summary.contains("violations \(report.violations.count)"))
    #expect(
      report.details.contains {
        $0.hasSuffix("--seeds 1 --seed \(violation.seed) --planted skipped-sync")
      })
    let again = Self.simulation(violation.seed..<violation.seed + 1, planted: .skippedSync).run()
    #expect(again.violations == [violation])
  }

  @Test func theStatusSaysWhetherSomethingWasFound() throws {
    let sound = try StorageCommand.parse(["--seeds", "1", "--seed", "4", "--json"])
    try sound.run()
    let planted = try StorageCommand.parse(["--seeds", "6", "--planted", "lost-length"])
    #expect(throws: ExitCode.failure) { try planted.run() }
    for arguments in [
      ["--seeds", "0"], ["--threads", "0"], ["--planted", "nothing"],
      ["--seed", "18446744073709551615"],
    ] {
      #expect(throws: (any Error).self) { try StorageCommand.parse(arguments) }
    }
  }

  /// A planted bug that is not found is a failure, like a violation.
  @Test func aBugThatIsNotFoundIsAFailure() {
    var report = SeedReport<StorageWork>(seeds: 0..<1, planted: nil)
    #expect(report.isSound)
    report.plantedBugs["skipped-sync"] = .some(nil)
    #expect(!report.isSound)
    #expect(report.summary.contains("planted bugs found 0 of 1"))
    #expect(report.json.contains("\"plantedBugsFound\":{\"skipped-sync\":false}"))
  }
}
