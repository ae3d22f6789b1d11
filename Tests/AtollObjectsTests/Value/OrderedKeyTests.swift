import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct OrderedKeyTests {
  private static let types = ValueType.allCases.filter { $0 != .mixed && $0 != .link }

  private func key(_ values: Value...) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { try OrderedKey.append(value, to: &bytes) }
    return bytes
  }

  private func decode(_ bytes: [UInt8], at offset: inout Int) throws -> Value {
    try OrderedKey.decode(bytes.span.bytes, at: &offset)
  }

  private func order(_ a: [UInt8], _ b: [UInt8]) -> Ordering {
    a == b ? .equal : (a.lexicographicallyPrecedes(b) ? .less : .greater)
  }

  @Test(arguments: types, 0..<20 as Range<UInt64>)
  func keysOrderAsTheirValues(type: ValueType, seed: UInt64) throws {
    var random = RandomSingleValues(seed: seed)
    let values = (0..<40).map { _ in random.indexable(type) }
    let keys = try values.map { try key($0) }
    for (a, aKey) in zip(values, keys) {
      for (b, bKey) in zip(values, keys) {
        #expect(order(aKey, bKey) == Value.sortOrder(a, b), "\(a), \(b)")
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func compositeKeysOrderAsTuples(seed: UInt64) throws {
    var random = RandomSingleValues(seed: seed)
    let types = (0..<3).map { _ in random.pick(Self.types) }
    let rows = (0..<40).map { _ in types.map { random.indexable($0) } }
    for a in rows {
      for b in rows {
        let expected = zip(a, b).map(Value.sortOrder).first { $0 != .equal } ?? .equal
        #expect(order(try key(a[0], a[1], a[2]), try key(b[0], b[1], b[2])) == expected)
      }
    }
  }

  @Test(arguments: types, 0..<20 as Range<UInt64>)
  func keysDecodeToEqualValues(type: ValueType, seed: UInt64) throws {
    var random = RandomSingleValues(seed: seed)
    for _ in 0..<50 {
      let first = random.indexable(type)
      let second = random.indexable(type)
      let bytes = try key(first, second)
      var offset = 0
      #expect(try decode(bytes, at: &offset) == first)
      #expect(try decode(bytes, at: &offset) == second)
      #expect(offset == bytes.count)
    }
  }

  @Test func keysHaveTheirDocumentedBytes() throws {
    #expect(try key(.null) == [0x00])
    #expect(try key(.int(-1)) == [0x20, 0x7F, 255, 255, 255, 255, 255, 255, 255])
    #expect(try key(.double(-0.0)) == [0x22, 0x80, 0, 0, 0, 0, 0, 0, 0])
    #expect(try key(.double(.nan)) == [0x22, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(try key(.string("a\0b")) == [0x30, 0x61, 0x00, 0xFF, 0x62, 0x00, 0x00])
    // 12.50: the first digit at 10^1, so 0x8000 + 1 + 6177; pairs 12 and 50.
    #expect(try key(.decimal(Decimal128(12.5))) == [0x23, 0x98, 0x22, 13, 51, 0])
    #expect(try key(.decimal(Decimal128(-12.5))) == [0x23, 0x67, 0xDE, 242, 204, 255])
  }

  @Test func prefixesMatchExactlyTheStringsThatBeginWithThem() throws {
    var prefix: [UInt8] = []
    OrderedKey.appendPrefix(ofString: "a\0", to: &prefix)
    for text in ["a\0", "a\0b", "a\0\0"] {
      #expect(try key(.string(text)).starts(with: prefix), "\(text)")
    }
    for text in ["a", "ab", "", "b"] {
      #expect(try !key(.string(text)).starts(with: prefix), "\(text)")
    }
  }

  @Test(
    arguments: [
      .link(ObjectLink(table: 1, key: 1)), .list([]), .set([]), .map([:]),
    ] as [Value])
  func linksAndCollectionsHaveNoKey(value: Value) {
    var bytes: [UInt8] = [7]
    #expect(throws: ValueCodingError.notIndexable) { try OrderedKey.append(value, to: &bytes) }
    #expect(bytes == [7])
  }

  @Test(
    arguments: [
      ([], .truncated(byteOffset: 0)),
      ([0x99], .unknownTag(0x99, byteOffset: 0)),
      ([0x10, 2], .invalidContents(byteOffset: 0)),
      ([0x20, 1, 2], .truncated(byteOffset: 3)),
      // -0 and a second NaN, which the encoder folds away.
      ([0x21, 0x7F, 0xFF, 0xFF, 0xFF], .invalidContents(byteOffset: 0)),
      ([0x21, 0xFF, 0xFF, 0xFF, 0xFF], .invalidContents(byteOffset: 0)),
      ([0x30, 0x61], .truncated(byteOffset: 2)),
      ([0x30, 0x61, 0x00, 0x01], .invalidContents(byteOffset: 3)),
      ([0x30, 0xFF, 0x00, 0x00], .invalidUTF8(byteOffset: 0)),
      // Decimals: no digits; a pair beyond 99; a leading zero; a trailing zero pair.
      ([0x23, 0x98, 0x22, 0], .invalidContents(byteOffset: 1)),
      ([0x23, 0x98, 0x22, 101, 0], .invalidContents(byteOffset: 1)),
      ([0x23, 0x98, 0x22, 10, 0], .invalidContents(byteOffset: 1)),
      ([0x23, 0x98, 0x22, 13, 1, 0], .invalidContents(byteOffset: 1)),
      // A first digit above 10^6144; a last digit below 10^-6176.
      ([0x23, 0xF0, 0x22, 13, 0], .invalidContents(byteOffset: 1)),
      ([0x23, 0x80, 0x01, 13, 0], .invalidContents(byteOffset: 1)),
    ] as [([UInt8], ValueCodingError)])
  func bytesThatAreNoKeyAreRefused(bytes: [UInt8], error: ValueCodingError) {
    var offset = 0
    #expect(throws: error) { try decode(bytes, at: &offset) }
  }

  /// Damaged keys give an error or the one value that encodes to exactly these bytes.
  @Test(arguments: types, 0..<20 as Range<UInt64>)
  func decodingDamagedBytesNeverTraps(type: ValueType, seed: UInt64) throws {
    var random = RandomSingleValues(seed: seed)
    var decodedCount = 0
    for _ in 0..<200 {
      var bytes = try key(random.indexable(type))
      damage(&bytes, using: &random.random)
      var offset = 0
      guard let value = try? decode(bytes, at: &offset) else { continue }
      decodedCount += 1
      #expect(try key(value) == Array(bytes[..<offset]), "\(bytes)")
    }
    #expect(decodedCount > 0)
  }
}
