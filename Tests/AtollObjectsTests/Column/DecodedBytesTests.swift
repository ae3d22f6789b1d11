import AtollStorage
import TestThreads
import Testing

@testable import AtollObjects

/// Lengths of entries that do not add up to the bytes of a vector, at each place of a block of 64.
@Suite(.computing) struct DecodedBytesTests {
  private static let entryCount = 130
  private static let byteCount = 3 * entryCount

  /// Opens a vector of entries with these lengths.
  private func open(_ lengths: [Int64]) throws -> [Range<Int>] {
    var bytes = GrowableBytes()
    bytes.append(UInt32(0))
    for count in [lengths.count, lengths.count, Self.byteCount, Self.byteCount] {
      bytes.append(UInt32(count))
    }
    bytes.appendZeros(12)
    var builder = IntBuilder()
    for length in lengths { builder.append(length) }
    builder.encode(into: &bytes)
    bytes.appendZeros(BytesVector.checkpointByteCount(entryCount: lengths.count))
    bytes.appendZeros(Self.byteCount + 16)
    let vector = try unsafe BytesVector(decoding: bytes.bytes, slot: .none)
    let decoded = try DecodedBytes(decoding: vector)
    // The vector refers to the bytes.
    withExtendedLifetime(bytes) {}
    return (0..<lengths.count).map {
      unsafe Int(decoded.offsets[$0])..<Int(decoded.offsets[$0 + 1])
    }
  }

  @Test func lengthsThatAddUpSayWhereEntriesLie() throws {
    var lengths = [Int64](repeating: 3, count: Self.entryCount)
    (lengths[0], lengths[63], lengths[64], lengths[129]) = (0, 6, 1, 5)
    var end = 0
    for (range, length) in zip(try open(lengths), lengths) {
      #expect(range == end..<(end + Int(length)))
      end = range.upperBound
    }
    #expect(end == Self.byteCount)
  }

  /// `other` takes what `place` has too much, so that the sum in 64 bits is right.
  @Test(
    arguments: [(0, 1), (63, 62), (63, 64), (64, 63), (129, 128), (128, 129)] as [(Int, Int)],
    [-1, 1 << 32, 1 << 62, .min] as [Int64])
  func aLengthThatAnotherMakesUpForIsRefused(places: (Int, Int), length: Int64) throws {
    var lengths = [Int64](repeating: 3, count: Self.entryCount)
    lengths[places.0] = length
    lengths[places.1] = 6 &- length
    #expect(throws: ColumnError.corrupted(.lengthsDoNotAddUp)) { try open(lengths) }
  }

  @Test(arguments: [0, 62, 63, 64, 127, 128, 129], [2, 4] as [Int64])
  func aSumThatIsNotThatOfTheBytesIsRefused(place: Int, length: Int64) throws {
    var lengths = [Int64](repeating: 3, count: Self.entryCount)
    lengths[place] = length
    #expect(throws: ColumnError.corrupted(.lengthsDoNotAddUp)) { try open(lengths) }
  }
}
