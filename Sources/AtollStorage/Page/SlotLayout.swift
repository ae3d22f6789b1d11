/// Which header block holds what, while a version is the newest.
///
/// Every writer can derive it from the file, so that one that dies leaves nothing behind that
/// another would have to know:
///
/// - Version n, the newest, is durable when its commit was not relaxed, or when a sealed copy of
///   its slot lies in some block. Else the newest durable version is the one that its slot names.
/// - The next slot overwrites the sealed copy of slot n if there is one; so a sealed copy says that
///   nothing newer is durable. Else it goes to the block behind that of slot n, when version n is
///   durable, and else to the block that holds neither slot n nor that of the durable version.
struct SlotLayout: Equatable {
  /// The newest version.
  private(set) var newest: UInt64
  /// Where its slot lies.
  private(set) var newestBlock: BlockNumber
  /// The newest version that is known to be on the disk.
  private(set) var durable: UInt64
  /// Where its slot lies.
  private(set) var durableBlock: BlockNumber
  /// Where a sealed copy of the newest slot lies.
  private(set) var sealedBlock: BlockNumber?

  /// Finds out how the slots lie; nil when a block holds what has to be put in order first.
  ///
  /// - Parameters:
  ///   - readings: What the blocks hold.
  ///   - header: The slot of the newest version, in whatever block.
  init?(_ readings: [HeaderSlot.Reading], newest header: HeaderSlot) {
    var slots: [HeaderSlot] = []
    for reading in readings {
      guard case .valid(let slot) = reading, slot.fileID == header.fileID,
        slot.transaction <= header.transaction
      else { return nil }
      slots.append(slot)
    }
    func block(of transaction: UInt64) -> BlockNumber? {
      Self.home(
        ofCopies: slots.filter { $0.transaction == transaction && !$0.isSealed }.map(\.blockNumber))
    }
    guard let ownBlock = block(of: header.transaction) else { return nil }
    newest = header.transaction
    newestBlock = ownBlock
    sealedBlock =
      slots.first { $0.transaction == header.transaction && $0.isSealed }?.blockNumber
    if sealedBlock != nil || !header.isRelaxed {
      durable = newest
      durableBlock = newestBlock
    } else {
      guard let block = block(of: header.durable) else { return nil }
      durable = header.durable
      durableBlock = block
    }
  }

  /// Whether everything that was committed is known to be on the disk.
  var isDurable: Bool { durable == newest }

  /// Where the next slot goes.
  var next: BlockNumber { isDurable ? nextWhenDurable : 3 - newestBlock - durableBlock }

  /// Where the next slot goes once the newest version is durable.
  var nextWhenDurable: BlockNumber { sealedBlock ?? Self.behind(newestBlock) }

  /// Takes a slot into account that was written: that of the next version, or a sealed copy.
  mutating func add(_ slot: HeaderSlot) {
    if slot.isSealed {
      durable = newest
      durableBlock = newestBlock
      sealedBlock = slot.blockNumber
      return
    }
    if !slot.isRelaxed {
      durable = slot.transaction
      durableBlock = slot.blockNumber
    } else if slot.durable == newest {
      durable = newest
      durableBlock = newestBlock
    }
    newest = slot.transaction
    newestBlock = slot.blockNumber
    sealedBlock = nil
  }

  /// Which of the blocks that hold a slot, as its commit wrote it, counts as its own.
  ///
  /// The one that no other follows, so that the sealed copy never takes the place of such a slot,
  /// nor such a slot that of a sealed copy: cut short, either would look like damage, as both have
  /// one mark.
  static func home(ofCopies blocks: [BlockNumber]) -> BlockNumber? {
    blocks.first { !blocks.contains(behind($0)) }
  }

  /// The block after this one, in turn.
  static func behind(_ block: BlockNumber) -> BlockNumber { (block + 1) % Block.firstPage }
}
