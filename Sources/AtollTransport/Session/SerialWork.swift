#if Sync
internal import Dispatch
internal import NIOCore
internal import Synchronization

/// A value that one queue uses, and work on it that may block.
///
/// Event loops and the threads of Swift concurrency must not block in a transaction: such work runs
/// here, in the order of the calls.
// Sendable: the value is touched by the queue alone, which runs one piece of work at a time.
package final class SerialWork<Value>: @unchecked Sendable {
  private let queue: DispatchQueue
  private var value: Value
  /// Nanoseconds of a clock that nobody sets.
  private let uptime: @Sendable () -> UInt64
  /// When the work began that runs; 0: none runs.
  private let began = Atomic<UInt64>(0)

  /// How long the work has run that runs now, in nanoseconds; 0 when none does.
  package var nanosecondsAtWork: UInt64 {
    let began = began.load(ordering: .relaxed)
    guard began != 0 else { return 0 }
    let now = uptime()
    return now - min(now, began)
  }

  package init(
    _ label: String, _ value: sending Value,
    uptime: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
  ) {
    self.uptime = uptime
    queue = DispatchQueue(label: label)
    self.value = value
  }

  /// Runs `body` after all earlier work; returns at once.
  package func enqueue(_ body: @escaping @Sendable (inout Value) -> Void) {
    queue.async { self.noting { body(&self.value) } }
  }

  /// Runs `body` after all earlier work, and waits for it.
  package func run<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async {
        // The caller goes on when the work no longer counts as running.
        let result = self.noting { body(&self.value) }
        continuation.resume(returning: result)
      }
    }
  }

  /// As `run`; blocks the thread, which must be none of Swift concurrency's.
  package func wait<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
    queue.sync { noting { body(&self.value) } }
  }

  private func noting<Result>(_ body: () -> Result) -> Result {
    began.store(max(1, uptime()), ordering: .relaxed)
    defer { began.store(0, ordering: .relaxed) }
    return body()
  }
}
#endif
