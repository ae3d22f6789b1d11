#if Sync
/// The states of a session and what leads from one to the other; on the session's queue alone.
///
/// 1. The endpoint is open exactly while `phase` is `connected`.
/// 2. Events of an attempt carry its number; of an older attempt only the connection is closed.
/// 3. Reading never waits for writing: answers are sent as they come, and only `outgoing` looks at
///    `isWritable`. (If both ends waited for the other to read, neither would.)
final class SyncSessionCore {
  private enum Phase {
    /// Not begun, ended, or stopped by an error.
    case idle
    /// Between two attempts.
    case waiting
    case connecting
    case connected(any FrameConnection)
  }

  let endpoint: any FrameEndpoint
  private let connector: any FrameConnector
  private let environment: SyncSessionDriver.Environment
  private let handle: (SyncSessionDriver.Event) -> Void
  /// The queue that this runs on.
  weak var work: SerialWork<SyncSessionCore>?

  private var phase = Phase.idle
  private var attempt = 0
  /// Grows while no connection is established, or none delivers a frame.
  private var delay: ReconnectDelay
  /// Grows while the endpoint ends one connection after the other: received frames do not reset it,
  /// as the next one may be the same that the endpoint rejects.
  private var complaintDelay: ReconnectDelay
  private var connectionTime: UInt64 = 0
  /// A connection that was good for so long forgives the complaints before it.
  private static let goodMilliseconds: UInt64 = 60_000
  private(set) var isStopped = false
  private var wait: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  private var timerDeadline: UInt64?

  init(
    _ endpoint: any FrameEndpoint, connector: any FrameConnector, delay: ReconnectDelay,
    environment: SyncSessionDriver.Environment,
    handle: @escaping (SyncSessionDriver.Event) -> Void
  ) {
    self.endpoint = endpoint
    self.connector = connector
    self.delay = delay
    complaintDelay = delay
    self.environment = environment
    self.handle = handle
  }

  // MARK: What the application wants

  func resume() {
    guard !isStopped else { return }
    switch phase {
    case .idle, .waiting: connectAtOnce()
    case .connecting, .connected: break
    }
  }

  func stop() {
    isStopped = true
    attempt += 1
    wait?.cancel()
    leave(.goingAway)
  }

  func reconnect() {
    guard !isStopped else { return }
    switch phase {
    case .idle, .waiting: connectAtOnce()
    case .connecting: resetDelays()
    case .connected(let connection):
      connection.probe(timeoutMilliseconds: 5_000)
    }
  }

  func wake() {
    guard case .connected(let connection) = phase else { return }
    pump(connection)
  }

  // MARK: Connections

  /// Connects without waiting for the end of a delay.
  private func connectAtOnce() {
    resetDelays()
    wait?.cancel()
    connect()
  }

  private func resetDelays() {
    delay.reset()
    complaintDelay.reset()
  }

  private func connect() {
    attempt += 1
    phase = .connecting
    handle(.state(.connecting))
    let receiver = SessionReceiver(attempt: attempt, work: work)
    Task { [connector, work, attempt] in
      do throws(TransportError) {
        try await connector.connect(receiver)
      } catch {
        work?.enqueue { $0.failed(attempt, error) }
      }
    }
  }

  private func failed(_ attempt: Int, _ error: TransportError) {
    guard attempt == self.attempt, case .connecting = phase else { return }
    phase = .idle
    handle(.state(.disconnected))
    guard error.isTransient else { return giveUp(error, hasConnected: false) }
    guard case .refused(let refusal) = error else {
      return retry(after: .unreachable, \.delay, error, hasConnected: false)
    }
    retry(
      after: .refused(status: refusal.status), \.delay, error, hasConnected: false,
      atLeast: (refusal.retryAfterSeconds ?? 0).multipliedReportingOverflow(by: 1_000).partialValue)
  }

  func opened(_ attempt: Int, _ connection: any FrameConnection) {
    guard attempt == self.attempt, case .connecting = phase else {
      return connection.close(.goingAway)
    }
    phase = .connected(connection)
    connectionTime = environment.now()
    handle(.state(.connected))
    perform(on: connection) { try endpoint.open(now: $0) }
  }

  func received(_ attempt: Int, _ frame: [UInt8], on connection: any FrameConnection) {
    connection.consumed(frameCount: 1, byteCount: frame.count)
    guard attempt == self.attempt, case .connected = phase else { return }
    // The server is there and answers.
    delay.reset()
    perform(on: connection) { try endpoint.receive(frame, now: $0) }
  }

  func becameWritable(_ attempt: Int) {
    if attempt == self.attempt { wake() }
  }

  func closed(_ attempt: Int, _ reason: CloseReason) {
    guard attempt == self.attempt, case .connected = phase else { return }
    self.attempt += 1
    leave(nil)
    let failure: ReconnectDelay.Failure =
      switch reason {
      case .tokenExpired: .renewal
      case .protocolError, .notBinary, .tooLarge: .misunderstanding
      default: .ended
      }
    retry(after: failure, \.delay, TransportError.closed(reason))
  }

  /// Ends an attempt or a connection; with a reason, the other end is notified.
  private func leave(_ reason: CloseReason?) {
    let before = phase
    phase = .idle
    stopTimer()
    if case .connected(let connection) = before {
      endpoint.close(now: environment.now())
      if let reason { connection.close(reason) }
    }
    if case .idle = before { return }
    handle(.state(.disconnected))
  }

  /// By key path: the application's handler may ask for a connection, which resets the delays.
  private func retry(
    after failure: ReconnectDelay.Failure,
    _ delay: ReferenceWritableKeyPath<SyncSessionCore, ReconnectDelay>, _ error: any Error,
    hasConnected: Bool = true, atLeast: UInt64 = 0
  ) {
    let random = environment.random()
    let milliseconds = self[keyPath: delay].next(
      after: failure, atLeast: atLeast, random: random)
    phase = .waiting
    handle(.failure(error, hasConnected: hasConnected, retryMilliseconds: milliseconds))
    wait = Task { [environment, work, attempt] in
      do { try await environment.sleep(milliseconds) } catch { return }
      work?.enqueue { $0.waited(attempt) }
    }
  }

  private func waited(_ attempt: Int) {
    guard attempt == self.attempt, case .waiting = phase else { return }
    connect()
  }

  private func giveUp(_ error: any Error, hasConnected: Bool) {
    handle(.failure(error, hasConnected: hasConnected, retryMilliseconds: nil))
  }

  // MARK: The endpoint

  /// Calls the endpoint, sends its reply, and then other frames that are ready.
  private func perform(
    on connection: any FrameConnection, _ body: (UInt64) throws -> [[UInt8]]
  ) {
    do {
      connection.send(try body(environment.now()))
    } catch {
      return failed(on: connection, error)
    }
    pump(connection)
  }

  private func pump(_ connection: any FrameConnection) {
    do {
      while connection.isWritable {
        let frames = try endpoint.outgoing(now: environment.now())
        if frames.isEmpty { break }
        connection.send(frames)
      }
    } catch { return failed(on: connection, error) }
    setTimer()
  }

  private func failed(on connection: any FrameConnection, _ error: any Error) {
    attempt += 1
    let now = environment.now()
    if now > connectionTime, now - connectionTime >= Self.goodMilliseconds {
      complaintDelay.reset()
    }
    let known = error as? any FrameEndpointError
    if let known { connection.send(known.parting) }
    leave(known == nil ? .protocolError : .normal)
    switch known?.recovery {
    case .stop: giveUp(error, hasConnected: true)
    case .renew: retry(after: .renewal, \.complaintDelay, error)
    case .reconnect(let milliseconds):
      retry(after: .ended, \.complaintDelay, error, atLeast: milliseconds)
    case nil: retry(after: .misunderstanding, \.complaintDelay, error)
    }
  }

  // MARK: The timer

  private func setTimer() {
    let now = environment.now()
    guard let deadline = endpoint.deadline(after: now) else { return stopTimer() }
    if let timerDeadline, timerDeadline <= deadline { return }
    stopTimer()
    timerDeadline = deadline
    let milliseconds = deadline > now ? deadline - now : 0
    timer = Task { [environment, work, attempt] in
      do { try await environment.sleep(milliseconds) } catch { return }
      work?.enqueue { $0.timerFired(attempt) }
    }
  }

  private func timerFired(_ attempt: Int) {
    guard attempt == self.attempt else { return }
    timerDeadline = nil
    wake()
  }

  private func stopTimer() {
    timer?.cancel()
    timerDeadline = nil
  }
}

/// Brings what happens to one connection to the session's queue.
private final class SessionReceiver: FrameReceiver {
  private let attempt: Int
  // Not unowned: a connection may outlive its session by a moment.
  private weak let work: SerialWork<SyncSessionCore>?

  init(attempt: Int, work: SerialWork<SyncSessionCore>?) {
    self.attempt = attempt
    self.work = work
  }

  func opened(_ connection: any FrameConnection) {
    guard let work else { return connection.close(.goingAway) }
    work.enqueue { [attempt] in $0.opened(attempt, connection) }
  }

  func received(_ frames: [[UInt8]], on connection: any FrameConnection) {
    work?.enqueue { [attempt] core in
      for frame in frames { core.received(attempt, frame, on: connection) }
    }
  }

  func becameWritable(_ connection: any FrameConnection) {
    work?.enqueue { [attempt] in $0.becameWritable(attempt) }
  }

  func closed(_ connection: any FrameConnection, _ reason: CloseReason) {
    work?.enqueue { [attempt] in $0.closed(attempt, reason) }
  }
}
#endif
