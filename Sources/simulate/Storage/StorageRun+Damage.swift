internal import AtollStorage
internal import TestSupport

extension StorageRun {
  /// Flips bits of the closed file, one at a time, and looks at what a new process makes of it.
  ///
  /// A bit of a page or of a header slot is found by the check, and reading gives what was written
  /// or an error; a bit of a free block is nobody's business.
  func flipBits() throws {
    let used: BlockSet
    do {
      let store = try TreeStore.open(ProcessFile(disk), key: key, planted: nil)
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
      let byteOffset =
        block * UInt64(Block.byteCount)
        + UInt64.random(in: 0..<UInt64(Block.byteCount), using: &random)
      try flip(
        bit: Int.random(in: 0..<8, using: &random), at: byteOffset,
        isUsed: used.contains(block))
    }
  }

  private func flip(bit: Int, at byteOffset: UInt64, isUsed: Bool) throws {
    count(.flippedBits)
    let place = "bit \(bit) of byte \(byteOffset) was flipped"
    var careless: PageStore?
    if planted == .unverifiedPage {
      // A page that was verified is not verified again by the same store.
      let store = try TreeStore.open(ProcessFile(disk), key: key, planted: nil)
      try store.snapshot().compare(with: current.contents)
      careless = store
    }
    try disk.flipBit(bit, at: byteOffset)
    do {
      let store = try careless ?? TreeStore.open(ProcessFile(disk), key: key, planted: planted)
      let snapshot = try store.snapshot()
      do {
        try snapshot.compare(with: current.contents)
      } catch let wrong as WrongContents {
        throw violation("\(place), and reading gives a wrong answer: \(wrong.description)")
      } catch StorageError.corrupted where isUsed {}
      let findings = try snapshot.findings()
      if findings.isEmpty == isUsed {
        throw violation("\(place), and the check reports \(findings)")
      }
    } catch let error as StorageError {
      guard isUsed, case .corrupted = error else { throw violation("\(place): \(error)") }
    }
    try disk.flipBit(bit, at: byteOffset)
  }
}
