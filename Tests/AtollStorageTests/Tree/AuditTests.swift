import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct AuditTests {
  /// A small file can have more to be said against it than memory holds.
  @Test func theFirstThousandFindingsAreKeptAndTheRestCounted() {
    var audit = Audit()
    for number in 0..<1000 as Range<UInt64> { audit.report("bad", block: number) }
    #expect(audit.findings.count == 1000)
    for _ in 0..<20_000 { audit.report("worse") }
    #expect(audit.findings.count == 1001)
    #expect(audit.findings.first == CheckFinding(block: 0, message: "bad"))
    #expect(audit.findings.last == CheckFinding(block: nil, message: "20000 more findings"))
  }
}
