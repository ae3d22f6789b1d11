import AtollCapture
import AtollObjects
import AtollStorage
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// What a server tells of its work.
@Suite(.computing) struct ServerObserverTests {
  private final class Listener: ServerObserver {
    struct Heard {
      var received: [SyncMessage.Kind?] = []
      var byteCount = 0
      var waits: [SyncMessage.Kind: [UInt64]] = [:]
      var judged: [SyncMessage.Kind: [JudgedOutcome: UInt64]] = [:]
      var answerTimes: [UInt64] = []
      var errors: [ErrorMessage.Code] = []
      var heldMessages = 0
      var heldBytes = 0
      var mostHeldBytes = 0
    }

    private let content = Mutex(Heard())
    private let clock = Mutex<UInt64>(1_000)

    var heard: Heard { content.withLock { $0 } }
    @Sendable func uptime() -> UInt64 { clock.withLock { $0 } }
    func advance(by nanoseconds: UInt64) { clock.withLock { $0 += nanoseconds } }

    func received(_ kind: SyncMessage.Kind?, byteCount: Int) {
      content.withLock {
        $0.received.append(kind)
        $0.byteCount += byteCount
      }
    }

    func took(_ kind: SyncMessage.Kind, afterNanoseconds duration: UInt64) {
      content.withLock { $0.waits[kind, default: []].append(duration) }
    }

    func judged(_ kind: SyncMessage.Kind, _ outcome: JudgedOutcome, count: UInt64) {
      content.withLock { $0.judged[kind, default: [:]][outcome, default: 0] += count }
    }

    func answered(afterNanoseconds duration: UInt64) {
      content.withLock { $0.answerTimes.append(duration) }
    }

    func refused(_ code: ErrorMessage.Code) { content.withLock { $0.errors.append(code) } }

    func holds(messageCount: Int, byteCount: Int) {
      content.withLock {
        $0.heldMessages = messageCount
        $0.heldBytes = byteCount
        $0.mostHeldBytes = max($0.mostHeldBytes, byteCount)
      }
    }
  }

  private let listener = Listener()
  private let all = ["TRUEPREDICATE"]

  private func world(store: any ServerStore = MemoryStore()) throws -> ServerWorld {
    let listener = listener
    return try ServerWorld(store: store) {
      $0.observer = listener
      $0.uptime = listener.uptime
    }
  }

  @Test func messagesAndVerdictsAreTold() throws {
    let world = try world()
    let ann = try world.device(1, user: "ann", subscribing: ["team == 1"])
    try ann.make(1, team: 1)
    try ann.make(2, team: 2)
    try world.settle()
    try ann.say(.ping(1))
    try ann.say(.mark(1))
    try ann.subscribe(["nothing == 1"])
    try world.settle()
    let heard = listener.heard
    func count(_ kind: SyncMessage.Kind) -> Int { heard.received.count { $0 == kind } }
    #expect(count(.hello) == 1 && count(.push) == 2 && count(.sets) == 2)
    #expect(count(.ping) == 1 && count(.mark) == 1 && count(.batch) == 0)
    #expect(heard.judged[.push] == [.applied: 3, .refused(.outsideView): 3])
    #expect(heard.judged[.sets] == [.applied: 1, .refused(.invalidQuery): 1])
    // All that a tick has to take was taken.
    let taken = heard.waits.values.map(\.count).reduce(0, +)
    #expect(taken == heard.received.count - 1)
    #expect(heard.heldMessages == 0 && heard.heldBytes == 0 && heard.mostHeldBytes > 0)
    #expect(heard.errors == [])
    // What is no message ends the connection.
    let id = try #require(ann.connection)
    _ = world.server.receive([0, 1, 2], from: id, now: world.now)
    #expect(listener.heard.received.last == .some(nil))
    #expect(listener.heard.errors == [.malformedMessage])
  }

  @Test func wasJudgedBeforeIsTold() throws {
    let world = try world()
    let ann = try world.device(1, user: "ann", subscribing: all)
    let name = EntryName(client: 1, number: ann.state.nextNumber)
    try ann.make(1, team: 1)
    try world.settle()
    let own = Generation.pending(number: name.number, index: 0)
    try ann.push(
      [ann.create(1), ann.set(1, team: 1, of: own), ann.set(1, text: "", of: own)],
      header: ann.header(name: name, digest: name.number &* 7))
    try world.settle()
    #expect(listener.heard.judged[.push] == [.applied: 3, .known: 3])
  }

  /// From the arrival that the owner of the connection gives, to the tick and to the answer.
  @Test func waitsAndAnswersAreTimed() throws {
    let world = try world()
    let ann = try world.device(1, user: "ann", subscribing: all)
    let id = try #require(ann.connection)
    world.blocked = [id]
    listener.advance(by: 500)
    let push = PushEntry(
      header: ann.header(),
      transaction: RecordedTransaction(
        clock: HybridClock(milliseconds: world.now), seen: ann.state.seen,
        operations: [ann.create(1)]))
    ann.state.outbox.append((push.header.number, .push(push)))
    for frame in MessageFrames.encode(.push(push)) {
      _ = world.server.receive(frame, from: id, now: world.now, arrivedAt: 1_100)
    }
    listener.advance(by: 40)
    #expect(listener.heard.heldMessages == 1 && listener.heard.heldBytes > 0)
    _ = try world.server.advance(now: world.now, blocked: world.blocked)
    #expect(listener.heard.waits[.push] == [440] && listener.heard.answerTimes == [])
    #expect(listener.heard.heldMessages == 0)
    listener.advance(by: 2)
    world.blocked = []
    _ = try world.server.advance(now: world.now)
    #expect(listener.heard.answerTimes == [442])
    // It is answered again and not timed again: nobody knows when it came.
    ann.disconnect()
    try ann.connect()
    #expect(ann.state.outbox.isEmpty)
    #expect(listener.heard.answerTimes == [442])
  }

  /// A time that lies later than now, or a clock that goes back, is no duration.
  @Test func timesThatGoBackAreNone() throws {
    let world = try world()
    let ann = try world.device(1, user: "ann", subscribing: all)
    let id = try #require(ann.connection)
    for frame in MessageFrames.encode(.mark(1)) {
      _ = world.server.receive(frame, from: id, now: world.now, arrivedAt: .max)
    }
    try world.settle()
    #expect(listener.heard.waits[.mark] == [0])
  }

  /// Of a tick that fails nothing is durable, and nothing is told but the end of the connections.
  @Test func whatIsNotDurableIsNotTold() throws {
    let disk = try SimulatedFile()
    let store = try PageStore(
      file: disk, coordinator: LocalCoordinator(path: disk.path), cacheByteCount: 1 << 20, key: nil,
      makeFileID: { [UInt8](repeating: 7, count: 16) })
    let world = try world(store: AtollStore(Database(store: store, options: .recording)))
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1, text: "first")
    try world.settle()
    disk.faults.byteCountLimit = try disk.byteCount()
    var key: Int64 = 2
    while ann.connection != nil, key < 2_000 {
      try ann.make(key, team: 1, text: String(repeating: "\(key) ", count: 500))
      try world.settle()
      key += 1
    }
    try #require(ann.connection == nil)
    let acknowledged = ann.state.verdicts.count - 1
    #expect(listener.heard.judged[.push] == [.applied: UInt64(acknowledged) * 3])
    #expect(listener.heard.answerTimes.count == acknowledged)
    #expect(listener.heard.errors == [.tooBusy])
    disk.faults.byteCountLimit = nil
    try ann.connect()
    try world.settle()
    #expect(ann.state.outbox.isEmpty)
    #expect(listener.heard.judged[.push] == [.applied: UInt64(key - 1) * 3])
  }
}
