import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct NumberTreeTests {
  /// Every order of inserting up to six keys, each followed by every order of deleting three.
  @Test(arguments: 0...6)
  func everyOrderOfFewKeysWorks(count: Int) throws {
    let base = try KeyValueStore()
    for order in Self.permutations(Array(0..<count)) {
      let transaction = try base.store.beginWrite()
      defer { transaction.cancel() }
      let tree = NumberTree(transaction)
      // Padding, so that few keys are at the edge of a split.
      for pad in 0..<5 as Range<UInt64> { try tree.set(pad, for: 100 + pad) }
      for key in order {
        try tree.set(UInt64(key) * 3, for: UInt64(key) * 40)
        _ = try tree.mutable.flush()
      }
      for key in 0..<count { #expect(try tree.value(for: UInt64(key) * 40) == UInt64(key) * 3) }
      for key in order.reversed().prefix(3) {
        try tree.set(nil, for: UInt64(key) * 40)
        _ = try tree.mutable.flush()
      }
      let left = Set(order.dropLast(3))
      for key in 0..<count {
        #expect(try (tree.value(for: UInt64(key) * 40) != nil) == left.contains(key))
      }
      #expect(try tree.mutable.flush().entryCount == UInt64(left.count + 5))
    }
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
      var rest = items
      let item = rest.remove(at: index)
      return permutations(rest).map { [item] + $0 }
    }
  }

  /// Random transactions against a dictionary, compared after each commit and each reopening.
  @Test(arguments: seeds(16))
  func agreesWithADictionary(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try MemoryFile(path: "memory", capacity: 1 << 28)
    var base = try KeyValueStore(file)
    var model: [UInt64: UInt64] = [:]
    let keyLimit: UInt64 = [50, 1_000, 8_000].randomElement(using: &random) ?? 50
    for _ in 0..<12 {
      let transaction = try base.store.beginWrite()
      defer { transaction.cancel() }
      let tree = NumberTree(transaction)
      var changed = model
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        try Self.change(tree, &changed, keyLimit: keyLimit, &random)
        if Bool.random(using: &random) {
          #expect(try tree.mutable.flush().entryCount == UInt64(changed.count))
        }
        for _ in 0..<10 {
          let key = UInt64.random(in: 0..<keyLimit, using: &random)
          #expect(try tree.value(for: key) == changed[key])
        }
      }
      let root = try tree.mutable.flush()
      #expect(root.entryCount == UInt64(changed.count))
      if Int.random(in: 0..<5, using: &random) == 0 {
        transaction.cancel()
      } else {
        try transaction.commit(catalogue: root)
        model = changed
      }
      try Self.compare(base, model, &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        base = try KeyValueStore(file)
        try Self.compare(base, model, &random)
      }
    }
  }

  private static func change(
    _ tree: NumberTree, _ model: inout [UInt64: UInt64], keyLimit: UInt64,
    _ random: inout SplitMix64
  ) throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:  // A load at the end.
      var key = (model.keys.max() ?? 0) + 1
      for _ in 0..<Int.random(in: 1..<600, using: &random) {
        let value = random.next()
        try tree.append(value, for: key)
        model[key] = value
        key += UInt64.random(in: 1...3, using: &random)
      }
    case 1:  // A range goes.
      let lower = UInt64.random(in: 0..<keyLimit, using: &random)
      let upper = lower + UInt64.random(in: 0..<keyLimit, using: &random)
      let isStoring = Bool.random(using: &random)
      for key in model.keys.filter({ $0 >= lower && $0 < upper }).sorted() {
        try tree.set(nil, for: key)
        model[key] = nil
        if isStoring { try tree.mutable.storeLast() }
      }
    case 2 where Int.random(in: 0..<4, using: &random) == 0:  // Everything goes.
      if Bool.random(using: &random) {
        try tree.mutable.removeAll { _ in }
      } else {
        for key in model.keys.sorted(by: >) { try tree.set(nil, for: key) }
      }
      model = [:]
    default:
      for _ in 0..<Int.random(in: 1..<200, using: &random) {
        let key = UInt64.random(in: 0..<keyLimit, using: &random)
        let value = Int.random(in: 0..<3, using: &random) == 0 ? nil : random.next()
        try tree.set(value, for: key)
        model[key] = value
        if Int.random(in: 0..<6, using: &random) == 0 { try tree.mutable.storeLast() }
      }
    }
  }

  private static func compare(
    _ base: KeyValueStore, _ model: [UInt64: UInt64], _ random: inout SplitMix64
  ) throws {
    let snapshot = try base.store.snapshot()
    let tree = NumberTree.tree(snapshot)
    let expected = model.sorted { $0.key < $1.key }
    let contents = try NumberTree.contents(of: tree)
    #expect(contents.map(\.key) == expected.map(\.key))
    #expect(contents.map(\.value) == expected.map(\.value))
    #expect(NumberTree.findings(in: snapshot) == [])
    try compareSummaries(tree)
    for _ in 0..<5 where !expected.isEmpty {
      let ordinal = Int.random(in: 0..<expected.count, using: &random)
      let found = try #require(try tree.leafPage(atOrdinal: UInt64(ordinal)))
      let leaf = NumberLeaf(found.page)
      let index = ordinal - Int(found.firstOrdinal)
      #expect(leaf.keys.indices.contains(index))
      #expect(leaf.keys[index] == expected[ordinal].key)
      let key = TreeKey(expected[ordinal].key)
      #expect(try tree.countBeforeLeaf(for: key) == found.firstOrdinal)
      #expect(try tree.leafPage(for: key)?.reference == found.page.reference)
      var cursor = tree.cursor(from: key)
      #expect(try cursor.next()?.reference == found.page.reference)
    }
    #expect(try tree.leafPage(atOrdinal: UInt64(expected.count)) == nil)
  }

  private static func compareSummaries(_ tree: Tree) throws {
    guard tree.root.height > 0 else { return }
    var cursor = tree.cursor()
    while let entry = try cursor.next() {
      let leaf = NumberLeaf(try tree.leafPage(entry.reference))
      #expect(Int(entry.count) == leaf.entryCount)
      #expect(entry.summary.littleEndian(at: 0, as: UInt64.self) == leaf.values.max())
    }
  }

  /// Loads, thinning and refilling: leaves and branches keep to their limits.
  @Test(arguments: seeds(3))
  func leavesAndBranchesKeepToTheirLimits(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let base = try KeyValueStore()
    for round in 0..<4 as Range<UInt64> {
      let transaction = try base.store.beginWrite()
      defer { transaction.cancel() }
      let tree = NumberTree(transaction)
      for key in 0..<6_000 as Range<UInt64> {
        if round == 0 {
          try tree.append(key, for: key)
        } else if Int.random(in: 0..<10, using: &random) < 8 {
          try tree.set(round == 2 ? key : nil, for: key)
        }
      }
      try transaction.commit(catalogue: tree.mutable.flush())
      let snapshot = try base.store.snapshot()
      #expect(NumberTree.findings(in: snapshot) == [])
      try Self.expectLimits(NumberTree.tree(snapshot))
    }
  }

  /// A node may be short when it is an only child or was the right edge, which is rare.
  private static func expectLimits(_ tree: Tree) throws {
    var leafCount = 0
    var shortCount = 0
    func visit(_ reference: PageReference, level: Int) throws {
      guard level > 0 else {
        let count = NumberLeaf(try tree.leafPage(reference)).entryCount
        #expect(count <= NumberTree.leafEntryLimit)
        leafCount += 1
        if count * 4 < NumberTree.leafEntryLimit { shortCount += 1 }
        return
      }
      let branch = try tree.branch(reference, level: level)
      #expect(branch.page.bytes.count <= MutableBranch.byteLimit)
      if branch.page.bytes.count * 4 < MutableBranch.byteLimit { shortCount += 1 }
      for index in 0..<branch.count { try visit(branch.reference(index), level: level - 1) }
    }
    guard !tree.root.reference.isNone else { return }
    try visit(tree.root.reference, level: Int(tree.root.height))
    #expect(shortCount <= 2 + leafCount / 100)
  }

  /// A branch lost its first child, a smaller key than the next child's came, and then the branch
  /// joined its left neighbour: the key lay where nobody looked for it.
  @Test func aKeyInTheGapOfADroppedFirstChildIsFound() throws {
    let base = try KeyValueStore()
    let count: UInt64 = 12_000
    func write(_ body: (NumberTree) throws -> Void) throws {
      let transaction = try base.store.beginWrite()
      defer { transaction.cancel() }
      let tree = NumberTree(transaction)
      try body(tree)
      try transaction.commit(catalogue: tree.mutable.flush())
    }
    try write { tree in for key in 0..<count { try tree.append(key, for: key) } }
    let tree = NumberTree.tree(try base.store.snapshot())
    #expect(tree.root.height == 2)
    let top = try tree.branch(tree.root.reference, level: 2)
    let second = try tree.branch(top.reference(1), level: 1)
    let first = second.key(0).prefix
    let next = second.key(1).prefix
    try write { tree in for key in first..<next { try tree.set(nil, for: key) } }
    try write { tree in try tree.set(7, for: first + 1) }
    // Thin out all branches until they join.
    try write { tree in
      for key in next..<count where key % 16 != 0 { try tree.set(nil, for: key) }
      for key in 0..<first where key % 16 != 0 { try tree.set(nil, for: key) }
    }
    let after = try base.store.snapshot()
    #expect(NumberTree.findings(in: after) == [])
    let leaf = NumberLeaf(
      try #require(try NumberTree.tree(after).leafPage(for: TreeKey(first + 1))))
    #expect(leaf.keys.contains(first + 1))
  }
}
