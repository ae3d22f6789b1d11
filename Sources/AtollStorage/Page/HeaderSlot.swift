/// One of the three blocks that say which version of the file is the newest.
///
/// Of three, one holds the newest version, one the newest that is known to be on the disk, and the
/// next is written to the one that is left (`SlotLayout`). The content (Format.md, "Header slot")
/// is spread over eight sectors of 512 bytes, 504 bytes each; the last 8 bytes of a
/// sector are a mark made from the transaction. A power cut in the middle of the
/// write leaves sectors with different marks: a torn slot, whose commit never
/// returned. A slot whose marks agree but whose checksum does not was damaged
/// later, and that is an error.
///
/// Invariant: a slot is never written over one with the same mark and other
/// content, or a tear would look like damage; `PageStore.settledVersion` sees to it.
///
///     offset  size  field (of the 4032 bytes of content)
///          0     8  magic           "Atoll" 1A 0D 0A
///          8     4  formatVersion   3; a later format keeps the first 32 bytes and the checksum
///         12     4  flags           bit 0: sealed, 1: synced, 2: encrypted, 3: relaxed
///         16     8  transaction
///         24     8  checksum        XXH64 of the content with this field zero
///         32     8  blockCount      the file's length in blocks
///         40    16  fileID          random, made with the file
///         56    32  catalogue       root of the catalogue tree
///         88    16  spaceLog        newest page of the space log
///        104     4  writtenCount    pages listed below
///        108     4  tailByteCount   bytes of the space log's tail
///        112     8  durable         the newest version on the disk when the slot was written
///        120     8  block           where the slot lies: catches a slot written to another place
///        128    64  reserved        zero
///        192     …  written         references of the pages born since `durable`, 16 bytes each
///          …     …  tail            groups of the space log that fill no page yet
///
/// `synced`: the pages were on the disk before the slot was written, so there is
/// nothing to verify. `sealed`: a copy that was written when the version was known to be on the
/// disk, and that the next slot overwrites. `relaxed`: the commit returned without waiting for the
/// disk. `encrypted`: from byte 56 on lies what `PageCipher` makes of the fields without their last
/// 28 bytes.
package struct HeaderSlot: Equatable, Sendable {
  package static let formatVersion: UInt32 = 3
  package static let contentByteCount = 8 * sectorContentByteCount
  static let sectorByteCount = 512
  static let sectorContentByteCount = 504
  static let fixedByteCount = 192
  /// More written pages than this are synced before the slot instead of being listed.
  static let writtenLimit = 96
  /// Commits that nothing was synced for: one more syncs before its slot, which bounds `tearSpan`.
  package static let relaxedLimit: UInt64 = 1 << 20
  /// How far the transactions may be apart whose writes of a slot one power cut mixes.
  ///
  /// Every block but that of the durable version is overwritten soon, and that one stays for
  /// `relaxedLimit` commits.
  static let tearSpan: UInt64 = 1 << 24
  /// The tail moves to a page of its own beyond this many bytes.
  static let tailLimit = contentByteCount - fixedByteCount - writtenLimit * 16 - 32
  /// What stands before this is readable without a key.
  private static let clearByteCount = 56

  package var transaction: UInt64
  package var blockCount: UInt64
  package var fileID: [UInt8]
  package var catalogue: TreeRoot
  package var spaceLog: PageReference
  package var written: [PageReference]
  package var spaceTail: [UInt8]
  package var isSealed: Bool
  package var isSynced: Bool
  /// Whether the commit returned without waiting for the disk.
  package var isRelaxed: Bool
  /// The newest version that was known to be on the disk when this slot was written.
  package var durable: UInt64
  /// Where the slot is written.
  package var blockNumber: BlockNumber

  /// The copy that says that this version is known to be on the disk.
  package func sealed(in block: BlockNumber) -> HeaderSlot {
    var copy = self
    copy.isSealed = true
    copy.blockNumber = block
    return copy
  }

  /// The slot as its commit wrote it, for another block.
  package func unsealed(in block: BlockNumber) -> HeaderSlot {
    var copy = self
    copy.isSealed = false
    copy.blockNumber = block
    return copy
  }

  /// Whether both are the slot of the same commit, in whatever block.
  func isCopy(of other: HeaderSlot) -> Bool { unsealed(in: 0) == other.unsealed(in: 0) }

  /// What a block that should be a header slot turned out to be.
  package enum Reading {
    case valid(HeaderSlot)
    /// Never written.
    case blank
    /// A write of this slot was cut short: it mixes what two transactions wrote.
    case torn(writers: Set<UInt64>)
    /// All of it was written by `transaction`, and it changed since.
    case damaged(transaction: UInt64?)
    case notASlot
    /// A slot of a format that is not read here, which may be older or newer.
    case otherFormat(UInt32)
    /// Whole, but not to be read with this key, or without one.
    case locked(StorageError.EncryptionProblem)
  }

  /// Encodes the slot into one block.
  ///
  /// `cipher`: that of the file when it is encrypted.
  package func encoded(_ cipher: PageCipher? = nil) -> [UInt8] {
    Self.block(holding: content(isEncrypted: cipher != nil), cipher)
  }

  /// The fields, before they are encrypted and without a checksum.
  package func content(isEncrypted: Bool) -> [UInt8] {
    precondition(written.count <= Self.writtenLimit, "too many pages for a header slot")
    precondition(spaceTail.count <= Self.tailLimit, "the tail is too long for a header slot")
    precondition(fileID.count == 16, "a file id has 16 bytes")
    var content = Block.magic
    content.appendLittleEndian(Self.formatVersion)
    content.appendLittleEndian(
      UInt32(
        (isSealed ? 1 : 0) | (isSynced ? 2 : 0) | (isEncrypted ? 4 : 0) | (isRelaxed ? 8 : 0)))
    content.appendLittleEndian(transaction)
    content.appendLittleEndian(UInt64(0))
    content.appendLittleEndian(blockCount)
    content += fileID
    catalogue.append(to: &content)
    content.appendLittleEndian(spaceLog.location)
    content.appendLittleEndian(spaceLog.checksum)
    content.appendLittleEndian(UInt32(written.count))
    content.appendLittleEndian(UInt32(spaceTail.count))
    content.appendLittleEndian(durable)
    content.appendLittleEndian(blockNumber)
    content += Array(repeating: 0, count: Self.fixedByteCount - content.count)
    for reference in written {
      content.appendLittleEndian(reference.location)
      content.appendLittleEndian(reference.checksum)
    }
    content += spaceTail
    return content + Array(repeating: 0, count: Self.contentByteCount - content.count)
  }

  /// The block that holds a content: encrypted, with its checksum, and with the marks of the
  /// transaction that it names.
  package static func block(holding content: [UInt8], _ cipher: PageCipher?) -> [UInt8] {
    precondition(content.count == contentByteCount, "the content fills the sectors")
    var content = content
    let transaction = content.withByteView { $0.littleEndian(at: 16, as: UInt64.self) }
    store(0, at: 24, in: &content)
    if let cipher { encrypt(&content, cipher) }
    store(checksum(of: content), at: 24, in: &content)
    var block: [UInt8] = []
    block.reserveCapacity(Block.byteCount)
    for sector in 0..<8 {
      let start = sector * sectorContentByteCount
      block += content[start..<start + sectorContentByteCount]
      block.appendLittleEndian(mark(of: transaction, sector: sector))
    }
    return block
  }

  /// Decodes what lies in block `blockNumber`; total for any 4096 bytes.
  ///
  /// `key`: that of the file when it is encrypted.
  package static func read(_ block: [UInt8], at blockNumber: BlockNumber, key: EncryptionKey? = nil)
    -> Reading
  {
    precondition(block.count == Block.byteCount, "a header slot is one block")
    if block.withByteView({ $0.isZero }) { return .blank }
    var content: [UInt8] = []
    content.reserveCapacity(contentByteCount)
    var marks: [UInt64] = []
    for sector in 0..<8 {
      let start = sector * sectorByteCount
      content += block[start..<start + sectorContentByteCount]
      marks.append(
        block.withByteView { $0.littleEndian(at: start + sectorContentByteCount) })
    }
    do {
      var reader = ByteReader(content)
      let hasMagic = Array(try reader.readBytes(8)) == Block.magic
      let version: UInt32 = try reader.readLittleEndian()
      let flags: UInt32 = try reader.readLittleEndian()
      let transaction: UInt64 = try reader.readLittleEndian()
      let checksum: UInt64 = try reader.readLittleEndian()
      let writers = Writers(marks)
      if writers.areTorn { return .torn(writers: writers.all) }
      store(0, at: 24, in: &content)
      guard checksum == Self.checksum(of: content) else {
        let isOurs = hasMagic || writers.only.map { isPlausible(transaction, $0) } ?? false
        return isOurs ? .damaged(transaction: writers.only) : .notASlot
      }
      guard hasMagic else { return .notASlot }
      guard version > 0, writers.only == transaction else {
        return .damaged(transaction: transaction)
      }
      guard version == formatVersion else { return .otherFormat(version) }
      guard flags <= 15 else { return .damaged(transaction: transaction) }
      switch (flags & 4 != 0, key) {
      case (false, nil): break
      case (false, _?): return .locked(.notEncrypted)
      case (true, nil): return .locked(.keyMissing)
      case (true, let key?):
        guard decrypt(&content, key) else { return .locked(.keyWrong) }
      }
      var fields = ByteReader(Array(content[32...]))
      guard let slot = try HeaderSlot(&fields, transaction: transaction, flags: flags),
        slot.blockNumber == blockNumber
      else { return .damaged(transaction: transaction) }
      return .valid(slot)
    } catch { return .notASlot }
  }

  /// Who wrote the eight sectors of a block, as their marks say.
  private struct Writers {
    let all: Set<UInt64>
    /// A sector that was never written reads as zero and has no writer.
    let hasHole: Bool

    init(_ marks: [UInt64]) {
      all = Set(
        marks.enumerated().filter { $0.element != 0 }
          .map { unmark($0.element, sector: $0.offset) })
      hasHole = marks.contains(0)
    }

    /// The transaction that wrote all sectors, if one did.
    var only: UInt64? { all.count == 1 && !hasHole ? all.first : nil }

    /// Whether a power cut explains the mixture.
    ///
    /// A block may have been written several times since anything was synced. Only the making of
    /// the file finds sectors without a writer.
    var areTorn: Bool {
      if hasHole { return all == [1] }
      guard all.count > 1, let lowest = all.min(), let highest = all.max() else { return false }
      // A mark is any 64 bits; no file has seen so many transactions.
      return highest < 1 << 62 && highest - lowest <= HeaderSlot.tearSpan
    }
  }

  private init?(_ reader: inout ByteReader, transaction: UInt64, flags: UInt32) throws {
    self.transaction = transaction
    isSealed = flags & 1 != 0
    isSynced = flags & 2 != 0
    isRelaxed = flags & 8 != 0
    blockCount = try reader.readLittleEndian()
    fileID = Array(try reader.readBytes(16))
    guard let catalogue = TreeRoot(&reader) else { return nil }
    self.catalogue = catalogue
    spaceLog = PageReference(
      location: try reader.readLittleEndian(), checksum: try reader.readLittleEndian())
    let writtenCount: UInt32 = try reader.readLittleEndian()
    let tailByteCount: UInt32 = try reader.readLittleEndian()
    durable = try reader.readLittleEndian()
    blockNumber = try reader.readLittleEndian()
    guard try reader.readBytes(64).allSatisfy({ $0 == 0 }) else { return nil }
    guard writtenCount <= Self.writtenLimit, tailByteCount <= Self.tailLimit else { return nil }
    guard blockCount >= Block.firstPage, blockCount <= Block.countLimit else { return nil }
    guard transaction > 0, transaction < 1 << 62, durable < transaction else { return nil }
    written = []
    for _ in 0..<writtenCount {
      let page = PageReference(
        location: try reader.readLittleEndian(), checksum: try reader.readLittleEndian())
      // Pages of this list are read and written over themselves before anything else is verified.
      guard page.run.canBePage(below: blockCount) else { return nil }
      written.append(page)
    }
    spaceTail = Array(try reader.readBytes(Int(tailByteCount)))
  }

  init(transaction: UInt64, blockCount: UInt64, fileID: [UInt8], block: BlockNumber) {
    self.transaction = transaction
    self.blockCount = blockCount
    self.fileID = fileID
    catalogue = .empty
    spaceLog = .none
    written = []
    spaceTail = []
    isSealed = false
    isSynced = false
    isRelaxed = false
    durable = transaction - 1
    blockNumber = block
  }

  /// Replaces all behind the clear part by nonce, encrypted bytes and tag.
  private static func encrypt(_ content: inout [UInt8], _ cipher: PageCipher) {
    let sealed = PageBuffer(byteCount: contentByteCount - clearByteCount, zeroed: false)
    content.withByteView { bytes in
      cipher.seal(
        bytes[clearByteCount..<contentByteCount - PageCipher.addedByteCount],
        after: bytes[0..<clearByteCount], into: sealed, at: 0)
    }
    content.replaceSubrange(clearByteCount..., with: sealed.view.copy())
  }

  /// The opposite, in content whose checksum field is zero; false when the key is another's.
  private static func decrypt(_ content: inout [UInt8], _ key: EncryptionKey) -> Bool {
    let cipher = PageCipher(key, fileID: Array(content[40..<clearByteCount]))
    let plain = content.withByteView { bytes in
      cipher.open(bytes[clearByteCount..<contentByteCount], after: bytes[0..<clearByteCount])
    }
    guard let plain else { return false }
    content.replaceSubrange(
      clearByteCount...,
      with: plain.view.copy() + Array(repeating: 0, count: PageCipher.addedByteCount))
    return true
  }

  private static func checksum(of content: [UInt8]) -> UInt64 {
    content.withByteView { Checksum.xxh64($0) }
  }

  private static func store(_ value: UInt64, at byteOffset: Int, in content: inout [UInt8]) {
    for index in 0..<8 {
      content[byteOffset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
  }

  /// An invertible mix, so that marks of near transactions differ in many bits and one flipped
  /// bit never turns a mark into that of another transaction in use.
  private static func mark(of transaction: UInt64, sector: Int) -> UInt64 {
    (transaction &+ 1) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(sector) &* 0x0101_0101_0101_0101
  }

  private static func unmark(_ mark: UInt64, sector: Int) -> UInt64 {
    // 0xF1DE_83E1_9937_733D is the inverse of the multiplier modulo 2^64.
    (mark ^ UInt64(sector) &* 0x0101_0101_0101_0101) &* 0xF1DE_83E1_9937_733D &- 1
  }

  private static func isPlausible(_ a: UInt64, _ b: UInt64) -> Bool {
    (a > b ? a - b : b - a) <= 2
  }
}
