import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few hundred of the programs that the command runs by the thousand.
@Suite(.computing) struct ApiSimulationTests {
  @Test func programsOfTheSwiftInterfaceDoWhatTheModelDoes() throws {
    let report = try CaseSimulation(
      kind: ApiCommand.kind, numbers: 0..<300, processCount: 2
    ).run()
    #expect(report.isSound, "\(report.details)")
    #expect(report.flagCounts.allSatisfy { $0 > 150 }, "\(report.summary)")
  }
}
