#if Sync
internal import DequeModule
internal import HeapModule

/// What has arrived and was not taken, of each peer in its order; the peers share the time.
///
/// The next arrival is of the peer whose former ones took least time, as in start-time fair queueing
/// (Goyal, Vin and Cheng, 1996): who floods the server, or sends what takes long, waits for itself.
/// A peer that was silent has no time saved up.
package struct ArrivalQueues<Peer: AnyObject, Arrival> {
  private final class Queue {
    let peer: Peer
    var arrivals = Deque<Arrival>()
    /// The time that the peer has had, in nanoseconds since the queues were all empty.
    var time: UInt64 = 0

    init(_ peer: Peer) { self.peer = peer }
  }

  /// A queue that has something, as the heap orders them: by time, then as they came.
  private struct Turn: Comparable {
    let time: UInt64
    let number: UInt64
    let queue: Queue

    static func < (a: Turn, b: Turn) -> Bool { (a.time, a.number) < (b.time, b.number) }
    static func == (a: Turn, b: Turn) -> Bool { a.number == b.number }
  }

  /// Those that have something, and those that had more time than the others.
  private var queues: [ObjectIdentifier: Queue] = [:]
  private var turns = Heap<Turn>()
  private var turnCount: UInt64 = 0
  /// The time that the peers have had who are not ahead of others.
  private var time: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { turns.isEmpty }

  package mutating func append(_ arrival: Arrival, of peer: Peer) {
    let queue = queues[ObjectIdentifier(peer)] ?? Queue(peer)
    queue.arrivals.append(arrival)
    guard queue.arrivals.count == 1 else { return }
    queues[ObjectIdentifier(peer)] = queue
    queue.time = max(queue.time, time)
    add(queue)
  }

  private mutating func add(_ queue: Queue) {
    turnCount += 1
    turns.insert(Turn(time: queue.time, number: turnCount, queue: queue))
  }

  /// The number of arrivals of a peer that were not taken.
  package func count(of peer: Peer) -> Int { queues[ObjectIdentifier(peer)]?.arrivals.count ?? 0 }

  /// Drops what has arrived of a peer and was not taken.
  package mutating func drop(of peer: Peer) {
    // Its place in the heap is passed over when its turn comes.
    queues[ObjectIdentifier(peer)]?.arrivals.removeAll()
  }

  /// Takes arrivals until the time for it is over, and at least one.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time.
  ///   - uptime: The clock.
  ///   - take: Is called with each arrival.
  /// - Complexity: O(log n) for an arrival, where n peers have some.
  package mutating func take(
    for nanoseconds: UInt64, _ uptime: () -> UInt64, _ take: (Peer, Arrival) -> Void
  ) {
    let start = uptime()
    var last = start
    while let turn = turns.popMin() {
      let queue = turn.queue
      time = turn.time
      guard let arrival = queue.arrivals.popFirst() else { continue }
      take(queue.peer, arrival)
      // The clock may stand still, or jump back.
      let now = max(last, uptime())
      queue.time += now - last
      last = now
      if !queue.arrivals.isEmpty { add(queue) }
      if now - start >= nanoseconds { break }
    }
    forget()
  }

  /// Forgets the peers that have nothing, when they are no longer ahead of others, or nobody waits.
  private mutating func forget() {
    guard !turns.isEmpty else {
      queues = [:]
      time = 0
      return
    }
    guard queues.count > 2 * turns.count + 64 else { return }
    queues = queues.filter { !$0.value.arrivals.isEmpty || $0.value.time > time }
  }
}
#endif
