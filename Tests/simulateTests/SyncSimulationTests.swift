import ArgumentParser
import AtollSync
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few runs of what the command does with thousands.
@Suite(.computing) struct SyncSimulationTests {
  private static func simulation(
    _ seeds: Range<UInt64>, threads: Int = 2
  ) -> SeedSimulation<SyncWork> {
    SeedSimulation<SyncWork>(seeds: seeds, threadCount: threads)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func devicesKeepToTheModel(seed: UInt64) {
    let outcome = SyncWork.outcome(of: seed, isVerbose: false)
    #expect(outcome.violation == nil, "\(outcome.violation.map(\.history) ?? [])")
    #expect(outcome.tally[.steps] > 0)
    #expect(outcome.tally[.comparedFiles] > 0)
    #expect(outcome.tally[.freshDevices] > 0)
  }

  /// As with `--lists 20 --harsh`.
  @Test(arguments: 1..<3 as Range<UInt64>)
  func transactionsSayWhatBecameOfEachElement(seed: UInt64) {
    let options = SyncOptions(lists: ListOptions(operationCount: 20), isHarsh: true)
    let outcome = SyncWork.outcome(of: seed, options)
    #expect(outcome.violation == nil, "\(outcome.violation.map(\.history) ?? [])")
    #expect(outcome.tally[.operations] > 0)
  }

  @Test func aSeedDecidesTheRunWhateverTheThreads() {
    let alone = Self.simulation(0..<3, threads: 1).run()
    let together = Self.simulation(0..<3, threads: 3).run()
    #expect(alone == together)
    #expect(alone.digest != 0)
    #expect(Self.simulation(1..<4).run().digest != alone.digest)
  }

  @Test func theCommandRefusesWhatMakesNoSense() throws {
    try SyncCommand.parse(["--seeds", "1", "--seed", "4", "--json"]).run()
    _ = try SyncCommand.parse(["--lists", "20", "--list-rule", "net", "--harsh"])
    for arguments in [
      ["--seeds", "0"], ["--verbose"], ["--lists", "0"], ["--list-rule", "net"],
      ["--lists", "20", "--list-rule", "nothing"],
    ] {
      #expect(throws: (any Error).self) { try SyncCommand.parse(arguments) }
    }
  }
}
