/// Limits of one user, over all devices, to protect other users.
package struct UserLimits: Hashable, Sendable {
  /// How many connections there are at a time.
  package var connectionCount = 100
  /// How many files the server keeps records of: a device has one, and a new one after each
  /// removal.
  package var fileCount = 10_000
  /// How many subscriptions a device may have.
  package var subscriptionCount = SetLimits.count
  /// How many different queries all devices that are connected may have together: those that no value
  /// tells of, as `CONTAINS`, run with each change of their class.
  package var viewCount = 1_000
  /// How many changes are accepted in a minute, and their bytes; faster ones wait.
  ///
  /// Each member of a set counts as one when the set is requested, caught up with, or verified.
  package var operationsPerMinute = 600_000
  package var bytesPerMinute = 256 << 20
  /// How many bytes the objects may take that the user's devices have made.
  package var storedByteCount = 1 << 30
  /// How many bytes of messages are held that are not complete or wait to be judged, of all
  /// connections together: those of the largest message and of some small ones beside it.
  package var unfinishedByteCount = ServerOptions.messageByteLimit + 16 << 20

  package init() {}
}

/// A user's remaining allowance: at most a minute's worth, refilled over time.
struct SendingAllowance {
  private var operationCount: Double
  private var byteCount: Double
  private var now: UInt64

  init(_ limits: UserLimits, now: UInt64) {
    operationCount = Double(limits.operationsPerMinute)
    byteCount = Double(limits.bytesPerMinute)
    self.now = now
  }

  /// Refills the allowance for the time since the last call; a clock that is set back refills
  /// nothing.
  mutating func refill(_ limits: UserLimits, now: UInt64) {
    let minutes = now > self.now ? Double(now - self.now) / 60_000 : 0
    self.now = now
    let (operations, bytes) = (
      Double(limits.operationsPerMinute), Double(limits.bytesPerMinute)
    )
    operationCount = min(operations, operationCount + minutes * operations)
    byteCount = min(bytes, byteCount + minutes * bytes)
  }

  /// Whether the allowance is used up.
  var isExhausted: Bool { operationCount <= 0 || byteCount <= 0 }

  func isFull(_ limits: UserLimits) -> Bool {
    operationCount >= Double(limits.operationsPerMinute)
      && byteCount >= Double(limits.bytesPerMinute)
  }

  /// Charges a message, which may exceed the rest: then the next ones wait longer.
  mutating func take(operationCount: Int, byteCount: Int) {
    self.operationCount -= Double(operationCount)
    self.byteCount -= Double(byteCount)
  }
}
