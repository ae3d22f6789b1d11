/// What the users of one data file, threads or processes, tell each other about it.
///
/// Three things: the number of the newest transaction, for which one can wait, who writes, and
/// which versions are being read. A version that a reader has pinned keeps its pages; all else may
/// be overwritten by the next writer.
///
/// **The pin protocol.** A reader that looked up the newest transaction, and pinned it a moment
/// later, could be overtaken by writers that did not see the pin yet. So:
///
/// 1. A reader stores its pin, then looks the newest transaction up again, and moves the pin
///    until both agree (`pinNewest`).
/// 2. A writer takes the writer lock, then collects the pins, and overwrites only pages that died
///    at or before the newest transaction and that no pin it collected can see.
/// 3. A writer publishes its transaction before it gives the writer lock back.
///
/// The stores and loads of 1 to 3 are sequentially consistent. If a writer does not see a pin,
/// the pin was stored after the writer's collection, hence after every earlier publication;
/// the reader's second look sees these and its pin holds the newest transaction, whose pages that
/// writer leaves alone.
///
/// Transactions are numbered from 1.
package protocol Coordinator: AnyObject, Sendable {
  /// The newest transaction that was published, 0 while there is none.
  ///
  /// It can lag behind the file by the one transaction of a writer that died after its commit, so
  /// the holder of the writer lock reads the file's header slots.
  var newestTransaction: UInt64 { get }

  /// Tells all processes that `transaction` is committed. Called with the writer lock held.
  ///
  /// Wakes the waiters for that. Without waiters it costs a store and a load.
  func publish(transaction: UInt64)

  /// Blocks the thread until `isReached` returns true, or the timeout is over.
  ///
  /// Asks at the beginning, whenever a transaction was published, and after `wakeWaiters`. A
  /// process that died between the publication and the wake-up wakes none, so the timeout should be
  /// short enough for that.
  func wait(timeout: Duration, until isReached: () -> Bool)

  /// Has every `wait`, in all processes, ask its question again.
  func wakeWaiters()

  /// Waits until no other thread or process writes, and takes the writer lock.
  ///
  /// The lock belongs to no thread. A process that dies loses it.
  func lockWriter() throws(StorageError)

  /// Takes the writer lock unless it is taken, and returns whether it did.
  func tryLockWriter() throws(StorageError) -> Bool

  /// Gives the writer lock back.
  func unlockWriter()

  /// Keeps the pages of a version from being overwritten or cut off until `unpin`.
  ///
  /// Safe only for a version that something else keeps alive (a pin that is already there, or
  /// the writer lock); any other reader uses `pinNewest`.
  ///
  /// - Parameters:
  ///   - version: Its number, and how far its readers look.
  ///   - likely: A slot that is probably free. Threads that each name their own do not meet.
  /// - Returns: the slot that was taken.
  /// - Throws: `.readerTableFull`.
  func pin(_ version: VersionExtent, likely: ReaderSlot) throws(StorageError) -> ReaderSlot

  /// Moves the pin in `slot` to another version; the one it held, which is not read, may be
  /// overwritten.
  ///
  /// - Returns: false when the pin is lost, because a foreign program wrote to the table or the
  ///   coordinator was closed; nothing is pinned then.
  func move(_ slot: ReaderSlot, to version: VersionExtent) -> Bool

  /// Whether the pin of `transaction` in `slot` is still there.
  func holds(_ slot: ReaderSlot, _ transaction: UInt64) -> Bool

  /// Ends a pin. A slot is given back once.
  func unpin(_ slot: ReaderSlot)

  /// Takes the lock of the process that synchronises the file, unless another process has it.
  ///
  /// A process that has it already gets it again: it counts once, and `PageStore` knows which session
  /// has it. A process that dies loses it.
  ///
  /// - Returns: whether this process has the lock.
  func tryLockNetwork() throws(StorageError) -> Bool

  /// Gives the lock of the process that synchronises the file back.
  func unlockNetwork()

  /// The pins of all live processes, in no particular order.
  ///
  /// Pins of dead processes are removed on the way. Costs a load per slot that was ever in use at
  /// the same time, and a system call per other process with pins.
  func pins() throws(StorageError) -> [Pin]

  /// The other processes that have the file open, in no particular order.
  ///
  /// One that opens or closes it at this moment may be missing.
  func otherProcesses() throws(StorageError) -> [ProcessUse]

  /// Whether no other process has the file open now. Another coordinator of the same file in this
  /// process counts as a process.
  func isOnlyProcess() throws(StorageError) -> Bool

  /// Keeps all other processes from opening the file until `close`.
  ///
  /// - Returns: false when another process has the file open, or is about to; it is not kept out.
  func excludeOthers() throws(StorageError) -> Bool

  /// Ends all pins, and the writer lock, of this coordinator. A second call does nothing.
  ///
  /// Later calls throw `.closed`; `unpin` and `unlockWriter` do nothing.
  func close()
}

extension Coordinator {
  /// Pins the newest version, by rule 1 of the pin protocol.
  ///
  /// - Parameters:
  ///   - likely: As `pin` takes it.
  ///   - newest: Looks the newest version up, each time again.
  /// - Returns: the slot and the version it pins.
  /// - Throws: `.readerTableFull`, and what `newest` throws; no pin is left then.
  @inline(__always)
  package func pinNewest(
    likely: ReaderSlot = ReaderSlot(index: 0), _ newest: () throws(StorageError) -> VersionExtent
  ) throws(StorageError) -> (slot: ReaderSlot, version: VersionExtent) {
    var version = try newest()
    var slot = try pin(version, likely: likely)
    do throws(StorageError) {
      while true {
        let latest = try newest()
        if latest == version { return (slot, version) }
        if !move(slot, to: latest) { slot = try pin(latest, likely: likely) }
        version = latest
      }
    } catch {
      unpin(slot)
      throw error
    }
  }
}

enum Coordination {
  /// The error of a full table, which names the process that has most of its slots.
  static func readerTableFull(_ pins: [Pin]) -> StorageError {
    var slotCounts: [Int32: Int] = [:]
    for pin in pins { slotCounts[pin.processID, default: 0] += 1 }
    let most = slotCounts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    return .readerTableFull(
      limit: ReaderTable.slotCount, processID: most?.key ?? SystemCalls.processID(),
      slotCount: most?.value ?? 0)
  }
}

/// A place in the reader table, which its holder gives back with `unpin`.
package struct ReaderSlot: Hashable, Sendable {
  /// Its place, from 0 to 1 023.
  package let index: Int

  package init(index: Int) {
    self.index = index
  }
}

/// A version as its readers see it: which one, and where it ends.
package struct VersionExtent: Hashable, Sendable {
  package let transaction: UInt64
  /// Blocks of the version: its readers look at no block behind them.
  package let blockCount: UInt64

  package init(_ transaction: UInt64, blockCount: UInt64) {
    precondition(transaction != 0, "transactions are numbered from 1")
    self.transaction = transaction
    self.blockCount = blockCount
  }
}

/// A version that is being read.
package struct Pin: Hashable, Sendable {
  package let version: VersionExtent
  /// The reader's process, as the system numbered it when it attached.
  package let processID: Int32
  /// When the pin was made, in seconds since 1970, UTC.
  package let since: UInt64

  package init(_ version: VersionExtent, processID: Int32, since: UInt64) {
    self.version = version
    self.processID = processID
    self.since = since
  }

  package var transaction: UInt64 { version.transaction }
}

/// A process that has the file open.
package struct ProcessUse: Hashable, Sendable {
  /// As the system numbered it when it opened the file.
  package let processID: Int32
  /// When it opened the file, in seconds since 1970, UTC.
  package let openSince: UInt64
  /// When the transaction began that it is writing; nil when there is none.
  package let writingSince: UInt64?

  package init(processID: Int32, openSince: UInt64, writingSince: UInt64?) {
    self.processID = processID
    self.openSince = openSince
    self.writingSince = writingSince
  }
}

extension [ProcessUse] {
  /// The ids of these processes, ascending, each once.
  var processIDs: [Int32] { Set(map(\.processID)).sorted() }
}
