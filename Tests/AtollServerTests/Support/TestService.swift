#if Sync
import AtollTransport
import Dispatch
import Logging
import Synchronization
import TestSupport

@testable import AtollServer

/// Time that a test moves.
final class TestTime: Sendable {
  private let milliseconds = Mutex<UInt64>(1_700_000_000_000)

  @Sendable func now() -> UInt64 { milliseconds.withLock { $0 } }

  func advance(seconds: UInt64) { milliseconds.withLock { $0 += seconds * 1_000 } }
}

/// Numbers that are the same in every run.
final class TestRandom: Sendable {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64 = 1) { generator = Mutex(SplitMix64(seed: seed)) }

  @Sendable func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// The lines that were logged.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  @Sendable func write(_ line: [UInt8]) {
    lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
  }

  var all: [String] { lines.withLock { $0 } }
}

/// A server in this process, on a free port, in a folder of its own.
struct TestService {
  let folder: TemporaryFolder
  let time: TestTime
  let log = LogLines()
  /// What the core takes for how long a turn lasts.
  let uptime = TestTime()
  let gate = CoreGate()
  let service: SyncService

  init(
    in folder: TemporaryFolder = TemporaryFolder(), isDevelopment: Bool = true,
    configuration: String? = nil, time: TestTime = TestTime(), port: Int = 0,
    random: TestRandom = TestRandom(),
    change: (inout SyncService.Options) -> Void = { _ in }
  ) async throws {
    self.folder = folder
    self.time = time
    let log = log
    var options = Self.options(folder, time, random)
    options.configuration = try configuration.map {
      try ServerConfiguration(yaml: $0, path: folder.path(of: "server.yaml"))
    }
    options.isDevelopment = isDevelopment && configuration == nil
    options.port = port
    options.metricsPort = 0
    options.uptime = { [uptime] in uptime.now() * 1_000_000 }
    change(&options)
    let gate = gate
    let logger = Logger(label: "test") { _ in
      LineLogHandler(level: .debug, form: .pairs, now: time.now, write: log.write)
    }
    service = try SyncService.start(options, logger: logger, handleFailure: { _ in }) { _, _, _ in
      EchoCore(gate)
    }
  }

  static func options(
    _ folder: TemporaryFolder, _ time: TestTime = TestTime(), _ random: TestRandom = TestRandom()
  ) -> SyncService.Options {
    var options = SyncService.Options(
      folder: folder.path(of: "server"), now: time.now, random: random.next)
    options.port = 0
    options.accounts.passwordCost = .least
    return options
  }

  func client(_ app: String = "app-1") -> LoginClient {
    LoginClient(service.address, appID: app)
  }

  /// An open sync connection.
  func connect(token: String) async throws(TransportError) -> FrameInbox {
    let inbox = FrameInbox()
    let connector = WebSocketConnector(service.address, random: TestRandom().next) { _ in token }
    try await connector.connect(inbox)
    return inbox
  }
}

/// Holds the core up, and lets it go on.
final class CoreGate: Sendable {
  /// The frame that holds the core up.
  static let frame: [UInt8] = Array("wait".utf8)
  /// The frame that ends it.
  static let failure: [UInt8] = Array("fail".utf8)

  private let isHeldUp = Mutex(false)
  private let semaphore = DispatchSemaphore(value: 0)

  var isHeld: Bool { isHeldUp.withLock { $0 } }

  fileprivate func hold() {
    isHeldUp.withLock { $0 = true }
    semaphore.wait()
    isHeldUp.withLock { $0 = false }
  }

  func open() { semaphore.signal() }
}

/// Echoes frames, after the name of the user.
private final class EchoCore: FrameServer {
  private struct Failure: Error {}

  private let gate: CoreGate
  private var users: [PeerID: String] = [:]
  private var hasFailed = false

  init(_ gate: CoreGate) { self.gate = gate }

  func connect(user: String, host: String, now: UInt64) -> PeerID {
    let id = PeerID(rawValue: UInt64(users.count))
    users[id] = user
    return id
  }

  func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput] {
    if frame == CoreGate.frame { gate.hold() }
    hasFailed = frame == CoreGate.failure
    return [.send(peer, Array((users[peer] ?? "").utf8) + frame)]
  }

  func advance(now: UInt64, blocked: Set<PeerID>) throws -> [FrameOutput] {
    if hasFailed { throw Failure() }
    return []
  }

  var hasInput: Bool { false }
  func waitingByteCount(of peer: PeerID) -> Int { 0 }
  func disconnect(_ peer: PeerID) {}
  func stop() {}
}

/// The refusal that `body` ends in.
func refusal(
  _ body: () async throws(TransportError) -> Void
) async -> TransportError.Refusal? {
  do throws(TransportError) {
    try await body()
    return nil
  } catch {
    if case .refused(let refusal) = error { return refusal }
    return nil
  }
}
#endif
