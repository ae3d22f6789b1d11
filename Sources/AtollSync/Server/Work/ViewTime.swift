internal import AtollQuery

/// How long the tests of views may take.
struct ViewTime {
  let limits: WorkLimits
  /// The processor time of the server's thread, in nanoseconds.
  let clock: () -> UInt64

  func budget(_ nanoseconds: UInt64) -> QueryBudget {
    QueryBudget(
      nanoseconds: nanoseconds, valueNanoseconds: Double(limits.object), clock: clock)
  }

  /// The time since a look at the clock; none where the clock went back.
  func elapsed(since start: UInt64) -> UInt64 {
    let now = clock()
    return now > start ? now - start : 0
  }
}
