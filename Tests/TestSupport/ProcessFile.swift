package import AtollStorage
import Synchronization

/// A file as one process has it open: what the process does ends when it dies, the file stays.
///
/// Closing it closes nothing but this view, so that the next process can open the same file.
package final class ProcessFile: DataFile {
  private struct State {
    var operationsUntilDeath: Int?
    var isDead = false
    var isClosed = false
    var digest: UInt64 = 0
  }

  private let file: SimulatedFile
  private let state = Mutex(State())

  package init(_ file: SimulatedFile) { self.file = file }

  package var path: String { file.path }
  package var isReadOnly: Bool { file.isReadOnly }

  /// How many writes, synchronisations and resizes succeed before the process dies; nil: all.
  ///
  /// The operation at which it dies is not done, as if it had been killed between two system calls.
  package var operationsUntilDeath: Int? {
    get { state.withLock { $0.operationsUntilDeath } }
    set { state.withLock { $0.operationsUntilDeath = newValue } }
  }

  package var isDead: Bool { state.withLock { $0.isDead } }

  /// A number made from every change that was asked for, in order: equal for equal runs.
  package var digest: UInt64 { state.withLock { $0.digest } }

  package func byteCount() throws(StorageError) -> UInt64 {
    try check(.read)
    return try file.byteCount()
  }

  package func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    try count(.resize, [1, byteCount])
    try file.setByteCount(byteCount)
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StorageError) -> Int {
    try check(.read)
    return try file.read(into: buffer, at: offset)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    // A page's checksum lies in its first bytes, so a sample a sector tells pages apart.
    let samples = stride(from: 0, to: bytes.count & ~7, by: SimulatedFile.sectorByteCount).map {
      bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self).littleEndian
    }
    try count(.write, [2, offset, UInt64(bytes.count)] + samples)
    try file.write(bytes, at: offset)
  }

  package func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    try count(.synchronize, [scope == .full ? 3 : 4])
    try file.synchronize(scope)
  }

  package func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    try check(.map)
    return try file.window(index)
  }

  package func close() { state.withLock { $0.isClosed = true } }

  private func check(_ operation: StorageError.Operation) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      if state.isDead { throw .io(operation: operation, path: path, errno: Self.inputOutput) }
      if state.isClosed { throw .closed(path: path, failedSync: nil) }
    }
  }

  private func count(
    _ operation: StorageError.Operation, _ words: [UInt64]
  ) throws(StorageError) {
    state.withLock { state in
      if let remaining = state.operationsUntilDeath {
        state.operationsUntilDeath = remaining > 0 ? remaining - 1 : nil
        if remaining <= 0 { state.isDead = true }
      }
      for word in words {
        state.digest = (state.digest ^ word) &* 0x9E37_79B9_7F4A_7C15
        state.digest ^= state.digest >> 29
      }
    }
    try check(operation)
  }

  private static let inputOutput: Int32 = 5
}
