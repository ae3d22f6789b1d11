#if Sync
internal import Foundation
internal import Synchronization
internal import TestSupport

/// A TCP relay between devices and their server that delays, goes silent and cuts connections.
///
/// Each connection has a thread of its own, which alone uses and closes its two sockets. What
/// arrives is relayed in order or not at all, as TCP does: a connection that has swallowed bytes is
/// cut later.
final class NetworkProxy: Sendable {
  /// The port that devices connect to.
  let port: Int
  private let listener: RelaySocket
  private let state: Mutex<State>

  private struct State {
    var random: SplitMix64
    var serverPort = 0
    var isCalm = false
    var isEnded = false
    /// Until when no connection lives longer than some milliseconds, in nanoseconds.
    var stormEnd: UInt64 = 0
    var cutCount = 0
    var silenceCount = 0
  }

  /// The fate of one connection.
  private struct Fate {
    /// Which read ends the connection, after a part of its bytes.
    var cutsAfterRead: Int
    /// After how many reads it goes silent.
    var silentAfterRead: Int
    /// How long the silence lasts before the cut, in nanoseconds.
    var silence: UInt64
    var random: SplitMix64
  }

  init(seed: UInt64) throws {
    listener = try RelaySocket.listening()
    port = listener.port
    state = Mutex(State(random: SplitMix64(seed: seed)))
    Thread.detachNewThread { [self] in accept() }
  }

  /// Connections that were cut, and those of them that had been silent before.
  var counts: (cuts: Int, silences: Int) { state.withLock { ($0.cutCount, $0.silenceCount) } }

  func connectTo(port: Int) { state.withLock { $0.serverPort = port } }

  /// Relays faithfully from now on; connections that are silent end.
  func calmDown() { state.withLock { $0.isCalm = true } }

  /// For so long, connections end some milliseconds after they began.
  func storm(milliseconds: UInt64) {
    state.withLock { $0.stormEnd = SystemClock.nanoseconds() + milliseconds * 1_000_000 }
  }

  func end() { state.withLock { $0.isEnded = true } }

  private var isEnded: Bool { state.withLock { $0.isEnded } }

  // MARK: Connections

  private func accept() {
    while !isEnded {
      guard let client = listener.accept(withinMilliseconds: 100) else { continue }
      let (serverPort, fate) = state.withLock { state in
        var random = SplitMix64(seed: state.random.next())
        let fate = Fate(
          cutsAfterRead: Int.random(in: 1..<600, using: &random),
          silentAfterRead: Int.random(in: 1..<1_800, using: &random),
          silence: UInt64.random(in: 0..<3_000_000_000, using: &random), random: random)
        return (state.serverPort, fate)
      }
      guard let server = RelaySocket.connected(to: serverPort) else { continue }
      Thread.detachNewThread { [self] in relay(client, server, fate) }
    }
  }

  private func relay(_ client: RelaySocket, _ server: RelaySocket, _ fate: Fate) {
    var fate = fate
    var readCount = 0
    while true {
      let (isOver, isCalm) = state.withLock { state in
        (
          state.isEnded
            || !state.isCalm && state.stormEnd > SystemClock.nanoseconds()
              && Int.random(in: 0..<8, using: &fate.random) == 0,
          state.isCalm
        )
      }
      if isOver { return noteCut() }
      if !isCalm, readCount >= fate.silentAfterRead {
        state.withLock { $0.silenceCount += 1 }
        let end = SystemClock.nanoseconds() + fate.silence
        while SystemClock.nanoseconds() < end, !state.withLock({ $0.isCalm || $0.isEnded }) {
          SystemClock.sleep(microseconds: 10_000)
        }
        return noteCut()
      }
      for (from, to) in [(client, server), (server, client)]
      where from.isReadable(withinMilliseconds: 2) {
        guard var bytes = from.read(), !bytes.isEmpty else { return }
        readCount += 1
        let isCut = !isCalm && readCount >= fate.cutsAfterRead
        if isCut { bytes.removeLast(Int.random(in: 0...bytes.count, using: &fate.random)) }
        if !isCalm, Int.random(in: 0..<10, using: &fate.random) == 0 {
          SystemClock.sleep(microseconds: Int.random(in: 0..<30_000, using: &fate.random))
        }
        guard to.write(bytes) else { return }
        if isCut { return noteCut() }
      }
    }
  }

  private func noteCut() { state.withLock { $0.cutCount += 1 } }
}
#endif
