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
      let outcome = WhereWork.outcome(of: seed, isVerbose: false)
      #expect(outcome.violation == nil, "\(outcome.violation?.description ?? "")")
    }
  }

  @Test func aSeedDecidesWhatIsAsked() {
    let outcome = WhereWork.outcome(of: 3, isVerbose: false)
    #expect(outcome == WhereWork.outcome(of: 3, isVerbose: false))
    #expect(outcome.tally[.conditions] == 24 && outcome.tally[.matches] > 0)
    #expect(outcome.digest != WhereWork.outcome(of: 4, isVerbose: false).digest)
  }

  @Test func theCommandAnswers() throws {
    try WhereCommand.parse(["--seeds", "1", "--seed", "4"]).run()
    #expect(throws: (any Error).self) { try WhereCommand.parse(["--verbose", "--seeds", "2"]) }
  }
}
