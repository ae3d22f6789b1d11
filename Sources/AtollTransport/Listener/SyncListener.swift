#if Sync
package import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
internal import Synchronization

/// Accepts connections on one port: HTTP requests, and sync connections at `/sync`.
package final class SyncListener: Sendable {
  package struct Options: Sendable {
    package var connection = ConnectionOptions.server
    /// How many connections there may be at a time.
    package var connectionLimit = 10_000
    /// The longest head of a request.
    package var headByteLimit = 16 << 10
    /// The longest body of a request.
    package var bodyByteLimit = 16 << 10
    /// How long a request may take to arrive, and how long a connection may rest before another.
    package var requestTimeoutMilliseconds: UInt64 = 15_000
    /// How long a peer may take to read an answer.
    package var answerTimeoutMilliseconds: UInt64 = 15_000

    package init() {}
  }

  /// Why a listener did not begin.
  package enum Failure: Error, Equatable, Sendable {
    case portInUse(host: String, port: Int)
    /// The address is none of this machine, or the port is reserved for the superuser.
    case notBindable(host: String, port: Int, errno: Int32?)
  }

  /// The address that it listens on, with the port that the system chose for port 0.
  package let address: ServerAddress
  private let channel: any Channel
  private let connections: OpenConnections
  private let hub: SyncHub

  private init(
    _ channel: any Channel, address: ServerAddress, connections: OpenConnections, hub: SyncHub
  ) {
    self.channel = channel
    self.address = address
    self.connections = connections
    self.hub = hub
  }

  /// Begins to listen; port 0 is a free one.
  ///
  /// Blocks the thread for the moment that the system takes.
  package static func start(
    host: String, port: Int, options: Options = Options(), responder: any HTTPResponder,
    hub: SyncHub, logger: Logger, random: @escaping @Sendable () -> UInt64
  ) throws(Failure) -> SyncListener {
    let connections = OpenConnections(limit: options.connectionLimit, counters: hub.counters)
    let pipeline = ListenerPipeline(
      options: options, responder: responder, hub: hub, logger: logger,
      random: RandomSource(random), origins: AllowedOrigins(serverHost: host))
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 512)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        guard connections.add(channel) else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture { try pipeline.configure(channel) }
      }
    do {
      let channel = try bootstrap.bind(host: host, port: port).wait()
      let bound = ServerAddress(host: host, port: channel.localAddress?.port ?? port)
      return SyncListener(channel, address: bound, connections: connections, hub: hub)
    } catch let error as IOError where error.errnoCode == addressInUse {
      throw .portInUse(host: host, port: port)
    } catch {
      let errno = (error as? IOError)?.errnoCode
      throw .notBindable(host: host, port: port, errno: errno)
    }
  }

  /// Accepts no more connections, lets the core finish its turn, notifies all sync connections that
  /// the server stops, and closes the others.
  ///
  /// - Parameter timeoutMilliseconds: How long the other ends may take to close.
  package func stop(timeoutMilliseconds: UInt64 = 1_000) async {
    try? await channel.close()
    await hub.stop()
    await connections.close(timeoutMilliseconds: timeoutMilliseconds)
  }
}

/// The connections of a listener.
private final class OpenConnections: Sendable {
  private let limit: Int
  private let counters: ServerCounters
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  init(limit: Int, counters: ServerCounters) {
    self.limit = limit
    self.counters = counters
  }

  /// Returns false when there are too many.
  func add(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isAdded = channels.withLock { channels in
      guard channels.count < limit else { return false }
      channels[id] = channel
      return true
    }
    counters.count {
      $0.acceptedConnections += 1
      if isAdded { $0.openConnections += 1 } else { $0.refusedConnections += 1 }
    }
    if isAdded {
      channel.closeFuture.whenComplete { _ in
        _ = self.channels.withLock { $0.removeValue(forKey: id) }
        self.counters.count { $0.openConnections -= 1 }
      }
    }
    return isAdded
  }

  /// Waits until all are closed, and closes those that are still open after a time.
  func close(timeoutMilliseconds: UInt64) async {
    let open = channels.withLock { Array($0.values) }
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

/// Prepares each accepted connection.
private struct ListenerPipeline: Sendable {
  let options: SyncListener.Options
  let responder: any HTTPResponder
  let hub: SyncHub
  let logger: Logger
  let random: RandomSource
  let origins: AllowedOrigins

  func configure(_ channel: any Channel) throws {
    let requests = HTTPRequestHandler(
      responder: responder, counters: hub.counters, options: options, origins: origins,
      logger: logger)
    let requestsOnLoop = NIOLoopBound(requests, eventLoop: channel.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: options.connection.maximumFrameByteCount, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          requestsOnLoop.value.admission(of: head, channel).map { _ in
            ["Sec-WebSocket-Protocol": WebSocketConnector.subprotocol]
          }
        }
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try upgrade(channel, requestsOnLoop.value)
        }
      })
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = options.headByteLimit
    limits.maxHeaderListSize = options.headByteLimit
    limits.maxHeaderFieldCount = 64
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }),
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
    try channel.pipeline.syncOperations.addHandler(requests)
  }

  /// Puts the WebSocket in the place of HTTP.
  private func upgrade(_ channel: any Channel, _ requests: HTTPRequestHandler) throws {
    guard case .accepted(let user, let session, let expires)? = requests.lastAdmission else {
      preconditionFailure("only an admitted request is upgraded")
    }
    let peer = channel.remoteAddress.map { "\($0)" } ?? "unknown"
    let receiver = hub.receiver(
      user: user, session: session, expiresAtMilliseconds: expires
    ) { [logger] reason in
      var metadata: Logger.Metadata = ["user": "\(user)", "peer": "\(peer)"]
      if let reason { metadata["reason"] = "\(reason)" }
      logger.info(reason == nil ? "sync connected" : "sync disconnected", metadata: metadata)
    }
    requests.cancelTimer()
    channel.pipeline.syncOperations.removeHandler(requests, promise: nil)
    try channel.pipeline.syncOperations.addHandler(
      WebSocketHandler(
        .server, options: options.connection, random: random, receiver: receiver))
  }
}

/// The error number of a port that another socket has.
private let addressInUse: Int32 = {
  #if os(Linux) || os(Android)
  98
  #else
  48
  #endif
}()
#endif
