#if Sync
import AtollTransport
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct ReconnectDelayTests {
  @Test func failuresOfOneKindDoubleTheDelayUpToALimit() {
    var delay = ReconnectDelay(initialMilliseconds: 1_000, maximumMilliseconds: 10_000)
    let delays = (0..<6).map { _ in delay.next(after: .unreachable, random: 0) }
    #expect(delays == [1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
  }

  @Test func theLongestDelayIsAMinute() {
    var delay = ReconnectDelay()
    let delays = (0..<9).map { _ in delay.next(after: .unreachable, random: 0) }
    #expect(delays.max() == 60_000)
    delay.reset()
    #expect(delay.next(after: .unreachable, random: 0) == 1_000)
  }

  @Test func anotherKindOfFailureBeginsAgain() {
    var delay = ReconnectDelay()
    _ = delay.next(after: .unreachable, random: 0)
    #expect(delay.next(after: .unreachable, random: 0) == 2_000)
    #expect(delay.next(after: .ended, random: 0) == 1_000)
    #expect(delay.next(after: .refused(status: 503), random: 0) == 1_000)
    #expect(delay.next(after: .refused(status: 500), random: 0) == 1_000)
    delay.reset()
    #expect(delay.next(after: .refused(status: 500), random: 0) == 1_000)
  }

  @Test func theJitterIsAtMostAQuarter() {
    var random = SplitMix64(seed: 3)
    var shortest = UInt64.max
    for _ in 0..<1_000 {
      var delay = ReconnectDelay()
      let milliseconds = delay.next(after: .ended, random: random.next())
      #expect(750...1_000 ~= milliseconds)
      shortest = min(shortest, milliseconds)
    }
    #expect(shortest < 760)
  }

  @Test func aRenewalIsFollowedAtOnceButNotForEver() {
    var delay = ReconnectDelay()
    #expect(delay.next(after: .renewal, random: 0) == 0)
    #expect(delay.next(after: .renewal, random: 0) == 1_000)
    #expect(delay.next(after: .renewal, random: 0) == 2_000)
    delay.reset()
    #expect(delay.next(after: .renewal, random: 0) == 0)
  }

  @Test func theServersWishIsTheLeast() {
    var delay = ReconnectDelay()
    #expect(delay.next(after: .ended, atLeast: 7_000, random: 0) == 7_000)
    #expect(delay.next(after: .renewal, atLeast: 500, random: 0) == 500)
  }

  @Test func longestDelaysOverflowNothing() {
    var delay = ReconnectDelay(
      initialMilliseconds: 1 << 63, maximumMilliseconds: .max)
    for _ in 0..<4 { #expect(delay.next(after: .ended, random: .max) > 1 << 62) }
  }
}
#endif
