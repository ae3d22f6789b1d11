import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct MixedCodingTests {
  private func encode(_ value: Value) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try MixedCoding.append(value, to: &bytes)
    return bytes
  }

  private func decode(_ bytes: [UInt8]) throws -> Value {
    try MixedCoding.decode(bytes.span.bytes)
  }

  /// A value inside `depth` lists.
  private func nested(_ depth: Int) -> Value {
    (0..<depth).reduce(.null) { value, _ in .list([value]) }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func valuesReadBackBitForBit(seed: UInt64) throws {
    var random = RandomSingleValues(seed: seed)
    for _ in 0..<100 {
      let value = random.any()
      let bytes = try encode(value)
      let copy = try decode(bytes)
      #expect(copy == value)
      #expect(try encode(copy) == bytes)
      if let type = value.type {
        let tag = try MixedCoding.tag(of: bytes.span.bytes)
        #expect(tag.rawValue == type.rawValue)
      }
    }
  }

  @Test(
    arguments: [
      (.null, [0]), (.bool(true), [1, 1]),
      (.int(-2), [2, 0xFE, 255, 255, 255, 255, 255, 255, 255]),
      (.float(1), [3, 0, 0, 0x80, 0x3F]), (.double(1), [4, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]),
      (.decimal(1), [5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x30]),
      (.string("é"), [6, 2, 0xC3, 0xA9]), (.data([9]), [7, 1, 9]),
      (
        .objectID(ObjectID(seconds: 1, random: 2, counter: 3)),
        [9, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 3]
      ),
      (.uuid(UniqueID(high: 1, low: 2)), [10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]),
      (.link(ObjectLink(table: 1, key: 2)), [12, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]),
      (.list([.null, .list([])]), [13, 2, 0, 13, 0]), (.set([.bool(false)]), [14, 1, 1, 0]),
      (.map(["b": .null, "a": .null]), [15, 2, 1, 0x61, 0, 1, 0x62, 0]),
    ] as [(Value, [UInt8])])
  func encodingsHaveTheirDocumentedBytes(value: Value, bytes: [UInt8]) throws {
    #expect(try encode(value) == bytes)
    #expect(try decode(bytes) == value)
  }

  @Test(
    arguments: [
      ([], .truncated(byteOffset: 0)),
      ([11], .unknownTag(11, byteOffset: 0)), ([16], .unknownTag(16, byteOffset: 0)),
      ([13, 1, 99], .unknownTag(99, byteOffset: 2)),
      ([1, 2], .invalidContents(byteOffset: 1)),
      ([2, 0, 0], .truncated(byteOffset: 3)),
      ([0, 0], .trailingBytes(byteOffset: 1)),
      ([6, 1, 0xFF], .invalidUTF8(byteOffset: 2)),
      ([6, 5, 0x61], .truncated(byteOffset: 3)),
      ([7, 0x80, 0x00], .invalidContents(byteOffset: 1)),
      ([7, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], .invalidContents(byteOffset: 1)),
      ([13, 255, 255, 255, 255, 255, 255, 255, 127], .truncated(byteOffset: 9)),
      // Seconds 1, nanoseconds -1.
      ([8, 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255], .invalidContents(byteOffset: 1)),
      ([15, 2, 1, 0x62, 0, 1, 0x61, 0], .invalidContents(byteOffset: 1)),
      ([15, 2, 1, 0x61, 0, 1, 0x61, 0], .invalidContents(byteOffset: 1)),
      // Each claim is possible by itself, together they exceed the input.
      ([13, 5, 13, 4, 99, 0, 0, 0], .truncated(byteOffset: 8)),
    ] as [([UInt8], ValueCodingError)])
  func bytesThatAreNoValueAreRefused(bytes: [UInt8], error: ValueCodingError) {
    #expect(throws: error) { try decode(bytes) }
  }

  @Test func nestingIsLimitedBothWays() throws {
    let limit = MixedCoding.nestingLimit
    let deepest = try encode(nested(limit))
    #expect(try decode(deepest) == nested(limit))

    var bytes: [UInt8] = [42]
    #expect(throws: ValueCodingError.nestingTooDeep(limit: limit)) {
      try MixedCoding.append(nested(limit + 1), to: &bytes)
    }
    #expect(bytes == [42])
    #expect(throws: ValueCodingError.nestingTooDeep(limit: limit)) {
      try decode([13, 1] + deepest)
    }
    let endless: [UInt8] = [13, 1, 15, 1, 0] + Array(repeating: 13, count: 1_000_000)
    #expect(throws: (any Error).self) { try decode(endless) }
  }

  /// Damaged bytes give an error or the one value that encodes to exactly these bytes.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func decodingDamagedBytesNeverTraps(seed: UInt64) throws {
    var random = RandomSingleValues(seed: seed)
    var decodedCount = 0
    for _ in 0..<300 {
      var bytes = try encode(random.any())
      damage(&bytes, using: &random.random)
      guard let value = try? decode(bytes) else { continue }
      decodedCount += 1
      #expect(try encode(value) == bytes, "\(bytes)")
    }
    #expect(decodedCount > 0)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func decodingRandomBytesNeverTraps(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<1000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        // Mostly tags and short counts, to get deep into collections.
        Bool.random(using: &random)
          ? UInt8.random(in: 0...16, using: &random) : UInt8.random(in: 0...255, using: &random)
      }
      guard let value = try? decode(bytes) else { continue }
      #expect(try encode(value) == bytes)
    }
  }
}

/// Changes, removes or adds a few bytes.
func damage(_ bytes: inout [UInt8], using random: inout SplitMix64) {
  for _ in 0...Int.random(in: 0..<3, using: &random) {
    let index = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes.removeSubrange(index...)
    case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
    case 2 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 3 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    default: break
    }
  }
}
