@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Random changes against a dictionary, compared after every flush and each opening of the file.
@Suite(.computing) struct IndexTreeModelTests {
  /// Every fifth seed, so that few of them meet all shapes, modes and bounds.
  @Test(arguments: seeds(14).map { $0 * 5 })
  func holdsWhatTheModelHolds(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let shape = ValueShape.allCases[Int(seed) % ValueShape.allCases.count]
    let isCounted = (seed / 6) % 2 == 1
    // With the bounds of an application few of these indexes have a delta.
    let policy =
      (seed / 12) % 3 == 0
      ? .standard
      : IndexDeltaPolicy(
        leastLimit: [0, 7, 300, 4_000][Int(seed / 36) % 4], divisor: 16,
        leastBatchCount: seed % 5 == 0 ? 50 : .max, isForSmallTrees: true)
    let store = try IndexStore(mode: isCounted ? .counted : .plain, policy: policy)
    var model = IndexModel(values: shape.values(using: &random), isCounted: isCounted)
    // Few keys make pairs meet again, many and large ones make leaves long.
    let keyLimit: UInt64 = [50, 100_000, .max][Int(random.next() % 3)]
    for round in 0..<Int.random(in: 2...9, using: &random) {
      let changeCount = [3, 60, 3_000][Int(random.next() % 3)]
      let removalShare = [0, 30, 95][Int(random.next() % 3)]
      try store.write { index, transaction in
        for _ in 0..<(random.next() % 3 == 0 ? 2 : 1) {
          for _ in 0..<changeCount {
            try change(index, &model, keyLimit, removalShare, &random)
          }
          if random.next() % 2 == 0 { try compareBuffered(index, model, &random) }
          if random.next() % 2 == 0 {
            let root = try index.flush()
            let tree = Index(
              root: root, treeID: IndexStore.treeID, reader: transaction.reader)
            try compare(tree, model, &random)
            try compareBuffered(index, model, &random)
          }
        }
      }
      if round % 2 == 1 { try store.reopen() }
      #expect(try store.checkedEntries() == model.entries, "round \(round)")
      let delta = store.root.added.entryCount + store.root.removed.entryCount
      #expect(delta <= policy.limit(store.root.main.entryCount))
      try store.read { try compare($0, model, &random) }
    }
  }

  private func change(
    _ index: MutableIndex, _ model: inout IndexModel, _ keyLimit: UInt64, _ removalShare: Int,
    _ random: inout SplitMix64
  ) throws {
    if Int(random.next() % 100) < removalShare {
      guard let (value, key) = model.anyPair(using: &random) else { return }
      model.remove(value, key)
      try index.remove(model.values[value], key: key)
      // The same pair again, so that changes of one transaction have to net out.
      if random.next() % 8 == 0 {
        model.insert(value, key)
        try index.insert(model.values[value], key: key)
      }
    } else {
      let value = Int.random(in: 0..<model.values.count, using: &random)
      let key = UInt64.random(in: 0...keyLimit, using: &random)
      model.insert(value, key)
      try index.insert(model.values[value], key: key)
      if random.next() % 8 == 0 {
        model.remove(value, key)
        try index.remove(model.values[value], key: key)
      }
    }
  }

  /// Reads through the transaction's tree, which has a buffer.
  private func compareBuffered(
    _ index: MutableIndex, _ model: IndexModel, _ random: inout SplitMix64
  ) throws {
    for _ in 0..<10 {
      let value = Int.random(in: 0..<model.values.count, using: &random)
      let keys = model.keys(value)
      #expect(try index.keys(of: model.values[value]) == keys)
      #expect(try index.firstKey(of: model.values[value]) == keys.first)
    }
    try compareGroups(index, model, every: Int.random(in: 1...9, using: &random))
  }

  /// Looks up many integers in one pass.
  private func compareGroups(_ index: MutableIndex, _ model: IndexModel, every step: Int)
    throws
  {
    var expected: [Int64: [UInt64]] = [:]
    for value in stride(from: 0, to: model.values.count, by: step) {
      let integer = unsafe model.values[value].withRawBytes { unsafe IndexInteger.decode($0) }
      if let integer { expected[integer] = model.keys(value) }
    }
    var found: [Int64: [UInt64]] = [:]
    try index.forEachGroup(ofInts: expected.keys.sorted()) { found[$0] = $1 }
    #expect(found == expected.filter { !$0.value.isEmpty })
  }

  private func compare(
    _ tree: Index, _ model: IndexModel, _ random: inout SplitMix64
  ) throws {
    for _ in 0..<10 {
      let value = Int.random(in: 0..<model.values.count, using: &random)
      let range = IndexRange.equal(to: model.values[value])
      let keys = model.keys(value)
      #expect(try tree.count(range) == keys.count)
      #expect(try tree.keys(range) == keys)
      #expect(try tree.firstKey(equalTo: model.values[value]) == keys.first)
    }
    let all = model.groups
    try compare(tree, .all, all, all.startIndex..<all.endIndex)
    for _ in 0..<5 {
      let lower = try bound(model, &random)
      let upper = random.next() % 6 == 0 ? nil : try bound(model, &random)
      let first = all.firstIndex { !$0.value.lexicographicallyPrecedes(lower) } ?? all.count
      var end = all.count
      if let upper {
        end = all.firstIndex { !$0.value.lexicographicallyPrecedes(upper) } ?? all.count
      }
      try compare(
        tree, IndexRange(lower: lower, upper: upper), all, first..<max(first, end))
    }
  }

  /// A value, what follows one, or its beginning.
  private func bound(_ model: IndexModel, _ random: inout SplitMix64) throws -> [UInt8] {
    let value = model.values[Int.random(in: 0..<model.values.count, using: &random)]
    switch random.next() % 3 {
    case 0: return value
    case 1: return try #require(IndexRange.successor(of: value))
    default: return Array(value.prefix(Int.random(in: 0...value.count, using: &random)))
    }
  }

  private func compare(
    _ tree: Index, _ range: IndexRange, _ groups: [(value: [UInt8], keys: [UInt64])],
    _ expected: Range<Int>
  ) throws {
    let keys = groups[expected].flatMap(\.keys)
    #expect(try tree.count(range) == keys.count)
    #expect(try tree.keys(range) == keys)
    var leafKeys: [UInt64] = []
    try tree.forEachLeaf(range) { part in
      for index in part.indices { leafKeys.append(part[index]) }
      return true
    }
    #expect(leafKeys == keys)
    for order in [IndexOrder.ascending, .descending] {
      let found = try Self.groups(tree, range, order)
      let expectedGroups =
        order == .ascending ? Array(groups[expected]) : groups[expected].reversed()
      #expect(found.map(\.value) == expectedGroups.map(\.value), "\(order)")
      #expect(found.map(\.keys) == expectedGroups.map(\.keys), "\(order)")
    }
  }

  /// The groups as they are visited, the parts of one value put together.
  static func groups(_ tree: Index, _ range: IndexRange, _ order: IndexOrder) throws
    -> [(value: [UInt8], keys: [UInt64])]
  {
    var found: [(value: [UInt8], keys: [UInt64])] = []
    try tree.forEachGroup(range, order: order) { value, keys in
      let value = value.copy()
      if found.last?.value != value { found.append((value, [])) }
      for index in keys.indices { found[found.count - 1].keys.append(keys[index]) }
      return true
    }
    return found
  }
}
