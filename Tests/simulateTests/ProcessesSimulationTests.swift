import ArgumentParser
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few kills of what the command does with thousands.
@Suite(.computing, .serialized) struct ProcessesSimulationTests {
  init() { ChildProcess.ignoreBrokenPipes() }

  /// A file of each kind.
  @Test(arguments: [0, 1] as [UInt64])
  func processesThatAreKilledLoseNothing(seed: UInt64) throws {
    let run = try ProcessesRun(seed: seed, killLimit: 12)
    try run.run()
    #expect(run.tally.killCount >= 12)
    #expect(run.tally.commitCount > 12)
    #expect(run.tally.verifiedVersionCount > 0)
  }

  /// The same work gives the same state, or no file could be compared with the model.
  @Test func aSeedDecidesTheState() throws {
    var first = try AccountModel(AccountBook(seed: 5))
    var second = try AccountModel(AccountBook(seed: 5))
    try first.advance(to: 300)
    for number in 1...300 as ClosedRange<Int64> { try second.advance(to: number) }
    #expect(first.accounts == second.accounts)
    #expect(first.accounts.values.reduce(0) { $0 + $1.balance } == AccountBook.total)
    #expect(first.accounts.count < Int(AccountBook.accountCount))
    var other = try AccountModel(AccountBook(seed: 6))
    try other.advance(to: 300)
    #expect(first.accounts != other.accounts)
  }

  @Test(arguments: [["--kills", "0"], ["--seed", "18446744073709551615"]])
  func optionsThatMakeNoSenseAreRefused(arguments: [String]) {
    #expect(throws: (any Error).self) { try ProcessesCommand.parse(arguments) }
  }

  @Test func theSummaryCountsWhatMustNotHappen() {
    var report = ProcessesReport()
    report.tally.wakeUps = [3_000_000, 1_000_000, 2_004_000]
    #expect(report.isSound)
    #expect(
      report.summary.contains("lost 0, unclean 0, stuck 0, wake-up median 2.00 ms, longest 3.00 ms")
    )
    report.violation = ProcessesViolation(
      kind: .stuck, seed: 7, message: "no answer came", history: ["one"])
    #expect(!report.isSound)
    #expect(report.summary.contains("lost 0, unclean 0, stuck 1"))
    #expect(report.details.contains("violation: seed 7: stuck: no answer came"))
    #expect(report.details.contains { $0.hasSuffix("--kills 25 --seed 7") })
    #expect(report.json.contains("\"stuck\":1"))
  }
}
