package import AtollObjects

/// Bounds the processor time of queries that others have written.
///
/// A bounded run stops between two objects when its time is over, and is asked to go on from there
/// later. What the test of a single object would take is estimated before it is run: beyond
/// `valueNanoseconds` it is not run at all. Used by one thread.
package final class QueryBudget {
  /// How many nanoseconds of processor time may have passed on the clock.
  private let end: UInt64
  /// The most that the test of one value may take, in estimated nanoseconds.
  package let valueNanoseconds: Double
  private let clock: () -> UInt64

  /// Begins a budget.
  ///
  /// - Parameters:
  ///   - nanoseconds: How long runs may take from now on, together.
  ///   - valueNanoseconds: The most that the test of one value may take.
  ///   - clock: The processor time of this thread, in nanoseconds.
  package init(nanoseconds: UInt64, valueNanoseconds: Double, clock: @escaping () -> UInt64) {
    let (end, isTooLarge) = clock().addingReportingOverflow(nanoseconds)
    self.end = isTooLarge ? .max : end
    self.valueNanoseconds = valueNanoseconds
    self.clock = clock
  }

  /// The time on the clock.
  package var now: UInt64 { clock() }

  /// The time since a look at the clock; none where the clock went back.
  package func elapsed(since start: UInt64) -> UInt64 {
    let now = clock()
    return now > start ? now - start : 0
  }

  /// Whether the time is over.
  package var isSpent: Bool { clock() >= end }

  /// Throws when a test that takes about this long must not begin.
  func admit(_ nanoseconds: Double) throws(QueryTooExpensive) {
    guard nanoseconds <= valueNanoseconds else { throw QueryTooExpensive() }
  }
}

/// The test of a single object would take longer than the budget of its query allows.
package struct QueryTooExpensive: Error {}

/// What a bounded run has found.
package struct BoundedKeys {
  /// The objects that pass, ascending.
  package var keys: [ObjectKey]
  /// The first object that was not tested; nil when all were.
  package var next: ObjectKey?
}
