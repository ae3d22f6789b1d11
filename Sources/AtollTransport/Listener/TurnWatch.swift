#if Sync
internal import NIOCore
internal import Synchronization

/// How a server's core is.
package enum CoreHealth: Equatable, Sendable {
  case well
  /// Nobody is served since it began what it does.
  case busy(milliseconds: UInt64)
  /// An error has ended it.
  case failed
}

/// Tells from outside whether the core still works.
package final class TurnWatch: Sendable {
  /// A turn that lasts longer is an error of the server, in milliseconds.
  package static let limitMilliseconds: UInt64 = 5_000

  /// The time since the system started, in nanoseconds: nobody sets it.
  package static let systemUptime: @Sendable () -> UInt64 = {
    NIODeadline.now().uptimeNanoseconds
  }

  private struct State {
    /// When the current turn began.
    var began: UInt64?
    var hasFailed = false
  }

  private let state = Mutex(State())
  private let uptime: @Sendable () -> UInt64

  init(uptime: @escaping @Sendable () -> UInt64) { self.uptime = uptime }

  /// Does what the core does in one turn.
  func during<Result>(_ body: () -> Result) -> Result {
    let now = uptime()
    state.withLock { $0.began = now }
    defer { state.withLock { $0.began = nil } }
    return body()
  }

  func fail() { state.withLock { $0.hasFailed = true } }

  /// How long the current turn has lasted, in nanoseconds; 0 between two turns.
  var turnNanoseconds: UInt64 {
    let now = uptime()
    return state.withLock { $0.began }.map { now - min(now, $0) } ?? 0
  }

  var health: CoreHealth {
    if state.withLock({ $0.hasFailed }) { return .failed }
    let milliseconds = turnNanoseconds / 1_000_000
    return milliseconds > Self.limitMilliseconds ? .busy(milliseconds: milliseconds) : .well
  }
}
#endif
