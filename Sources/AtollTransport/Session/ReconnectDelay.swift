#if Sync
/// How long a device waits before it connects again.
///
/// Doubles with each failure of one kind, less a random part, so that many devices do not come back
/// at one moment; another kind of failure begins anew. A voluntary end is followed at once.
package struct ReconnectDelay: Sendable, Equatable {
  /// What went wrong, as far as waiting is concerned.
  package enum Failure: Hashable, Sendable {
    /// This end closed, to connect again with something new.
    case renewal
    /// No connection was made.
    case unreachable
    /// The server answered the request for a connection with a refusal.
    case refused(status: Int)
    /// An open connection ended.
    case ended
    /// A message made no sense.
    case misunderstanding
  }

  /// The wait after the first failure, and the longest one.
  package let initialMilliseconds: UInt64
  package let maximumMilliseconds: UInt64
  private var last: Failure?
  private var nextMilliseconds: UInt64

  package init(initialMilliseconds: UInt64 = 1_000, maximumMilliseconds: UInt64 = 300_000) {
    self.initialMilliseconds = initialMilliseconds
    self.maximumMilliseconds = max(initialMilliseconds, maximumMilliseconds)
    nextMilliseconds = initialMilliseconds
  }

  /// Draws the wait after another failure.
  ///
  /// - Parameters:
  ///   - failure: What went wrong this time.
  ///   - atLeast: What the server asked for, in milliseconds.
  ///   - random: Decides the part that is left out, up to a quarter.
  /// - Returns: Milliseconds.
  package mutating func next(
    after failure: Failure, atLeast: UInt64 = 0, random: UInt64
  ) -> UInt64 {
    let isFirst = failure != last
    last = failure
    if isFirst { nextMilliseconds = initialMilliseconds }
    // A second one without a success between them is no longer voluntary.
    if failure == .renewal, isFirst { return atLeast }
    let full = nextMilliseconds
    let doubled = full.multipliedReportingOverflow(by: 2)
    nextMilliseconds = min(doubled.overflow ? .max : doubled.partialValue, maximumMilliseconds)
    return max(atLeast, full - random % (full / 4 + 1))
  }

  /// Begins anew: after a success, a new token, a wish of the application, a change of the network.
  package mutating func reset() {
    last = nil
    nextMilliseconds = initialMilliseconds
  }
}
#endif
