import ArgumentParser
import AtollSync
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few runs of what the command does with thousands.
@Suite(.computing) struct SyncSimulationTests {
  private static func simulation(
    _ seeds: Range<UInt64>, threads: Int = 2, planted: SyncFault? = nil
  ) -> SeedSimulation<SyncWork> {
    SeedSimulation<SyncWork>(
      seeds: seeds, threadCount: threads, planted: planted, findsPlantedBugs: false)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func devicesKeepToTheModel(seed: UInt64) {
    let outcome = SyncWork.outcome(of: seed, planted: nil, isVerbose: false)
    #expect(outcome.violation == nil, "\(outcome.violation.map(\.history) ?? [])")
    #expect(outcome.tally[.steps] > 0)
    #expect(outcome.tally[.comparedFiles] > 0)
    #expect(outcome.tally[.freshDevices] > 0)
  }

  /// One of each side; `simulate sync` looks for all of them.
  @Test(arguments: [SyncFault.r9StaleImage, .r20AnyCreation])
  func findsAPlantedBug(bug: SyncFault) {
    #expect(SeedSimulation<SyncWork>.find(bug) != nil)
  }

  @Test func aSeedDecidesTheRunWhateverTheThreads() {
    let alone = Self.simulation(0..<3, threads: 1).run()
    let together = Self.simulation(0..<3, threads: 3).run()
    #expect(alone == together)
    #expect(alone.digest != 0)
    #expect(Self.simulation(1..<4).run().digest != alone.digest)
  }

  /// A violation names how to reproduce it.
  @Test func aViolationIsReplayed() throws {
    let report = Self.simulation(0..<2, planted: .r9StaleImage).run()
    let violation = try #require(report.violations.first)
    #expect(!report.isSound)
    #expect(report.summary.contains("violations \(report.violations.count)"))
    #expect(
      report.details.contains {
        $0.hasSuffix("--seeds 1 --seed \(violation.seed) --planted r9-stale-image")
      })
    let again =
      Self.simulation(violation.seed..<violation.seed + 1, planted: .r9StaleImage).run()
    #expect(again.violations == [violation])
  }

  @Test func theStatusSaysWhetherSomethingWasFound() throws {
    try SyncCommand.parse(["--seeds", "1", "--seed", "4", "--json"]).run()
    let planted = try SyncCommand.parse(["--seeds", "2", "--planted", "r9-stale-image"])
    #expect(throws: ExitCode.failure) { try planted.run() }
    for arguments in [
      ["--seeds", "0"], ["--threads", "0"], ["--planted", "nothing"],
      ["--seed", "18446744073709551615"], ["--verbose"],
      ["--lists", "0"], ["--list-rule", "net"], ["--planted-in-lists", "renewed-move"],
    ] {
      #expect(throws: (any Error).self) { try SyncCommand.parse(arguments) }
    }
  }

  /// A planted bug that is not found is a failure, like a violation.
  @Test func aBugThatIsNotFoundIsAFailure() {
    var report = SeedReport<SyncWork>(seeds: 0..<1, planted: nil)
    #expect(report.isSound)
    report.plantedBugs["r6-cleared-links"] = .some(nil)
    #expect(!report.isSound)
    #expect(report.summary.contains("planted bugs found 0 of 1"))
    #expect(report.json.contains("\"plantedBugsFound\":{\"r6-cleared-links\":false}"))
  }
}
