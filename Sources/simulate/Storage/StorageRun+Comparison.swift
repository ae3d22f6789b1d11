internal import AtollStorage
internal import TestSupport

extension StorageRun {
  func compare(_ snapshot: StorageSnapshot, with version: Version) throws {
    count(.comparedVersions)
    guard snapshot.transaction == version.transaction else {
      throw violation(
        "the store shows version \(snapshot.transaction), not \(version.transaction)")
    }
    do {
      try snapshot.compare(with: version.contents)
    } catch let wrong as WrongContents {
      throw violation("version \(version.transaction): \(wrong.description)")
    } catch let error as StorageError {
      throw violation("version \(version.transaction) cannot be read: \(error)")
    }
  }

  /// Begins to read the newest version.
  func pin() throws {
    guard pins.count < 6, let store else { return }
    let snapshot = try store.snapshot()
    guard snapshot.transaction == current.transaction else {
      throw violation(
        "a reader got version \(snapshot.transaction), not \(current.transaction)")
    }
    let reached = try ReachedBlocks(snapshot.slot, snapshot.reader)
    pins.append(Pinned(snapshot: snapshot, version: current, blocks: reached.blocks))
  }

  func unpin() {
    guard !pins.isEmpty else { return }
    pins.remove(at: Int.random(in: pins.indices, using: &random))
  }

  /// Reads every pinned version whole.
  func comparePins() throws {
    for pinned in pins {
      count(.comparedPins)
      try compare(pinned.snapshot, with: pinned.version)
    }
  }

  /// Compares the newest version with the model, and lets the store check it.
  func check() throws {
    guard let store else { return }
    count(.checks)
    // A read error is armed for the store's own work.
    let faults = disk.faults
    disk.faults = SimulatedFile.Faults()
    defer { disk.faults = faults }
    let snapshot = try store.snapshot()
    try compare(snapshot, with: current)
    let findings = try snapshot.findings()
    guard let first = findings.first else { return }
    throw violation("the check of version \(current.transaction) reports \(first)")
  }

  /// Compares what a transaction may write to with what no reader can see.
  ///
  /// Blocks that neither the newest version nor a pinned one reaches must all be free, and no
  /// others: a page that died is used again as soon as no pin lies between its birth and its death.
  func verifyFreeSpace(_ transaction: WriteTransaction) throws {
    count(.spaceWalks)
    let slot = transaction.base
    let newest = try ReachedBlocks(slot, transaction.reader)
    if newest.logPageCount > 0 { count(.logPages) }
    if newest.hasLogBase { count(.logBases) }
    if slot.isSynced { count(.syncedCommits) }
    var reached = newest.blocks
    for pinned in pins { reached.formUnion(pinned.blocks) }
    if transaction.durableVersion < slot.transaction {
      let durable = try headerSlots().first { $0.transaction == transaction.durableVersion }
      guard let durable else {
        throw violation("the slot of version \(transaction.durableVersion) is gone")
      }
      reached.formUnion(try ReachedBlocks(durable, transaction.reader).blocks)
    }
    var free = BlockSet(blockCount: slot.blockCount)
    for run in transaction.freeRuns {
      guard free.insert(run) else { throw violation("block \(run.start) is free twice") }
    }
    // Blocks that were cut off must not be needed either.
    for pinned in pins {
      if let block = pinned.blocks.blocks.last, block >= slot.blockCount {
        throw violation(
          "version \(pinned.version.transaction) reaches block \(block), which was left out")
      }
    }
    for block in 0..<slot.blockCount where free.contains(block) == reached.contains(block) {
      throw violation(
        free.contains(block)
          ? "block \(block) is free, and version \(owner(of: block)) reaches it"
          : "block \(block) is not free, and no version that is needed reaches it")
    }
  }

  /// The valid header slots, as they lie in the file.
  func headerSlots() throws -> [HeaderSlot] {
    let bytes = try disk.bytes(limit: Int(Block.firstPage) * Block.byteCount)
    return (0..<bytes.count / Block.byteCount).compactMap { block in
      let start = block * Block.byteCount
      let reading = HeaderSlot.read(
        Array(bytes[start..<start + Block.byteCount]), at: UInt64(block), key: key)
      return if case .valid(let slot) = reading { slot } else { nil }
    }
  }

  private func owner(of block: BlockNumber) -> UInt64 {
    pins.first { $0.blocks.contains(block) }?.version.transaction ?? current.transaction
  }

  /// Decodes a closed file by Format.md alone, and accounts for each of its blocks.
  ///
  /// Slow, so only for files of few blocks, without a key.
  func compareWithFormat() throws {
    guard key == nil else { return }
    let bytes = try disk.bytes()
    guard bytes.count <= 400 * Block.byteCount else { return }
    let file = try FormatFile(bytes)
    var owners = Array(repeating: 0, count: file.slot.blockCount)
    func own(_ start: Int, _ count: Int) {
      for block in start..<start + count { owners[block] += 1 }
    }
    func own(_ root: FormatRoot, treeID: Int) throws {
      guard !root.reference.isNone else { return }
      var references = [root.reference]
      for level in stride(from: root.height, through: 0, by: -1) {
        for reference in references { own(reference.block, reference.blockCount) }
        if level == 0 { break }
        references = try references.flatMap {
          try FormatBranch(file.page($0, .branch, treeID: treeID).payload).references
        }
      }
    }
    own(0, 3)
    try own(file.slot.catalogue, treeID: 1)
    for (key, value) in try file.entries(file.slot.catalogue, treeID: 1) {
      var reader = FormatReader(value)
      let root = try reader.root("root")
      let tree = Int(key[0]) << 8 | Int(key[1])
      try own(root, treeID: 16 + tree)
      let entries = try file.entries(root, treeID: 16 + tree)
      let expected = current.contents.trees[tree].enumerated().filter { $0.element != nil }
      let isSame = entries.elementsEqual(expected) { entry, pair in
        entry.key == TreeContents.key(pair.offset, inTree: tree) && entry.value == pair.element
      }
      guard isSame else { throw violation("by Format.md, tree \(tree) holds something else") }
    }
    let space = try FormatSpace(of: file)
    for page in space.logPages {
      // Where it says that it lies, which its checksum covers.
      let block = Int(FormatReader.littleEndian(page.bytes[24..<32]))
      own(block, page.bytes.count / Block.byteCount)
    }
    for block in space.free { owners[block] += 1 }
    for (start, count) in space.retired { own(start, count) }
    guard let wrong = owners.firstIndex(where: { $0 != 1 }) else { return }
    throw violation("by Format.md, block \(wrong) has \(owners[wrong]) uses")
  }
}
