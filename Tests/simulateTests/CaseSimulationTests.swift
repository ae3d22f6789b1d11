import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// A few of the cases that the commands run by the thousand, and bugs that they must find.
@Suite(.computing) struct CaseSimulationTests {
  private static func run(
    _ kind: CaseSimulation.Kind, _ numbers: Range<UInt64>, planted: PlantedCaseBug? = nil
  ) throws -> CaseReport {
    try CaseSimulation(kind: kind, numbers: numbers, processCount: 2, planted: planted).run()
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

  /// A library that ignores checksums, prints wrongly or imports in parts does what it may not do.
  @Test func findsWrongAnswers() throws {
    let files = try Self.run(FilesCommand.kind, 0..<12, planted: .unverifiedPage)
    #expect(files.violations.count > 1, "\(files.summary)")
    #expect(files.details.contains { $0.contains("--planted unverified-page") })
    let text = try Self.run(TextCommand.kind, 0..<60, planted: .misprint)
    #expect(text.violations.contains { $0.message.contains("printed as another query") })
    let data = try Self.run(DataCommand.kind, 0..<60, planted: .partialImport)
    #expect(data.violations.contains { $0.message.contains("leaves a part behind") })
    let lossy = try Self.run(DataCommand.kind, 0..<60, planted: .lostRecord)
    #expect(lossy.violations.contains { $0.message.contains("are imported and") })
    let rounded = try Self.run(DataCommand.kind, 0..<60, planted: .roundedDecimal)
    #expect(!rounded.violations.isEmpty, "\(rounded.summary)")
    let merged = try Self.run(DataCommand.kind, 0..<60, planted: .mergedNames)
    #expect(merged.violations.contains { $0.message.hasSuffix("in the copy") })
  }

  /// A library that copies an object of a graph twice, or resets what a dictionary leaves out.
  @Test(arguments: PlantedCaseBug.bugs(of: "graphs"))
  func findsObjectsThatAreMadeWrongly(bug: PlantedCaseBug) throws {
    #expect(try CaseSimulation.find(bug, GraphsCommand.kind) != nil)
  }

  /// A bug that is not found, or a search that finds what is there without the bug, proves nothing.
  @Test func aPlantedBugThatIsNotFoundIsAFailure() throws {
    #expect(try CaseSimulation.find(.misprint, TextCommand.kind) != nil)
    var report = CaseReport(kind: TextCommand.kind, numbers: 0..<0, planted: nil)
    report.plantedBugs[.misprint] = .some(3)
    #expect(report.isSound)
    #expect(report.details == ["planted bug misprint found: case 3"])
    report.plantedBugs[.misprint] = .some(nil)
    #expect(!report.isSound)
    #expect(report.details == ["planted bug misprint NOT FOUND"])
    #expect(report.summary.hasSuffix("planted bugs found 0 of 1"))
  }

  /// A case that ends its process is named, and the next one runs in another.
  @Test func findsATrap() throws {
    let report = try Self.run(TextCommand.kind, 0..<10, planted: .trap)
    #expect(report.violations.map(\.number) == [3, 8])
    #expect(report.violations.allSatisfy { $0.message.hasPrefix("traps: ends with signal") })
    #expect(report.caseCount == 10)
  }

  @Test func findsMemoryWithoutBounds() throws {
    let report = try Self.run(TextCommand.kind, 0..<6, planted: .hoard)
    #expect(report.violations.map(\.number) == [3])
    #expect(report.violations.first?.message.hasPrefix("takes ") ?? false)
    #expect(report.caseCount == 6)
  }
}
