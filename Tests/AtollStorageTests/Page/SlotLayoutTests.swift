import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct SlotLayoutTests {
  private static func slot(
    _ transaction: UInt64, in block: BlockNumber, durable: UInt64? = nil, isSealed: Bool = false
  ) -> HeaderSlot {
    var slot = HeaderSlot(
      transaction: transaction, blockCount: 3, fileID: Array(1...16), block: block)
    slot.isSealed = isSealed
    if let durable {
      slot.isRelaxed = true
      slot.durable = durable
    }
    return slot
  }

  private static func layout(_ slots: [HeaderSlot]) -> SlotLayout? {
    guard let newest = slots.max(by: { $0.transaction < $1.transaction }) else { return nil }
    return SlotLayout(slots.map { .valid($0) }, newest: newest)
  }

  /// Full commits go round.
  @Test func theNextSlotFollowsADurableOne() throws {
    for block in 0..<3 as Range<BlockNumber> {
      let slots = (0..<3 as Range<BlockNumber>).map { other in
        Self.slot(9 - (block + 3 - other) % 3, in: other)
      }
      let layout = try #require(Self.layout(slots))
      #expect(layout.durable == 9 && layout.newestBlock == block)
      #expect(layout.next == (block + 1) % 3)
    }
  }

  @Test func theNextSlotSparesTheDurableOne() throws {
    for (newest, durable) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
      as [(BlockNumber, BlockNumber)]
    {
      var slots = (0..<3 as Range<BlockNumber>).map { Self.slot(7, in: $0) }
      slots[Int(newest)] = Self.slot(9, in: newest, durable: 5)
      slots[Int(durable)] = Self.slot(5, in: durable)
      slots[Int(3 - newest - durable)] = Self.slot(8, in: 3 - newest - durable, durable: 5)
      let layout = try #require(Self.layout(slots))
      #expect(layout.durable == 5 && layout.durableBlock == durable)
      #expect(layout.next == 3 - newest - durable)
      #expect(layout.nextWhenDurable == (newest + 1) % 3)
    }
  }

  /// Else a sealed copy would stand beside a newer version that is durable.
  @Test func theNextSlotOverwritesTheSealedCopy() throws {
    for sealed in 0..<3 as Range<BlockNumber> {
      let slots = (0..<3 as Range<BlockNumber>).map {
        Self.slot(9, in: $0, durable: 4, isSealed: $0 == sealed)
      }
      let layout = try #require(Self.layout(slots))
      #expect(layout.durable == 9 && layout.next == sealed)
    }
  }

  /// What is kept from commit to commit is what the file says.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func followsWhatIsWritten(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var slots = [Self.slot(1, in: 0), Self.slot(1, in: 1), Self.slot(1, in: 2, isSealed: true)]
    var kept = try #require(Self.layout(slots))
    for _ in 0..<40 {
      let newest = slots[Int(kept.newestBlock)]
      let durableSlot = slots[Int(kept.durableBlock)]
      var slot: HeaderSlot
      switch Int.random(in: 0..<5, using: &random) {
      case 0: slot = newest.sealed(in: kept.nextWhenDurable)
      case 1: slot = Self.slot(kept.newest + 1, in: kept.next)
      case 2:
        slot = Self.slot(kept.newest + 1, in: kept.nextWhenDurable, durable: kept.newest)
      default:
        slot = Self.slot(kept.newest + 1, in: kept.next, durable: kept.durable)
        // Neither the newest slot nor the durable one.
        #expect(slots[Int(slot.blockNumber)].isSealed || slots[Int(slot.blockNumber)] != newest)
        #expect(kept.isDurable || slots[Int(slot.blockNumber)] != durableSlot)
      }
      slots[Int(slot.blockNumber)] = slot
      kept.add(slot)
      #expect(kept == Self.layout(slots))
    }
  }

  @Test func disorderIsNoLayout() {
    let good = (0..<3 as Range<BlockNumber>).map { Self.slot(7 + $0, in: $0) }
    #expect(Self.layout(good) != nil)
    let readings: [HeaderSlot.Reading] = good.map { .valid($0) }
    // A slot of a commit that was undone.
    #expect(SlotLayout(readings, newest: good[1]) == nil)
    #expect(SlotLayout([.blank] + readings[1...], newest: good[2]) == nil)
    #expect(SlotLayout([.torn(writers: [6, 7])] + readings[1...], newest: good[2]) == nil)
    // The durable slot is gone.
    let relaxed = Self.slot(9, in: 2, durable: 3)
    #expect(SlotLayout(readings[..<2] + [.valid(relaxed)], newest: relaxed) == nil)
    // The newest is there only as a copy, which the next slot would overwrite.
    let sealed = good[2].sealed(in: 2)
    #expect(SlotLayout(readings[..<2] + [.valid(sealed)], newest: sealed) == nil)
  }
}
