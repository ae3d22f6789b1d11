import AtollQuery
import TestThreads
import Testing

@testable import Atoll

@Suite(.computing) struct SectionLayoutTests {
  /// NaN is not equal to itself: a section by it could not be found, and was another one each time.
  @Test func keysThatAreNotThemselvesAreOneSection() {
    let keys: [Double] = [.nan, 1, .nan, -.nan, .signalingNaN, 1]
    let layout = SectionLayout(count: keys.count) { keys[$0] }
    #expect(layout.counts == [4, 2] && layout.keys.count == 2)
    #expect(layout.section(of: .nan) == 0 && layout.section(of: 1) == 1)
    #expect(layout.section(of: 2) == nil)
    #expect(Array(layout.places(of: 0)) == [0, 2, 3, 4])
    let again = layout.applying(
      ResultDifference(deletions: [1], insertions: [5], modifications: []), count: keys.count
    ) { _ in .nan }
    #expect(again.counts == [5, 1] && again.section(of: .nan) == 0)
  }
}
