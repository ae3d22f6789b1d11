package import AtollStorage

extension MemoryFile {
  /// A file in memory with these bytes, and room for some more.
  package convenience init(path: String, holding bytes: [UInt8]) throws(StorageError) {
    try self.init(path: path, capacity: FileWindow.stride)
    try write(bytes, at: 0)
  }

  /// All bytes of the file.
  package func bytes() throws(StorageError) -> [UInt8] {
    let buffer = PageBuffer(byteCount: Int(try byteCount()), zeroed: true)
    _ = try read(into: buffer.unsafeBytes, at: 0)
    return buffer.view.copy()
  }

  package func write(_ bytes: [UInt8], at byteOffset: UInt64) throws(StorageError) {
    try bytes.withByteView { (view) throws(StorageError) in
      try write(view.unsafeBytes, at: byteOffset)
    }
  }
}

extension LZ4 {
  /// One block with these bytes.
  package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    let target = PageBuffer(byteCount: bound(bytes.count), zeroed: true)
    let count = bytes.withByteView { compress($0.unsafeBytes, into: target.unsafeBytes) }
    return count.map { target.view[0..<$0].copy() }
  }

  /// What the block holds; nil when it is not one of `byteCount` bytes.
  package static func decompressed(_ block: [UInt8], byteCount: Int) -> [UInt8]? {
    let target = PageBuffer(byteCount: byteCount, zeroed: true)
    let isWhole = block.withByteView { decompress($0.unsafeBytes, into: target.unsafeBytes) }
    return isWhole ? target.view.copy() : nil
  }
}
