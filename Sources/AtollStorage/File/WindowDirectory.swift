import Synchronization

/// The mapped windows of one file, found without a lock.
///
/// An array of `FileWindow.limit` addresses, zero where no window is mapped. The array is
/// anonymous memory that costs nothing until touched, so a small file pays for one entry's page.
///
/// 1. An entry goes from zero to the address of a window once, under the lock, and back to zero
///    only in `unmapAll`.
/// 2. A window's contents are the file's: a load of the address with acquire ordering is all that
///    a reader needs.
@safe final class WindowDirectory: Sendable {
  private struct Mapped {
    var indices: [Int] = []
    var isClosed = false
  }

  // SAFETY: memory for `FileWindow.limit` atomics, set in `init` and unmapped in `deinit`.
  private nonisolated(unsafe) let entries: UnsafeMutablePointer<Atomic<UInt>>
  private let mapped = Mutex(Mapped())

  init() throws(ErrorNumber) {
    let memory = unsafe try SystemCalls.mapZeroes(byteCount: Self.directoryByteCount)
    // SAFETY: zero bytes are an `Atomic<UInt>` of zero, and the memory holds `limit` of them.
    unsafe entries = memory.bindMemory(to: Atomic<UInt>.self, capacity: FileWindow.limit)
  }

  deinit {
    unmapAll()
    unsafe SystemCalls.unmap(
      UnsafeMutableRawPointer(entries), byteCount: Self.directoryByteCount)
  }

  /// The address of window `index`, nil when it is not mapped yet.
  @inline(__always)
  func address(_ index: Int) -> UnsafeRawPointer? {
    guard index >= 0, index < FileWindow.limit else { return nil }
    // SAFETY: in bounds (above).
    return unsafe UnsafeRawPointer(bitPattern: entries[index].load(ordering: .acquiring))
  }

  /// The address of window `index`, which `map` makes when no other thread was faster.
  ///
  /// - Returns: nil after `unmapAll`.
  func address(
    _ index: Int, mapping map: () throws(ErrorNumber) -> UnsafeMutableRawPointer
  ) throws(ErrorNumber) -> UnsafeRawPointer? {
    guard index >= 0, index < FileWindow.limit else { throw .fileTooLarge }
    let found = try mapped.withLock { (mapped) throws(ErrorNumber) -> UInt in
      if mapped.isClosed { return 0 }
      // SAFETY: in bounds (above).
      let existing = unsafe entries[index].load(ordering: .relaxed)
      if existing != 0 { return existing }
      let address = unsafe UInt(bitPattern: try map())
      // SAFETY: in bounds (above).
      unsafe entries[index].store(address, ordering: .releasing)
      mapped.indices.append(index)
      return address
    }
    return unsafe UnsafeRawPointer(bitPattern: found)
  }

  /// Unmaps all windows, and maps no more.
  func unmapAll() {
    mapped.withLock { mapped in
      mapped.isClosed = true
      for index in mapped.indices {
        // SAFETY: an index that `address(_:mapping:)` checked.
        let address = unsafe entries[index].exchange(0, ordering: .acquiringAndReleasing)
        guard let window = unsafe UnsafeMutableRawPointer(bitPattern: address) else { continue }
        unsafe SystemCalls.unmap(window, byteCount: FileWindow.byteCount)
      }
      mapped.indices = []
    }
  }

  private static var directoryByteCount: Int {
    FileWindow.limit * MemoryLayout<Atomic<UInt>>.stride
  }
}
