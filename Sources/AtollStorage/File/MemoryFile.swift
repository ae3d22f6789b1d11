import Synchronization

/// A file that lives in this process's memory and dies with it.
///
/// Addresses for `capacity` bytes are reserved at once, memory is put behind them as the file
/// grows; windows point into it and never move.
@safe package final class MemoryFile: DataFile {
  private struct State {
    var byteCount: UInt64 = 0
    /// How much of the reserved range has memory behind it: whole system pages.
    var committedByteCount = 0
    var isClosed = false
  }

  package let path: String
  package var isReadOnly: Bool { false }

  // SAFETY: `reservedByteCount` addresses, reserved in `init` and unmapped in `deinit`. Memory is
  // touched below `committedByteCount` only.
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer
  private let reservedByteCount: Int
  private let state = Mutex(State())

  /// An empty file.
  ///
  /// - Parameters:
  ///   - path: A name for messages.
  ///   - capacity: The longest the file can get, in bytes; where the system has fewer addresses
  ///     to give, half of it, or a quarter, and so on down to one window.
  /// - Throws: `.io(operation: .map, …)` when not even that can be reserved.
  package init(path: String, capacity: Int = 64 << 30) throws(StorageError) {
    precondition(capacity > 0, "a file's capacity is positive")
    self.path = path
    let limit = FileWindow.limit * FileWindow.stride
    var windowCount = (min(capacity, limit) + FileWindow.stride - 1) / FileWindow.stride
    while true {
      let byteCount = windowCount * FileWindow.stride + FileWindow.overlap
      do throws(ErrorNumber) {
        unsafe base = try SystemCalls.reserve(byteCount: byteCount)
        reservedByteCount = byteCount
        return
      } catch {
        guard windowCount > 1 else { throw error.during(.map, path) }
        windowCount /= 2
      }
    }
  }

  deinit {
    unsafe SystemCalls.unmap(base, byteCount: reservedByteCount)
  }

  package func byteCount() throws(StorageError) -> UInt64 {
    try state.withLock { (state) throws(StorageError) in
      try check(state)
      return state.byteCount
    }
  }

  package func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      try check(state)
      try resize(&state, to: byteCount)
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StorageError) -> Int {
    let end = try byteCount()
    guard offset < end else { return 0 }
    let byteCount = Int(min(UInt64(buffer.count), end - offset))
    // SAFETY: inside of the length, hence inside of the committed memory.
    unsafe buffer.copyMemory(
      from: UnsafeRawBufferPointer(start: base + Int(offset), count: byteCount))
    return byteCount
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(StorageError) {
    if bytes.count == 0 { return }
    let (end, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
    guard !overflow else { throw ErrorNumber.noSpace.during(.write, path) }
    try state.withLock { (state) throws(StorageError) in
      try check(state)
      if end > state.byteCount { try resize(&state, to: end) }
    }
    // Outside of the lock: two writers at a time are the caller's mistake, as with any file.
    // SAFETY: inside of the length, hence inside of the committed memory.
    let target = unsafe UnsafeMutableRawBufferPointer(
      start: base + Int(offset), count: bytes.count)
    unsafe target.copyMemory(from: bytes)
  }

  /// Does nothing: this file is as durable as it gets.
  package func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in try check(state) }
  }

  package func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    guard index >= 0, index < reservedByteCount / FileWindow.stride else {
      throw ErrorNumber.fileTooLarge.during(.map, path)
    }
    // SAFETY: inside of the reserved range, overlap included.
    return unsafe UnsafeRawPointer(base + index * FileWindow.stride)
  }

  /// Ends the use of the file; its memory is given back when the last reference goes.
  package func close() {
    state.withLock { $0.isClosed = true }
  }
}

extension MemoryFile {
  private func check(_ state: borrowing State) throws(StorageError) {
    if state.isClosed { throw .closed(path: path, failedSync: nil) }
  }

  /// Grows or cuts the committed memory to whole pages around `byteCount`.
  private func resize(_ state: inout State, to byteCount: UInt64) throws(StorageError) {
    let page = SystemCalls.pageByteCount
    guard byteCount <= UInt64(reservedByteCount - FileWindow.overlap) else {
      throw ErrorNumber.noSpace.during(.resize, path)
    }
    let newByteCount = Int(byteCount)
    let newCommitted = (newByteCount + page - 1) / page * page
    do throws(ErrorNumber) {
      if newCommitted > state.committedByteCount {
        // SAFETY: reserved addresses above the committed ones.
        unsafe try SystemCalls.commit(
          base + state.committedByteCount, byteCount: newCommitted - state.committedByteCount)
      } else if newCommitted < state.committedByteCount {
        // SAFETY: committed addresses that are no longer part of the file.
        unsafe try SystemCalls.decommit(
          base + newCommitted, byteCount: state.committedByteCount - newCommitted)
      }
    } catch {
      throw error.during(.resize, path)
    }
    if byteCount < state.byteCount {
      // What is cut off reads as zero if the file grows again.
      let stale = min(Int(state.byteCount), newCommitted) - newByteCount
      // SAFETY: the rest of the last committed page.
      unsafe (base + newByteCount).initializeMemory(as: UInt8.self, repeating: 0, count: stale)
    }
    state.committedByteCount = newCommitted
    state.byteCount = byteCount
  }
}
