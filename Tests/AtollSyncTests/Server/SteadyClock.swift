import AtollObjects
import Synchronization

@testable import AtollSync

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

extension ServerWorld {
  /// A world whose server measures its work by a clock, and delays no connection for it.
  static func timed(
    by clock: SteadyClock, adjust: (inout SyncServer.Options) -> Void = { _ in }
  ) throws -> ServerWorld {
    try ServerWorld(store: AtollStore(Database.inMemory())) {
      $0.processorTime = { clock.look() }
      // Virtual time stands still where the clock goes on.
      $0.bounds.work.restFactor = 0
      $0.bounds.work.delayFactor = 0
      adjust(&$0)
    }
  }
}
