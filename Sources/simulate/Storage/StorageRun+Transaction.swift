internal import AtollStorage
internal import TestSupport

extension StorageRun {
  /// What one transaction does to the trees.
  private enum Change {
    /// Keys here and there, set or removed.
    case scattered(count: Int)
    /// A key of every tree.
    case everyTree
    /// Consecutive keys, in order.
    case bulkLoad
    case removeRange
    case removeTree
    /// More bytes than wait in memory until the commit.
    case moreThanMemory
  }

  /// Commits a random change, or cancels it.
  func transact(cancelling: Bool = false) throws {
    guard let store else { return }
    guard let transaction = try attempt("beginning a transaction", { try store.beginWrite() })
    else { return }
    defer { transaction.cancel() }
    guard transaction.transaction == current.transaction + 1 else {
      throw violation("version \(transaction.transaction) follows \(current.transaction)")
    }
    let claim = transaction.durableVersion
    guard let onDisk = ([durable] + relaxed).first(where: { $0.transaction == claim }) else {
      throw violation("version \(claim) is said to be durable")
    }
    isOnDisk(onDisk)
    try verifyFreeSpace(transaction)
    var next = current.contents
    guard
      let catalogue = try attempt(
        "changing trees", { try change(&next, in: transaction, randomChange()) })
    else { return }
    if cancelling {
      transaction.cancel()
      count(.cancelledTransactions)
      note("cancelled a transaction")
      return
    }
    let version = Version(transaction: transaction.transaction, contents: next)
    let before = [durable] + relaxed
    inFlight = version
    let durability = randomDurability()
    if durability == .none { isCareless = true }
    guard
      try attempt(
        "committing",
        { try transaction.commit(catalogue: catalogue, durability: durability) }) != nil
    else { return }
    relaxed.append(version)
    current = version
    self.before = before
    inFlight = nil
    hasWritten = true
    count(.transactions)
    switch durability {
    case .full: isOnDisk(version)
    case .relaxed: count(.relaxedCommits)
    case .none: count(.carelessCommits)
    }
    isRecovering = false
    note("committed version \(version.transaction), \(durability)")
  }

  private func randomDurability() -> Durability {
    let number = Int.random(in: 0..<100, using: &random)
    if profile.isCareless, number % 5 == 0 { return .none }
    return number < profile.relaxedPercentage ? .relaxed : .full
  }

  /// Makes everything that was committed durable.
  func synchronize() throws {
    guard let store else { return }
    guard try attempt("synchronizing", { try store.makeCommitsDurable() }) != nil else { return }
    count(.synchronizations)
    isOnDisk(current)
    note("synchronized")
  }

  private func randomChange() -> Change {
    if profile.writesAhead, current.transaction == 9 { return .moreThanMemory }
    if profile.isWide, Int.random(in: 0..<10, using: &random) < 7 { return .everyTree }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<70: return .scattered(count: Int.random(in: 1..<12, using: &random))
    case ..<78: return .scattered(count: Int.random(in: 12..<60, using: &random))
    case ..<86: return .everyTree
    case ..<92: return .bulkLoad
    case ..<97: return .removeRange
    default: return .removeTree
    }
  }

  /// Changes the trees of a transaction and the model alike.
  ///
  /// - Returns: the root of the catalogue.
  private func change(
    _ contents: inout TreeContents, in transaction: WriteTransaction, _ change: Change
  ) throws -> TreeRoot {
    let trees = TransactionTrees(transaction)
    switch change {
    case .scattered(let count):
      for _ in 0..<count {
        let tree = randomTree()
        let isRemoved = Int.random(in: 0..<5, using: &random) == 0
        try set(isRemoved ? nil : randomValue(), randomKey(), tree, &contents, trees)
        // The new pages are read back, and dropped by later changes.
        if Int.random(in: 0..<25, using: &random) == 0 { try trees.flush(tree) }
      }
    case .everyTree:
      for tree in 0..<profile.treeCount {
        try set(randomValue(), randomKey(), tree, &contents, trees)
      }
    case .bulkLoad:
      self.count(.bulkLoads)
      let (tree, keys) = (randomTree(), randomKeys())
      for key in keys { try set(randomValue(), key, tree, &contents, trees) }
    case .removeRange:
      let (tree, keys) = (randomTree(), randomKeys())
      for key in keys { try set(nil, key, tree, &contents, trees) }
    case .removeTree:
      let tree = randomTree()
      try trees.removeAll(tree)
      for key in contents.trees[tree].indices { contents.trees[tree][key] = nil }
    case .moreThanMemory:
      self.count(.writesAhead)
      let tree = randomTree()
      for key in 0..<50 {
        try set(noise(440_000, &random), key, tree, &contents, trees)
        if key % 10 == 9 { try trees.flush(tree) }
      }
      // And removed again, so that the rest of the run stays quick: written pages are dropped.
      for key in 2..<50 { try set(nil, key, tree, &contents, trees) }
    }
    return try trees.finish()
  }

  private func set(
    _ value: [UInt8]?, _ number: Int, _ tree: Int, _ contents: inout TreeContents,
    _ trees: TransactionTrees
  ) throws {
    let key = TreeContents.key(number, inTree: tree)
    if number % 8 == 3 {
      let found = try trees.tree(tree).value(for: key)
      guard found == contents.trees[tree][number] else {
        throw violation("a transaction reads another value of key \(number) of tree \(tree)")
      }
    }
    try trees.tree(tree).set(value, for: key)
    contents.trees[tree][number] = value
  }

  private func randomTree() -> Int { Int.random(in: 0..<profile.treeCount, using: &random) }

  private func randomKey() -> Int { Int.random(in: 0..<profile.keyCount, using: &random) }

  /// Consecutive keys, up to half of all.
  private func randomKeys() -> Range<Int> {
    let start = randomKey()
    let limit = min(profile.keyCount, start + 1 + profile.keyCount / 2)
    return start..<Int.random(in: start + 1...limit, using: &random)
  }

  private func randomValue() -> [UInt8] {
    let isRare = Int.random(in: 0..<40, using: &random) == 0
    let limit = isRare ? profile.rareByteLimit : profile.commonByteLimit
    let byteCount =
      Int.random(in: 0..<15, using: &random) == 0 ? 0 : Int.random(in: 0..<limit, using: &random)
    if Int.random(in: 0..<3, using: &random) > 0 { return noise(byteCount, &random) }
    // Compresses.
    return [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: byteCount)
  }
}

/// The trees that a transaction has touched, and the catalogue that leads to all of them.
private final class TransactionTrees {
  private let transaction: WriteTransaction
  private let catalogue: MutableKeyValueTree
  private var touched: [Int: MutableKeyValueTree] = [:]

  init(_ transaction: WriteTransaction) {
    self.transaction = transaction
    catalogue = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: TreeStore.catalogueID, transaction: transaction)
  }

  func tree(_ number: Int) throws -> MutableKeyValueTree {
    if let tree = touched[number] { return tree }
    let found = try catalogue.value(for: TreeStore.catalogueKey(number))
    let tree = MutableKeyValueTree(
      root: try found.map(TreeStore.root) ?? .empty, treeID: TreeStore.treeID(number),
      transaction: transaction)
    touched[number] = tree
    return tree
  }

  /// Writes pages of the changes so far.
  func flush(_ number: Int) throws {
    let root = try tree(number).flush()
    let bytes = root == .empty ? nil : TreeStore.bytes(of: root)
    try catalogue.set(bytes, for: TreeStore.catalogueKey(number))
  }

  func removeAll(_ number: Int) throws { try tree(number).removeAll() }

  /// Writes every tree that was touched, in order.
  ///
  /// - Returns: the root of the catalogue.
  func finish() throws -> TreeRoot {
    for number in touched.keys.sorted() { try flush(number) }
    return try catalogue.flush()
  }
}
