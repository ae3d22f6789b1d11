import Synchronization

/// A clock that goes on by the same with each look at it.
final class SteadyClock: Sendable {
  private let now = Mutex<UInt64>(0)
  private let step = Mutex<UInt64>(0)

  func setStep(_ nanoseconds: UInt64) { step.withLock { $0 = nanoseconds } }

  func look() -> UInt64 {
    let step = step.withLock { $0 }
    return now.withLock { now in
      now += step
      return now
    }
  }
}
