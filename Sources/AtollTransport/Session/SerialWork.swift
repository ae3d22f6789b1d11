#if Sync
internal import Dispatch

/// A value that one queue uses, and work on it that may block.
///
/// Event loops and the threads of Swift concurrency must not block in a transaction: such work runs
/// here, in the order of the calls.
// Sendable: the value is touched by the queue alone, which runs one piece of work at a time.
package final class SerialWork<Value>: @unchecked Sendable {
  private let queue: DispatchQueue
  private var value: Value

  package init(_ label: String, _ value: sending Value) {
    queue = DispatchQueue(label: label)
    self.value = value
  }

  /// Runs `body` after all earlier work; returns at once.
  package func enqueue(_ body: @escaping @Sendable (inout Value) -> Void) {
    queue.async { body(&self.value) }
  }

  /// Runs `body` after all earlier work, and waits for it.
  package func run<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      enqueue { continuation.resume(returning: body(&$0)) }
    }
  }

  /// As `run`; blocks the thread, which must be none of Swift concurrency's.
  package func wait<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
    queue.sync { body(&self.value) }
  }
}
#endif
