#if Sync
internal import NIOCore
internal import NIOWebSocket

/// The WebSocket protocol (RFC 6455) of one connection, on its event loop.
///
/// 1. `opened` and `closed` reach the receiver once each, frames only in between.
/// 2. After a close frame was sent, nothing is sent; input is discarded.
/// 3. The next read is requested only when fewer bytes than the window are unconsumed.
/// 4. Every byte that `WebSocketConnection` counts as waiting is subtracted exactly once.
/// 5. At most one pong waits for the system to accept it, and each read brings one at most: reading
///    continues while nothing can be written, and pings cost no more than reading them.
/// 6. The frames of a read are handed over together at its end: a read may bring thousands.
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  enum Role { case client, server }

  private enum State {
    case open
    /// A close frame was sent.
    case closing
    case closed
  }

  private let role: Role
  private let options: ConnectionOptions
  private var random: RandomSource
  /// What this connection pings earlier than others, so that they do not all ping at one moment.
  private let pingJitter: UInt64
  private var receiver: (any FrameReceiver)?

  private var connection: WebSocketConnection?
  private var context: ChannelHandlerContext?
  private var state = State.open
  private var reason: CloseReason?
  private var closeTimer: Scheduled<Void>?
  private var checkTimer: Scheduled<Void>?

  /// The frames that came after this end had closed, and how many of them are waited through for the
  /// other end's close frame: to discard millions takes as long as to take them.
  private var discardedCount = 0
  static let discardedLimit = 4_096
  /// The frames of the read that goes on.
  private var received: [[UInt8]] = []
  /// The bytes of received frames in the window.
  private var unconsumedByteCount = 0
  /// The beginning of a message whose last fragment has not come yet.
  private var fragments: ByteBuffer?
  /// Counts what the decoder holds of a frame whose end has not come yet.
  private let incoming: IncomingBytes?
  /// What the receiver was told of the bytes that are not complete.
  private var toldUnfinishedByteCount = 0
  /// The bytes written and not accepted by the system yet, as `waitingByteCount(of:)` counts them.
  private var unsentByteCount = 0
  /// Whether a pong was written that the system has not accepted yet.
  private var isPongUnsent = false
  /// The newest ping of the read that goes on; earlier ones need no answer (RFC 6455, 5.5.3).
  private var newestPing: WebSocketFrame?
  /// The data of the newest ping while a pong is unsent.
  private var unansweredPing: ByteBuffer?

  /// Since when the other end has sent nothing, as far as this end was reading.
  private var silentSince = NIODeadline.now()
  private var lastTaken = NIODeadline.now()
  private var lastSent = NIODeadline.now()
  private var lastPing = NIODeadline.now()
  /// When the first ping since `silentSince` was sent.
  private var firstPing: NIODeadline?
  /// When the pong that answers `probe` has to be here.
  private var pongDeadline: NIODeadline?

  init(
    _ role: Role, options: ConnectionOptions, random: RandomSource, receiver: any FrameReceiver,
    incoming: IncomingBytes? = nil
  ) {
    self.incoming = incoming
    self.role = role
    self.options = options
    var random = random
    pingJitter = random.next() % ((options.pingMilliseconds ?? 0) / 10 + 1)
    self.random = random
    self.receiver = receiver
  }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let connection = WebSocketConnection(
      self, on: context.channel, sendHighByteCount: options.sendHighByteCount)
    self.connection = connection
    // Only a channel that is closed already refuses, and then `channelInactive` follows.
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    hear()
    (lastTaken, lastSent, lastPing) = (silentSince, silentSince, silentSince)
    scheduleCheck()
    receiver?.opened(connection)
    context.read()
  }

  func handlerRemoved(context: ChannelHandlerContext) { finish() }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOWebSocketError.invalidFrameLength: close(.tooLarge)
    case is NIOWebSocketError: close(.protocolError)
    default:
      // The way is broken: no close frame would arrive.
      context.close(promise: nil)
    }
  }

  private func finish() {
    guard state != .closed else { return }
    handOver()
    state = .closed
    checkTimer?.cancel()
    closeTimer?.cancel()
    let receiver = receiver
    self.receiver = nil
    fragments = nil
    newestPing = nil
    unansweredPing = nil
    if let connection { receiver?.closed(connection, reason ?? .lost) }
    connection = nil
    context = nil
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    incoming?.decoded(frame)
    guard state == .open else {
      discardedCount += 1
      if frame.opcode == .connectionClose || discardedCount > Self.discardedLimit {
        context.close(promise: nil)
      }
      return
    }
    // A client masks every frame, a server none.
    guard (frame.maskKey != nil) == (role == .server), !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return close(.protocolError)
    }
    switch frame.opcode {
    case .binary where fragments == nil: append(frame)
    case .continuation where fragments != nil: append(frame)
    case .text: close(.notBinary)
    case .ping: newestPing = frame
    case .pong: pongDeadline = nil
    case .connectionClose: answerClose(frame.unmaskedData)
    default: close(.protocolError)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Also for a part of a frame: a long one may be minutes on its way.
    hear()
    handOver()
    answerPing()
    tellUnfinished()
    readOn()
    context.fireChannelReadComplete()
  }

  /// Hands the frames of a read to the receiver, before anything else that it is told.
  private func handOver() {
    guard !received.isEmpty, let connection else { return }
    let frames = received
    received = []
    receiver?.received(frames, on: connection)
  }

  /// A difference of fewer bytes is not worth a word to the receiver.
  private static let unfinishedStride = 32 << 10

  /// Tells how much is held of frames and messages whose ends have not come yet.
  private func tellUnfinished() {
    let byteCount = (fragments?.readableBytes ?? 0) + (incoming?.byteCount ?? 0)
    let isNews =
      byteCount < Self.unfinishedStride
      ? toldUnfinishedByteCount > 0
      : abs(byteCount - toldUnfinishedByteCount) >= Self.unfinishedStride
    guard isNews, let connection else { return }
    toldUnfinishedByteCount = byteCount < Self.unfinishedStride ? 0 : byteCount
    receiver?.holds(toldUnfinishedByteCount, on: connection)
  }

  private func append(_ frame: WebSocketFrame) {
    var data = frame.unmaskedData
    if var beginning = fragments {
      // Cleared here, so that appending does not copy the bytes.
      fragments = nil
      guard beginning.readableBytes + data.readableBytes <= options.maximumFrameByteCount else {
        return close(.tooLarge)
      }
      beginning.writeBuffer(&data)
      data = beginning
    }
    guard frame.fin else {
      fragments = data
      return
    }
    fragments = nil
    unconsumedByteCount += data.readableBytes + ConnectionOptions.windowByteCountOfAFrame
    received.append(Array(data.readableBytesView))
  }

  func consumed(frameCount: Int, byteCount: Int) {
    unconsumedByteCount -= byteCount + frameCount * ConnectionOptions.windowByteCountOfAFrame
    readOn()
  }

  private func readOn() {
    // While closing, input is read and discarded, so that the system does not answer it with a
    // reset, which could overtake the close frame.
    if state == .closing || !isWindowFull { context?.read() }
  }

  private var isWindowFull: Bool { unconsumedByteCount >= options.receiveWindowByteCount }

  /// Answers the newest ping of a read, or keeps it until the pong before it has left.
  private func answerPing() {
    guard let ping = newestPing else { return }
    newestPing = nil
    // A copy: a slice would hold on to all that was read with it.
    let data = ByteBuffer(bytes: ping.unmaskedData.readableBytesView)
    if isPongUnsent { unansweredPing = data } else { pong(data) }
  }

  private func pong(_ data: ByteBuffer) {
    guard state == .open, let context else { return }
    isPongUnsent = true
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in self.pongLeft() }
    lastSent = .now()
    context.writeAndFlush(wrap(.pong, data), promise: promise)
  }

  private func pongLeft() {
    isPongUnsent = false
    lastTaken = .now()
    guard let data = unansweredPing else { return }
    unansweredPing = nil
    pong(data)
  }

  // MARK: Sending

  func write(_ frames: [[UInt8]]) {
    guard state == .open, let context, let connection else {
      _ = connection?.left(WebSocketConnection.waitingByteCount(of: frames))
      return
    }
    // The bytes that waited before: one message may exceed the limit, which is not the peer's
    // fault.
    if unsentByteCount > options.sendLimitByteCount {
      _ = connection.left(WebSocketConnection.waitingByteCount(of: frames))
      return closeAtOnce(.tooSlow)
    }
    for frame in frames {
      let promise = context.eventLoop.makePromise(of: Void.self)
      let byteCount = WebSocketConnection.waitingByteCount(of: [frame])
      unsentByteCount += byteCount
      promise.futureResult.assumeIsolated().whenComplete { _ in self.taken(byteCount) }
      let data = context.channel.allocator.buffer(bytes: frame)
      context.write(wrap(.binary, data), promise: promise)
    }
    lastSent = .now()
    context.flush()
  }

  private func taken(_ byteCount: Int) {
    unsentByteCount -= byteCount
    guard let connection else { return }
    let left = connection.left(byteCount)
    lastTaken = .now()
    let low = options.sendLowByteCount
    if left <= low, left + byteCount > low { receiver?.becameWritable(connection) }
  }

  private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    guard state == .open else { return }
    context?.writeAndFlush(wrap(opcode, data), promise: nil)
  }

  private func wrap(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> NIOAny {
    let mask = role == .client ? WebSocketMaskingKey.random(using: &random) : nil
    return Self.wrapOutboundOut(
      WebSocketFrame(fin: true, opcode: opcode, maskKey: mask, data: data))
  }

  // MARK: Closing

  func close(_ reason: CloseReason) {
    guard state == .open, let context else { return }
    self.reason = reason
    sendClose(reason, in: context)
    closeTimer = context.eventLoop.assumeIsolated().scheduleTask(
      in: .milliseconds(Int64(options.closeTimeoutMilliseconds))
    ) { self.context?.close(promise: nil) }
    context.read()
  }

  /// Closes without waiting for what waits to be sent, the close frame behind it.
  func closeAtOnce(_ reason: CloseReason) {
    close(reason)
    context?.close(promise: nil)
  }

  private func answerClose(_ data: ByteBuffer) {
    guard let context else { return }
    let reason = CloseReason(closeFrame: data.readableBytesView) ?? .protocolError
    self.reason = reason
    sendClose(reason, in: context)
    context.close(promise: nil)
  }

  private func sendClose(_ reason: CloseReason, in context: ChannelHandlerContext) {
    var data = context.channel.allocator.buffer(capacity: 128)
    data.writeInteger(reason.code ?? 1000)
    // A control frame carries 125 bytes at most.
    data.writeBytes("\(reason)".utf8.prefix(120))
    send(.connectionClose, data)
    state = .closing
  }

  // MARK: Time

  func probe(timeoutMilliseconds: UInt64) {
    guard state == .open, let context else { return }
    send(.ping, context.channel.allocator.buffer(capacity: 0))
    let deadline = NIODeadline.now() + .milliseconds(Int64(clamping: timeoutMilliseconds))
    pongDeadline = min(pongDeadline ?? deadline, deadline)
    context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.check() }
  }

  /// Notes a sign of life.
  private func hear() {
    silentSince = .now()
    firstPing = nil
  }

  private func scheduleCheck() {
    guard state != .closed, let context else { return }
    checkTimer = context.eventLoop.assumeIsolated().scheduleTask(
      in: .milliseconds(Int64(clamping: options.checkMilliseconds))
    ) {
      self.check()
      self.scheduleCheck()
    }
  }

  private func check() {
    guard state == .open, let connection, let context else { return }
    let now = NIODeadline.now()
    if let pongDeadline, now >= pongDeadline { return close(.silent) }
    // What is not read says nothing about the other end.
    if isWindowFull { silentSince = now }
    if isSilenceOver(now) { return close(.silent) }
    if connection.bufferedByteCount == 0, !isPongUnsent {
      lastTaken = now
    } else if now - lastTaken >= .milliseconds(Int64(clamping: options.stallTimeoutMilliseconds)) {
      return closeAtOnce(.tooSlow)
    }
    guard isPingDue(now) else { return }
    (lastPing, lastSent, firstPing) = (now, now, firstPing ?? now)
    send(.ping, context.channel.allocator.buffer(capacity: 0))
  }

  /// Whether this end has not sent anything for the time, or has not heard anything.
  ///
  /// One that only receives pings too, as what it receives may fill a slow way, so that the other
  /// end's pings come late; and one that does not read for now, so that the other knows of it.
  private func isPingDue(_ now: NIODeadline) -> Bool {
    guard let interval = options.pingMilliseconds else { return false }
    return now - max(lastPing, min(silentSince, lastSent))
      >= .milliseconds(Int64(clamping: interval - pingJitter))
  }

  /// Whether the other end sent nothing for too long, and did not answer a ping in time: one that
  /// was sent late, as this process was held up, has its time too.
  private func isSilenceOver(_ now: NIODeadline) -> Bool {
    guard let limit = options.silenceMilliseconds,
      now - silentSince >= .milliseconds(Int64(clamping: limit))
    else { return false }
    guard options.pingMilliseconds != nil else { return true }
    guard let firstPing else { return false }
    let answered = max(firstPing, silentSince)
    return now - answered >= .milliseconds(Int64(clamping: options.answerMilliseconds))
  }
}

/// Random numbers from a function.
package struct RandomSource: RandomNumberGenerator, Sendable {
  private let draw: @Sendable () -> UInt64

  package init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  package mutating func next() -> UInt64 { draw() }
}
#endif
