internal import Workloads

/// Random choices for the comparison of answers, all from one seed.
struct RandomSource {
  private var generator: SplitMix64

  init(seed: UInt64) {
    generator = SplitMix64(state: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xA77E_E001)
  }

  /// A number of `range`.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(generator.next() % UInt64(range.count))
  }

  /// True once in `count` times.
  mutating func isOne(in count: Int) -> Bool { number(1...count) == 1 }

  /// One of the elements; there must be one.
  mutating func any<Element>(_ elements: [Element]) -> Element {
    elements[number(0...elements.count - 1)]
  }
}
