package import AtollStorage
import Synchronization

/// Passes everything on, and counts how often a page was looked up and the bytes that were written.
package final class CountingFile: DataFile {
  private let file: any DataFile
  private let windows = Atomic(0)
  private let written = Atomic(0)

  package init(_ file: any DataFile) { self.file = file }

  package var windowCount: Int { windows.load(ordering: .relaxed) }
  /// How many bytes were written.
  package var writtenByteCount: Int { written.load(ordering: .relaxed) }
  package var path: String { file.path }
  package var isReadOnly: Bool { file.isReadOnly }

  package func byteCount() throws(StorageError) -> UInt64 { try file.byteCount() }
  package func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    try file.setByteCount(byteCount)
  }
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StorageError) -> Int {
    try file.read(into: buffer, at: offset)
  }
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    written.add(bytes.count, ordering: .relaxed)
    try file.write(bytes, at: offset)
  }
  package func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    try file.synchronize(scope)
  }
  package func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    windows.add(1, ordering: .relaxed)
    return try file.window(index)
  }
  package func close() { file.close() }
}
