/// The header slots of a file, as they lie there.
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

  /// Reads all slots; where the file ends before they do, the rest reads as zero.
  func read() throws(StorageError) -> [HeaderSlot.Reading] { decode(try bytes()) }

  /// Decodes the bytes of all slots.
  func decode(_ bytes: [UInt8]) -> [HeaderSlot.Reading] {
    (0..<Block.firstPage).map { block in
      HeaderSlot.read(Array(bytes[Self.range(of: block)]), at: block, key: key)
    }
  }

  /// The bytes of all slots.
  func bytes() throws(StorageError) -> [UInt8] {
    let buffer = PageBuffer(byteCount: Int(Block.firstPage) * Block.byteCount, zeroed: true)
    defer { withExtendedLifetime(buffer) {} }
    // SAFETY: the buffer lives to the end (above).
    _ = try unsafe file.read(into: buffer.unsafeBytes, at: 0)
    return buffer.view.copy()
  }

  /// Where the slot of a block lies in the bytes of all slots.
  static func range(of block: BlockNumber) -> Range<Int> {
    Int(block) * Block.byteCount..<Int(block + 1) * Block.byteCount
  }

  /// The slot of the version that was published last.
  ///
  /// It is stable until the next commit but one, so one that reads badly means that the
  /// version moved on meanwhile.
  func published(by coordinator: any Coordinator) throws(StorageError) -> HeaderSlot {
    for _ in 0..<1_000 {
      let newest = coordinator.newestTransaction
      for reading in try read() {
        switch reading {
        case .valid(let slot) where slot.transaction == newest:
          let byteCount = try file.byteCount()
          if slot.fits(byteCount) { return slot }
          guard coordinator.newestTransaction == newest else { continue }
          throw slot.truncation(byteCount)
        case .locked(let problem): throw .encryption(path: file.path, problem)
        default: continue
        }
      }
    }
    // Whole slots, and none of them is of a version that those know who have the file open.
    let isWhole = try read().allSatisfy { if case .valid = $0 { true } else { false } }
    if isWhole { throw .moved(path: file.path, .overwritten) }
    throw .corrupted(block: 0, .structure(.headerSlot))
  }
}

extension HeaderSlot {
  /// Refuses a file that is shorter than its version.
  func checkLength(of file: any DataFile) throws(StorageError) {
    let byteCount = try file.byteCount()
    if !fits(byteCount) { throw truncation(byteCount) }
  }

  /// Whether a file of so many bytes is as long as the version.
  fileprivate func fits(_ byteCount: UInt64) -> Bool {
    blockCount <= byteCount / UInt64(Block.byteCount)
  }

  fileprivate func truncation(_ byteCount: UInt64) -> StorageError {
    .corrupted(
      block: byteCount / UInt64(Block.byteCount),
      .truncated(byteCount: byteCount, expected: blockCount * UInt64(Block.byteCount)))
  }
}
