import ArgumentParser
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few of the seeds that the command runs by the thousand.
@Suite(.computing) struct WhereSimulationTests {
  @Test(arguments: 0..<4 as Range<UInt64>)
  func conditionsFindWhatAPlainReadingFinds(part: UInt64) {
    for seed in part * 20..<(part + 1) * 20 {
      let outcome = WhereWork.outcome(of: seed, planted: nil, isVerbose: false)
      #expect(outcome.violation == nil, "\(outcome.violation?.description ?? "")")
    }
  }

  @Test(arguments: WhereMistake.allCases)
  func findsAPlantedMistake(mistake: WhereMistake) {
    #expect(SeedSimulation<WhereWork>.find(mistake) != nil)
  }

  @Test func theStatusSaysWhetherSomethingWasFound() throws {
    try WhereCommand.parse(["--seeds", "1", "--seed", "4"]).run()
    let planted = try WhereCommand.parse(["--seeds", "40", "--planted", "nan-is-equal"])
    #expect(throws: ExitCode.failure) { try planted.run() }
    #expect(throws: (any Error).self) { try WhereCommand.parse(["--verbose", "--seeds", "2"]) }
  }
}
