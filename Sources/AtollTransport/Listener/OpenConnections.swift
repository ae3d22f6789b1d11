#if Sync
internal import CoreMetrics
internal import NIOCore
internal import Synchronization

/// The connections of a listener, and what may change about them while it listens.
final class OpenConnections: Sendable {
  /// At a full server, this many are kept for operators on the same machine.
  static let reserve = 32

  private struct Content {
    var settings: SyncListener.Settings
    var table: ConnectionTable<ObjectIdentifier>
    var channels: [ObjectIdentifier: any Channel] = [:]
  }

  private let instruments: TransportInstruments
  private let content: Mutex<Content>

  init(limit: Int, settings: SyncListener.Settings, instruments: TransportInstruments) {
    self.instruments = instruments
    let table = ConnectionTable<ObjectIdentifier>(
      limit: limit, reserve: min(Self.reserve, limit / 2),
      hostLimit: Self.hostLimit(settings, of: limit))
    self.limit = limit
    content = Mutex(Content(settings: settings, table: table))
  }

  private let limit: Int

  /// Where few connections are possible, a host has a quarter of them, so that no one keeps all
  /// others out; some it has in any case.
  private static func hostLimit(_ settings: SyncListener.Settings, of limit: Int) -> Int {
    min(settings.connectionsPerHost, max(16, limit / 4))
  }

  var settings: SyncListener.Settings { content.withLock { $0.settings } }

  func apply(_ settings: SyncListener.Settings) {
    content.withLock {
      $0.settings = settings
      $0.table.hostLimit = Self.hostLimit(settings, of: limit)
    }
  }

  // MARK: Life

  /// Adds a connection; false when there are too many.
  func add(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let peer = Self.peer(of: channel)
    let address = IPAddress(peer)
    let (refusal, closing) = content.withLock { content in
      let isFromProxy = address.map { content.settings.trustedProxies.contains($0) } ?? false
      let (refusal, ids) = content.table.add(
        id, host: isFromProxy ? nil : HostKey(peer),
        isLocal: !isFromProxy && address?.isLoopback ?? false)
      if refusal == nil { content.channels[id] = channel }
      return (refusal, ids.compactMap { content.channels[$0] })
    }
    instruments.acceptedConnections.increment()
    if let refusal {
      instruments.refusedConnections.increment(refusal)
    } else {
      instruments.openConnections.increment()
    }
    close(closing)
    guard refusal == nil else { return false }
    channel.closeFuture.whenComplete { _ in
      self.content.withLock {
        $0.table.remove(id)
        $0.channels[id] = nil
      }
      self.instruments.openConnections.decrement()
    }
    return true
  }

  func setAnswering(_ channel: any Channel, _ isAnswering: Bool) {
    content.withLock { $0.table.setAnswering(ObjectIdentifier(channel), isAnswering) }
  }

  /// Takes note that a connection becomes a session of a user at `host`.
  ///
  /// - Returns: Why it cannot, where there are too many, or were in the last minute; nil when it has.
  func beginSession(_ channel: any Channel, host: HostKey) -> HTTPReply? {
    let refusal = content.withLock {
      $0.table.beginSession(
        ObjectIdentifier(channel), host: host, now: Self.uptimeMilliseconds)
    }
    guard let refusal else { return nil }
    instruments.refusedConnections.increment(.host)
    return switch refusal {
    case .noRoom:
      HTTPReply(
        refusing: 503, "too-many-connections",
        "your host has as many connections as one host may have", retryAfterSeconds: 60)
    case .tooFast(let milliseconds):
      HTTPReply(
        refusing: 503, "too-many-connections",
        "your host has begun as many connections as one host may in a minute",
        retryAfterSeconds: milliseconds / 1_000 + 1)
    }
  }

  private static var uptimeMilliseconds: UInt64 {
    NIODeadline.now().uptimeNanoseconds / 1_000_000
  }

  /// The system has no descriptor for another connection.
  func acceptFailed() {
    instruments.acceptFailures.increment()
    close(
      content.withLock { content in
        content.table.makeRoom().compactMap { content.channels[$0] }
      })
  }

  private func close(_ channels: [any Channel]) {
    guard !channels.isEmpty else { return }
    instruments.displacedConnections.increment(by: channels.count)
    for channel in channels { channel.close(promise: nil) }
  }

  // MARK: Addresses

  /// The address of a request's client, as the settings want it.
  func client(_ channel: any Channel, _ valuesOf: (_ name: String) -> [String]) -> String {
    let proxies = content.withLock { $0.settings.trustedProxies }
    let peer = Self.peer(of: channel)
    return proxies.networks.isEmpty
      ? peer : proxies.client(peer: peer, values: valuesOf(proxies.header.rawValue))
  }

  private static func peer(of channel: any Channel) -> String {
    channel.remoteAddress?.ipAddress ?? "unknown"
  }

  // MARK: End

  /// Waits until all are closed, and closes those that are still open after a time.
  func close(timeoutMilliseconds: UInt64) async {
    let open = content.withLock { Array($0.channels.values) }
    for channel in open {
      // A connection without WebSocket needs no notice.
      channel.eventLoop.execute {
        let handler = try? channel.pipeline.syncOperations.handler(type: WebSocketHandler.self)
        if handler == nil { channel.close(promise: nil) }
      }
      channel.eventLoop.scheduleTask(in: .milliseconds(Int64(clamping: timeoutMilliseconds))) {
        channel.close(promise: nil)
      }
    }
    for channel in open { try? await channel.closeFuture.get() }
  }
}

/// Makes room when the system has no descriptor left; NIO asks it again a second later.
final class AcceptFailureHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel

  private let connections: OpenConnections

  init(_ connections: OpenConnections) { self.connections = connections }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connections.acceptFailed()
    context.fireErrorCaught(error)
  }
}
#endif
