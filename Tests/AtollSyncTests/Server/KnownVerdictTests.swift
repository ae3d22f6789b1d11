import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

@Suite(.computing) struct KnownVerdictTests {
  @Test func eachOperationHasItsVerdict() {
    let made = Verdict.applied(generation: Cursor(incarnation: 1, version: 2))
    let lists: [[Verdict]] = [
      [], [made], Array(repeating: made, count: 5),
      [made, .applied(generation: nil), .applied(generation: nil), .outdated(.deletion), made],
    ]
    for verdicts in lists {
      let known = KnownVerdicts(Answer(number: 1, verdicts: verdicts))
      for index in -1...verdicts.count {
        #expect(known[index] == (verdicts.indices.contains(index) ? verdicts[index] : nil))
      }
    }
  }
}
