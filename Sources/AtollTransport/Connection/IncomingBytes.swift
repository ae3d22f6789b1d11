#if Sync
internal import NIOCore
internal import NIOWebSocket

/// Counts the bytes that have come of a WebSocket frame which is not complete.
///
/// The frame's decoder holds them and does not tell. Stands before it, on the same event loop.
final class IncomingBytes: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private(set) var byteCount = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    byteCount += Self.unwrapInboundIn(data).readableBytes
    context.fireChannelRead(data)
  }

  /// A frame is complete.
  func decoded(_ frame: WebSocketFrame) {
    let length = frame.length
    var frameByteCount = 2 + length
    if frame.maskKey != nil { frameByteCount += 4 }
    // RFC 6455, 5.2: the shortest form of the length that holds it.
    if length > 125 { frameByteCount += length > 65_535 ? 8 : 2 }
    byteCount = max(0, byteCount - frameByteCount)
  }
}
#endif
