internal import Synchronization

/// What becomes of a write, for those on other threads that have references to what it has made.
final class WriteFate: Sendable {
  enum Outcome: Sendable {
    case open
    /// In this version it is to be seen.
    case committed(version: UInt64)
    case cancelled
  }

  private let state = Mutex(Outcome.open)

  var outcome: Outcome { state.withLock { $0 } }

  func end(_ outcome: Outcome) { state.withLock { $0 = outcome } }
}
