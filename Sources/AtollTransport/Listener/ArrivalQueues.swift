#if Sync
/// What has arrived and was not taken, of each peer in its order; the peers take turns.
///
/// Who floods the server with small frames fills a queue of its own, and the frames of others are
/// taken after a few of its own.
package struct ArrivalQueues<Peer: AnyObject, Arrival> {
  private final class Queue {
    let peer: Peer
    /// Nil: taken.
    var arrivals: [Arrival?] = []
    /// The first one that was not taken.
    var next = 0

    init(_ peer: Peer) { self.peer = peer }
  }

  /// How many arrivals of a peer are taken before those of the next one.
  package static var turnCount: Int { 16 }

  private var queues: [ObjectIdentifier: Queue] = [:]
  /// Those that wait for their turn, the first one at `first`; nil: they had it.
  private var line: [Queue?] = []
  private var first = 0

  package init() {}

  package var isEmpty: Bool { queues.isEmpty }

  package mutating func append(_ arrival: Arrival, of peer: Peer) {
    let id = ObjectIdentifier(peer)
    if let queue = queues[id] {
      queue.arrivals.append(arrival)
      return
    }
    let queue = Queue(peer)
    queue.arrivals.append(arrival)
    queues[id] = queue
    line.append(queue)
  }

  /// Takes the next arrival of the peer whose turn it is, and of that one some more.
  ///
  /// - Parameters:
  ///   - isOver: Asked after each arrival; true ends it.
  ///   - take: Is called with each arrival.
  package mutating func takeTurn(until isOver: () -> Bool, _ take: (Peer, Arrival) -> Void) {
    guard first < line.count, let queue = line[first] else { return }
    line[first] = nil
    first += 1
    if first == line.count || first > 64 && first * 2 > line.count {
      line.removeFirst(first)
      first = 0
    }
    let end = min(queue.arrivals.count, queue.next + Self.turnCount)
    repeat {
      // Forgotten at once: a frame may be large, and the peer knows the hub that has this.
      if let arrival = queue.arrivals[queue.next].take() { take(queue.peer, arrival) }
      queue.next += 1
    } while queue.next < end && !isOver()
    if queue.next < queue.arrivals.count {
      if queue.next > 64, queue.next * 2 > queue.arrivals.count {
        queue.arrivals.removeFirst(queue.next)
        queue.next = 0
      }
      line.append(queue)
    } else {
      queues[ObjectIdentifier(queue.peer)] = nil
    }
  }
}
#endif
