@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// The leaf in memory against its page.
@Suite(.computing) struct IndexLeafContentsTests {
  @Test(arguments: 0..<120 as Range<UInt64>)
  func aPageHoldsWhatTheLeafHeld(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let shape = ValueShape.allCases[Int(seed) % ValueShape.allCases.count]
    var contents = IndexLeafContents()
    var expected: [IndexEntry] = []
    let isUnique = random.next() % 2 == 0
    for value in shape.values(using: &random) {
      let keys = (0..<(isUnique ? 1 : random.next() % 20 + 1)).map { _ in random.next() % 70_000 }
      let ordered = keys.sorted().map(\.orderedSigned)
      expected += keys.sorted().map { IndexEntry(value: value, key: $0) }
      let isAppended = value.withUnsafeBytes { value in
        ordered.withUnsafeBufferPointer { contents.append(value, keys: $0) }
      }
      #expect(isAppended)
    }
    let payload = try contents.encode()
    // The measure may count what a shorter encoding saves, and never forgets anything.
    #expect(payload.count <= contents.byteCount)
    if contents.measure.form != .integers {
      #expect(payload.count >= contents.byteCount - 2 * expected.count / 16 - 64)
    }

    try withPage(payload) { page in
      var decoded = IndexLeafContents()
      try decoded.load(page)
      #expect(Self.entries(decoded) == expected)
      #expect(decoded.byteCount == contents.byteCount)
      #expect(try decoded.encode() == payload)
      for (index, entry) in expected.enumerated() {
        let (value, isEqual) = try entry.value.withUnsafeBytes { try page.search($0) }
        #expect(isEqual)
        #expect(try page.entries(ofValues: value..<value + 1).contains(index))
        var bytes = GrowableBytes()
        try page.readValue(value, into: &bytes)
        #expect([UInt8](bytes.bytes) == entry.value)
      }
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func halvesPutTogetherAreTheWhole(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let shape = ValueShape.allCases[Int(seed) % ValueShape.allCases.count]
    var contents = IndexLeafContents()
    for value in shape.values(using: &random) {
      let keys = (0...random.next() % 9).map { _ in Int64(random.next() % 5) }.sorted()
      let isAppended = value.withUnsafeBytes { value in
        keys.withUnsafeBufferPointer { contents.append(value, keys: $0) }
      }
      #expect(isAppended)
    }
    guard contents.isSplittable else { return }
    var lower = IndexLeafContents()
    var upper = IndexLeafContents()
    contents.split(into: &lower, &upper)
    #expect(lower.entryCount > 0 && upper.entryCount > 0)
    let left = try #require(Self.entries(lower).last)
    let right = try #require(Self.entries(upper).first)
    #expect(left != right)
    let separator = IndexLeafContents.separator(lower, upper)
    #expect(lower.treeKey(value: lower.valueCount - 1, entry: lower.entryCount - 1) < separator)
    #expect(!(upper.treeKey(value: 0, entry: 0) < separator))

    let whole = Self.entries(contents)
    #expect(Self.entries(lower) + Self.entries(upper) == whole)
    lower.absorb(upper)
    #expect(Self.entries(lower) == whole)
    #expect(try lower.encode() == contents.encode())
  }

  private static func entries(_ contents: borrowing IndexLeafContents) -> [IndexEntry] {
    var entries: [IndexEntry] = []
    for value in 0..<contents.valueCount {
      for entry in contents.entries(ofValue: value) {
        entries.append(
          IndexEntry(
            value: [UInt8](contents.value(value)),
            key: UInt64(bitPattern: contents.keys[entry]) ^ 1 << 63))
      }
    }
    return entries
  }
}

/// Makes a page of a payload and lends it as an index leaf.
func withPage(_ payload: [UInt8], _ body: (IndexPage) throws -> Void) throws {
  let store = try IndexStore()
  let transaction = try store.store.beginWrite()
  let reference = try transaction.makePage(
    kind: .indexLeaf, treeID: IndexStore.treeID, payload: payload, compress: false)
  try body(IndexPage(transaction.reader.page(reference, kind: .indexLeaf)))
}
