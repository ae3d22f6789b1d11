#if Sync
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A port that leads to another one of this machine, until the wire is cut.
final class NetworkLine: Sendable {
  let port: Int
  private let listener: any Channel
  private let wire: Wire

  /// Begins to listen; blocks the thread for the moment that the system takes.
  ///
  /// `record` hears of all bytes that pass, in both directions.
  init(toPort target: Int, record: (@Sendable ([UInt8]) -> Void)? = nil) throws {
    let wire = Wire(target: target, record: record)
    self.wire = wire
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      // Nothing is read before there is a connection to pass it to.
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        guard wire.add(channel) else { return channel.close() }
        return ClientBootstrap(group: channel.eventLoop)
          .channelOption(.autoRead, value: false)
          .connect(host: "127.0.0.1", port: wire.target)
          .flatMap { other in
            guard wire.add(other) else { return other.close() }
            return channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(Relay(to: other, wire))
              try other.pipeline.syncOperations.addHandler(Relay(to: channel, wire))
            }.flatMap { other.setOption(.autoRead, value: true) }
          }
          .flatMap { channel.setOption(.autoRead, value: true) }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    port = listener.localAddress?.port ?? 0
  }

  deinit {
    cut()
    listener.close(promise: nil)
  }

  var isCut: Bool { wire.isCut }

  var delay: Duration {
    get { wire.delay }
    set { wire.delay = newValue }
  }

  func cut() { wire.cut() }

  func heal() { wire.heal() }

  /// Leads to another port: connections that are open stay.
  func find(port: Int) { wire.target = port }
}

/// The state shared by all connections of a line.
private final class Wire: Sendable {
  private struct State {
    var target: Int
    var isCut = false
    var delay = Duration.zero
    /// Both ends of the connections that are open.
    var channels: [ObjectIdentifier: any Channel] = [:]
  }

  private let state: Mutex<State>
  let record: (@Sendable ([UInt8]) -> Void)?

  init(target: Int, record: (@Sendable ([UInt8]) -> Void)?) {
    state = Mutex(State(target: target))
    self.record = record
  }

  var target: Int {
    get { state.withLock { $0.target } }
    set { state.withLock { $0.target = newValue } }
  }

  var delay: Duration {
    get { state.withLock { $0.delay } }
    set { state.withLock { $0.delay = newValue } }
  }

  var isCut: Bool { state.withLock { $0.isCut } }

  func heal() { state.withLock { $0.isCut = false } }

  func cut() {
    let channels = state.withLock { state in
      state.isCut = true
      return Array(state.channels.values)
    }
    for channel in channels { channel.close(promise: nil) }
  }

  /// Adds one end of a connection; false while the wire is cut.
  func add(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isAdded = state.withLock { state in
      if !state.isCut { state.channels[id] = channel }
      return !state.isCut
    }
    if isAdded {
      channel.closeFuture.whenComplete { _ in
        _ = self.state.withLock { $0.channels.removeValue(forKey: id) }
      }
    }
    return isAdded
  }
}

/// Forwards the bytes of one end of a connection; on the event loop of both ends.
private final class Relay: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let other: any Channel
  private let wire: Wire
  /// When the last bytes arrive: later bytes do not overtake them, even if the delay changes.
  private var lastArrival = NIODeadline.uptimeNanoseconds(0)

  init(to other: any Channel, _ wire: Wire) {
    self.other = other
    self.wire = wire
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    wire.record?(Array(bytes.readableBytesView))
    later(context) { [other, wire] in
      // A connection that was cut is closed a moment later.
      guard !wire.isCut else { return }
      other.writeAndFlush(bytes, promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    later(context) { [other] in other.close(promise: nil) }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func later(
    _ context: ChannelHandlerContext, _ body: @escaping @Sendable () -> Void
  ) {
    let now = context.eventLoop.now
    lastArrival = max(lastArrival, now + TimeAmount(wire.delay))
    guard lastArrival > now else { return body() }
    context.eventLoop.scheduleTask(deadline: lastArrival, body)
  }
}
#endif
