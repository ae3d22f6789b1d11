@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Keys of an opened row group, evenly spaced or not, against an array.
@Suite(.computing) struct RowKeysTests {
  private static func encoded(_ keys: [Int64]) -> GrowableBytes {
    var builder = IntBuilder()
    for key in keys { builder.append(key) }
    var bytes = GrowableBytes()
    builder.encode(into: &bytes)
    return bytes
  }

  private static func copy(_ bytes: borrowing GrowableBytes) -> [UInt8] { [UInt8](bytes.bytes) }

  private static func opened(_ keys: [Int64]) throws -> RowKeys {
    let bytes = encoded(keys)
    defer { withExtendedLifetime(bytes) {} }
    return try RowKeys(IntVector(decoding: bytes.bytes))
  }

  private static let strides: [Int64] = [1, 3, 1 << 32]

  private static func someKeys(_ random: inout SplitMix64) -> [Int64] {
    let firsts: [Int64] = [.min, -3, 0, .max - 9]
    let isEven = random.below(3) > 0
    let stride = strides[random.below(3)]
    var keys: [Int64] = []
    var next = firsts[random.below(4)]
    for _ in 0..<random.below(9) {
      keys.append(next)
      let (sum, overflow) = next.addingReportingOverflow(
        isEven ? stride : 1 + Int64(random.below(2)))
      if overflow { break }
      next = sum
    }
    return keys
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func keysAreAsInAnArray(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var model = Self.someKeys(&random)
    var keys = try Self.opened(model)
    Self.expect(keys, model)
    for _ in 0..<20 {
      switch random.below(6) {
      case 0:
        let (next, overflow) = (model.last ?? 0)
          .addingReportingOverflow(Self.strides[random.below(3)])
        guard !overflow else { continue }
        model.append(next)
        keys.append(next)
      case 1:
        let row = random.below(model.count + 1)
        let lower = row == 0 ? Int64.min : model[row - 1]
        let upper = row == model.count ? Int64.max : model[row]
        let (distance, wraps) = upper.subtractingReportingOverflow(lower)
        guard wraps || distance > 1 else { continue }
        model.insert(lower + 1, at: row)
        keys.insert(lower + 1, at: row)
      case 2:
        let rows = model.indices.filter { _ in random.below(3) == 0 }
        keys.remove(RowRemoval(rows))
        for row in rows.reversed() { model.remove(at: row) }
      case 3:
        let count = random.below(model.count + 1)
        keys.truncate(to: count)
        model.removeLast(model.count - count)
      case 4:
        let added = try Self.opened((model.last ?? 0) < 1 << 40 ? [1 << 41, 1 << 42] : [])
        keys.append(added, 0..<added.count)
        model += (0..<added.count).map { added[$0] }
      default:
        guard random.below(8) == 0 else { continue }
        model = Self.someKeys(&random)
        keys = try Self.opened(model)
      }
      Self.expect(keys, model)
    }
  }

  /// Asks the keys everything.
  private static func expect(_ keys: RowKeys, _ model: [Int64]) {
    #expect(keys.count == model.count)
    #expect((0..<keys.count).map { keys[$0] } == model)
    for wanted in model + model.map({ $0 &+ 1 }) + [.min, 0, .max] {
      let expected = model.firstIndex { $0 >= wanted } ?? model.count
      #expect(keys.lowerBound(wanted) == expected, "\(wanted) in \(model)")
    }
    var bytes = GrowableBytes()
    keys.encode(into: &bytes)
    #expect(copy(bytes) == copy(encoded(model)))
  }

  /// Also keys of which the distances need more than 63 bits.
  @Test(
    arguments: [
      (-7, 1), (.min, 1), (.min, 1 << 62), (.min + 5, 1 << 62), (0, 1 << 61), (3, 1 << 32),
      (.min, .max),
    ] as [(Int64, Int64)])
  func keysCanBeSpacedEvenly(first: Int64, stride: Int64) throws {
    for count in 0..<4 {
      var model: [Int64] = []
      for row in 0..<count where row == 0 || (model.last ?? 0) <= .max - stride {
        model.append(first &+ Int64(row) &* stride)
      }
      var keys = RowKeys(first: first, stride: stride, count: model.count)
      Self.expect(keys, model)
      keys = try Self.opened(model)
      Self.expect(keys, model)
      keys.removeAll()
      Self.expect(keys, [])
    }
  }

  @Test(arguments: [[0, 0, 0], [5, 4, 3], [0, .max, .max - 1], [7, 7]] as [[Int64]])
  func keysThatDoNotAscendAreRefused(keys: [Int64]) throws {
    #expect(throws: ColumnError.corrupted(.unsortedKeys)) { _ = try Self.opened(keys) }
  }

  /// Evenly spaced keys of which the last would overflow: no writer makes them.
  @Test func keysThatOverflowAreRefused() throws {
    var bytes = GrowableBytes()
    IntBuilder.encode(first: .max - 4, stride: 3, count: 3, into: &bytes)
    #expect(throws: ColumnError.corrupted(.unsortedKeys)) {
      _ = try RowKeys(IntVector(decoding: bytes.bytes))
    }
    withExtendedLifetime(bytes) {}
  }
}
