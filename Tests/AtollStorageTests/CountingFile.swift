import AtollStorage
import Synchronization

/// Passes everything on, and counts how often a page was looked up.
final class CountingFile: DataFile {
  private let file: any DataFile
  private let windows = Atomic(0)

  init(_ file: any DataFile) { self.file = file }

  var windowCount: Int { windows.load(ordering: .relaxed) }
  var path: String { file.path }
  var isReadOnly: Bool { file.isReadOnly }

  func byteCount() throws(StorageError) -> UInt64 { try file.byteCount() }
  func setByteCount(_ byteCount: UInt64) throws(StorageError) { try file.setByteCount(byteCount) }
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError)
    -> Int
  { try file.read(into: buffer, at: offset) }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    try file.write(bytes, at: offset)
  }
  func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    try file.synchronize(scope)
  }
  func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    windows.add(1, ordering: .relaxed)
    return try file.window(index)
  }
  func close() { file.close() }
}
