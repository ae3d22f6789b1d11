#if Sync
internal import CoreMetrics
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// Gathers one request after the other, within limits, and answers each.
///
/// NIO's pipelining handler in front of it does not read further, and keeps back what was read,
/// until the end of the answer is written. This happens only after the system has accepted the rest
/// of it: for a peer that sends requests and never reads, one answer waits. `PipelineLimit` bounds
/// what is kept back.
final class HTTPRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let responder: any HTTPResponder
  private let connections: OpenConnections
  /// Whether there are sync connections.
  private let isForSync: Bool
  private let instruments: TransportInstruments
  private let options: SyncListener.Options
  private let origins: AllowedOrigins
  private let logger: Logger

  private var request: HTTPRequest?
  private var isKeptAlive = false
  /// Whether the answer has a body: that to HEAD has only its length.
  private var hasBody = true
  /// The answer is being sent; the rest of the request is discarded.
  private var isAnswered = false
  /// The last answer is being sent: nothing that comes is looked at any more.
  private var isEnding = false
  private var timer: Scheduled<Void>?
  /// What answers the request, which is cancelled once nobody can read the answer.
  private var work: Task<Void, Never>?
  /// The responder's answer to the request for a sync connection, and from where that came.
  private(set) var lastAdmission: (SyncAdmission, host: String)?
  /// Why the last request for a sync connection that was admitted has not become one.
  private var sessionRefusal: HTTPReply?

  init(
    responder: any HTTPResponder, connections: OpenConnections, isForSync: Bool,
    instruments: TransportInstruments, options: SyncListener.Options, origins: AllowedOrigins,
    logger: Logger
  ) {
    self.responder = responder
    self.connections = connections
    self.isForSync = isForSync
    self.instruments = instruments
    self.options = options
    self.origins = origins
    self.logger = logger
  }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) { awaitRequest(context) }

  func handlerRemoved(context: ChannelHandlerContext) {
    cancelTimer()
    work?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelTimer()
    work?.cancel()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A refused upgrade is answered as the request that it is.
    if error is NIOWebSocketUpgradeError { return }
    // What follows something that is no request is none either.
    if isEnding { return }
    // In the middle of an answer, and for all that is not HTTP's, there is nothing to say.
    guard let error = error as? HTTPParserError, !isAnswered else {
      return context.close(promise: nil)
    }
    isKeptAlive = false
    send(refusal(of: error), context)
  }

  private func refusal(of error: HTTPParserError) -> HTTPReply {
    if error == .headerOverflow {
      return HTTPReply(
        refusing: 400, "head-too-large",
        "the head of a request has at most \(options.headByteLimit) bytes and "
          + "\(ListenerPipeline.headFieldLimit) fields")
    }
    return HTTPReply(
      refusing: 400, "malformed-request", "this is no request of HTTP/1.1, or of another protocol")
  }

  private func awaitRequest(_ context: ChannelHandlerContext) {
    restartTimer(context, milliseconds: options.requestTimeoutMilliseconds)
  }

  private func restartTimer(_ context: ChannelHandlerContext, milliseconds: UInt64) {
    cancelTimer()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: .milliseconds(Int64(clamping: milliseconds))) {
      channel.close(promise: nil)
    }
  }

  func cancelTimer() {
    timer?.cancel()
    timer = nil
  }

  // MARK: Sync connections

  /// Decides whether a request opens a sync connection; nil when it does not.
  func admission(of head: HTTPRequestHead, _ channel: any Channel) -> SyncAdmission? {
    let request = request(head, channel)
    // The request is answered with the reason.
    guard origins.allow(head), request.path == WebSocketConnector.path, isHandshake(head) else {
      return nil
    }
    let admission = admit(request)
    guard case .accepted = admission else { return nil }
    sessionRefusal = connections.beginSession(channel, host: HostKey(request.remoteHost))
    guard sessionRefusal == nil else { return nil }
    lastAdmission = (admission, request.remoteHost)
    return admission
  }

  /// Whether a request may ask for a WebSocket (RFC 6455, 4.2.1): the library looks at its fields
  /// alone.
  private func isHandshake(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && head.version == .http1_1
  }

  private func admit(_ request: HTTPRequest) -> SyncAdmission {
    guard request.subprotocols.contains(WebSocketConnector.subprotocol) else {
      return .refused(
        HTTPReply(
          refusing: 400, "unknown-protocol",
          "this server speaks \(WebSocketConnector.subprotocol); use a library of the same release"
        ))
    }
    return responder.admit(request)
  }

  /// The answer to a request for `/sync` that was not upgraded.
  private func refusal(of request: HTTPRequest) -> HTTPReply {
    if request.subprotocols.isEmpty {
      return HTTPReply(
        refusing: 426, "websocket-required", "\(request.path) is for WebSocket connections")
    }
    if case .refused(let reply) = admit(request) { return reply }
    if let sessionRefusal { return sessionRefusal }
    return HTTPReply(
      refusing: 400, "bad-handshake", "the WebSocket handshake does not follow RFC 6455")
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head):
      guard !isEnding else { return }
      isAnswered = false
      // The decoder reads nothing behind a request for another protocol.
      isKeptAlive =
        head.isKeepAlive && !head.headers.contains(name: "Upgrade") && head.method != .CONNECT
      hasBody = head.method != .HEAD
      request = request(head, context.channel)
      if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }),
        length > options.bodyByteLimit
      {
        refuseBody(context)
      } else if !origins.allow(head) {
        refuseOrigin(of: head, context)
      } else if options.needsOwnName, !origins.allowHost(head) {
        refuseHost(context)
      } else if expectsContinue(head) {
        // The body comes only now.
        context.writeAndFlush(
          Self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))),
          promise: nil)
      }
    case .body(let part):
      guard !isAnswered, let count = request?.body.count else { return }
      guard count + part.readableBytes <= options.bodyByteLimit else { return refuseBody(context) }
      request?.body += part.readableBytesView
    case .end:
      guard !isAnswered, let request else { return }
      self.request = nil
      answer(request, context)
    }
  }

  /// Whether the peer waits to be told that its body is wanted (RFC 9110, 10.1.1).
  private func expectsContinue(_ head: HTTPRequestHead) -> Bool {
    head.version != .http1_0
      && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
  }

  private func refuseBody(_ context: ChannelHandlerContext) {
    isKeptAlive = false
    send(
      HTTPReply(
        refusing: 413, "too-large",
        "the body of a request has at most \(options.bodyByteLimit) bytes"), context)
  }

  /// How many bytes of what a stranger sends are written to the log: a character may have thousands.
  private static let logLimit = 100

  private static func logged(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.prefix(logLimit), as: UTF8.self)
  }

  private func refuseOrigin(of head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    isKeptAlive = false
    logger.notice(
      "refused a request of a web page",
      metadata: [
        "origin": "\(Self.logged(head.headers.first(name: "Origin") ?? ""))",
        "path": "\(Self.logged(head.uri.prefix { $0 != "?" }))",
        "host": "\(request?.remoteHost ?? "unknown")",
      ])
    send(
      HTTPReply(
        refusing: 403, "foreign-origin", "web pages of other servers may not use this one"), context
    )
  }

  private func refuseHost(_ context: ChannelHandlerContext) {
    isKeptAlive = false
    send(
      HTTPReply(
        refusing: 403, "foreign-host",
        "this address is for this machine alone: name it by its number, or as localhost"), context)
  }

  private func answer(_ request: HTTPRequest, _ context: ChannelHandlerContext) {
    // Answering takes its own time.
    cancelTimer()
    connections.setAnswering(context.channel, true)
    if isForSync, request.path == WebSocketConnector.path {
      return send(refusal(of: request), context)
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    work = Task { [responder] in
      let reply = await responder.respond(to: request)
      loop.execute {
        let (handler, context) = bound.value
        handler.send(reply, context)
      }
    }
  }

  private func send(_ reply: HTTPReply, _ context: ChannelHandlerContext) {
    isAnswered = true
    isEnding = !isKeptAlive
    instruments.requests.increment()
    if reply.status >= 400 { instruments.refusedRequests.increment(reply.status) }
    var head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status))
    // 204 has no body and no header for its length.
    if reply.status != 204 {
      head.headers.add(name: "Content-Type", value: reply.contentType)
      head.headers.add(name: "Content-Length", value: "\(reply.body.count)")
    }
    head.headers.add(name: "Cache-Control", value: "no-store")
    if let seconds = reply.retryAfterSeconds {
      head.headers.add(name: "Retry-After", value: "\(seconds)")
    }
    if !isKeptAlive { head.headers.add(name: "Connection", value: "close") }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenSuccess { self.end(context) }
    // A peer that does not take the answer in time is left.
    restartTimer(context, milliseconds: options.answerTimeoutMilliseconds)
    let hasBody = hasBody && !reply.body.isEmpty
    context.write(Self.wrapOutboundOut(.head(head)), promise: hasBody ? nil : promise)
    if hasBody {
      let body = context.channel.allocator.buffer(bytes: reply.body)
      context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
    }
    context.flush()
  }

  /// The system has accepted the answer: the next request may follow.
  private func end(_ context: ChannelHandlerContext) {
    let promise = context.eventLoop.makePromise(of: Void.self)
    if isKeptAlive {
      isAnswered = false
      connections.setAnswering(context.channel, false)
      awaitRequest(context)
    } else {
      let channel = context.channel
      promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
    context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: promise)
  }

  /// The path of a request's target, which may be a whole address (RFC 9112, 3.2.2).
  private static func path(of target: String) -> String {
    var rest = target[...]
    if !rest.hasPrefix("/"), let mark = rest.firstRange(of: "://") {
      rest = rest[mark.upperBound...].drop { $0 != "/" && $0 != "?" }
      if rest.first != "/" { return "/" }
    }
    return String(rest.prefix { $0 != "?" })
  }

  private func request(_ head: HTTPRequestHead, _ channel: any Channel) -> HTTPRequest {
    let authorization = head.headers.first(name: "Authorization")
    let scheme = "bearer "
    let token = authorization.flatMap { value in
      value.prefix(scheme.count).lowercased() == scheme
        ? String(value.dropFirst(scheme.count)) : nil
    }
    return HTTPRequest(
      method: head.method.rawValue, path: Self.path(of: head.uri), bearerToken: token,
      contentType: head.headers.first(name: "Content-Type"),
      subprotocols: head.headers[canonicalForm: "Sec-WebSocket-Protocol"].map { String($0) },
      remoteHost: connections.client(channel) { head.headers[$0] })
  }
}
#endif
