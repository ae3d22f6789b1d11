import Synchronization

/// Lets one writer of this process pass at a time.
///
/// Unlike a mutex it has no owner: a write transaction may begin on one thread and end on
/// another. Waiters pass in no particular order.
final class WriterGate: Sendable {
  private let condition = ConditionVariable()
  private let isTaken = Atomic(false)

  /// Waits until the gate is free, and takes it.
  func take() {
    condition.wait(until: tryTake)
  }

  /// Takes the gate if it is free, and returns whether it did.
  func tryTake() -> Bool {
    isTaken.compareExchange(
      expected: false, desired: true, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Frees the gate and wakes one waiter.
  func leave() {
    precondition(open(), "a writer leaves the gate once, after taking it")
  }

  /// Frees the gate if it is taken, its user being gone for good, and returns whether it was.
  @discardableResult
  func open() -> Bool {
    // Under the condition's lock, so that no thread looks before and waits after.
    condition.signalling { isTaken.exchange(false, ordering: .acquiringAndReleasing) }
  }
}
