#if Sync
internal import NIOCore
internal import NIOHTTP1

/// Closes a connection on which too many requests wait for their answers.
///
/// The decoder takes all requests of a read apart at once, which may be hundreds, and NIO's
/// pipelining handler keeps all but the first. Stands between the two.
final class PipelineLimit: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// So many requests may have begun to arrive whose answers have not ended.
  static let requestLimit = 16

  private var waitingCount = 0
  /// Whether there were more: what the decoder still makes of the read is dropped.
  private var isExceeded = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isExceeded else { return }
    if case .head = Self.unwrapInboundIn(data) {
      waitingCount += 1
      if waitingCount > Self.requestLimit {
        isExceeded = true
        return context.close(promise: nil)
      }
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isExceeded else { return }
    context.fireErrorCaught(error)
  }

  /// Reads nothing more while TLS takes its time to end.
  func read(context: ChannelHandlerContext) {
    guard !isExceeded else { return }
    context.read()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    // What was no request is answered, too.
    if case .end = Self.unwrapOutboundIn(data) { waitingCount = max(0, waitingCount - 1) }
    context.write(data, promise: promise)
  }
}
#endif
