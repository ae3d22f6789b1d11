package import AtollStorage
import Synchronization

/// The state shared by the processes of a file, each with its own coordinator.
///
/// All of them are in this process, so that one thread can let them take turns.
package final class SharedCoordinator: Sendable {
  fileprivate let base: any Coordinator
  fileprivate let processCount = Atomic(0)

  /// `base`: keeps what they tell each other.
  package init(_ base: any Coordinator) { self.base = base }

  /// Another process opens the file.
  package func attach() -> ProcessCoordinator { ProcessCoordinator(self) }
}

/// A shared coordinator as one process sees it, whose pins end with the process.
package final class ProcessCoordinator: Coordinator {
  private let shared: SharedCoordinator
  private let isClosed = Atomic(false)
  private let pinned = Mutex<Set<ReaderSlot>>([])

  fileprivate init(_ shared: SharedCoordinator) {
    self.shared = shared
    shared.processCount.add(1, ordering: .relaxed)
  }

  deinit { close() }

  package var newestTransaction: UInt64 { shared.base.newestTransaction }
  package func publish(transaction: UInt64) { shared.base.publish(transaction: transaction) }
  package func wait(timeout: Duration, until isReached: () -> Bool) {
    shared.base.wait(timeout: timeout, until: isReached)
  }
  package func wakeWaiters() { shared.base.wakeWaiters() }
  package func lockWriter() throws(StorageError) { try shared.base.lockWriter() }
  package func tryLockWriter() throws(StorageError) -> Bool { try shared.base.tryLockWriter() }
  package func unlockWriter() { shared.base.unlockWriter() }

  package func pin(
    _ version: VersionExtent, likely: ReaderSlot
  ) throws(StorageError) -> ReaderSlot {
    let slot = try shared.base.pin(version, likely: likely)
    pinned.withLock { _ = $0.insert(slot) }
    return slot
  }

  package func move(_ slot: ReaderSlot, to version: VersionExtent) -> Bool {
    shared.base.move(slot, to: version)
  }

  package func holds(_ slot: ReaderSlot, _ transaction: UInt64) -> Bool {
    shared.base.holds(slot, transaction)
  }

  package func unpin(_ slot: ReaderSlot) {
    let isPinned = pinned.withLock { $0.remove(slot) != nil }
    if isPinned { shared.base.unpin(slot) }
  }

  package func pins() throws(StorageError) -> [Pin] { try shared.base.pins() }

  package func otherProcesses() throws(StorageError) -> [ProcessUse] {
    let count = shared.processCount.load(ordering: .relaxed)
    return Array(
      repeating: ProcessUse(processID: 1, openSince: 0, writingSince: nil), count: count - 1)
  }

  package func isOnlyProcess() throws(StorageError) -> Bool {
    shared.processCount.load(ordering: .relaxed) == 1
  }

  package func excludeOthers() throws(StorageError) -> Bool { try isOnlyProcess() }

  package func tryLockNetwork() throws(StorageError) -> Bool { try shared.base.tryLockNetwork() }

  package func unlockNetwork() { shared.base.unlockNetwork() }

  package func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    for slot in pinned.withLock({ $0 }) { unpin(slot) }
    shared.processCount.subtract(1, ordering: .relaxed)
  }
}
