#if Sync
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// Prepares each accepted connection.
struct ListenerPipeline: Sendable {
  /// No request has more fields in its head.
  static let headFieldLimit = 64
  /// The most bytes that one read of a connection for requests brings: the requests in them are
  /// decoded at once, while others wait.
  static let readByteLimit = 16 << 10

  let options: SyncListener.Options
  let connections: OpenConnections
  let responder: any HTTPResponder
  /// Nil where only requests are answered.
  let hub: SyncHub?
  let instruments: TransportInstruments
  let logger: Logger
  let random: RandomSource
  let origins: AllowedOrigins

  func configure(_ channel: any Channel) throws {
    if let certificate = options.certificate {
      try channel.pipeline.syncOperations.addHandler(PlainRequestHandler())
      try certificate.secure(channel)
    }
    let requests = HTTPRequestHandler(
      responder: responder, connections: connections, isForSync: hub != nil,
      instruments: instruments, options: options, origins: origins, logger: logger)
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = options.headByteLimit
    limits.maxHeaderListSize = options.headByteLimit
    limits.maxHeaderFieldCount = Self.headFieldLimit
    let limit = PipelineLimit()
    let pipeline = channel.pipeline.syncOperations
    // The handler of the requests answers what is no request.
    try pipeline.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: hub.map { [upgrader(channel, requests, limit, $0)] } ?? [],
        completionHandler: { _ in }
      ),
      withErrorHandling: false, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(
      limit,
      position: .after(pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)))
    try pipeline.addHandler(requests)
  }

  private func upgrader(
    _ channel: any Channel, _ requests: HTTPRequestHandler, _ limit: PipelineLimit, _ hub: SyncHub
  ) -> NIOWebSocketServerUpgrader {
    let requestsOnLoop = NIOLoopBound(requests, eventLoop: channel.eventLoop)
    let limitOnLoop = NIOLoopBound(limit, eventLoop: channel.eventLoop)
    return NIOWebSocketServerUpgrader(
      maxFrameSize: options.connection.maximumFrameByteCount, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeCompletedFuture { () -> HTTPHeaders? in
          guard requestsOnLoop.value.admission(of: head, channel) != nil else { return nil }
          // The decoder forwards what follows as bytes when NIO removes it.
          channel.pipeline.syncOperations.removeHandler(limitOnLoop.value, promise: nil)
          return ["Sec-WebSocket-Protocol": WebSocketConnector.subprotocol]
        }
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try upgrade(channel, requestsOnLoop.value, hub)
        }
      })
  }

  /// Puts the WebSocket in the place of HTTP.
  private func upgrade(
    _ channel: any Channel, _ requests: HTTPRequestHandler, _ hub: SyncHub
  ) throws {
    guard let (admission, host) = requests.lastAdmission,
      case .accepted(let user, let session, let expires) = admission
    else { preconditionFailure("only an admitted request is upgraded") }
    let peer = channel.remoteAddress.map { "\($0)" } ?? "unknown"
    let receiver = hub.receiver(
      user: user, host: "\(HostKey(host))", session: session, expiresAtMilliseconds: expires
    ) { [logger] reason in
      var metadata: Logger.Metadata = [
        "user": "\(user)", "peer": "\(peer)", "host": "\(host)",
      ]
      if let reason { metadata["reason"] = "\(reason)" }
      logger.info(reason == nil ? "sync connected" : "sync disconnected", metadata: metadata)
    }
    requests.cancelTimer()
    channel.pipeline.syncOperations.removeHandler(requests, promise: nil)
    // Frames are long. Only a channel that is closed already refuses.
    try? channel.syncOptions?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
    try? channel.syncOptions?.setOption(.maxMessagesPerRead, value: 4)
    let pipeline = channel.pipeline.syncOperations
    let incoming = IncomingBytes()
    try pipeline.addHandler(
      incoming,
      position: .before(pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)))
    try pipeline.addHandler(
      WebSocketHandler(
        .server, options: options.connection, random: random, receiver: receiver,
        incoming: incoming))
  }
}
#endif
