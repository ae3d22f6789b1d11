/// A reference to a page, or none.
package struct FormatReference: Equatable, Sendable {
  package var block: Int
  package var blockCount: Int
  package var checksum: UInt64

  package var isNone: Bool { block == 0 && blockCount == 0 }
}

/// The root of a tree.
package struct FormatRoot: Equatable, Sendable {
  package var reference: FormatReference
  package var entryCount: Int
  package var height: Int

  package init(reference: FormatReference, entryCount: Int, height: Int) {
    self.reference = reference
    self.entryCount = entryCount
    self.height = height
  }
}

extension FormatReader {
  package mutating func reference(_ name: String) throws -> FormatReference {
    let location = try number(8, "\(name).location") {
      "block \($0 & 0xFFFF_FFFF_FFFF), \($0 >> 48) blocks"
    }
    let checksum = try number(8, "\(name).checksum", hexadecimal)
    return FormatReference(
      block: Int(location & 0xFFFF_FFFF_FFFF), blockCount: Int(location >> 48), checksum: checksum)
  }

  package mutating func root(_ name: String) throws -> FormatRoot {
    let reference = try reference("\(name).reference")
    let entryCount = try count(8, "\(name).entryCount")
    let height = try count(1, "\(name).height")
    try zeros(7, "\(name).reserved")
    return FormatRoot(reference: reference, entryCount: entryCount, height: height)
  }
}

/// A header slot, decoded by Format.md, section 3.
package struct FormatSlot {
  package var isSealed: Bool
  package var isSynced: Bool
  package var isRelaxed: Bool
  package var transaction: Int
  package var blockCount: Int
  package var fileID: [UInt8]
  package var catalogue: FormatRoot
  package var spaceLog: FormatReference
  package var durable: Int
  package var block: Int
  package var written: [FormatReference]
  package var tail: [UInt8]
  /// Offsets within the 4032 bytes of content.
  package var fields: [FormatField]
  package var content: [UInt8]

  /// Decodes the slot in one block of 4096 bytes.
  package init(_ block: [UInt8]) throws {
    var content: [UInt8] = []
    var marks: [UInt64] = []
    for sector in 0..<8 {
      content += block[512 * sector..<512 * sector + 504]
      marks.append(FormatReader.littleEndian(block[512 * sector + 504..<512 * sector + 512]))
    }
    var reader = FormatReader(content)
    let magic = try reader.raw(8, "magic", printable)
    guard magic == [0x41, 0x74, 0x6F, 0x6C, 0x6C, 0x1A, 0x0D, 0x0A] else {
      throw FormatError("the slot does not begin with the magic bytes")
    }
    guard try reader.number(4, "formatVersion") == 3 else { throw FormatError("another format") }
    let flags = try reader.number(4, "flags") { flags in
      let names = [(1, "sealed"), (2, "synced"), (8, "relaxed")].filter { flags & $0.0 != 0 }
      return names.isEmpty ? "none" : names.map(\.1).joined(separator: ", ")
    }
    guard flags & ~11 == 0 else { throw FormatError("unknown flags") }
    isSealed = flags & 1 != 0
    isSynced = flags & 2 != 0
    isRelaxed = flags & 8 != 0
    transaction = try reader.count(8, "transaction")
    let checksum = try reader.number(8, "checksum", hexadecimal)
    blockCount = try reader.count(8, "blockCount")
    fileID = try reader.raw(16, "fileID")
    catalogue = try reader.root("catalogue")
    spaceLog = try reader.reference("spaceLog")
    let writtenCount = try reader.count(4, "writtenCount")
    let tailByteCount = try reader.count(4, "tailByteCount")
    durable = try reader.count(8, "durable")
    self.block = try reader.count(8, "block")
    try reader.zeros(64)
    written = []
    for index in 0..<writtenCount { written.append(try reader.reference("written[\(index)]")) }
    tail = try reader.raw(tailByteCount, "tail") { _ in "groups of the space log" }
    try reader.zeros(content.count - reader.byteOffset, "unused")
    fields = reader.fields
    self.content = content

    var summed = content
    for index in 24..<32 { summed[index] = 0 }
    guard secondXXH64(summed) == checksum else { throw FormatError("the checksum is wrong") }
    for (sector, mark) in marks.enumerated() {
      let expected =
        (UInt64(transaction) + 1) &* 0x9E37_79B9_7F4A_7C15
        ^ UInt64(sector) &* 0x0101_0101_0101_0101
      guard mark == expected else { throw FormatError("the mark of sector \(sector) is wrong") }
    }
  }

  /// The dump of a slot whose lists end in the first sector, with the marks of all sectors.
  package func dump(of block: [UInt8]) throws -> [String] {
    var end = 0
    var shown: [FormatField] = []
    for field in fields where field.name != "unused" {
      shown.append(field)
      end = field.byteOffset + field.byteCount
    }
    guard end < 504 else { throw FormatError("the slot's lists pass the first sector") }
    for sector in 0..<8 {
      let start = sector == 0 ? end : 512 * sector
      let mark = 512 * sector + 504
      shown.append(
        FormatField(byteOffset: start, byteCount: mark - start, name: "unused", meaning: ""))
      shown.append(
        FormatField(
          byteOffset: mark, byteCount: 8, name: "mark of sector \(sector)", meaning: ""))
    }
    return HexDump.render(shown, of: block)
  }
}

/// A page, decoded by Format.md, section 4: header verified, payload decompressed.
package struct FormatPage {
  package enum Kind: Int {
    case branch = 1
    case keyValueLeaf = 2
    case rowGroup = 3
    case indexLeaf = 4
    case blob = 5
    case spaceLog = 6
  }

  package var kind: Kind
  package var isCompressed: Bool
  package var treeID: Int
  package var transaction: Int
  /// After decompression.
  package var payload: [UInt8]
  package var fields: [FormatField]
  /// All bytes of the page as they lie in the file.
  package var bytes: [UInt8]

  package init(_ reference: FormatReference, in file: [UInt8]) throws {
    let start = reference.block * 4096
    let end = start + reference.blockCount * 4096
    guard reference.block >= 3, end <= file.count else {
      throw FormatError("the page at block \(reference.block) lies outside the file")
    }
    bytes = Array(file[start..<end])
    var reader = FormatReader(bytes)
    let checksum = try reader.number(8, "checksum", hexadecimal)
    guard checksum == reference.checksum, checksum == secondXXH64(bytes[8...]) else {
      throw FormatError("the checksum of the page at block \(reference.block) is wrong")
    }
    let kindNumber = try reader.number(1, "kind") {
      Kind(rawValue: Int($0)).map { "\($0.rawValue), \($0)" } ?? "\($0)"
    }
    guard let kind = Kind(rawValue: Int(kindNumber)) else { throw FormatError("unknown kind") }
    let codec = try reader.number(1, "codec") { $0 == 0 ? "raw" : "LZ4" }
    guard codec <= 1 else { throw FormatError("unknown codec") }
    let cipher = try reader.number(1, "cipher") { $0 == 0 ? "none" : "encrypted" }
    guard cipher == 0 else { throw FormatError("an encrypted page is not read here") }
    try reader.zeros(1)
    let stored = try reader.count(4, "storedByteCount")
    let logical = try reader.count(4, "logicalByteCount")
    treeID = try reader.count(4, "treeID")
    guard try reader.count(8, "block") == reference.block else {
      throw FormatError("the page belongs at another block")
    }
    transaction = try reader.count(8, "transaction")
    try reader.zeros(8)
    self.kind = kind
    isCompressed = codec == 1
    let payload = try reader.raw(stored, "payload") { _ in codec == 1 ? "an LZ4 block" : "" }
    try reader.zeros(bytes.count - reader.byteOffset, "unused")
    self.payload = codec == 1 ? try secondLZ4(payload, byteCount: logical) : payload
    guard self.payload.count == logical else { throw FormatError("the byte counts differ") }
    fields = reader.fields
  }

  /// A page of the kind that its parent says, in the tree that it belongs to.
  package init(_ reference: FormatReference, _ kind: Kind, treeID: Int, in file: [UInt8]) throws {
    try self.init(reference, in: file)
    guard self.kind == kind, self.treeID == treeID else {
      throw FormatError("the page at block \(reference.block) is of another kind or tree")
    }
  }

  /// The dump of the page, with `payloadFields` for the payload when that is stored raw.
  package func dump(_ payloadFields: [FormatField]) -> [String] {
    guard !isCompressed else { return HexDump.render(fields, of: bytes) }
    let header = fields.prefix { $0.byteOffset < 48 }
    let rest = fields.filter { $0.byteOffset > 48 }
    let moved = payloadFields.map { field in
      var field = field
      field.byteOffset += 48
      return field
    }
    return HexDump.render(header + moved + rest, of: bytes)
  }
}

/// A file as Format.md describes it: the newest slot, and the pages that it reaches.
package struct FormatFile {
  package let bytes: [UInt8]
  /// The newest of the header slots, as its commit wrote it.
  package let slot: FormatSlot
  package let slots: [FormatSlot]

  package init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 3 * 4096 else { throw FormatError("the file is shorter than its slots") }
    self.bytes = bytes
    slots = try (0..<3).map { try FormatSlot(Array(bytes[4096 * $0..<4096 * $0 + 4096])) }
    guard slots.map(\.block) == [0, 1, 2] else { throw FormatError("a slot lies elsewhere") }
    let newest = slots.map(\.transaction).max()
    guard let slot = slots.first(where: { $0.transaction == newest && !$0.isSealed }) else {
      throw FormatError("the newest slot is there only as a copy")
    }
    self.slot = slot
  }

  package func page(_ reference: FormatReference, _ kind: FormatPage.Kind, treeID: Int) throws
    -> FormatPage
  {
    try FormatPage(reference, kind, treeID: treeID, in: bytes)
  }

  /// The leaves of a tree from left to right, with the summary that the parent keeps of each.
  package func leaves(_ root: FormatRoot, treeID: Int, _ kind: FormatPage.Kind) throws
    -> [(page: FormatPage, reference: FormatReference, summary: [UInt8])]
  {
    guard !root.reference.isNone else { return [] }
    var level = root.height
    var nodes = [(reference: root.reference, summary: [UInt8]())]
    while level > 0 {
      nodes = try nodes.flatMap { node in
        let page = try page(node.reference, .branch, treeID: treeID)
        let branch = try FormatBranch(page.payload)
        guard branch.level == level else { throw FormatError("a branch of another level") }
        return zip(branch.references, branch.summaries).map { (reference: $0, summary: $1) }
      }
      level -= 1
    }
    return try nodes.map {
      (try page($0.reference, kind, treeID: treeID), $0.reference, $0.summary)
    }
  }

  /// The entries of a key-value tree.
  package func entries(_ root: FormatRoot, treeID: Int) throws -> [(key: [UInt8], value: [UInt8])] {
    try leaves(root, treeID: treeID, .keyValueLeaf).flatMap {
      try FormatKeyValueLeaf($0.page.payload).entries
    }
  }
}
