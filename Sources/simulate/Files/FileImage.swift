internal import AtollStorage
internal import TestSupport

/// The pages of a file, decrypted and decompressed, with the places that refer to each.
///
/// Lets a byte anywhere inside of a page be changed and everything above be sealed again: its
/// checksum, the reference in its parent, the parent's checksum, up to the header slots. So a
/// change reaches the code that decodes, which must trust nothing.
///
/// References are found by their 16 bytes wherever they stand; a checksum makes them unmistakable.
struct FileImage {
  /// A page that a header slot reaches.
  struct Node {
    let reference: PageReference
    var header: PageHeader
    /// The payload before codec and cipher.
    var payload: [UInt8]
    /// A byte of the page, as it lies in the file, that is to have another value.
    var patch: (byteOffset: Int, value: UInt8)?
    /// Where other pages refer to this one.
    var parents: [(node: Int, byteOffset: Int)] = []
    /// Pages below, on the longest way.
    var height = 0
  }

  /// Bytes of the content of a header slot that are to have other values.
  struct SlotPatch {
    let slot: Int
    let byteOffset: Int
    let bytes: [UInt8]
  }

  private(set) var bytes: [UInt8]
  var nodes: [Node] = []
  /// The valid header slots.
  var slots: [HeaderSlot] = []
  var slotPatches: [SlotPatch] = []
  private let cipher: PageCipher?

  init(_ bytes: [UInt8], key: [UInt8]?) throws {
    self.bytes = bytes
    let key = try key.map { try EncryptionKey($0, path: "") }
    for block in 0..<Block.firstPage {
      let start = Int(block) * Block.byteCount
      let reading = HeaderSlot.read(
        Array(bytes[start..<start + Block.byteCount]), at: block, key: key)
      if case .valid(let slot) = reading { slots.append(slot) }
    }
    guard let newest = slots.max(by: { $0.transaction < $1.transaction }) else {
      throw CaseViolation("the sample has no header slot")
    }
    cipher = key.map { PageCipher($0, fileID: newest.fileID) }
    let candidates = try Self.pages(in: bytes, cipher)
    connect(candidates, roots: [newest.catalogue.reference, newest.spaceLog])
  }

  /// Every page that lies whole in the file, those included that no version reaches any more.
  private static func pages(in bytes: [UInt8], _ cipher: PageCipher?) throws
    -> [PageReference: Node]
  {
    var found: [PageReference: Node] = [:]
    let blockCount = bytes.count / Block.byteCount
    for block in Int(Block.firstPage)..<blockCount {
      let start = block * Block.byteCount
      let (checksum, stored) = Array(bytes[start..<start + PageHeader.byteCount]).withByteView {
        ($0.littleEndian(at: 0, as: UInt64.self), Int($0.littleEndian(at: 12, as: UInt32.self)))
      }
      let least = Int(Block.count(of: PageHeader.byteCount + stored))
      // A page of the space log may have blocks to spare.
      for count in least..<least + 4 where block + count <= blockCount {
        let page = Array(bytes[start..<start + count * Block.byteCount])
        let reference = PageReference(
          run: BlockRun(start: UInt64(block), count: UInt64(count)), checksum: checksum)
        guard page.withByteView({ Checksum.xxh64($0[8..<page.count]) }) == checksum,
          let header = page.withByteView({ try? PageHeader(decoding: $0, at: reference) })
        else { continue }
        found[reference] = Node(
          reference: reference, header: header, payload: try payload(of: page, header, cipher))
      }
    }
    return found
  }

  private static func payload(of page: [UInt8], _ header: PageHeader, _ cipher: PageCipher?) throws
    -> [UInt8]
  {
    var payload = try page.withByteView { view in
      let stored = view[PageHeader.byteCount..<PageHeader.byteCount + Int(header.storedByteCount)]
      guard let cipher else { return stored.copy() }
      guard let opened = cipher.open(stored, after: view[PageHeader.clearRange]) else {
        throw CaseViolation("a page of the sample cannot be decrypted")
      }
      return opened.view.copy()
    }
    if header.codec == .lz4 {
      guard
        let whole = LZ4.decompressed(payload, byteCount: Int(header.logicalByteCount))
      else { throw CaseViolation("a page of the sample cannot be decompressed") }
      payload = whole
    }
    return payload
  }

  /// Takes up the pages that `roots` lead to, children before parents.
  private mutating func connect(_ candidates: [PageReference: Node], roots: [PageReference]) {
    var indices: [PageReference: Int] = [:]
    func add(_ reference: PageReference, _ nodes: inout [Node]) -> Int? {
      if let known = indices[reference] { return known }
      guard var node = candidates[reference] else { return nil }
      var children: [(Int, Int)] = []
      for offset in stride(from: 0, through: node.payload.count - PageReference.byteCount, by: 1) {
        guard let child = Self.reference(in: node.payload, at: offset), child != reference,
          candidates[child] != nil, let index = add(child, &nodes)
        else { continue }
        children.append((index, offset))
        node.height = max(node.height, nodes[index].height + 1)
      }
      nodes.append(node)
      let own = nodes.count - 1
      for (child, offset) in children { nodes[child].parents.append((own, offset)) }
      indices[reference] = own
      return own
    }
    for root in roots { _ = add(root, &nodes) }
  }

  private static func reference(in payload: [UInt8], at offset: Int) -> PageReference? {
    // Damage may have made the payload shorter since the place was found.
    guard offset + 16 <= payload.count else { return nil }
    let reference = payload.withByteView {
      PageReference(
        location: $0.littleEndian(at: offset), checksum: $0.littleEndian(at: offset + 8))
    }
    return reference.blockCount > 0 && reference.blockCount < 300 ? reference : nil
  }

  /// The blocks of pages that the newest version reaches.
  var liveBlocks: Set<Int> {
    Set(nodes.flatMap { Array(Int($0.reference.run.start)..<Int($0.reference.run.end)) })
  }

  /// Where in its payload a page refers to others, ascending.
  func references(in node: Int) -> [Int] {
    nodes.flatMap { $0.parents }.filter { $0.node == node }.map(\.byteOffset).sorted()
  }

  // MARK: Sealing

  /// The file with these pages as `nodes` has them now, everything that refers to them sealed
  /// again.
  ///
  /// - Returns: nil when a page no longer fits into its blocks.
  mutating func sealed(changed: Set<Int>) -> [UInt8]? {
    var waiting = changed
    while let index = waiting.min(by: { nodes[$0].height < nodes[$1].height }) {
      waiting.remove(index)
      guard let page = encoded(nodes[index]) else { return nil }
      let old = nodes[index].reference
      let start = Int(old.run.start) * Block.byteCount
      bytes.replaceSubrange(start..<start + page.count, with: page)
      let checksum = page.withByteView { $0.littleEndian(at: 0, as: UInt64.self) }
      for (parent, offset) in nodes[index].parents {
        guard Self.reference(in: nodes[parent].payload, at: offset) == old else { continue }
        nodes[parent].payload.replaceSubrange(
          offset + 8..<offset + 16, with: Self.littleEndian(checksum))
        if nodes[parent].height > nodes[index].height { waiting.insert(parent) }
      }
      let new = PageReference(location: old.location, checksum: checksum)
      for slot in slots.indices {
        if slots[slot].catalogue.reference == old { slots[slot].catalogue.reference = new }
        if slots[slot].spaceLog == old { slots[slot].spaceLog = new }
        slots[slot].written = slots[slot].written.map { $0 == old ? new : $0 }
      }
    }
    for (index, slot) in slots.enumerated() {
      let start = Int(slot.blockNumber) * Block.byteCount
      var content = slot.content(isEncrypted: cipher != nil)
      for patch in slotPatches where patch.slot == index {
        for (place, byte) in zip(patch.byteOffset..<content.count, patch.bytes) {
          content[place] = byte
        }
      }
      bytes.replaceSubrange(
        start..<start + Block.byteCount, with: HeaderSlot.block(holding: content, cipher))
    }
    return bytes
  }

  private static func littleEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// All blocks of a page, as `WriteTransaction` makes them.
  private func encoded(_ node: Node) -> [UInt8]? {
    var header = node.header
    let isTrueCount = header.logicalByteCount == UInt32(node.payload.count)
    var stored = node.payload
    let added = PageHeader.byteCount + (cipher == nil ? 0 : PageCipher.addedByteCount)
    let room = node.reference.run.byteCount - added
    if header.codec == .lz4 {
      let compressed = LZ4.compressed(node.payload)
      if let compressed, compressed.count <= room {
        stored = compressed
      } else {
        header.codec = .raw
      }
    }
    guard stored.count <= room else { return nil }
    // A page that states other counts than its own was changed there.
    if node.header.storedByteCount < 1 << 31 {
      header.isEncrypted = false
      if isTrueCount { header.storedByteCount = UInt32(stored.count) }
    }
    let (buffer, _) = stored.withByteView {
      header.page(holding: $0, in: node.reference.run, cipher: cipher)
    }
    guard let patch = node.patch else { return buffer.view.copy() }
    var page = buffer.view.copy()
    page[min(patch.byteOffset, page.count - 1)] = patch.value
    let checksum = page.withByteView { Checksum.xxh64($0[8..<page.count]) }
    page.replaceSubrange(0..<8, with: Self.littleEndian(checksum))
    return page
  }
}
