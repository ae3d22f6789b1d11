import ArgumentParser
import TestThreads
import Testing

@testable import simulate

/// A few runs of what the command does with thousands.
@Suite(.computing) struct StorageSimulationTests {
  /// All shapes of runs; 1 cuts the power at every operation, 3 meets faults of all kinds.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func storesKeepToTheModel(seed: UInt64) {
    let outcome = StorageWork.outcome(of: seed, isVerbose: false)
    #expect(outcome.violation == nil, "\(outcome.violation.map(\.history) ?? [])")
    #expect(outcome.tally[.transactions] > 0)
    #expect((outcome.tally[.doubleCrashes] > 0) == (seed % 4 == 1) || seed % 4 == 3)
  }

  @Test func aSeedDecidesTheRunWhateverTheThreads() {
    func report(_ seeds: Range<UInt64>, threads: Int = 2) -> SeedReport<StorageWork> {
      SeedSimulation<StorageWork>(seeds: seeds, threadCount: threads).run()
    }
    let alone = report(0..<4, threads: 1)
    #expect(alone == report(0..<4, threads: 3))
    #expect(alone.digest != 0)
    #expect(report(1..<5).digest != alone.digest)
  }

  @Test func theCommandRunsWhatItsOptionsSay() throws {
    try StorageCommand.parse(["--seeds", "1", "--seed", "4", "--json"]).run()
    for arguments in [
      ["--seeds", "0"], ["--threads", "0"], ["--seed", "18446744073709551615"],
    ] {
      #expect(throws: (any Error).self) { try StorageCommand.parse(arguments) }
    }
  }
}
