#if Sync
/// How long a device waits before it connects again.
///
/// Doubles with each failure of one kind, minus a random part, so that many devices do not
/// reconnect at one moment. Another kind of failure starts from the beginning. After a voluntary
/// end there is no delay.
package struct ReconnectDelay: Sendable, Equatable {
  /// The kinds of failure, as far as the delay is concerned.
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

  package init(initialMilliseconds: UInt64 = 1_000, maximumMilliseconds: UInt64 = 60_000) {
    self.initialMilliseconds = initialMilliseconds
    self.maximumMilliseconds = max(initialMilliseconds, maximumMilliseconds)
    nextMilliseconds = initialMilliseconds
  }

  /// Draws the wait after another failure.
  ///
  /// - Parameters:
  ///   - failure: What went wrong this time.
  ///   - atLeast: The delay that the server requested, in milliseconds.
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

  /// Resets the delay: after a success, a new token, a request of the application, a change of the
  /// network.
  package mutating func reset() {
    last = nil
    nextMilliseconds = initialMilliseconds
  }
}
#endif
