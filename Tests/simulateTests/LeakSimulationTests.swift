import ArgumentParser
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few pairs of worlds of what the command does with thousands.
@Suite(.computing) struct LeakSimulationTests {
  @Test(arguments: 0..<12 as Range<UInt64>)
  func aUserHearsTheSameWhateverItMayNotRead(seed: UInt64) {
    let outcome = LeakWork.outcome(of: seed, isVerbose: false)
    #expect(outcome.violation == nil, "\(outcome.violation?.message ?? "")")
    #expect(outcome.tally[.frames] > 0 && outcome.tally[.operations] > 0)
  }

  @Test func theCommandCountsWorlds() throws {
    try LeaksCommand.parse(["--worlds", "1", "--seed", "4"]).run()
    #expect(throws: (any Error).self) { try LeaksCommand.parse(["--seeds", "1"]) }
  }
}
