#if Sync
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Requests to a server, each over a connection of its own.
///
/// For the few requests before a sync connection; it keeps no connection and follows no redirect.
package struct HTTPClient: Sendable {
  /// The longest answer that is read.
  static let replyByteLimit = 1 << 20

  package let address: ServerAddress
  package let trust: ServerTrust
  package let timeoutMilliseconds: UInt64

  package init(
    _ address: ServerAddress, trust: ServerTrust = .system, timeoutMilliseconds: UInt64 = 30_000
  ) {
    self.address = address
    self.trust = trust
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// Sends a request and waits for the answer, whatever its status.
  ///
  /// `json` is the body, nil for none; `headers` go beside those that every request has, or in
  /// their place. Throws `.unreachable`, `.timedOut`, `.closed`, `.tls`, `.malformedResponse`,
  /// `.responseTooLarge`.
  package func send(
    _ method: String, _ path: String, json: [UInt8]? = nil, bearerToken: String? = nil,
    headers: [String: String] = [:]
  ) async throws(TransportError) -> HTTPReply {
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method), uri: path,
      headers: ["Host": address.authority, "Connection": "close"])
    if let bearerToken { head.headers.add(name: "Authorization", value: "Bearer \(bearerToken)") }
    if json != nil { head.headers.add(name: "Content-Type", value: "application/json") }
    head.headers.add(name: "Content-Length", value: "\(json?.count ?? 0)")
    for (name, value) in headers { head.headers.replaceOrAdd(name: name, value: value) }
    let tls = try TLSClient(address, trust)
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.milliseconds(Int64(clamping: timeoutMilliseconds)))
    do {
      let (channel, reply) = try await bootstrap.connect(
        host: address.host, port: address.port
      ) { [timeoutMilliseconds] channel in
        channel.eventLoop.makeCompletedFuture {
          try tls?.secure(channel)
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          let reply = try HTTPReplyCollector.collect(
            channel, byteLimit: Self.replyByteLimit, timeoutMilliseconds: timeoutMilliseconds)
          return (channel, reply)
        }
      }
      channel.write(HTTPClientRequestPart.head(head), promise: nil)
      if let json {
        channel.write(
          HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: json))), promise: nil)
      }
      channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
      return try await reply.get()
    } catch {
      throw TransportError(
        error, address, .response, timeoutMilliseconds: timeoutMilliseconds)
    }
  }

  /// What a future fails with when it takes too long.
  struct Timeout: Error {}

  /// As `future`, but failed with `Timeout` after a time; a failure closes the channel.
  static func timeLimited<Value: Sendable>(
    _ future: EventLoopFuture<Value>, _ channel: any Channel, milliseconds: UInt64
  ) -> EventLoopFuture<Value> {
    let promise = channel.eventLoop.makePromise(of: Value.self)
    let timer = channel.eventLoop.scheduleTask(
      in: .milliseconds(Int64(clamping: milliseconds))
    ) { promise.fail(Timeout()) }
    future.cascade(to: promise)
    promise.futureResult.whenComplete { result in
      timer.cancel()
      if case .failure = result { channel.close(promise: nil) }
    }
    return promise.futureResult
  }
}

/// Gathers one answer and closes the connection.
final class HTTPReplyCollector: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let promise: EventLoopPromise<HTTPReply>
  private let byteLimit: Int
  private var head: HTTPResponseHead?
  private var body: [UInt8] = []

  private init(_ promise: EventLoopPromise<HTTPReply>, byteLimit: Int) {
    self.promise = promise
    self.byteLimit = byteLimit
  }

  /// Adds a collector to the end of the channel's pipeline.
  static func collect(
    _ channel: any Channel, byteLimit: Int, timeoutMilliseconds: UInt64
  ) throws -> EventLoopFuture<HTTPReply> {
    let promise = channel.eventLoop.makePromise(of: HTTPReply.self)
    do {
      try channel.pipeline.syncOperations.addHandler(
        HTTPReplyCollector(promise, byteLimit: byteLimit))
    } catch {
      promise.fail(error)
      throw error
    }
    return HTTPClient.timeLimited(
      promise.futureResult, channel, milliseconds: timeoutMilliseconds)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let part):
      guard body.count + part.readableBytes <= byteLimit else {
        promise.fail(TransportError.responseTooLarge(limit: byteLimit))
        return context.close(promise: nil)
      }
      body += part.readableBytesView
    case .end:
      guard let head else { return promise.fail(TransportError.malformedResponse) }
      promise.succeed(
        HTTPReply(
          status: Int(head.status.code),
          contentType: head.headers.first(name: "Content-Type") ?? "", body: body,
          retryAfterSeconds: head.headers.first(name: "Retry-After").flatMap { UInt64($0) }))
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { handlerRemoved(context: context) }

  // After an answer this changes nothing.
  func handlerRemoved(context: ChannelHandlerContext) {
    promise.fail(TransportError.closed(.lost))
  }
}
#endif
