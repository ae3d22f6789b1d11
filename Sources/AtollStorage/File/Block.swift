/// A position in the file, counted in blocks of 4 KiB from the start.
package typealias BlockNumber = UInt64

/// The unit of allocation and of every file offset.
package enum Block {
  package static let byteCount = 4096
  /// The first bytes of every file: of the header slot in block 0.
  package static let magic: [UInt8] = Array("Atoll".utf8) + [0x1A, 0x0D, 0x0A]
  /// Blocks 0 to 2 hold the header slots; no page lies before this block.
  package static let firstPage: BlockNumber = 3
  /// Blocks of the longest file, 4 TiB: as far as the mapping reaches.
  package static let countLimit: UInt64 = 1 << 30

  /// How many blocks so many bytes take.
  package static func count(of byteCount: Int) -> UInt64 {
    UInt64((byteCount + Block.byteCount - 1) / Block.byteCount)
  }
}
