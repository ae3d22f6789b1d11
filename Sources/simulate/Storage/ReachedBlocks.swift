internal import AtollStorage

/// A set of blocks, a bit for each.
struct BlockSet: Equatable {
  private(set) var words: [UInt64]

  init(blockCount: UInt64) { words = Array(repeating: 0, count: Int(blockCount / 64 + 1)) }

  func contains(_ block: BlockNumber) -> Bool {
    let word = Int(block / 64)
    return word < words.count && words[word] >> (block % 64) & 1 == 1
  }

  /// Adds a run, and returns whether none of its blocks was there.
  mutating func insert(_ run: BlockRun) -> Bool {
    var isNew = true
    for block in run.start..<run.end {
      let word = Int(block / 64)
      while word >= words.count { words.append(0) }
      if words[word] >> (block % 64) & 1 == 1 { isNew = false }
      words[word] |= 1 << (block % 64)
    }
    return isNew
  }

  mutating func formUnion(_ other: BlockSet) {
    for (index, word) in other.words.enumerated() {
      if index < words.count { words[index] |= word } else { words.append(word) }
    }
  }

  /// The blocks in ascending order.
  var blocks: [BlockNumber] {
    words.enumerated().flatMap { index, word in
      (0..<64).filter { word >> UInt64($0) & 1 == 1 }.map { UInt64(index * 64 + $0) }
    }
  }
}

/// The blocks that a version reaches, found by following every reference from its header slot.
///
/// Shares nothing with the bookkeeping of free space, which it is compared with.
struct ReachedBlocks {
  private(set) var blocks: BlockSet
  /// Of the space log.
  private(set) var logPageCount = 0
  private(set) var hasLogBase = false

  init(_ slot: HeaderSlot, _ reader: PageReader) throws {
    blocks = BlockSet(blockCount: slot.blockCount)
    _ = blocks.insert(BlockRun(start: 0, count: Block.firstPage))
    try visit(slot.catalogue, treeID: TreeStore.catalogueID, reader)
    for (tree, root) in try TreeStore.roots(slot.catalogue, reader) {
      try visit(root, treeID: TreeStore.treeID(tree), reader)
    }
    var next = slot.spaceLog
    while !next.isNone {
      try add(next)
      let page = try reader.page(next, kind: .spaceLog)
      logPageCount += 1
      hasLogBase = hasLogBase || page.bytes.littleEndian(at: 16, as: UInt32.self) == 1
      next = PageReference(
        location: page.bytes.littleEndian(at: 0), checksum: page.bytes.littleEndian(at: 8))
    }
  }

  private mutating func visit(_ root: TreeRoot, treeID: UInt32, _ reader: PageReader) throws {
    guard !root.reference.isNone else { return }
    let tree = Tree(root: root, form: KeyValueTree.form(treeID), reader: reader)
    var level = Int(root.height)
    var references = [root.reference]
    while true {
      for reference in references { try add(reference) }
      guard level > 0 else { return }
      references = try references.flatMap { reference in
        let branch = try tree.branch(reference, level: level)
        return (0..<branch.count).map { branch.reference($0) }
      }
      level -= 1
    }
  }

  private mutating func add(_ reference: PageReference) throws {
    guard blocks.insert(reference.run) else {
      throw WrongContents("two references lead to block \(reference.block)")
    }
  }
}
