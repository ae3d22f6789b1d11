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

  private let hasFailed = Atomic(false)

  func fail() { hasFailed.store(true, ordering: .relaxed) }

  /// How the core is whose current turn has lasted for so long; 0 between two turns.
  func health(turnNanoseconds: UInt64) -> CoreHealth {
    if hasFailed.load(ordering: .relaxed) { return .failed }
    let milliseconds = turnNanoseconds / 1_000_000
    return milliseconds > Self.limitMilliseconds ? .busy(milliseconds: milliseconds) : .well
  }
}
#endif
