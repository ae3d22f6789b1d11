/// The two header slots of a file, as they lie there.
package struct HeaderSlots: Sendable {
  let file: any DataFile
  /// That of the file when it is encrypted.
  package let key: EncryptionKey?

  package init(_ file: any DataFile, key: EncryptionKey?) {
    self.file = file
    self.key = key
  }

  /// What encrypts the file with this id; nil when there is no key.
  func cipher(fileID: [UInt8]) -> PageCipher? { key.map { PageCipher($0, fileID: fileID) } }

  /// Reads a slot; where the file ends before it does, the rest reads as zero.
  func read(_ block: BlockNumber) throws(StorageError) -> HeaderSlot.Reading {
    decode(try bytes(block), at: block)
  }

  /// Decodes the bytes of a slot.
  func decode(_ bytes: [UInt8], at block: BlockNumber) -> HeaderSlot.Reading {
    HeaderSlot.read(bytes, at: block, key: key)
  }

  /// The bytes of a slot.
  func bytes(_ block: BlockNumber) throws(StorageError) -> [UInt8] {
    let buffer = PageBuffer(byteCount: Block.byteCount, zeroed: true)
    _ = try unsafe file.read(into: buffer.unsafeBytes, at: block * UInt64(Block.byteCount))
    return buffer.view.copy()
  }

  /// The slot of the version that was published last.
  ///
  /// It is stable until the next commit but one, so one that reads badly means that the
  /// version moved on meanwhile.
  func published(by coordinator: any Coordinator) throws(StorageError) -> HeaderSlot {
    for _ in 0..<1_000 {
      let newest = coordinator.newestTransaction
      // In its own block, or as a sealed copy in the other.
      for block in [newest % 2, 1 - newest % 2] {
        switch try read(block) {
        case .valid(let slot) where slot.transaction == newest:
          try slot.checkLength(of: file)
          return slot
        case .locked(let problem): throw .encryption(path: file.path, problem)
        default: continue
        }
      }
    }
    throw .corrupted(block: coordinator.newestTransaction % 2, .structure(.headerSlot))
  }
}

extension HeaderSlot {
  /// Refuses a file that is shorter than its version.
  func checkLength(of file: any DataFile) throws(StorageError) {
    let byteCount = try file.byteCount()
    guard blockCount > byteCount / UInt64(Block.byteCount) else { return }
    throw .corrupted(
      block: byteCount / UInt64(Block.byteCount),
      .truncated(byteCount: byteCount, expected: blockCount * UInt64(Block.byteCount)))
  }
}
