#if Sync
import AtollTransport
import TestSupport
import TestThreads
import Testing

/// What has arrived at a server, and the order in which it is taken.
@Suite(.computing) struct ArrivalQueuesTests {
  private final class Peer: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  /// A clock that the takers of arrivals move.
  private final class Clock {
    var now: UInt64 = 0
  }

  /// Against plain lists: of each peer all is taken once, in its order, whatever comes in between; and
  /// no peer has more time than another one that waits, but for one arrival.
  @Test func takesAllOfEachPeerInItsOrderAndSharesTheTime() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<100 {
      let peers = (0..<Int.random(in: 1...9, using: &random)).map { Peer($0) }
      let costs = peers.map { _ in UInt64.random(in: 0...1_000, using: &random) }
      let clock = Clock()
      var queues = ArrivalQueues<Peer, Int>()
      var sent = peers.map { _ in 0 }
      var taken = peers.map { _ in 0 }
      // Since all have had something to be taken.
      var times = peers.map { _ in UInt64(0) }
      func take(_ nanoseconds: UInt64) {
        queues.take(for: nanoseconds, { clock.now }) { peer, arrival in
          #expect(arrival == taken[peer.number])
          taken[peer.number] += 1
          times[peer.number] += costs[peer.number]
          clock.now += costs[peer.number]
        }
      }
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        let peer = peers[Int.random(in: 0..<peers.count, using: &random)]
        for _ in 0..<Int.random(in: 1...90, using: &random) {
          queues.append(sent[peer.number], of: peer)
          sent[peer.number] += 1
        }
        for _ in 0..<Int.random(in: 0...5, using: &random) {
          take(UInt64.random(in: 0...20_000, using: &random))
        }
        #expect(queues.isEmpty == (taken == sent))
        if queues.isEmpty { clock.now = UInt64.random(in: 0...1_000, using: &random) }
      }
      take(.max)
      #expect(taken == sent)
      times = peers.map { _ in 0 }
      for peer in peers {
        for _ in 0..<1_000 {
          queues.append(sent[peer.number], of: peer)
          sent[peer.number] += 1
        }
      }
      while zip(taken, sent).allSatisfy({ $0 < $1 }) { take(1) }
      let most = costs.max() ?? 0
      #expect((times.max() ?? 0) - (times.min() ?? 0) <= 2 * most)
      take(.max)
      #expect(taken == sent && queues.isEmpty)
    }
  }

  /// Floods delay a frame of another peer by a frame of each.
  @Test func aFloodIsNotInTheWayOfOthers() {
    let (floods, other) = ((0..<20).map { Peer($0) }, Peer(20))
    var queues = ArrivalQueues<Peer, Int>()
    let clock = Clock()
    for flood in floods {
      for number in 0..<5_000 { queues.append(number, of: flood) }
    }
    for round in 0..<50 {
      queues.append(round, of: other)
      var count = 0
      var isTaken = false
      while !isTaken {
        queues.take(for: 1, { clock.now }) { peer, _ in
          clock.now += 10
          count += 1
          if peer === other { isTaken = true }
        }
      }
      #expect(count <= 22)
    }
  }

  /// Who sends what takes long waits for itself, also when it is silent in between.
  @Test func whatTakesLongIsNotInTheWayOfOthers() {
    let (slow, flood, other) = (Peer(0), Peer(1), Peer(2))
    var queues = ArrivalQueues<Peer, Int>()
    let clock = Clock()
    for number in 0..<10_000 { queues.append(number, of: flood) }
    var slowCount = 0
    for round in 0..<200 {
      // Each is its only one: it is silent until it was taken.
      if slowCount == 0 { queues.append(round, of: slow) }
      slowCount += 1
      queues.append(round, of: other)
      var time: UInt64 = 0
      var isTaken = false
      while !isTaken {
        queues.take(for: 1, { clock.now }) { peer, _ in
          let cost: UInt64 = peer === slow ? 20_000 : 10
          if peer === slow { slowCount = 0 }
          clock.now += cost
          time += cost
          if peer === other { isTaken = true }
        }
      }
      // The first one is not known to take long.
      #expect(round == 0 || time < 20_000)
    }
  }
}
#endif
