import ArgumentParser
import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few of the cases that the commands run by the thousand.
@Suite(.computing) struct CaseSimulationTests {
  private static func run(
    _ kind: CaseSimulation.Kind, _ numbers: Range<UInt64>
  ) throws -> CaseReport {
    try CaseSimulation(kind: kind, numbers: numbers, processCount: 2).run()
  }

  private static let kinds = [
    FilesCommand.kind, TextCommand.kind, DataCommand.kind, MessagesCommand.kind, GraphsCommand.kind,
  ]

  @Test(arguments: kinds)
  func nothingIsFoundInSoundCases(kind: CaseSimulation.Kind) throws {
    let report = try Self.run(kind, 0..<(["files", "messages"].contains(kind.name) ? 6 : 60))
    #expect(report.isSound, "\(report.details)")
    #expect(report.flagCounts[0] > 0, "\(report.summary)")
  }

  /// Cases that ended the process once: `check` of a leaf whose keys are out of order (6164,
  /// 11626), damage that was done to a page that damage had made shorter (3025, 12130), and a link
  /// that may not be null whose target is deleted (64201).
  @Test(arguments: [3025, 6164, 11_626, 12_130, 64_201] as [UInt64])
  func whatWasFoundStaysMended(number: UInt64) throws {
    let report = try Self.run(FilesCommand.kind, number..<number + 1)
    #expect(report.isSound, "\(report.details)")
  }

  // MARK: The report

  private static let kind = CaseSimulation.Kind(name: "made-up", columns: ["read", "kept"])

  /// Of cases that come in any order, one of which took too much memory after its end.
  @Test func aReportNamesWhatIsWrong() {
    var report = CaseReport(kind: Self.kind, numbers: 4..<8)
    report.add(.init(number: 4, flags: [true, false]))
    report.add(.init(number: 7, violation: "traps: ends with signal 5"))
    report.add(.init(number: 5, flags: [true, true]))
    report.add(.init(number: 5, violation: "takes 9 bytes of \"memory\"", isNew: false))
    let violations = [
      "violation: case 5 takes 9 bytes of \"memory\"",
      "  replay: swift run simulate made-up --count 1 --seed 5",
      "violation: case 7 traps: ends with signal 5",
      "  replay: swift run simulate made-up --count 1 --seed 7",
    ]
    #expect(report.details == violations + ["stopped after 3 cases"])
    report.add(.init(number: 6, violation: "hangs: takes more than 20 seconds"))
    #expect(!report.isSound && report.caseCount == 4)
    #expect(report.details.count == 6)
    #expect(report.summary == "made-up 4, read 2, kept 1, traps 1, hangs 1, violations 3")
    #expect(
      report.json == #"{"firstSeed":4,"count":4,"read":2,"kept":1,"violations":["#
        + #"{"seed":5,"message":"takes 9 bytes of \"memory\""},"#
        + #"{"seed":6,"message":"hangs: takes more than 20 seconds"},"#
        + #"{"seed":7,"message":"traps: ends with signal 5"}]}"#)
  }

  /// Cases that were not run are not sound.
  @Test func soundIsWhatWasRunToItsEnd() {
    var report = CaseReport(kind: Self.kind, numbers: 0..<2)
    report.add(.init(number: 1, flags: [false, false]))
    #expect(!report.isSound)
    #expect(report.details == ["stopped after 1 cases"])
    report.add(.init(number: 0, flags: [true, false]))
    #expect(report.isSound && report.details.isEmpty)
    #expect(report.flagCounts == [1, 0])
  }

  @Test func twentyViolationsAreEnough() {
    var report = CaseReport(kind: Self.kind, numbers: 0..<23)
    for number in (0..<23).reversed() {
      report.add(.init(number: UInt64(number), violation: "is wrong"))
    }
    #expect(report.details.first == "violation: case 0 is wrong")
    #expect(report.details.count { $0.hasPrefix("violation:") } == 20)
    #expect(report.details.last == "and 3 more")
  }

  @Test func theOptionsSayWhichCases() throws {
    let options = try CaseOptions.parse(["--seed", "3", "--count", "4", "--first"])
    #expect(options.numbers == 3..<7 && options.first && !options.worker)
    for arguments in [
      ["--count", "0"], ["--processes", "0"],
      ["--seed", "18446744073709551615"],
    ] {
      #expect(throws: (any Error).self) { try CaseOptions.parse(arguments) }
    }
  }
}
