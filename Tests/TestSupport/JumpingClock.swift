import Synchronization

/// A clock in nanoseconds that goes on by anything with each look at it, as on a machine where
/// anything takes any time.
public final class JumpingClock: Sendable {
  private struct State {
    var now: UInt64 = 0
    var random: SplitMix64
  }

  private let state: Mutex<State>
  private let greatestExponent: UInt64

  /// - Parameters:
  ///   - seed: Of the jumps.
  ///   - greatestExponent: A jump is below 2 to the power of this.
  public init(seed: UInt64, greatestExponent: UInt64 = 24) {
    state = Mutex(State(random: SplitMix64(seed: seed)))
    self.greatestExponent = greatestExponent
  }

  /// The time, later than at the last look.
  public func look() -> UInt64 {
    state.withLock { state in
      let exponent = UInt64.random(in: 10...greatestExponent, using: &state.random)
      state.now += UInt64.random(in: 1...(1 << exponent), using: &state.random)
      return state.now
    }
  }
}
