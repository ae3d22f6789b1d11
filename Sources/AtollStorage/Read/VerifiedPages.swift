internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Remembers which pages this process has verified, so that each is checksummed once.
///
/// One 32-bit mark for each block, made from the checksum that the parent gave;
/// a block that is reused by another page therefore never counts as verified.
/// Marks are kept for as long as the file is open, in tables of one file window
/// that are made on first use: 64 KiB of marks for 64 MiB of file.
@safe final class VerifiedPages: @unchecked Sendable {
  // Sendable: the directory's address never changes and its contents are atomics.
  private static let blocksPerTable = FileWindow.stride / Block.byteCount
  private static let tableLimit = 65_536

  private typealias Mark = Atomic<UInt32>
  private typealias TableSlot = Atomic<UInt>

  private let directory: UnsafeMutablePointer<TableSlot>
  /// Tables lie below this place of the directory.
  private let usedTableCount = Atomic(0)

  init() {
    // SAFETY: an atomic integer is as large as the integer, and zeroed pages from the
    // allocator are what the untouched part of the directory costs: nothing.
    let address = unsafe calloc(Self.tableLimit, MemoryLayout<TableSlot>.stride)
    guard let address = unsafe address else { preconditionFailure("out of memory") }
    unsafe directory = address.bindMemory(to: TableSlot.self, capacity: Self.tableLimit)
  }

  deinit {
    for index in 0..<usedTableCount.load(ordering: .acquiring) {
      let table = unsafe directory[index].load(ordering: .relaxed)
      if table != 0 { unsafe free(UnsafeMutableRawPointer(bitPattern: table)) }
    }
    unsafe free(UnsafeMutableRawPointer(directory))
  }

  func contains(_ reference: PageReference) -> Bool {
    guard let mark = unsafe mark(of: reference.block, creating: false) else { return false }
    return unsafe mark.pointee.load(ordering: .acquiring) == Self.value(of: reference)
  }

  func insert(_ reference: PageReference) {
    guard let mark = unsafe mark(of: reference.block, creating: true) else { return }
    unsafe mark.pointee.store(Self.value(of: reference), ordering: .releasing)
  }

  /// Never zero, which is the mark of a block not seen yet.
  private static func value(of reference: PageReference) -> UInt32 {
    UInt32(truncatingIfNeeded: reference.checksum) | 1
  }

  private func mark(of block: BlockNumber, creating: Bool) -> UnsafeMutablePointer<Mark>? {
    let tableIndex = Int(block) / Self.blocksPerTable
    // Beyond the directory pages are verified at each use: correct, only slower.
    guard tableIndex < Self.tableLimit else { return nil }
    let slot = unsafe directory + tableIndex
    var table = unsafe slot.pointee.load(ordering: .acquiring)
    if table == 0 {
      guard creating, let fresh = unsafe calloc(Self.blocksPerTable, MemoryLayout<Mark>.stride)
      else { return nil }
      let (exchanged, original) = unsafe slot.pointee.compareExchange(
        expected: 0, desired: UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
      if exchanged {
        usedTableCount.max(tableIndex + 1, ordering: .acquiringAndReleasing)
        table = UInt(bitPattern: fresh)
      } else {
        unsafe free(fresh)
        table = original
      }
    }
    // SAFETY: the table holds `blocksPerTable` marks and lives until `deinit`.
    let marks = unsafe UnsafeMutablePointer<Mark>(bitPattern: table)
    return unsafe marks.map { unsafe $0 + Int(block) % Self.blocksPerTable }
  }
}
