#if Sync
internal import NIOCore
internal import Synchronization

/// One end of an open WebSocket, as its owner sees it from any thread.
package final class WebSocketConnection: FrameConnection {
  /// The other end's address and port, for logs.
  package let peer: String
  private let loop: any EventLoop
  private let handler: NIOLoopBound<WebSocketHandler>
  private let sendHighByteCount: Int
  private let waitingByteCount: Atomic<Int>

  /// Made on the event loop of `handler`.
  init(_ handler: WebSocketHandler, on channel: any Channel, sendHighByteCount: Int) {
    peer = channel.remoteAddress.map(Self.text) ?? "unknown"
    loop = channel.eventLoop
    self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    self.sendHighByteCount = sendHighByteCount
    waitingByteCount = Atomic(0)
  }

  package var isWritable: Bool {
    waitingByteCount.load(ordering: .relaxed) < sendHighByteCount
  }

  package func send(_ frames: [[UInt8]]) {
    guard !frames.isEmpty else { return }
    waitingByteCount.add(Self.waitingByteCount(of: frames), ordering: .relaxed)
    loop.execute { self.handler.value.write(frames) }
  }

  package func consumed(frameCount: Int, byteCount: Int) {
    loop.execute { self.handler.value.consumed(frameCount: frameCount, byteCount: byteCount) }
  }

  package func close(_ reason: CloseReason) {
    loop.execute { self.handler.value.close(reason) }
  }

  package func drop(_ reason: CloseReason) {
    loop.execute { self.handler.value.closeAtOnce(reason) }
  }

  package func probe(timeoutMilliseconds: UInt64) {
    loop.execute { self.handler.value.probe(timeoutMilliseconds: timeoutMilliseconds) }
  }

  /// The memory of what was sent and what the system has not accepted yet.
  package var bufferedByteCount: Int { waitingByteCount.load(ordering: .relaxed) }

  /// Returns what unsent frames count as: many small ones take more memory than their bytes.
  static func waitingByteCount(of frames: [[UInt8]]) -> Int {
    frames.reduce(frames.count * ConnectionOptions.waitingByteCountOfAFrame) { $0 + $1.count }
  }

  /// Counts bytes that wait no longer; returns how many still do.
  func left(_ byteCount: Int) -> Int {
    waitingByteCount.subtract(byteCount, ordering: .relaxed).newValue
  }

  private static func text(_ address: SocketAddress) -> String {
    let host = address.ipAddress ?? "unknown"
    return address.port.map { host.contains(":") ? "[\(host)]:\($0)" : "\(host):\($0)" } ?? host
  }
}
#endif
