internal import Synchronization

/// One open file of pages: its versions, its one writer, its readers.
///
/// Sendable: everything that changes is behind `state` or in a reader lane, or shared between
/// processes through `coordinator`. Lock order: the writer lock, a lane, then `state`.
///
/// Invariant: before the first page of version n + 1 is written, version n is on
/// the disk, its slot is whole in its own block, and the other block holds
/// nothing that a torn write of slot n + 1 could be mistaken with.
package final class PageStore: Sendable {
  package let coordinator: any Coordinator
  /// What the writer reads pages through.
  let source: PageSource
  private let state: Mutex<State>
  /// Where readers begin and end, each thread mostly in one of its own.
  private let lanes: InlineArray<16, ReaderLane>
  private let use: FileUse
  private let watch = CommitWatch()

  private struct State {
    var newest: Version
    /// The space of the newest version, when this process made it; else it is read again.
    var space: SpaceState?
    /// What lies in the block of the next slot, when this process wrote it.
    var otherSlot: [UInt8]?
    /// How opening found the file.
    var recovery: Recovery.Outcome
    /// Whether the newest version is known to be on the disk, and both slots as they should be.
    var isSettled: Bool
    /// What every call throws; nil while the store is open.
    var closing: StorageError?
    /// Whether the owner has closed the store, so that the file closes with its last user.
    var isEnded = false
    var hasWritten = false
  }

  /// A version as this process knows it.
  private struct Version {
    let header: HeaderSlot
    /// The header as it lies in its block, when this process wrote it.
    var encoded: [UInt8]?
  }

  /// Opens a store on `file`, recovering what a crash left.
  ///
  /// `makeFileID`: gives 16 random bytes when the file is empty and
  /// a database is made in it; without it an empty file is not a database.
  ///
  /// `key`: that of an encrypted file, or of one to be made.
  ///
  /// Throws `.notADatabase`, `.empty`, `.encryption`, `.unsupportedFormat`, `.corrupted` or `.io`.
  package convenience init(
    file: any DataFile, coordinator: any Coordinator, cacheByteCount: Int,
    key: EncryptionKey? = nil, makeFileID: (() -> [UInt8])?
  ) throws(StorageError) {
    let slots = HeaderSlots(file, key: key)
    let cache = DecodedCache(byteLimit: cacheByteCount)
    let verified = VerifiedPages()
    let recovery = Recovery(
      slots: slots, coordinator: coordinator, verified: verified, cache: cache)
    let (newest, outcome) = try recovery.run(makeFileID: makeFileID)
    self.init(
      file: file, coordinator: coordinator, cache: cache, verified: verified, slots: slots,
      newest: newest, outcome: outcome)
  }

  /// A store whose newest version is known.
  init(
    file: any DataFile, coordinator: any Coordinator, cache: DecodedCache,
    verified: VerifiedPages, slots: HeaderSlots, newest: HeaderSlot, outcome: Recovery.Outcome
  ) {
    self.coordinator = coordinator
    let cipher = slots.cipher(fileID: newest.fileID)
    func source() -> PageSource {
      PageSource(slots: slots, cache: cache, verified: verified, cipher: cipher)
    }
    self.source = source()
    state = Mutex(
      State(
        newest: Version(header: newest), recovery: outcome, isSettled: outcome == .created))
    let use = FileUse(file, coordinator)
    self.use = use
    self.lanes = InlineArray { index in
      ReaderLane(index: index, source: source(), coordinator: coordinator, use: use)
    }
  }

  package var file: any DataFile { source.file }
  package var slots: HeaderSlots { source.slots }
  package var cache: DecodedCache { source.cache }
  private var verified: VerifiedPages { source.verified }
  /// What encrypts the file; nil when it is not encrypted.
  var cipher: PageCipher? { source.cipher }
  package var path: String { file.path }
  package var recovery: Recovery.Outcome { state.withLock { $0.recovery } }

  // MARK: Reading

  /// Pins the newest version.
  ///
  /// Cost: an object, and two passages of a lock that nearly always no other thread wants.
  package func snapshot() throws(StorageError) -> StorageSnapshot {
    let own = SystemCalls.threadHash()
    do throws(StorageError) {
      for distance in lanes.indices {
        let lane = lanes[Self.lane(own, distance)]
        if let reader = try lane.tryReader(of: self) { return StorageSnapshot(reader) }
      }
      return StorageSnapshot(try lanes[Self.lane(own, 0)].reader(of: self))
    } catch .readerTableFull(let limit, let processID, let slotCount) {
      // A pin in any lane is as good, though its readers may have to wait for each other.
      for distance in lanes.indices {
        let lane = lanes[Self.lane(own, distance)]
        if let reader = try lane.readerSharingPin() { return StorageSnapshot(reader) }
      }
      throw .readerTableFull(limit: limit, processID: processID, slotCount: slotCount)
    }
  }

  /// The lane of a thread, or the next one at some distance.
  private static func lane(_ threadHash: UInt64, _ distance: Int) -> Int {
    (Int(threadHash >> 60) &+ distance) & 15
  }

  /// The newest version that anybody published; what other processes committed is followed.
  func newestHeader() throws(StorageError) -> HeaderSlot {
    try state.withLock { state throws(StorageError) in
      if let closing = state.closing { throw closing }
      try refresh(&state)
      return state.newest.header
    }
  }

  /// Follows commits of other processes.
  private func refresh(_ state: inout State) throws(StorageError) {
    if coordinator.newestTransaction > state.newest.header.transaction {
      follow(try slots.published(by: coordinator), &state)
    }
  }

  /// Takes over a version that another process made.
  private func follow(_ header: HeaderSlot, _ state: inout State) {
    state.newest = Version(header: header)
    state.space = nil
    state.otherSlot = nil
  }

  // MARK: Waiting

  /// Waits until a version after `transaction` is committed, by any process.
  ///
  /// Blocks the thread; tasks use `nextCommit(after:)`. Woken at once by a commit; one of a process
  /// that died before it could wake anybody is noticed within a second, and so is that the file was
  /// deleted or replaced.
  ///
  /// - Returns: the newest version, or nil at the end of the timeout.
  /// - Throws: `.closed`, also when the store is closed meanwhile; `.moved`.
  package func waitForCommit(
    after transaction: UInt64, timeout: Duration? = nil
  ) throws(StorageError) -> UInt64? {
    let end = timeout.map { ContinuousClock.now.advanced(by: $0) }
    while true {
      let remaining = end.map { ContinuousClock.now.duration(to: $0) } ?? Self.longestWait
      coordinator.wait(timeout: min(remaining, Self.longestWait)) {
        coordinator.newestTransaction > transaction || state.withLock { $0.closing != nil }
      }
      if let closing = state.withLock({ $0.closing }) { throw closing }
      let newest = coordinator.newestTransaction
      if newest > transaction { return newest }
      try file.checkPlace()
      if remaining <= Self.longestWait, end != nil { return nil }
    }
  }

  private static let longestWait = Duration.seconds(1)

  /// As `waitForCommit(after:timeout:)`, without blocking the thread.
  ///
  /// - Returns: the newest version, or nil when the task is cancelled.
  package func nextCommit(after transaction: UInt64) async throws(StorageError) -> UInt64? {
    try await watch.next(after: transaction, of: self)
  }

  // MARK: Writing

  /// Takes the writer lock and begins the next version; waits while another transaction writes.
  ///
  /// Throws `.moved` when the file is not at its path any more.
  package func beginWrite() throws(StorageError) -> WriteTransaction {
    guard !file.isReadOnly else { throw .readOnly(path: file.path) }
    try coordinator.lockWriter()
    do throws(StorageError) {
      try state.withLock { state throws(StorageError) in
        if let closing = state.closing { throw closing }
        use.begin()
      }
    } catch {
      coordinator.unlockWriter()
      throw error
    }
    do throws(StorageError) {
      try file.checkPlace()
      let (newest, known) = try settledVersion()
      let space: SpaceState
      if let known {
        space = known
      } else {
        let reader = PageReader(
          source: source, transaction: newest.transaction, blockCount: newest.blockCount)
        space = try SpaceState(slot: newest, reader: reader)
      }
      return WriteTransaction(
        store: self, base: newest, space: space, pins: try olderPins(than: newest.transaction),
        fileByteCount: try file.byteCount())
    } catch {
      finishWrite()
      throw error
    }
  }

  /// The version to build on, with what is known of its space.
  ///
  /// Called with the writer lock held.
  private func settledVersion() throws(StorageError) -> (HeaderSlot, SpaceState?) {
    let (known, isSettled, otherSlot) = try state.withLock { state throws(StorageError) in
      try refresh(&state)
      return (state.newest.header, state.isSettled, state.otherSlot)
    }
    let block = (known.transaction + 1) % 2
    let found = try slots.bytes(block)
    var adopted: HeaderSlot?
    // Nearly always the block is as this process left it.
    if !isSettled || found != otherSlot {
      let other = slots.decode(found, at: block)
      adopted = try unpublished(other, after: known)
      if adopted != nil || !isSettled { try settle(adopted ?? known) }
      if adopted == nil { try settleOtherSlot(other, known) }
    }
    if let adopted { coordinator.publish(transaction: adopted.transaction) }
    return state.withLock { state in
      if let adopted { follow(adopted, &state) }
      state.isSettled = true
      let space = state.space
      state.space = nil
      return (state.newest.header, space)
    }
  }

  /// The commit of a process that died after it wrote the slot and before it told anybody.
  ///
  /// `other`: what lies in the block of the next slot.
  private func unpublished(_ other: HeaderSlot.Reading, after known: HeaderSlot)
    throws(StorageError) -> HeaderSlot?
  {
    guard case .valid(let slot) = other, slot.transaction == known.transaction + 1,
      slot.fileID == known.fileID
    else { return nil }
    let recovery = Recovery(
      slots: slots, coordinator: coordinator, verified: verified, cache: cache)
    return try recovery.isWhole(slot) ? slot : nil
  }

  /// Makes sure that a version that this process did not commit is on the disk, and its slot whole.
  ///
  /// What was found may lie in the system's memory only, left there by a process that died, or by
  /// a synchronisation that failed: after an error some systems keep the bytes, take them for
  /// written and never try again. So the bytes of a commit whose one sync may have failed are
  /// written anew, as they are, and synchronised then.
  private func settle(_ newest: HeaderSlot) throws(StorageError) {
    let unsealed = newest.unsealed
    let isSlotWhole =
      if case .valid(let own) = try slots.read(unsealed.blockNumber) {
        own == unsealed
      } else { false }
    for reference in newest.written { try rewrite(reference.run) }
    if isSlotWhole {
      try writeSlot(unsealed)
      // The making of the file wrote both slots before its one sync.
      if newest.transaction == 1 {
        try writeSlot(newest.sealed)
      }
    }
    try synchronize(.full)
    if isSlotWhole { return }
    try writeSlot(unsealed)
    try synchronize(.data)
  }

  /// Writes the bytes of a run over themselves.
  private func rewrite(_ run: BlockRun) throws(StorageError) {
    let buffer = PageBuffer(byteCount: run.byteCount, zeroed: true)
    let byteOffset = run.start * UInt64(Block.byteCount)
    _ = try unsafe file.read(into: buffer.unsafeBytes, at: byteOffset)
    try unsafe file.write(buffer.view.unsafeBytes, at: byteOffset)
  }

  /// Overwrites what a commit that was undone left in the block of the next slot.
  private func settleOtherSlot(_ other: HeaderSlot.Reading, _ newest: HeaderSlot)
    throws(StorageError)
  {
    let sealed = newest.sealed
    switch other {
    case .valid(let other)
    where other == sealed || other.transaction + 1 == newest.transaction:
      return
    // Whole, and by somebody who does not follow the rules of this file: not to be written over.
    case .locked(let problem): throw .encryption(path: path, problem)
    case .newerFormat(let version):
      throw .unsupportedFormat(version: version, newestSupported: HeaderSlot.formatVersion)
    default: break
    }
    try writeSlot(sealed)
    try synchronize(.data)
  }

  /// Writes a slot into its block, and returns its bytes.
  @discardableResult
  func writeSlot(_ slot: HeaderSlot) throws(StorageError) -> [UInt8] {
    let encoded = slot.encoded(cipher)
    do throws(StorageError) {
      try encoded.withByteView { bytes throws(StorageError) in
        try unsafe file.write(bytes.unsafeBytes, at: slot.blockNumber * UInt64(Block.byteCount))
      }
      return encoded
    } catch {
      // What lies in the slot now is unknown until the file is opened again.
      close(because: error)
      throw error
    }
  }

  func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    do throws(StorageError) {
      try file.synchronize(scope)
    } catch {
      if case .io(_, let path, let errno) = error {
        close(because: .closed(path: path, failedSync: errno))
      } else {
        close(because: error)
      }
      throw error
    }
  }

  /// Refuses every later call.
  private func close(because error: StorageError) {
    state.withLock { $0.closing = $0.closing ?? error }
    for index in lanes.indices { lanes[index].close(because: error) }
    coordinator.wakeWaiters()
  }

  /// Ends a transaction without a new version.
  func finishWrite() {
    coordinator.unlockWriter()
    // Not before: a file that is closed has no writer lock to give back.
    use.end()
  }

  /// Ends a transaction whose version, with its slot as it was written, is on the disk.
  func finishWrite(published slot: HeaderSlot, encoded: [UInt8], space: SpaceState) {
    state.withLock { state in
      state.otherSlot = state.newest.encoded
      state.newest = Version(header: slot, encoded: encoded)
      state.space = space
      state.hasWritten = true
    }
    coordinator.publish(transaction: slot.transaction)
    finishWrite()
  }

  // MARK: Status

  /// The pinned versions of all processes.
  package func pins() throws(StorageError) -> [Pin] { try coordinator.pins() }

  /// The pinned versions before `transaction`, in ascending order.
  private func olderPins(than transaction: UInt64) throws(StorageError) -> [UInt64] {
    let pinned = try coordinator.pins()
    return Set(pinned.map(\.transaction)).filter { $0 < transaction }.sorted()
  }

  /// Blocks held back by each pinned version, as of the newest version.
  package func blockCountByPin() throws(StorageError) -> [UInt64: UInt64] {
    let snapshot = try snapshot()
    var space = try SpaceState(slot: snapshot.slot, reader: snapshot.reader)
    _ = space.retired.reclaim(pins: try olderPins(than: snapshot.transaction))
    return space.retired.blockCountByPin
  }

  /// Ends the use of the file: no snapshot and no transaction begins after this.
  ///
  /// Snapshots that live go on reading, and a transaction that has begun may commit; the file closes
  /// with the last of them.
  ///
  /// When this process wrote and no other has the file open, a sealed copy of
  /// the newest slot takes the place of the older one: both slots then say the
  /// same, and what they say is known to be on the disk.
  package func close() throws(StorageError) {
    let closed = StorageError.closed(path: file.path, failedSync: nil)
    let (isFirst, isSealable) = state.withLock { state in
      defer {
        state.isEnded = true
        state.closing = state.closing ?? closed
      }
      return (!state.isEnded, state.closing == nil && state.hasWritten)
    }
    guard isFirst else { return }
    defer { use.end() }
    for index in lanes.indices { lanes[index].end(because: closed) }
    coordinator.wakeWaiters()
    // A transaction that has begun keeps the lock, and the file stays unsealed.
    guard isSealable, try coordinator.tryLockWriter() else { return }
    defer { coordinator.unlockWriter() }
    let newest = state.withLock { $0.newest.header }
    let isOnlyProcess = try coordinator.isOnlyProcess()
    guard isOnlyProcess, coordinator.newestTransaction <= newest.transaction else { return }
    try writeSlot(newest.sealed)
    try synchronize(.data)
  }
}
