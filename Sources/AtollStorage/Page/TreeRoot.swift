/// The root of a tree: where it begins and what it holds.
///
/// 32 bytes on disk, little-endian (Format.md, "Tree root"):
///
///     offset  size  field
///          0    16  reference   the root page, or none for an empty tree
///         16     8  entryCount  entries in all leaves
///         24     1  height      levels of branches above the leaves
///         25     7  reserved    zero
package struct TreeRoot: Hashable, Sendable {
  package static let byteCount = 32
  package static let empty = TreeRoot(reference: .none, entryCount: 0, height: 0)
  /// No tree is deeper: with two children in each branch it would outgrow 48-bit addresses.
  package static let heightLimit = 48
  /// No tree has more entries, so that sums over all trees of a file fit into 64 bits.
  package static let entryCountLimit: UInt64 = 1 << 48

  package var reference: PageReference
  package var entryCount: UInt64
  package var height: UInt8

  package init(reference: PageReference, entryCount: UInt64, height: UInt8) {
    self.reference = reference
    self.entryCount = entryCount
    self.height = height
  }

  /// Decodes 32 bytes; nil when they are not a root.
  package init?(_ reader: inout ByteReader) {
    do {
      reference = PageReference(
        location: try reader.readLittleEndian(), checksum: try reader.readLittleEndian())
      entryCount = try reader.readLittleEndian()
      height = try reader.readByte()
      let reserved = try reader.readBytes(7)
      guard reserved.allSatisfy({ $0 == 0 }), height <= Self.heightLimit,
        entryCount <= Self.entryCountLimit
      else { return nil }
      guard !reference.isNone || self == .empty else { return nil }
    } catch { return nil }
  }

  package func append(to bytes: inout [UInt8]) {
    bytes.appendLittleEndian(reference.location)
    bytes.appendLittleEndian(reference.checksum)
    bytes.appendLittleEndian(entryCount)
    bytes.append(height)
    bytes += [0, 0, 0, 0, 0, 0, 0]
  }
}
