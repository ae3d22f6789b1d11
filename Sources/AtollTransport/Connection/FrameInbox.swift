#if Sync
internal import Synchronization

/// A receiver for owners that wait for one frame after another.
///
/// Holds at most a window of frames: beyond that nothing is read from the network.
package final class FrameInbox: FrameReceiver {
  private struct State {
    var connection: (any FrameConnection)?
    var frames: [[UInt8]] = []
    var closeReason: CloseReason?
    var writable = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The open connection; nil before `opened` and after `closed`.
  package var connection: (any FrameConnection)? { state.withLock { $0.connection } }

  /// Why the connection ended; nil while it has not.
  package var closeReason: CloseReason? { state.withLock { $0.closeReason } }

  /// How many frames lie here.
  package var frameCount: Int { state.withLock { $0.frames.count } }

  /// Waits for the next frame; nil when the connection has ended and all frames were returned.
  package func next() async -> [UInt8]? {
    while true {
      let (frame, isOver, connection) = state.withLock { state in
        let frame = state.frames.isEmpty ? nil : state.frames.removeFirst()
        return (frame, state.closeReason != nil, state.connection)
      }
      if let frame {
        connection?.consumed(frameCount: 1, byteCount: frame.count)
        return frame
      }
      if isOver { return nil }
      await change { !$0.frames.isEmpty || $0.closeReason != nil }
    }
  }

  /// Sends a frame when the connection is writable; waits until it is.
  ///
  /// - Throws: `.closed` when the connection has ended.
  package func send(_ frame: [UInt8]) async throws(TransportError) {
    while true {
      let (connection, reason) = state.withLock { ($0.connection, $0.closeReason) }
      if let reason { throw .closed(reason) }
      guard let connection else { throw .closed(.lost) }
      if connection.isWritable { return connection.send([frame]) }
      let seen = state.withLock { $0.writable }
      if connection.isWritable { continue }
      await change { $0.writable != seen || $0.closeReason != nil }
    }
  }

  /// Waits until the connection has ended.
  package func ended() async -> CloseReason {
    while true {
      if let reason = closeReason { return reason }
      await change { $0.closeReason != nil }
    }
  }

  /// Waits until something changes, unless `isReady` is true already.
  private func change(unless isReady: @Sendable (borrowing State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        if isReady(state) { return true }
        state.waiters.append(continuation)
        return false
      }
      if isNow { continuation.resume() }
    }
  }

  private func update(_ body: (inout sending State) -> Void) {
    let waiters = state.withLock { state in
      body(&state)
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  package func opened(_ connection: any FrameConnection) {
    update { $0.connection = connection }
  }

  package func received(_ frames: [[UInt8]], on connection: any FrameConnection) {
    update { $0.frames += frames }
  }

  package func becameWritable(_ connection: any FrameConnection) {
    update { $0.writable += 1 }
  }

  package func closed(_ connection: any FrameConnection, _ reason: CloseReason) {
    update { state in
      state.closeReason = reason
      state.connection = nil
    }
  }
}
#endif
