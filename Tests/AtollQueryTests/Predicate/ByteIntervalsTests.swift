import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Sets of byte strings against the tests that they are made from.
@Suite(.computing) struct ByteIntervalsTests {
  /// All strings of up to three of these bytes.
  private static let strings: [[UInt8]] = {
    let letters: [UInt8] = [0, 1, 0x61, 0x62, 0xFE, 0xFF]
    var all: [[UInt8]] = [[]]
    var last = all
    for _ in 0..<3 {
      last = last.flatMap { start in letters.map { start + [$0] } }
      all += last
    }
    return all
  }()

  private static func form(_ random: inout SplitMix64, depth: Int) -> BytesPredicate.Form {
    func text() -> [UInt8] { strings[Int.random(in: 0..<strings.count, using: &random)] }
    switch Int.random(in: 0..<(depth == 0 ? 8 : 11), using: &random) {
    case 0: return .equal(text())
    case 1: return .isIn((0..<3).map { _ in text() }.sorted { $0.lexicographicallyPrecedes($1) })
    case 2: return .begins(text())
    case 3:
      return .range(low: text(), isLowIn: Bool.random(using: &random), high: nil, isHighIn: true)
    case 4:
      return .range(low: nil, isLowIn: true, high: text(), isHighIn: Bool.random(using: &random))
    case 5:
      return .range(
        low: text(), isLowIn: Bool.random(using: &random), high: text(),
        isHighIn: Bool.random(using: &random))
    case 6: return .ends(text())
    case 7: return .constant(Bool.random(using: &random))
    case 8: return .not(form(&random, depth: depth - 1))
    case 9: return .all((0..<3).map { _ in form(&random, depth: depth - 1) })
    default: return .any((0..<3).map { _ in form(&random, depth: depth - 1) })
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func holdWhatPassesAndNothingElse(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let form = Self.form(&random, depth: 2)
      let (set, isExact) = form.intervals
      for (interval, next) in zip(set.intervals, set.intervals.dropFirst()) {
        #expect(interval.high.map { $0.lexicographicallyPrecedes(next.low) } == true)
      }
      for text in Self.strings {
        let passes = unsafe text.withUnsafeBytes { unsafe BytesPredicate.matches(form, $0) }
        let isInside = set.intervals.contains { interval in
          !text.lexicographicallyPrecedes(interval.low)
            && interval.high.map { text.lexicographicallyPrecedes($0) } ?? true
        }
        if isExact {
          #expect(isInside == passes, "\(text) in \(form)")
        } else if passes {
          #expect(isInside, "\(text) in \(form)")
        }
        let prefix = ByteIntervals.prefix(text)
        if passes { #expect(set.mayHold(least: prefix, greatest: prefix), "\(text) in \(form)") }
      }
    }
  }

  /// Leaves far from all intervals are passed over.
  @Test func zonesOutsideHoldNothing() {
    let form = BytesPredicate.Form.all([
      .range(low: Array("m".utf8), isLowIn: true, high: Array("n".utf8), isHighIn: false),
      .ends(Array("x".utf8)),
    ])
    func prefix(_ text: String) -> UInt64 { ByteIntervals.prefix(Array(text.utf8)) }
    let set = form.intervals.set
    #expect(!set.mayHold(least: prefix("a"), greatest: prefix("lzzzzzzz")))
    #expect(!set.mayHold(least: prefix("o"), greatest: prefix("zz")))
    #expect(set.mayHold(least: prefix("lazy"), greatest: prefix("mild")))
  }
}
