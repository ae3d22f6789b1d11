#if Sync
internal import NIOCore

/// Looks at the first byte of a connection that should be encrypted.
///
/// A request in plain HTTP is answered in plain HTTP with what is wrong, as its sender could make
/// nothing of an alert of TLS.
final class PlainRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Each handshake begins with a record of this kind (RFC 8446, 5.1).
  private static let handshake: UInt8 = 22

  private var isRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What follows a refused request is discarded until the other end closes, or time is up.
    guard !isRefused else { return }
    guard let first = Self.unwrapInboundIn(data).readableBytesView.first else { return }
    guard first != Self.handshake else {
      context.fireChannelRead(data)
      return context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
    isRefused = true
    let channel = context.channel
    let promise = context.eventLoop.makePromise(of: Void.self)
    // The other end reads the answer before it hears of the end.
    promise.futureResult.assumeIsolated().whenComplete { _ in
      context.close(mode: .output, promise: nil)
    }
    let answer = channel.allocator.buffer(bytes: Self.answer)
    context.writeAndFlush(Self.wrapOutboundOut(answer), promise: promise)
  }

  private static let answer: [UInt8] = {
    let reply = HTTPReply(
      refusing: 400, "tls-required",
      "this server encrypts its connections: the address begins with https:// (or wss://)")
    let head = """
      HTTP/1.1 400 Bad Request\r\nContent-Type: \(reply.contentType)\r\n\
      Content-Length: \(reply.body.count)\r\nConnection: close\r\n\r\n
      """
    return Array(head.utf8) + reply.body
  }()
}
#endif
