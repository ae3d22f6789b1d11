/// What one user may take of a server, with all devices together, so that the others keep theirs.
package struct UserLimits: Hashable, Sendable {
  /// How many connections there are at a time.
  package var connectionCount = 100
  /// How many files the server keeps records of: a device has one, and a new one after each
  /// removal.
  package var fileCount = 10_000
  /// How many subscriptions a device may have.
  package var subscriptionCount = SetLimits.count
  /// How many different queries all devices that are connected may have together: each is asked
  /// with each change of its class.
  package var viewCount = 1_000
  /// How many changes are taken in a minute, and their bytes; what comes faster waits.
  ///
  /// Each member of a set counts as one when the set is asked for, caught up with, or verified.
  package var operationsPerMinute = 600_000
  package var bytesPerMinute = 256 << 20
  /// How many bytes of messages that are not complete are held, of all connections together: those
  /// of the largest message and of some small ones beside it.
  package var unfinishedByteCount = ServerOptions.messageByteLimit + 16 << 20

  package init() {}
}

/// What a user may still send now: a minute's worth, which comes back as time goes by.
struct SendingAllowance {
  private var operationCount: Double
  private var byteCount: Double
  private var now: UInt64

  init(_ limits: UserLimits, now: UInt64) {
    operationCount = Double(limits.operationsPerMinute)
    byteCount = Double(limits.bytesPerMinute)
    self.now = now
  }

  /// Gives back what the time since the last call is worth; a clock that is put back gives nothing.
  mutating func refill(_ limits: UserLimits, now: UInt64) {
    let minutes = now > self.now ? Double(now - self.now) / 60_000 : 0
    self.now = now
    let (operations, bytes) = (
      Double(limits.operationsPerMinute), Double(limits.bytesPerMinute)
    )
    operationCount = min(operations, operationCount + minutes * operations)
    byteCount = min(bytes, byteCount + minutes * bytes)
  }

  /// Whether nothing more is taken now.
  var isExhausted: Bool { operationCount <= 0 || byteCount <= 0 }

  func isFull(_ limits: UserLimits) -> Bool {
    operationCount >= Double(limits.operationsPerMinute)
      && byteCount >= Double(limits.bytesPerMinute)
  }

  /// Takes a message, which may be larger than what is left: the next ones wait for longer then.
  mutating func take(operationCount: Int, byteCount: Int) {
    self.operationCount -= Double(operationCount)
    self.byteCount -= Double(byteCount)
  }
}
