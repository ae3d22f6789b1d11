@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct IndexTreeTests {
  @Test func anEmptyIndexHoldsNothing() throws {
    let store = try IndexStore()
    try store.write { (index, _) throws in
      #expect(try index.keys(of: stringKey("a")).isEmpty)
      #expect(try index.firstKey(of: stringKey("a")) == nil)
    }
    try store.read { (tree) throws in
      #expect(try tree.count(.all) == 0)
      #expect(try tree.keys(.equal(to: stringKey("a"))).isEmpty)
      #expect(try tree.firstKey(equalTo: stringKey("a")) == nil)
      #expect(try IndexTreeModelTests.groups(tree, .all, .descending).isEmpty)
    }
    #expect(try store.checkedEntries().isEmpty)
  }

  /// The typed calls write what `OrderedKey` writes, zero bytes inside of a string included.
  @Test func typedChangesEqualTheirKeys() throws {
    let store = try IndexStore()
    let strings = ["", "a", "a\0b", "\0", String(repeating: "12345678", count: 9) + "\0"]
    try store.write { index, _ in
      for (key, string) in strings.enumerated() {
        try Array(string.utf8).withUnsafeBytes { try index.insertString($0, key: UInt64(key)) }
      }
      for integer in [Int64.min, -1, 0, 1, .max] { try index.insertInt(integer, key: 7) }
    }
    let written = Set(try store.checkedEntries())
    var expected: Set<IndexEntry> = []
    for (key, string) in strings.enumerated() {
      var value: [UInt8] = []
      try OrderedKey.append(.string(string), to: &value)
      expected.insert(IndexEntry(value: value, key: UInt64(key)))
    }
    for integer in [Int64.min, -1, 0, 1, .max] {
      var value: [UInt8] = []
      try OrderedKey.append(.int(integer), to: &value)
      expected.insert(IndexEntry(value: value, key: 7))
    }
    #expect(written == expected)

    try store.write { index, _ in
      #expect(try index.firstKey(ofInt: -1) == 7)
      for (key, string) in strings.enumerated() {
        try Array(string.utf8).withUnsafeBytes { try index.removeString($0, key: UInt64(key)) }
      }
      for integer in [Int64.min, -1, 0, 1, .max] { try index.removeInt(integer, key: 7) }
      #expect(try index.firstKey(ofInt: -1) == nil)
    }
    #expect(store.root == .empty)
    #expect(try store.checkedEntries().isEmpty)
  }

  /// A value with far more entries than a leaf has spans many, and stays one value to the reader.
  @Test(arguments: [0, 1, 2] as [UInt64])
  func oneValueSpansManyLeaves(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try IndexStore()
    let values = ["a", "b", "c"].map(stringKey)
    var keys = Set((0..<30_000).map { _ in random.next() })
    try store.write { index, _ in
      for key in keys { try index.insert(values[1], key: key) }
      for key in 0..<10 as Range<UInt64> {
        try index.insert(values[0], key: key)
        try index.insert(values[2], key: key)
      }
    }
    func compare() throws {
      let sorted = keys.sorted()
      try store.reopen()
      _ = try store.checkedEntries()
      try store.read { tree in
        #expect(tree.main.tree.root.height > 0)
        #expect(try tree.count(.equal(to: values[1])) == sorted.count)
        #expect(try tree.keys(.equal(to: values[1])) == sorted)
        #expect(try tree.firstKey(equalTo: values[1]) == sorted.first)
        #expect(try tree.count(.equal(to: values[2])) == 10)
        for order in [IndexOrder.ascending, .descending] {
          let groups = try IndexTreeModelTests.groups(tree, .all, order)
          #expect(groups.map(\.value) == (order == .ascending ? values : values.reversed()))
          #expect(groups[1].keys == sorted)
        }
      }
    }
    try compare()

    // Without its lowest keys the value begins in a later leaf than the tree's keys say.
    let lowest = keys.sorted().prefix(12_345)
    try store.write { index, _ in
      for key in lowest { try index.remove(values[1], key: key) }
      #expect(try index.firstKey(of: values[1]) == keys.sorted()[12_345])
    }
    keys.subtract(lowest)
    try compare()
    try store.write { (index, _) throws in
      let sorted = keys.sorted()
      #expect(try index.keys(of: values[1]) == sorted)
      #expect(try index.firstKey(of: values[1]) == sorted.first)
    }

    // One after the other, so that leaves shrink and are merged.
    for key in keys.sorted().prefix(40) {
      try store.write { index, _ in try index.remove(values[1], key: key) }
      keys.remove(key)
    }
    try compare()
  }

  /// Copies of one pair cannot be told apart by a key of the tree, so they share a leaf.
  @Test func aPairOccursAsOftenAsItWasInserted() throws {
    let store = try IndexStore(mode: .counted)
    let times = 50_000
    try store.write { index, _ in
      for key in 0..<3_000 as Range<UInt64> { try index.insertInt(5, key: key << 40) }
      for _ in 0..<times { try index.insertInt(5, key: 1_000 << 40) }
      for key in 0..<3_000 as Range<UInt64> { try index.insertInt(6, key: key << 40) }
    }
    try store.reopen()
    try store.read { tree in
      #expect(try tree.count(.equal(to: integerKey(5))) == 3_000 + times)
      let keys = try tree.keys(.equal(to: integerKey(5)))
      #expect(keys.count { $0 == 1_000 << 40 } == times + 1)
    }
    #expect(try store.checkedEntries().count == 6_000 + times)

    try store.write { index, _ in
      for _ in 0..<times { try index.removeInt(5, key: 1_000 << 40) }
      try index.removeInt(5, key: 1_000 << 40)
      // Not there any more, and never there: neither has an effect.
      try index.removeInt(5, key: 1_000 << 40)
      try index.removeInt(7, key: 1)
    }
    #expect(try store.checkedEntries().count == 5_999)
  }

  /// A plain index is a set of pairs: the last change of a pair decides.
  @Test func theLastChangeOfAPairDecides() throws {
    let store = try IndexStore()
    let value = stringKey("v")
    try store.write { index, _ in
      try index.insert(value, key: 1)
      try index.insert(value, key: 1)
      try index.remove(value, key: 1)
      try index.remove(value, key: 2)
      try index.insert(value, key: 2)
    }
    #expect(try store.checkedEntries() == [IndexEntry(value: value, key: 2)])
    try store.write { index, _ in
      try index.insert(value, key: 2)
      try index.remove(value, key: 2)
      try index.insert(value, key: 3)
    }
    #expect(try store.checkedEntries() == [IndexEntry(value: value, key: 3)])
  }

  @Test func keysOrderAsUnsignedNumbers() throws {
    let store = try IndexStore()
    let keys: [UInt64] = [0, 1, 1 << 63 - 1, 1 << 63, .max]
    try store.write { index, _ in
      for key in keys.reversed() { try index.insertInt(0, key: key) }
      #expect(try index.keys(of: integerKey(0)) == keys)
    }
    try store.read { (tree) throws in #expect(try tree.keys(.all) == keys) }
  }

  /// Values up to the limit lie in leaves of their own; longer strings are listed by their
  /// beginning.
  @Test func aValueHasALimit() throws {
    let store = try IndexStore()
    let limit = Index.valueByteLimit
    let longest = (0..<6).map { letter in
      stringKey(String(repeating: "x", count: limit - 4) + "\(letter)")
    }
    try store.write { index, _ in
      for (key, value) in longest.enumerated() {
        #expect(value.count == limit)
        try index.insert(value, key: UInt64(key))
        try index.insert(stringKey("\(key)"), key: 1)
      }
      #expect(throws: StorageError.valueTooLarge(byteCount: limit + 1, limit: limit)) {
        try index.insert(longest[0] + [1], key: 1)
      }
      let text = [UInt8](repeating: 65, count: limit - 2)
      try text.withUnsafeBytes { try index.insertString($0, key: 1) }
      let cut = try #require(Index.bytes(of: .string(String(repeating: "A", count: limit - 2))))
      #expect(cut.count == limit)
      #expect(Index.isCut(cut))
      #expect(!Index.isCut(longest[0]))
      #expect(try index.keys(of: cut) == [1])
      try text.withUnsafeBytes { try index.removeString($0, key: 1) }
    }
    try store.reopen()
    #expect(try store.checkedEntries().count == 12)
    for (key, value) in longest.enumerated() {
      try store.read { (tree) throws in #expect(try tree.keys(.equal(to: value)) == [UInt64(key)]) }
      // Short leaves beside long ones: settling the tree must come to an end.
      try store.write { index, _ in try index.remove(stringKey("\(key)"), key: 1) }
      #expect(try store.checkedEntries().count == 11 - key)
    }
  }

  @Test func removeAllGivesUpEveryPage() throws {
    let store = try IndexStore()
    try store.write { index, _ in
      for key in 0..<20_000 as Range<UInt64> { try index.insertInt(Int64(key % 77), key: key) }
    }
    try store.write { index, _ in
      try index.insertInt(1, key: 1)
      try index.removeAll()
      #expect(try index.keys(of: integerKey(1)).isEmpty)
    }
    #expect(store.root == .empty)
    #expect(try store.checkedEntries().isEmpty)
  }

  /// Whoever stops a walk gets nothing more.
  @Test(arguments: [IndexOrder.ascending, .descending])
  func aWalkStopsWhenAsked(order: IndexOrder) throws {
    let store = try IndexStore()
    try store.write { index, _ in
      for key in 0..<5_000 as Range<UInt64> { try index.insertInt(Int64(key), key: key) }
    }
    try store.read { tree in
      var seen: [UInt64] = []
      try tree.forEachGroup(.all, order: order) { _, keys in
        seen.append(keys[0])
        return seen.count < 20
      }
      #expect(seen == (order == .ascending ? Array(0..<20) : (4_980..<5_000).reversed()))
    }
  }

  /// A batch as large as the buffer may grow is applied before the flush.
  @Test func loadsInAnyOrderFillTheLeaves() throws {
    for isAscending in [true, false] {
      let store = try IndexStore()
      let count: UInt64 = 60_000
      try store.write { index, _ in
        for step in 0..<count {
          let number = isAscending ? step : step &* 7_919 % count
          try index.insertInt(Int64(bitPattern: number &* number), key: number)
        }
      }
      let snapshot = try store.store.snapshot()
      var audit = Audit()
      Index(root: store.root, treeID: IndexStore.treeID, reader: snapshot.reader)
        .check(&audit) { _, _ in }
      // Five bytes for a square, two for a key and none for its count, and 15/16 of each leaf.
      #expect(audit.storedByteCount < Int(count) * 8)
      #expect(audit.pageCount < Int(count) * 8 / 15_000 + 3)
    }
  }

  /// Several flushes in one transaction, with leaves that the flush before has just written.
  @Test func aTreeIsUsedAfterItsFlush() throws {
    let store = try IndexStore()
    try store.write { index, transaction in
      for round in 0..<5 as Range<UInt64> {
        for key in 0..<3_000 as Range<UInt64> {
          try index.insertInt(Int64(key % 10), key: key * 5 + round)
        }
        let root = try index.flush()
        let tree = Index(root: root, treeID: IndexStore.treeID, reader: transaction.reader)
        #expect(try tree.count(.all) == Int(round + 1) * 3_000)
      }
    }
    #expect(try store.checkedEntries().count == 15_000)
  }
}
