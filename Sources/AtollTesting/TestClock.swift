#if Sync
internal import AtollStorage
internal import Synchronization

/// The time of day, moved by a test.
final class TestClock: Sendable {
  private let offsetMilliseconds = Mutex<Int64>(0)

  /// Milliseconds since 1970.
  var milliseconds: UInt64 {
    let offset = offsetMilliseconds.withLock { $0 }
    let now = Int64(clamping: SystemCalls.millisecondsSince1970())
    return UInt64(clamping: now.addingReportingOverflow(offset).partialValue)
  }

  func move(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
    precondition(!milliseconds.overflow, "a clock is moved by less than all time")
    offsetMilliseconds.withLock {
      $0 += milliseconds.partialValue + attoseconds / 1_000_000_000_000_000
    }
  }
}
#endif
