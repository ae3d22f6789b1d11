internal import AtollStorage
internal import TestSupport

/// Changes inside pages that are sealed again, as an attacker who knows the format can make them.
///
/// Half of the changes go for the fields that decoders rest on: counts, offsets, lengths,
/// encodings, references.
struct SealedDamage: RandomMaker {
  private var image: FileImage
  var random: SplitMix64
  private var changed: Set<Int> = []

  /// The file with one to three changes, all sealed; nil when a page no longer fits into its
  /// blocks.
  static func apply(to image: FileImage, _ random: inout SplitMix64) -> [UInt8]? {
    var damage = SealedDamage(image: image, random: random)
    for _ in 0..<[1, 1, 1, 2, 3][damage.number(5)] {
      if damage.number(24) == 0 { damage.changeSlot() } else { damage.changePage() }
    }
    random = damage.random
    return damage.image.sealed(changed: damage.changed)
  }

  private init(image: FileImage, random: SplitMix64) {
    self.image = image
    self.random = random
  }

  // MARK: Pages

  private mutating func changePage() {
    // Blobs are many and have one field; every other kind is as likely as there are pages of it.
    var index = number(image.nodes.count)
    if image.nodes[index].header.kind == .blob { index = number(image.nodes.count) }
    changed.insert(index)
    switch number(20) {
    case 0: changeHeader(index)
    case 1, 2: changeReference(index)
    case 3: changeLength(index)
    case 4: changeAnywhere(index)
    default:
      switch image.nodes[index].header.kind {
      case .rowGroup: changeRowGroup(index)
      case .indexLeaf: changeIndexLeaf(index)
      case .branch: changeBranch(index)
      case .keyValueLeaf: changeKeyValueLeaf(index)
      case .blob: changeAnywhere(index)
      case .spaceLog: poke(index, [0, 8, 16, 20, 24 + number(64), 24 + number(4096)])
      }
    }
  }

  private mutating func changeHeader(_ index: Int) {
    var node = image.nodes[index]
    let (field, change) = (number(8), random.next())
    let small = UInt32(change % 64)
    switch field {
    case 0: node.header.kind = PageKind.allCases.randomElement(using: &random) ?? .blob
    case 1: node.header.codec = change % 2 == 0 ? .raw : .lz4
    case 2: node.header.treeID = small
    case 3: node.header.block = UInt64(small)
    case 4: node.header.transaction = change >> UInt64(small)
    case 5:
      node.header.logicalByteCount = [0, 1, 1 << 20, (1 << 20) + 1, 0x7FFF_FFFF][Int(small) % 5]
    case 6:
      node.header.logicalByteCount &+= 1 + small
      node.header.storedByteCount &+= small
    default:
      // Reserved bytes, or a byte of the payload as it is stored.
      let offsets = [10, 11, 40, 47, PageHeader.byteCount + number(node.payload.count)]
      node.patch = (offsets[Int(small) % 5], UInt8(1 + change % 255))
    }
    image.nodes[index] = node
  }

  /// Makes a page refer to another page than it should, so that two places share one.
  private mutating func changeReference(_ index: Int) {
    var places: [(node: Int, byteOffset: Int)] = []
    for node in image.nodes { places += node.parents.filter { $0.node == index } }
    guard let place = places.randomElement(using: &random) else { return changeAnywhere(index) }
    var reference = image.nodes[number(image.nodes.count)].reference
    switch number(6) {
    case 0: reference = .none
    case 1: reference.location ^= 1 << UInt64(number(64))
    case 2: reference.location = UInt64(2 + number(60)) | UInt64(1 + number(4)) << 48
    default: break
    }
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(reference.location)
    bytes.appendLittleEndian(reference.checksum)
    image.nodes[index].payload.replaceSubrange(
      place.byteOffset..<place.byteOffset + bytes.count, with: bytes)
  }

  private mutating func changeLength(_ index: Int) {
    var payload = image.nodes[index].payload
    if number(2) == 0 {
      payload.removeLast(number(min(64, payload.count)))
    } else {
      payload += [UInt8](repeating: 0, count: 1 + number(32))
    }
    image.nodes[index].payload = payload
    image.nodes[index].header.logicalByteCount = UInt32(payload.count)
  }

  private mutating func changeAnywhere(_ index: Int) {
    poke(index, [number(image.nodes[index].payload.count)])
  }

  private mutating func changeRowGroup(_ index: Int) {
    let payload = image.nodes[index].payload
    let vectorCount = Int(payload.withByteView { $0.littleEndian(at: 4, as: UInt16.self) })
    guard vectorCount > 0, number(12) > 0 else { return poke(index, [0, 4, 6]) }
    let entry = 16 + 16 * number(vectorCount)
    guard entry + 16 <= payload.count else { return changeAnywhere(index) }
    if number(3) == 0 { return poke(index, [entry, entry + 4, entry + 5, entry + 8, entry + 12]) }
    let start = Int(payload.withByteView { $0.littleEndian(at: entry + 8, as: UInt32.self) })
    let count = Int(payload.withByteView { $0.littleEndian(at: entry + 12, as: UInt32.self) })
    if number(3) == 0 { return poke(index, [start + number(count)]) }
    poke(
      index,
      [0, 1, 4, 8, 12, 16, 20, 24, 32, 33, 36, 40, 48, 49, 52, 56].map { start + $0 })
  }

  private mutating func changeIndexLeaf(_ index: Int) {
    let payload = image.nodes[index].payload
    guard payload.count >= 32, number(3) > 0 else { return poke(index, [0, 4, 8, 12, 16, 20]) }
    let counts = Int(payload.withByteView { $0.littleEndian(at: 12, as: UInt32.self) })
    let keys = Int(payload.withByteView { $0.littleEndian(at: 16, as: UInt32.self) })
    let start = [32, counts, keys][number(3)]
    if number(3) == 0 { return poke(index, [start + number(keys - 32)]) }
    poke(index, [0, 1, 4, 8, 9, 10, 12, 16, 17, 20, 24].map { start + $0 })
  }

  private mutating func changeBranch(_ index: Int) {
    let count = Int(
      image.nodes[index].payload.withByteView { $0.littleEndian(at: 0, as: UInt32.self) })
    guard number(3) > 0 else { return poke(index, [0, 4, 5, 6, 8, 12]) }
    let child = number(count)
    poke(
      index,
      [
        16 + 16 * child, 24 + 16 * child, 16 + 16 * count + 8 * child, 16 + 24 * count + 8 * child,
        16 + 32 * count + 4 * child, 16 + 36 * count + 4 * child, 16 + 40 * count + number(64),
      ])
  }

  private mutating func changeKeyValueLeaf(_ index: Int) {
    let count = Int(
      image.nodes[index].payload.withByteView { $0.littleEndian(at: 0, as: UInt32.self) })
    if number(4) == 0 {
      return poke(index, [0, 4, 8 + 4 * number(count), 8 + 4 * count + 4 * number(count)])
    }
    changeAnywhere(index)
  }

  /// Changes the number at one of these offsets into one that decoders may stumble over.
  private mutating func poke(_ index: Int, _ offsets: [Int]) {
    let count = image.nodes[index].payload.count
    let places = offsets.filter { $0 >= 0 && $0 < count }
    guard let offset = places.randomElement(using: &random) else { return }
    let width = min([1, 2, 4, 4, 8][number(5)], count - offset)
    var old: UInt64 = 0
    for byte in 0..<width {
      old |= UInt64(image.nodes[index].payload[offset + byte]) << UInt64(8 * byte)
    }
    let new = interesting(old, payloadByteCount: count)
    for byte in 0..<width {
      image.nodes[index].payload[offset + byte] = UInt8(truncatingIfNeeded: new >> UInt64(8 * byte))
    }
  }

  private mutating func interesting(_ old: UInt64, payloadByteCount: Int) -> UInt64 {
    switch number(12) {
    case 0: return 0
    case 1: return .max
    case 2: return old &+ 1
    case 3: return old &- 1
    case 4: return old &+ [16, 64, 255, 256][number(4)]
    case 5: return old &- [16, 64, 255, 256][number(4)]
    case 6: return old ^ 1 << UInt64(number(64))
    case 7: return UInt64(number(20))
    case 8: return UInt64(payloadByteCount + number(33) - 16)
    case 9:
      return [
        0x7F, 0x80, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFF_FFFF, 0x100_0000, 0x1000_0000,
        0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 48, 1 << 62, 1 << 63, (1 << 63) - 1,
      ][number(16)]
    case 10: return old << 8 | UInt64(number(256))
    default: return random.next()
    }
  }

  // MARK: Slots

  private mutating func changeSlot() {
    let field = number(10)
    let change = random.next() >> UInt64(number(64))
    let other = image.nodes[number(image.nodes.count)].reference
    for index in image.slots.indices {
      switch field {
      case 0: image.slots[index].blockCount &-= 1
      case 1: image.slots[index].blockCount = 3 + change % 100
      case 2: image.slots[index].catalogue.entryCount = change
      case 3: image.slots[index].catalogue.height = UInt8(change % 49)
      case 4: image.slots[index].catalogue.reference = other
      case 5: image.slots[index].spaceLog = change % 2 == 0 ? .none : other
      case 6:
        guard !image.slots[index].spaceTail.isEmpty else { return }
        let count = image.slots[index].spaceTail.count
        image.slots[index].spaceTail[Int(change % UInt64(count))] = UInt8(
          truncatingIfNeeded: change >> 8)
      case 7:
        if !image.slots[index].written.isEmpty {
          image.slots[index].written[0] =
            change % 2 == 0
            ? other : PageReference(location: change.byteSwapped, checksum: other.checksum)
        }
      case 8: image.slots[index].durable = change % image.slots[index].transaction
      default: image.slots[index].isSynced.toggle()
      }
    }
  }
}
