import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct DigitSortTests {
  /// Numbers of a few shapes: spread, of few values, all high bits equal.
  private static func numbers(
    _ count: Int, _ shape: Int, below bitCount: Int, _ random: inout SplitMix64
  ) -> [UInt64] {
    let mask: UInt64 = bitCount == 64 ? .max : 1 << UInt64(bitCount) - 1
    return (0..<count).map { _ in
      let number = random.next()
      switch shape {
      case 0: return number & mask
      case 1: return (number & 7) << UInt64(bitCount - 3)
      default: return (mask - 0xFFFF | number & 0xFFFF) & mask
      }
    }
  }

  @Test(arguments: [2, 32, 33, 512, 513, 20_000], [20, 41, 64])
  func numbersAscend(count: Int, bitCount: Int) {
    var random = SplitMix64(seed: UInt64(count * bitCount))
    for shape in 0..<3 {
      // A spare list for all, and ones that need several dealings in place.
      for limit in [1 << 20, 600] {
        var found = Self.numbers(count, shape, below: bitCount, &random)
        let expected = found.sorted()
        let sort = DigitSort(limit: limit)
        unsafe found.withUnsafeMutableBufferPointer {
          unsafe sort.sort($0, from: 0, to: bitCount)
        }
        #expect(found == expected, "shape \(shape), limit \(limit)")
      }
    }
  }

  @Test(arguments: [20, 400, 20_000], [1 << 20, 600])
  func lowBitsThatAscendAreLeftAlone(count: Int, limit: Int) {
    var random = SplitMix64(seed: 7)
    let ranks = Self.numbers(count, 1, below: 20, &random)
    var found = ranks.enumerated().map { $1 << 32 | UInt64($0) }
    let expected = found.sorted()
    let sort = DigitSort(limit: limit)
    unsafe found.withUnsafeMutableBufferPointer { unsafe sort.sort($0, from: 32, to: 52) }
    #expect(found == expected)
  }
}
