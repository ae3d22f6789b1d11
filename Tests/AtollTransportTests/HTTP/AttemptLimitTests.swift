#if Sync
import AtollTransport
import TestThreads
import Testing

@Suite(.computing) struct AttemptLimitTests {
  @Test func attemptsAreGivenBackOneByOne() {
    var limit = AttemptLimit<String>(capacity: 2, intervalMilliseconds: 1_000)
    #expect(limit.wait("a", now: 0) == nil)
    limit.take("a", now: 0)
    #expect(limit.wait("a", now: 0) == nil)
    limit.take("a", now: 100)
    #expect(limit.wait("a", now: 100) == 900)
    #expect(limit.wait("b", now: 100) == nil)
    #expect(limit.wait("a", now: 999) == 1)
    #expect(limit.wait("a", now: 1_000) == nil)
    limit.take("a", now: 1_000)
    #expect(limit.wait("a", now: 1_500) == 500)
    #expect(limit.wait("a", now: 100_000) == nil)
  }

  @Test func aClockThatIsPutBackGivesNothing() {
    var limit = AttemptLimit<String>(capacity: 1, intervalMilliseconds: 1_000)
    limit.take("a", now: 1_000_000)
    #expect(limit.wait("a", now: 0) == 1_000)
    limit.take("a", now: 0)
    #expect(limit.wait("a", now: .max) == nil)
  }

  @Test func memoryIsBounded() {
    var limit = AttemptLimit<String>(capacity: 2, intervalMilliseconds: 1_000, keyLimit: 100)
    limit.take("hot", now: 0)
    limit.take("hot", now: 0)
    for number in 0..<1_000 { limit.take("key \(number)", now: 0) }
    #expect(limit.keyCount <= 100)
    // Users without attempts left are not dropped before those with some.
    #expect(limit.wait("hot", now: 0) != nil)
  }
}
#endif
