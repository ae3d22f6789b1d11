#if Sync
import AtollTransport
import Logging
import Synchronization
import TestSupport
import Testing

/// A server's core that echoes frames; frames for connections that are not ready wait in it.
final class EchoServer: FrameServer {
  /// What the tests look at, and how the core behaves.
  final class Record: Sendable {
    struct Content {
      var users: [String] = []
      var disconnectCount = 0
      var receivedCount = 0
      var isStopped = false
      /// Sent to each new connection, by `advance`, as often.
      var greeting: (frame: [UInt8], count: Int)?
      /// Closes a connection that sends this.
      var poison: [UInt8]?
      var failure: (any Error & Sendable)?
      /// Whether the core works off nothing of what it receives.
      var isBusy = false
      var receivedByteCount = 0
      /// The most frames that one turn brought.
      var turnCount = 0
    }

    let content = Mutex(Content())

    var users: [String] { content.withLock { $0.users } }
    var disconnectCount: Int { content.withLock { $0.disconnectCount } }
    var receivedByteCount: Int { content.withLock { $0.receivedByteCount } }
    var receivedCount: Int { content.withLock { $0.receivedCount } }
    var isStopped: Bool { content.withLock { $0.isStopped } }
  }

  private let record: Record
  private var nextID: UInt64 = 0
  private var greetings: [PeerID: Int] = [:]
  private var waiting: [PeerID: [[UInt8]]] = [:]
  /// The frames since the last `advance`.
  private var frameCount = 0

  init(_ record: Record) { self.record = record }

  func connect(user: String, host: String, now: UInt64) -> PeerID {
    nextID += 1
    let id = PeerID(rawValue: nextID)
    record.content.withLock { $0.users.append(user) }
    greetings[id] = record.content.withLock { $0.greeting?.count } ?? 0
    return id
  }

  func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput] {
    let (poison, isBusy) = record.content.withLock { content in
      content.receivedCount += 1
      content.receivedByteCount += frame.count
      frameCount += 1
      content.turnCount = max(content.turnCount, frameCount)
      return (content.poison, content.isBusy)
    }
    if isBusy {
      waiting[peer, default: []].append(frame)
      return []
    }
    return frame == poison ? [.close(peer, .protocolError)] : [.send(peer, frame)]
  }

  var hasInput: Bool { false }

  func waitingByteCount(of peer: PeerID) -> Int {
    waiting[peer]?.reduce(0) { $0 + $1.count } ?? 0
  }

  func advance(now: UInt64, blocked: Set<PeerID>) throws -> [FrameOutput] {
    frameCount = 0
    if let failure = record.content.withLock({ $0.failure }) { throw failure }
    var outputs: [FrameOutput] = []
    if !record.content.withLock({ $0.isBusy }) {
      for (id, frames) in waiting { outputs += frames.map { .send(id, $0) } }
      waiting = [:]
    }
    guard let frame = record.content.withLock({ $0.greeting?.frame }) else { return outputs }
    for (id, left) in greetings where left > 0 && !blocked.contains(id) {
      greetings[id] = left - 1
      outputs.append(.send(id, frame))
    }
    return outputs
  }

  func disconnect(_ peer: PeerID) {
    greetings[peer] = nil
    record.content.withLock { $0.disconnectCount += 1 }
  }

  func stop() { record.content.withLock { $0.isStopped = true } }
}

/// Accepts the token `good`, and rejects others as expired.
struct EchoResponder: HTTPResponder {
  var expiresAtMilliseconds: UInt64?
  var namesUsersByHost = false

  func respond(to request: HTTPRequest) async -> HTTPReply {
    switch (request.method, request.path) {
    case ("GET", "/health"): HTTPReply(status: 200, body: Array("well".utf8))
    case ("POST", "/echo"): HTTPReply(status: 200, body: request.body)
    case ("GET", "/host"): HTTPReply(status: 200, body: Array(request.remoteHost.utf8))
    case ("GET", "/large"): HTTPReply(status: 200, body: [UInt8](repeating: 7, count: 32 << 20))
    case ("DELETE", "/nothing"): HTTPReply(status: 204)
    default: HTTPReply(refusing: 404, "not-found", "there is no \(request.path)")
    }
  }

  func admit(_ request: HTTPRequest) -> SyncAdmission {
    guard request.bearerToken == "good" else {
      return .refused(HTTPReply(refusing: 401, "token-expired", "the token has expired"))
    }
    return .accepted(
      user: namesUsersByHost ? request.remoteHost : "user", session: "session",
      expiresAtMilliseconds: expiresAtMilliseconds)
  }
}

/// A listener on a free port of this machine.
struct TestListener {
  let record = EchoServer.Record()
  let metrics = PrometheusMetrics(ServerMetric.ofTransport)
  let hub: SyncHub
  let listener: SyncListener

  var address: ServerAddress { listener.address }

  /// Time-outs of a hang: a peer that has to wait for a processor is not left.
  static var patient: SyncListener.Options {
    var options = SyncListener.Options()
    options.requestTimeoutMilliseconds = 1_800_000
    options.answerTimeoutMilliseconds = 1_800_000
    options.connection.stallTimeoutMilliseconds = 1_800_000
    options.connection.silenceMilliseconds = 1_800_000
    return options
  }

  init(
    options: SyncListener.Options = Self.patient,
    responder: any HTTPResponder = EchoResponder(), greeting: (frame: [UInt8], count: Int)? = nil,
    port: Int = 0, now: @escaping @Sendable () -> UInt64 = { 0 }
  ) async throws {
    record.content.withLock { $0.greeting = greeting }
    hub = SyncHub(
      EchoServer(record), now: now, instruments: TransportInstruments(metrics))
    listener = try SyncListener.start(
      host: "127.0.0.1", port: port, options: options, responder: responder, hub: hub,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, random: TestRandom().next)
  }

  /// What a metric counts now; of one with labels, all together.
  func count(_ metric: ServerMetric) -> Int {
    Int(counts(metric).values.reduce(0, +))
  }

  /// What a metric with one label counts now, but for what is 0.
  func counts(_ metric: ServerMetric) -> [String: Int] {
    do {
      let values = try PrometheusExposition(metrics.text)
        .values(metric.name, by: metric.labels.first ?? "")
      return Dictionary(uniqueKeysWithValues: values.map { ($0[0], Int($1)) })
    } catch {
      Issue.record(error)
      return [:]
    }
  }

  func connector(
    token: String = "good", options: ConnectionOptions = .client,
    subprotocol: String = WebSocketConnector.subprotocol
  ) -> WebSocketConnector {
    WebSocketConnector(
      address, options: options, subprotocol: subprotocol, random: TestRandom().next
    ) { _ in token }
  }

  /// A connector to another name of the address, or another scheme.
  func connector(to address: ServerAddress, trust: ServerTrust) -> WebSocketConnector {
    WebSocketConnector(address, trust: trust, random: TestRandom().next) { _ in "good" }
  }

  /// An open connection.
  func connect(options: ConnectionOptions = .client) async throws -> FrameInbox {
    let inbox = FrameInbox()
    var options = options
    // Those of a hang.
    options.connectTimeoutMilliseconds = 1_800_000
    if options.silenceMilliseconds == ConnectionOptions.client.silenceMilliseconds {
      options.silenceMilliseconds = 1_800_000
    }
    try await connector(options: options).connect(inbox)
    return inbox
  }
}
#endif
