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

  /// Against plain lists: of each peer all is taken once, in its order, whatever comes in between.
  @Test func takesAllOfEachPeerInItsOrder() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<100 {
      let peers = (0..<Int.random(in: 1...9, using: &random)).map { Peer($0) }
      var queues = ArrivalQueues<Peer, Int>()
      var sent = peers.map { _ in 0 }
      var taken = peers.map { _ in 0 }
      func take(_ limit: Int) {
        var left = limit
        queues.takeTurn(until: { left <= 0 }) { peer, arrival in
          #expect(arrival == taken[peer.number])
          taken[peer.number] += 1
          left -= 1
        }
      }
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        let peer = peers[Int.random(in: 0..<peers.count, using: &random)]
        for _ in 0..<Int.random(in: 1...90, using: &random) {
          queues.append(sent[peer.number], of: peer)
          sent[peer.number] += 1
        }
        for _ in 0..<Int.random(in: 0...5, using: &random) {
          take(Int.random(in: 1...40, using: &random))
        }
        #expect(queues.isEmpty == (taken == sent))
      }
      while !queues.isEmpty { take(1_000) }
      #expect(taken == sent)
    }
  }

  /// Floods delay a frame of another peer by a few frames of each.
  @Test func aFloodIsNotInTheWayOfOthers() {
    let (floods, other) = ((0..<20).map { Peer($0) }, Peer(20))
    var queues = ArrivalQueues<Peer, Int>()
    for flood in floods {
      for number in 0..<5_000 { queues.append(number, of: flood) }
    }
    for round in 0..<50 {
      queues.append(round, of: other)
      var count = 0
      var isTaken = false
      while !isTaken {
        queues.takeTurn(until: { false }) { peer, _ in
          count += 1
          if peer === other { isTaken = true }
        }
      }
      #expect(count <= 20 * ArrivalQueues<Peer, Int>.turnCount + 1)
    }
  }
}
#endif
