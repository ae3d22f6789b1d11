/// The generator behind every random choice of the benchmark.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SplitMix64: Sendable {
  private var state: UInt64

  /// Starts at `state`; the first draw already depends on all of its bits.
  package init(state: UInt64) {
    self.state = state
  }

  /// Draws the next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Draws the key of an object: the next 64 bits modulo `rows`.
  mutating func nextKey(below rows: Int) -> Int {
    Int(next() % UInt64(rows))
  }
}
