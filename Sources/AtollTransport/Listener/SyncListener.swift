#if Sync
package import Logging
internal import NIOCore
internal import NIOPosix

/// Accepts connections on one port: HTTP requests, and sync connections at `/sync` if it has a hub.
package final class SyncListener: Sendable {
  package struct Options: Sendable {
    package var connection = ConnectionOptions.server
    /// What the server proves its name with; nil: connections are not encrypted.
    package var certificate: ServerCertificate?
    /// How many connections there may be at a time.
    package var connectionLimit = 10_000
    /// Whether requests must name it by its address or its own name, as `Host`.
    package var needsOwnName = false
    /// What may change while it listens.
    package var settings = Settings()
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

  /// What may change while it listens.
  package struct Settings: Equatable, Sendable {
    /// How many connections one host may have at a time; trusted proxies have any number.
    package var connectionsPerHost = 1_000
    package var trustedProxies = TrustedProxies()

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
  private let hub: SyncHub?

  private init(
    _ channel: any Channel, address: ServerAddress, connections: OpenConnections, hub: SyncHub?
  ) {
    self.channel = channel
    self.address = address
    self.connections = connections
    self.hub = hub
  }

  /// Begins to listen; port 0 is a free one.
  ///
  /// Without a hub there are no sync connections. Blocks the thread for the moment that the system
  /// takes.
  package static func start(
    host: String, port: Int, options: Options = Options(), responder: any HTTPResponder,
    hub: SyncHub?, logger: Logger, random: @escaping @Sendable () -> UInt64
  ) throws(Failure) -> SyncListener {
    let instruments = hub?.instruments ?? TransportInstruments()
    let connections = OpenConnections(
      limit: options.connectionLimit, settings: options.settings, instruments: instruments)
    let pipeline = ListenerPipeline(
      options: options, connections: connections, responder: responder, hub: hub,
      instruments: instruments, logger: logger, random: RandomSource(random),
      origins: AllowedOrigins(serverHost: host))
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 512)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptFailureHandler(connections))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // Between two reads of a connection the others have theirs.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(
          minimum: 64, initial: 2_048, maximum: ListenerPipeline.readByteLimit)
      )
      .childChannelInitializer { channel in
        guard connections.add(channel) else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture { try pipeline.configure(channel) }
      }
    do {
      let channel = try bootstrap.bind(host: host, port: port).wait()
      let bound = ServerAddress(
        host: host, port: channel.localAddress?.port ?? port,
        isSecure: options.certificate != nil)
      return SyncListener(channel, address: bound, connections: connections, hub: hub)
    } catch let error as IOError where error.errnoCode == addressInUse {
      throw .portInUse(host: host, port: port)
    } catch {
      let errno = (error as? IOError)?.errnoCode
      throw .notBindable(host: host, port: port, errno: errno)
    }
  }

  /// Applies other settings to everything that follows; existing connections stay.
  package func apply(_ settings: Settings) { connections.apply(settings) }

  /// Accepts no more connections; for one without a hub.
  package func abandon() { channel.close(promise: nil) }

  /// Accepts no more connections, lets the core finish its turn, notifies all sync connections that
  /// the server stops, and closes the others.
  ///
  /// - Parameter timeoutMilliseconds: How long the other ends may take to close.
  package func stop(timeoutMilliseconds: UInt64 = 1_000) async {
    try? await channel.close()
    await hub?.stop()
    await connections.close(timeoutMilliseconds: timeoutMilliseconds)
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
