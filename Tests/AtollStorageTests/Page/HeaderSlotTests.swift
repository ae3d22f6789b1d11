import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct HeaderSlotTests {
  static func slot(
    _ transaction: UInt64, seed: UInt64, isSealed: Bool = false, block: BlockNumber? = nil
  ) -> HeaderSlot {
    var random = SplitMix64(seed: seed)
    var slot = HeaderSlot(
      transaction: transaction, blockCount: .random(in: 100...Block.countLimit, using: &random),
      fileID: (0..<16).map { _ in .random(in: 0...255, using: &random) },
      block: block ?? transaction % 3)
    func reference() -> PageReference {
      PageReference(
        run: BlockRun(start: .random(in: 3..<slot.blockCount - 4, using: &random), count: 4),
        checksum: random.next())
    }
    slot.catalogue = TreeRoot(reference: reference(), entryCount: random.next() >> 16, height: 3)
    slot.spaceLog = reference()
    let fill = seed % 3
    if fill > 0 {
      slot.written = (0..<(fill == 1 ? 5 : HeaderSlot.writtenLimit)).map { _ in reference() }
      slot.spaceTail = noise(fill == 1 ? 100 : HeaderSlot.tailLimit, &random)
    }
    slot.isSynced = seed % 2 == 0
    slot.isSealed = isSealed
    slot.isRelaxed = seed % 4 > 1
    slot.durable = .random(in: 0..<transaction, using: &random)
    return slot
  }

  @Test(arguments: 0..<12 as Range<UInt64>, [false, true])
  func survivesARoundTrip(seed: UInt64, isSealed: Bool) throws {
    let slot = Self.slot(seed * 977 + 1, seed: seed, isSealed: isSealed)
    guard case .valid(let found) = HeaderSlot.read(slot.encoded(), at: slot.blockNumber) else {
      Issue.record("not valid")
      return
    }
    #expect(found == slot)
  }

  /// A slot that a misdirected write put into the wrong block.
  @Test(arguments: [false, true])
  func isNotAcceptedInTheOtherBlock(isSealed: Bool) {
    let slot = Self.slot(8, seed: 1, isSealed: isSealed, block: 1)
    for block in [0, 2] as [BlockNumber] {
      #expect(HeaderSlot.read(slot.encoded(), at: block).isDamaged(by: 8))
    }
  }

  /// Never valid with other content, never torn, never newer, never blank: damage.
  @Test(arguments: [(1, 0), (1_000_002, 2)] as [(UInt64, UInt64)])
  func everyFlippedBitIsDamage(transaction: UInt64, seed: UInt64) {
    let slot = Self.slot(transaction, seed: seed)
    var block = slot.encoded()
    for bit in 0..<Block.byteCount * 8 {
      block[bit / 8] ^= 1 << UInt8(bit % 8)
      switch HeaderSlot.read(block, at: slot.blockNumber) {
      case .damaged(let found):
        #expect(found == nil || found == transaction, "bit \(bit)")
        // The marks are what a slot is known by; all other damage leaves them.
        if bit / 8 % 512 < 504 { #expect(found == transaction, "bit \(bit)") }
      case let reading: Issue.record("bit \(bit) gives \(reading)")
      }
      block[bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }

  /// What the block holds before, what is written over it, and every mixture of the two.
  @Test(
    arguments: [
      (5, false, 8, false), (5, false, 6, true), (7, false, 6, true), (6, true, 7, false),
      (5, false, 40_000, false),
    ],
    [0, 1, 2] as [UInt64])
  func everyTearIsTorn(
    tear: (old: UInt64, isOldSealed: Bool, new: UInt64, isNewSealed: Bool), seed: UInt64
  ) {
    let old = Self.slot(tear.old, seed: seed, isSealed: tear.isOldSealed, block: 2)
    var new = Self.slot(tear.new, seed: seed, isSealed: tear.isNewSealed, block: 2)
    new.blockCount &+= 1
    let before = old.encoded()
    let after = new.encoded()
    for sectors in 1..<255 {
      var block = before
      for sector in 0..<8 where sectors >> sector & 1 == 1 {
        block.replaceSubrange(
          sector * 512..<sector * 512 + 512, with: after[sector * 512..<sector * 512 + 512])
      }
      guard case .torn(let writers) = HeaderSlot.read(block, at: new.blockNumber) else {
        Issue.record("sectors \(sectors) give \(HeaderSlot.read(block, at: new.blockNumber))")
        continue
      }
      #expect(writers == [tear.old, tear.new])
    }
  }

  @Test func aTearInANewFileIsTorn() {
    let new = Self.slot(1, seed: 0).encoded()
    for sectors in 1..<255 {
      var block = [UInt8](repeating: 0, count: Block.byteCount)
      for sector in 0..<8 where sectors >> sector & 1 == 1 {
        block.replaceSubrange(
          sector * 512..<sector * 512 + 512, with: new[sector * 512..<sector * 512 + 512])
      }
      guard case .torn(let writers) = HeaderSlot.read(block, at: 1) else {
        Issue.record("sectors \(sectors) are not torn")
        continue
      }
      #expect(writers == [1])
    }
  }

  /// Marks are any 64 bits; no file has seen so many transactions.
  @Test func wildMarksAreNoTornSlot() {
    for (a, b) in [(.max - 1, .max), (5, 6 + HeaderSlot.tearSpan)] as [(UInt64, UInt64)] {
      let first = Self.slot(a, seed: 0, block: 0).encoded()
      let second = Self.slot(b, seed: 0, block: 0).encoded()
      let block = Array(first[..<512] + second[512...])
      if case .torn = HeaderSlot.read(block, at: 0) { Issue.record("torn by \(a) and \(b)") }
    }
  }

  /// No commit leaves an empty sector in a slot, so losing one is damage and not a torn write.
  @Test(arguments: 0..<8)
  func anErasedSectorIsDamage(sector: Int) {
    var block = Self.slot(9, seed: 2).encoded()
    block.replaceSubrange(
      sector * 512..<sector * 512 + 512, with: [UInt8](repeating: 0, count: 512))
    guard case .damaged = HeaderSlot.read(block, at: 0) else {
      // Without its first sector a block has no name to be known by.
      #expect(sector == 0)
      return
    }
  }

  @Test func zeroesAreBlankAndOtherBytesAreNotASlot() {
    let zeroes = [UInt8](repeating: 0, count: Block.byteCount)
    guard case .blank = HeaderSlot.read(zeroes, at: 0) else {
      Issue.record("zeroes are blank")
      return
    }
    for seed in 0..<50 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var block = noise(Block.byteCount, &random)
      if seed % 2 == 0 { block = Array(repeating: UInt8(seed + 1), count: Block.byteCount) }
      guard case .notASlot = HeaderSlot.read(block, at: 0) else {
        Issue.record("seed \(seed)")
        continue
      }
    }
  }

  /// Pages of the list are written over themselves before anything else is verified.
  @Test func aSlotThatListsPagesOutsideOfTheFileIsDamage() {
    let sound = Self.slot(9, seed: 1)
    guard case .valid = HeaderSlot.read(sound.encoded(), at: 0) else {
      Issue.record("the slot is sound")
      return
    }
    for (start, count) in [
      (sound.blockCount - 3, 4), (sound.blockCount, 1), (1 << 47, 65_535), (2, 4), (5, 0), (5, 259),
    ] as [(UInt64, UInt64)] {
      var slot = sound
      slot.written[3] = PageReference(run: BlockRun(start: start, count: count), checksum: 1)
      guard case .damaged = HeaderSlot.read(slot.encoded(), at: 0) else {
        Issue.record("\(count) blocks at \(start)")
        continue
      }
    }
    var slot = Self.slot(9, seed: 0)
    slot.blockCount = Block.countLimit + 1
    guard case .damaged = HeaderSlot.read(slot.encoded(), at: 0) else {
      Issue.record("a file that nobody can map")
      return
    }
  }

  @Test(arguments: [1, 2, 4, 0xFFFF_FFFF] as [UInt32])
  func anotherFormatIsAnother(version: UInt32) {
    let block = Self.slot(4, seed: 1).encoded(asVersion: version)
    guard case .otherFormat(version) = HeaderSlot.read(block, at: 0) else {
      Issue.record("\(HeaderSlot.read(block, at: 0))")
      return
    }
  }
}

extension HeaderSlot.Reading {
  func isDamaged(by transaction: UInt64) -> Bool {
    if case .damaged(transaction) = self { true } else { false }
  }
}

extension HeaderSlot {
  /// The slot as a library of another format version would write it.
  func encoded(asVersion version: UInt32) -> [UInt8] {
    var block = encoded()
    func replace(_ bytes: [UInt8], at offset: Int) {
      block.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(version)
    replace(bytes, at: 8)
    replace([UInt8](repeating: 0, count: 8), at: 24)
    let content = (0..<8).flatMap { block[$0 * 512..<$0 * 512 + 504] }
    var checksum: [UInt8] = []
    checksum.appendLittleEndian(content.withByteView { Checksum.xxh64($0) })
    replace(checksum, at: 24)
    return block
  }
}
