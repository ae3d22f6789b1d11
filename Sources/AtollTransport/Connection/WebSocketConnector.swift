#if Sync
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// A device's way to a server: TCP, TLS if the address says so, then the WebSocket upgrade with the
/// access token.
package struct WebSocketConnector: FrameConnector {
  /// The WebSocket subprotocol that this version speaks.
  ///
  /// Normative text: Format.md, "WebSocket".
  package static let subprotocol = "atoll-sync-1"
  /// The path of the upgrade request.
  package static let path = "/sync"
  /// The longest refusal that is read.
  static let refusalByteLimit = 64 << 10

  /// Gives an access token.
  ///
  /// `refused`: the token that the server did not take any more; another one is needed.
  package typealias TokenSource =
    @Sendable (_ refused: String?) async throws(TransportError) -> String

  private let address: ServerAddress
  private let options: ConnectionOptions
  private let trust: ServerTrust
  private let subprotocol: String
  private let token: TokenSource
  private let random: RandomSource

  package init(
    _ address: ServerAddress, options: ConnectionOptions = .client, trust: ServerTrust = .system,
    subprotocol: String = WebSocketConnector.subprotocol,
    random: @escaping @Sendable () -> UInt64, token: @escaping TokenSource
  ) {
    self.address = address
    self.options = options
    self.trust = trust
    self.subprotocol = subprotocol
    self.token = token
    self.random = RandomSource(random)
  }

  /// Connects with a token, and once more with a new one if the server says that it expired.
  ///
  /// - Throws: `.unreachable`, `.timedOut` when there is no server; `.tls` when it is not the one
  ///   that was meant; `.refused` when it does not want us; what the token source throws.
  package func connect(_ receiver: any FrameReceiver) async throws(TransportError) {
    let first = try await token(nil)
    do throws(TransportError) {
      try await connect(receiver, token: first)
    } catch .refused(let refusal) where refusal.status == 401 {
      try await connect(receiver, token: try await token(first))
    }
  }

  private func connect(
    _ receiver: any FrameReceiver, token: String
  ) async throws(TransportError) {
    let timeout = options.connectTimeoutMilliseconds
    let tls = try TLSClient(address, trust)
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.milliseconds(Int64(clamping: timeout)))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
    let head = request(token: token)
    do {
      let upgrade = try await bootstrap.connect(host: address.host, port: address.port) {
        channel in
        channel.eventLoop.makeCompletedFuture {
          try tls?.secure(channel)
          return try self.configure(channel, head, receiver)
        }
      }
      if let reply = try await upgrade.get() { throw try await reply.get().refusal }
    } catch { throw TransportError(error, address, .upgrade, timeoutMilliseconds: timeout) }
  }

  private func request(token: String) -> HTTPRequestHead {
    let headers: HTTPHeaders = [
      "Host": address.authority, "Authorization": "Bearer \(token)",
      "Sec-WebSocket-Protocol": subprotocol, "Content-Length": "0",
    ]
    return HTTPRequestHead(version: .http1_1, method: .GET, uri: Self.path, headers: headers)
  }

  /// Prepares the channel for the upgrade.
  ///
  /// - Returns: Nil for an open WebSocket, else the server's answer.
  private func configure(
    _ channel: any Channel, _ head: HTTPRequestHead, _ receiver: any FrameReceiver
  ) throws -> EventLoopFuture<EventLoopFuture<HTTPReply>?> {
    var random = random
    let requestKey = NIOWebSocketClientUpgrader.randomRequestKey(using: &random)
    let upgrader = NIOTypedWebSocketClientUpgrader<EventLoopFuture<HTTPReply>?>(
      requestKey: requestKey, maxFrameSize: options.maximumFrameByteCount,
      enableAutomaticErrorHandling: false
    ) { [options, random] channel, _ in
      channel.eventLoop.makeCompletedFuture {
        let handler = WebSocketHandler(
          .client, options: options, random: random, receiver: receiver)
        try channel.pipeline.syncOperations.addHandler(handler)
        return nil
      }
    }
    let timeout = options.connectTimeoutMilliseconds
    let configuration = NIOTypedHTTPClientUpgradeConfiguration<EventLoopFuture<HTTPReply>?>(
      upgradeRequestHead: head, upgraders: [upgrader]
    ) { channel in
      // The answer is read when this has completed.
      channel.eventLoop.makeCompletedFuture {
        try HTTPReplyCollector.collect(
          channel, byteLimit: Self.refusalByteLimit, timeoutMilliseconds: timeout)
      }
    }
    let encoder = HTTPRequestEncoder()
    let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    let upgrade = NIOTypedHTTPClientUpgradeHandler(
      httpHandlers: [encoder, decoder], upgradeConfiguration: configuration)
    try channel.pipeline.syncOperations.addHandlers([encoder, decoder, upgrade])
    return HTTPClient.timeLimited(upgrade.upgradeResultFuture, channel, milliseconds: timeout)
  }
}

extension TransportError {
  /// What an error of the network means.
  init(
    _ error: any Error, _ address: ServerAddress, _ step: Step, timeoutMilliseconds: UInt64
  ) {
    switch error {
    case let error as TransportError: self = error
    case ChannelError.connectTimeout:
      self = .timedOut(.connect, milliseconds: timeoutMilliseconds)
    case is HTTPClient.Timeout: self = .timedOut(step, milliseconds: timeoutMilliseconds)
    case let error as NIOConnectionError:
      let errno = error.connectionErrors.lazy.compactMap { ($0.error as? IOError)?.errnoCode }.first
      let isTimeout = error.connectionErrors.contains {
        if case .connectTimeout? = $0.error as? ChannelError { true } else { false }
      }
      self =
        isTimeout
        ? .timedOut(.connect, milliseconds: timeoutMilliseconds)
        : .unreachable(host: address.host, port: address.port, errno: errno)
    case let error as IOError:
      self = .unreachable(host: address.host, port: address.port, errno: error.errnoCode)
    case is HTTPParserError, is NIOHTTPDecoderError: self = .malformedResponse
    case is ChannelError: self = .closed(.lost)
    case is NIOHTTPClientUpgradeError: self = .malformedResponse
    default: self = .closed(.lost)
    }
  }
}
#endif
