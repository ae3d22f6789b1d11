#if Sync
import AtollTransport
import Synchronization
import TestSupport
import TestThreads
import Testing

extension SyncSessionDriver {
  /// Ends the session, and waits until its endpoint is no longer used.
  fileprivate func stop() async {
    await withCheckedContinuation { continuation in stop { continuation.resume() } }
  }
}

/// A device's core that sends numbered frames and expects each back.
private final class CountingEndpoint: FrameEndpoint {
  final class Record: Sendable {
    struct Content {
      /// Numbers from 0 that were made, in order.
      var madeCount: UInt8 = 0
      /// Numbers that came back, in order.
      var answered: [UInt8] = []
      var openCount = 0
      var closeCount = 0
      var failure: (any Error & Sendable)?
      var deadline: UInt64?
    }

    let content = Mutex(Content())

    func make() { content.withLock { $0.madeCount += 1 } }
    var answered: [UInt8] { content.withLock { $0.answered } }
    var openCount: Int { content.withLock { $0.openCount } }
    var closeCount: Int { content.withLock { $0.closeCount } }
  }

  private let record: Record
  private var sentCount: UInt8 = 0

  init(_ record: Record) { self.record = record }

  func open(now: UInt64) throws -> [[UInt8]] {
    record.content.withLock { content in
      content.openCount += 1
      sentCount = UInt8(content.answered.count)
    }
    return []
  }

  func receive(_ frame: [UInt8], now: UInt64) throws -> [[UInt8]] {
    try record.content.withLock { content in
      if let failure = content.failure { throw failure }
      if frame[0] == UInt8(content.answered.count) { content.answered.append(frame[0]) }
    }
    return []
  }

  func outgoing(now: UInt64) throws -> [[UInt8]] {
    let made = record.content.withLock { $0.madeCount }
    guard sentCount < made else { return [] }
    defer { sentCount += 1 }
    return [[sentCount]]
  }

  func deadline(after now: UInt64) -> UInt64? { record.content.withLock { $0.deadline } }

  func close(now: UInt64) { record.content.withLock { $0.closeCount += 1 } }
}

private struct Failure: FrameEndpointError, Equatable {
  let recovery: SessionRecovery
}

/// A clock whose sleepers wake when the test says so.
private final class TestClock: Sendable {
  private struct Sleeper {
    let milliseconds: UInt64
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content {
    var asked: [UInt64] = []
    var nextID = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
  }

  private let content = Mutex(Content())

  /// All delays that were asked for.
  var asked: [UInt64] { content.withLock { $0.asked } }
  var sleeperCount: Int { content.withLock { $0.sleepers.count } }

  @Sendable func sleep(_ milliseconds: UInt64) async throws {
    let id = content.withLock { content in
      content.asked.append(milliseconds)
      content.nextID += 1
      return content.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = content.withLock { content in
          if content.cancelled.contains(id) { return true }
          content.sleepers[id] = Sleeper(milliseconds: milliseconds, continuation: continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = content.withLock { content in
        content.cancelled.insert(id)
        return content.sleepers.removeValue(forKey: id)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  func wakeAll() {
    let sleepers = content.withLock { content in
      defer { content.sleepers = [:] }
      return Array(content.sleepers.values)
    }
    for sleeper in sleepers { sleeper.continuation.resume() }
  }
}

@Suite(.waiting, .hangLimit) struct SyncSessionDriverTests {
  private struct Session {
    let record = CountingEndpoint.Record()
    let clock = TestClock()
    let failures = Failures()
    let states = AsyncStream.makeStream(of: ConnectionState.self)
    let driver: SyncSessionDriver

    final class Failures: Sendable {
      let all = Mutex<[(error: String, hasConnected: Bool, retry: UInt64?)]>([])
      var retries: [UInt64?] { all.withLock { $0.map(\.retry) } }
    }

    init(_ connector: any FrameConnector) {
      let clock = clock
      let failures = failures
      let continuation = states.continuation
      driver = SyncSessionDriver(
        CountingEndpoint(record), connector: connector,
        environment: .init(now: { 0 }, random: { 0 }, sleep: clock.sleep)
      ) { event in
        switch event {
        case .state(let state): continuation.yield(state)
        case .failure(let error, let hasConnected, let retry):
          failures.all.withLock { $0.append(("\(error)", hasConnected, retry)) }
        }
      }
    }

    func isAnswered(_ count: Int) async -> Bool {
      await eventually { record.answered == (0..<UInt8(count)).map(\.self) }
    }
  }

  @Test func whatIsMadeIsSentWhenTheSessionWakes() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    session.record.make()
    session.driver.resume()
    #expect(await session.isAnswered(1))
    #expect(session.driver.connectionState == .connected)
    session.record.make()
    session.record.make()
    session.driver.wake()
    #expect(await session.isAnswered(3))
    await session.driver.stop()
    #expect(session.driver.connectionState == .disconnected)
    #expect(session.record.closeCount == 1)
    await server.listener.stop()
  }

  /// Promise: session.retry.
  @Test func aSessionOutlivesItsServer() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    session.record.make()
    session.driver.resume()
    #expect(await session.isAnswered(1))
    await server.listener.stop()
    #expect(await eventually { session.clock.sleeperCount == 1 })
    session.record.make()
    session.driver.wake()
    // No server listens: the delay doubles. The end of a connection is another kind of failure.
    for count in 2...4 {
      session.clock.wakeAll()
      #expect(await eventually { session.clock.asked.count == count })
      #expect(await eventually { session.clock.sleeperCount == 1 })
    }
    #expect(session.clock.asked == [1_000, 1_000, 2_000, 4_000])
    #expect(session.failures.retries == [1_000, 1_000, 2_000, 4_000])
    #expect(
      session.failures.all.withLock { $0.map(\.hasConnected) } == [true, false, false, false])
    let again = try await TestListener(port: server.address.port)
    session.clock.wakeAll()
    #expect(await session.isAnswered(2))
    #expect(session.record.openCount == 2)
    await session.driver.stop()
    await again.listener.stop()
  }

  /// Promise: session.connectionStates.
  @Test func aSessionThatHasEndedMakesNoConnection() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    var states = session.states.stream.makeAsyncIterator()
    #expect(session.driver.connectionState == .disconnected)
    session.driver.resume()
    #expect(await states.next() == .connecting)
    #expect(await states.next() == .connected)
    await session.driver.stop()
    // When that is known, the endpoint has ended too.
    #expect(session.record.closeCount == 1)
    #expect(await states.next() == .disconnected)
    #expect(await eventually { server.record.disconnectCount == 1 })
    // After the end nothing begins again, and nothing touches the endpoint.
    session.record.make()
    session.driver.wake()
    session.driver.resume()
    session.driver.reconnect()
    session.driver.perform { _ in Issue.record("the endpoint is used after the end") }
    await session.driver.stop()
    #expect(session.driver.connectionState == .disconnected)
    #expect(session.record.answered == [])
    #expect(session.record.openCount == 1)
    #expect(session.record.closeCount == 1)
    await server.listener.stop()
  }

  /// Promise: session.reconnect.
  @Test func reconnectDoesNotWait() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    await server.listener.stop()
    session.driver.resume()
    #expect(await eventually { session.clock.sleeperCount == 1 })
    let again = try await TestListener(port: server.address.port)
    session.record.make()
    session.driver.reconnect()
    #expect(await session.isAnswered(1))
    #expect(session.clock.sleeperCount == 0)
    // Of a living connection it wants a sign of life only.
    session.record.make()
    session.driver.reconnect()
    session.driver.wake()
    #expect(await session.isAnswered(2))
    #expect(session.record.openCount == 1)
    await session.driver.stop()
    await again.listener.stop()
  }

  /// A session that waited after a failure took no notice of it, for up to a minute.
  @Test func resumeDoesNotWaitForTheEndOfADelay() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    await server.listener.stop()
    session.driver.resume()
    for failureCount in 1...3 {
      #expect(await eventually { session.failures.retries.count == failureCount })
      #expect(await eventually { session.clock.sleeperCount == 1 })
      if failureCount < 3 { session.clock.wakeAll() }
    }
    #expect(session.failures.retries == [1_000, 2_000, 4_000])
    session.record.make()
    let again = try await TestListener(port: server.address.port)
    session.driver.resume()
    #expect(await session.isAnswered(1))
    #expect(session.clock.sleeperCount == 0)
    // Of a living connection it wants nothing.
    session.driver.resume()
    session.record.make()
    session.driver.wake()
    #expect(await session.isAnswered(2))
    #expect(session.record.openCount == 1)
    await session.driver.stop()
    await again.listener.stop()
  }

  @Test func aTokenThatIsNotRenewedStopsTheSession() async throws {
    let server = try await TestListener()
    let session = Session(server.connector(token: "bad"))
    session.driver.resume()
    #expect(await eventually { session.failures.retries.count == 1 })
    #expect(session.failures.retries == [nil])
    #expect(session.driver.connectionState == .disconnected)
    await session.driver.stop()
    await server.listener.stop()
  }

  @Test func theEndpointDecidesWhatFollowsItsErrors() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    session.record.content.withLock {
      $0.failure = Failure(recovery: .reconnect(afterMilliseconds: 7_000))
    }
    session.record.make()
    session.driver.resume()
    #expect(await eventually { session.clock.sleeperCount == 1 })
    #expect(session.clock.asked == [7_000])
    session.record.content.withLock { $0.failure = Failure(recovery: .stop) }
    session.clock.wakeAll()
    #expect(await eventually { session.failures.retries.count == 2 })
    #expect(session.failures.retries == [7_000, nil])
    session.record.content.withLock { $0.failure = TransportError.malformedResponse }
    session.driver.reconnect()
    #expect(await eventually { session.failures.retries.count == 3 })
    #expect(session.failures.retries == [7_000, nil, 1_000])
    #expect(await eventually { session.clock.sleeperCount == 1 })
    session.record.content.withLock { $0.failure = nil }
    session.clock.wakeAll()
    #expect(await session.isAnswered(1))
    #expect(session.record.openCount - session.record.closeCount == 1)
    await session.driver.stop()
    #expect(session.record.openCount == session.record.closeCount)
    await server.listener.stop()
  }

  /// Frames arrived on each of the connections, so the delay was reset each time.
  @Test func complaintsThatFollowOneAnotherComeLaterAndLater() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    session.record.content.withLock {
      $0.failure = Failure(recovery: .reconnect(afterMilliseconds: 0))
    }
    session.record.make()
    session.driver.resume()
    for count in 1...4 {
      #expect(await eventually { session.failures.retries.count == count })
      #expect(await eventually { session.clock.sleeperCount == 1 })
      session.clock.wakeAll()
    }
    #expect(session.failures.retries.prefix(4) == [1_000, 2_000, 4_000, 8_000])
    await session.driver.stop()
    await server.listener.stop()
  }

  @Test func theEndpointsDeadlineWakesIt() async throws {
    let server = try await TestListener()
    let session = Session(server.connector())
    session.record.content.withLock { $0.deadline = 300 }
    session.driver.resume()
    #expect(await eventually { session.clock.sleeperCount == 1 })
    #expect(session.clock.asked == [300])
    session.record.make()
    session.record.content.withLock { $0.deadline = nil }
    session.clock.wakeAll()
    #expect(await session.isAnswered(1))
    await session.driver.stop()
    await server.listener.stop()
  }

  @Test func aSessionThatIsForgottenClosesItsConnection() async throws {
    let server = try await TestListener()
    var session: Session? = Session(server.connector())
    let record = session?.record
    session?.driver.resume()
    #expect(await eventually { record?.openCount == 1 })
    session = nil
    #expect(await eventually { server.record.disconnectCount == 1 })
    #expect(record?.closeCount == 1)
    await server.listener.stop()
  }
}
#endif
