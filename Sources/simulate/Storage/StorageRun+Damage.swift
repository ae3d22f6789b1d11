internal import AtollStorage
internal import TestSupport

extension StorageRun {
  /// Flips bits of the closed file, one at a time, and looks at what a new process makes of it.
  ///
  /// A flipped bit of a page or of a header slot is found by the check, and reading gives the
  /// written value or an error. A bit of a free block has no effect.
  func flipBits() throws {
    let used: BlockSet
    do {
      let store = try TreeStore.open(ProcessFile(disk), key: key)
      let snapshot = try store.snapshot()
      used = try ReachedBlocks(snapshot.slot, snapshot.reader).blocks
    }
    let pages = used.blocks.filter { $0 >= Block.firstPage }
    for _ in 0..<3 {
      let block: BlockNumber
      switch Int.random(in: 0..<4, using: &random) {
      case 0: block = UInt64.random(in: 0..<Block.firstPage, using: &random)
      case 1:
        let blockCount = try disk.byteCount() / UInt64(Block.byteCount)
        block = UInt64.random(in: 0..<blockCount, using: &random)
      default: block = pages.randomElement(using: &random) ?? 0
      }
      let byteOffset = randomByte(of: block)
      try flip(
        bit: Int.random(in: 0..<8, using: &random), at: byteOffset,
        isUsed: used.contains(block))
    }
  }

  private func randomByte(of block: BlockNumber) -> UInt64 {
    block * UInt64(Block.byteCount)
      + UInt64.random(in: 0..<UInt64(Block.byteCount), using: &random)
  }

  /// Reads everything of a version after damage at `place`: what was written comes back, or an
  /// error if the damaged block is used.
  private func expect(
    _ contents: TreeContents, of snapshot: StorageSnapshot, isUsed: Bool, _ place: String
  ) throws {
    do {
      try snapshot.compare(with: contents)
    } catch let wrong as WrongContents {
      throw violation("\(place), and reading gives a wrong answer: \(wrong.description)")
    } catch StorageError.corrupted where isUsed {}
  }

  private func flip(bit: Int, at byteOffset: UInt64, isUsed: Bool) throws {
    count(.flippedBits)
    let place = "bit \(bit) of byte \(byteOffset) was flipped"
    try disk.flipBit(bit, at: byteOffset)
    do {
      let store = try TreeStore.open(ProcessFile(disk), key: key)
      let snapshot = try store.snapshot()
      try expect(current.contents, of: snapshot, isUsed: isUsed, place)
      let findings = try snapshot.findings()
      if findings.isEmpty == isUsed {
        throw violation("\(place), and the check reports \(findings)")
      }
    } catch let error as StorageError {
      guard isUsed, case .corrupted = error else { throw violation("\(place): \(error)") }
    }
    try disk.flipBit(bit, at: byteOffset)
  }

  /// Flips bits of the file before it is closed, one at a time, and looks at what a new process
  /// makes of it.
  ///
  /// As in a closed file, with one exception: a page of the newest version that does not verify
  /// looks as if the power had been cut during its commit. So the file may open at a version that
  /// such a cut would have left, and then says so. A header slot is different: it tells damage from
  /// a torn write.
  func flipBitsOfUnsealedFile() throws {
    guard hasWritten, !before.isEmpty, !isCareless, let store else { return }
    let slots = try headerSlots()
    guard let newest = slots.first(where: { $0.transaction == current.transaction }) else {
      throw violation("the slot of version \(current.transaction) is gone")
    }
    let snapshot = try store.snapshot()
    let used = try ReachedBlocks(snapshot.slot, snapshot.reader).blocks
    let isSealed = slots.contains { $0.transaction == current.transaction && $0.isSealed }
    let written = isSealed ? [] : newest.written
    let pages = used.blocks.filter { $0 >= Block.firstPage }
    for _ in 0..<4 {
      let block: BlockNumber
      switch Int.random(in: 0..<3, using: &random) {
      case 0: block = UInt64.random(in: 0..<Block.firstPage, using: &random)
      case 1:
        let run = written.randomElement(using: &random)?.run
        block =
          run.map { UInt64.random(in: $0.start..<$0.end, using: &random) } ?? newest.blockNumber
      default: block = pages.randomElement(using: &random) ?? 0
      }
      let byteOffset = randomByte(of: block)
      let isUnsynced = written.contains { $0.run.start <= block && block < $0.run.end }
      try flipUnsealed(
        bit: Int.random(in: 0..<8, using: &random), at: byteOffset,
        isUsed: used.contains(block), mayRollBack: isUnsynced)
    }
  }

  private func flipUnsealed(bit: Int, at byteOffset: UInt64, isUsed: Bool, mayRollBack: Bool)
    throws
  {
    count(.flippedBits)
    let place = "bit \(bit) of byte \(byteOffset) of a file in use was flipped"
    try disk.flipBit(bit, at: byteOffset)
    do {
      let store = try TreeStore.open(ProcessFile(disk), key: key)
      let snapshot = try store.snapshot()
      var expected = current
      if snapshot.transaction != current.transaction {
        let told = Recovery.Outcome.rolledBack(
          from: current.transaction, to: snapshot.transaction)
        guard mayRollBack, store.recovery == told,
          let version = before.first(where: { $0.transaction == snapshot.transaction })
        else {
          throw violation(
            "\(place), and the file opened at version \(snapshot.transaction), \(store.recovery)")
        }
        count(.damageTakenForPowerCuts)
        expected = version
      }
      try expect(expected.contents, of: snapshot, isUsed: isUsed, place)
      // Of the slots of older versions the check says nothing.
      let isPage = byteOffset >= Block.firstPage * UInt64(Block.byteCount)
      if isPage, isUsed, snapshot.transaction == current.transaction {
        guard try !snapshot.findings().isEmpty else {
          throw violation("\(place), and the check reports nothing")
        }
      }
    } catch let error as StorageError {
      guard isUsed, case .corrupted = error else { throw violation("\(place): \(error)") }
    }
    try disk.flipBit(bit, at: byteOffset)
  }
}
