internal import Synchronization

/// One open file of pages: its versions, its one writer, its readers.
///
/// Sendable: everything that changes is behind `state` or in a reader lane, or shared between
/// processes through `coordinator`. Lock order: the writer lock, a lane, then `state`.
///
/// Invariant: before the first page of version n + 1 is written, the newest durable version is on
/// the disk with its slot, slot n is whole, and no block holds anything that a torn write of a
/// later slot could be mistaken with (`SlotLayout`).
package final class PageStore: Sendable {
  package let coordinator: any Coordinator
  /// What the writer reads pages through.
  let source: PageSource
  /// Commits that nothing is synchronised for; one more synchronises first.
  let relaxedLimit: UInt64
  let state: Mutex<State>
  /// Where readers begin and end, each thread mostly in one of its own.
  let lanes: InlineArray<16, ReaderLane>
  let use: FileUse
  private let watch = CommitWatch()
  /// Whether a session of this process has the lock of the network.
  private let hasNetwork = Mutex(false)
  let groups = GroupCommits()
  /// The thread that runs a transaction from its beginning to its end, as `threadHash` names it;
  /// else 0.
  let writingThread = Atomic<UInt64>(0)

  struct State {
    var newest: HeaderSlot
    /// The space of the newest version, when this process made it; else it is read again.
    var space: SpaceState?
    /// What the header blocks hold, as this process wrote or read it, and how they lie.
    var slots: KnownSlots?
    /// Whether the file may be longer than the disk knows.
    var isLengthUnsynced = false
    /// How opening found the file.
    var recovery: Recovery.Outcome
    /// Whether what was found when the file was opened is known to be on the disk.
    var isSettled: Bool
    /// What every call throws; nil while the store is open.
    var closing: StorageError?
    /// Whether the owner has closed the store, so that the file closes with its last user.
    var isEnded = false
    var hasWritten = false
    /// Whether a transaction of this process runs.
    var isWriting = false
    /// Whether this process committed a version that a power cut may still take back.
    var owesDurability = false
  }

  struct KnownSlots {
    /// The bytes of all header blocks.
    var bytes: [UInt8]
    var layout: SlotLayout

    /// Takes in what was written.
    mutating func add(_ slot: HeaderSlot, _ encoded: [UInt8]) {
      bytes.replaceSubrange(HeaderSlots.range(of: slot.blockNumber), with: encoded)
      layout.add(slot)
    }
  }

  /// Opens a store on `file`, recovering what a crash left.
  ///
  /// `makeFileID`: gives 16 random bytes when the file is empty and
  /// a database is made in it; without it an empty file is not a database.
  ///
  /// `key`: that of an encrypted file, or of one to be made.
  ///
  /// `relaxedLimit`: another bound for the commits that nothing is synchronised for, at most the
  /// usual one.
  ///
  /// Throws `.notADatabase`, `.empty`, `.encryption`, `.unsupportedFormat`, `.corrupted` or `.io`.
  package convenience init(
    file: any DataFile, coordinator: any Coordinator, cacheByteCount: Int,
    key: EncryptionKey? = nil, relaxedLimit: UInt64 = HeaderSlot.relaxedLimit,
    makeFileID: (() -> [UInt8])?
  ) throws(StorageError) {
    let slots = HeaderSlots(file, key: key)
    let cache = DecodedCache(byteLimit: cacheByteCount)
    let verified = VerifiedPages()
    let recovery = Recovery(
      slots: slots, coordinator: coordinator, verified: verified, cache: cache)
    let (newest, outcome) = try recovery.run(makeFileID: makeFileID)
    self.init(
      file: file, coordinator: coordinator, cache: cache, verified: verified, slots: slots,
      newest: newest, outcome: outcome, relaxedLimit: relaxedLimit)
  }

  /// A store whose newest version is known.
  init(
    file: any DataFile, coordinator: any Coordinator, cache: DecodedCache,
    verified: VerifiedPages, slots: HeaderSlots, newest: HeaderSlot, outcome: Recovery.Outcome,
    relaxedLimit: UInt64 = HeaderSlot.relaxedLimit
  ) {
    precondition(relaxedLimit <= HeaderSlot.relaxedLimit, "recovery relies on the usual bound")
    self.coordinator = coordinator
    self.relaxedLimit = relaxedLimit
    let cipher = slots.cipher(fileID: newest.fileID)
    func source() -> PageSource {
      PageSource(slots: slots, cache: cache, verified: verified, cipher: cipher)
    }
    self.source = source()
    state = Mutex(
      State(
        newest: newest, recovery: outcome, isSettled: outcome == .created))
    let use = FileUse(file, coordinator)
    self.use = use
    self.lanes = InlineArray { index in
      ReaderLane(index: index, source: source(), coordinator: coordinator, use: use)
    }
  }

  package var file: any DataFile { source.file }
  package var slots: HeaderSlots { source.slots }
  package var cache: DecodedCache { source.cache }
  var verified: VerifiedPages { source.verified }
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

  /// The newest published version; what other processes committed is followed.
  func newestHeader() throws(StorageError) -> HeaderSlot {
    try state.withLock { state throws(StorageError) in
      if let closing = state.closing { throw closing }
      try refresh(&state)
      return state.newest
    }
  }

  /// Follows commits of other processes.
  func refresh(_ state: inout State) throws(StorageError) {
    if coordinator.newestTransaction > state.newest.transaction {
      follow(try slots.published(by: coordinator), &state)
    }
  }

  /// Takes over a version that another process made.
  func follow(_ header: HeaderSlot, _ state: inout State) {
    state.newest = header
    state.space = nil
    state.slots = nil
    state.isLengthUnsynced = header.isRelaxed
    // A full commit, of any process, makes durable what was committed before it.
    if !header.isRelaxed { state.owesDurability = false }
  }

  // MARK: Waiting

  /// Waits until a version after `transaction` is committed, by any process.
  ///
  /// Blocks the thread; tasks use `nextCommit(after:)`. Woken at once by a commit; one of a process
  /// that died before it could wake others is noticed within a second, and so is that the file was
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

  // MARK: Status

  /// The pinned versions of all processes.
  package func pins() throws(StorageError) -> [Pin] { try coordinator.pins() }

  /// The other processes that have the file open.
  package func otherProcesses() throws(StorageError) -> [ProcessUse] {
    try coordinator.otherProcesses()
  }

  /// Takes the lock of the session that synchronises the file, unless another one has it, of this
  /// or another process.
  ///
  /// - Returns: Whether it is taken now.
  package func tryLockNetwork() throws(StorageError) -> Bool {
    try hasNetwork.withLock { hasNetwork throws(StorageError) in
      guard !hasNetwork else { return false }
      hasNetwork = try coordinator.tryLockNetwork()
      return hasNetwork
    }
  }

  /// Gives the lock of the session that synchronises the file back.
  package func unlockNetwork() {
    hasNetwork.withLock { hasNetwork in
      hasNetwork = false
      coordinator.unlockNetwork()
    }
  }

  /// Blocks held back by each pinned version, as of the newest version.
  package func blockCountByPin() throws(StorageError) -> [UInt64: UInt64] {
    let snapshot = try snapshot()
    var space = try SpaceState(slot: snapshot.slot, reader: snapshot.reader)
    let newest = snapshot.transaction
    let held = HeldVersions(pins: try coordinator.pins(), newest: newest, durable: newest)
    _ = space.retired.reclaim(pins: held.transactions)
    return space.retired.blockCountByPin
  }

  /// Ends the use of the file: no snapshot and no transaction begins after this.
  ///
  /// Snapshots that live go on reading, and a transaction that has begun may commit; the file
  /// closes with the last of them.
  ///
  /// When this process wrote, everything that was committed becomes durable; when no other process
  /// has the file open, a sealed copy of the newest slot says so. Waits for the transaction of
  /// another process only while this process has commits that are not durable yet.
  package func close() throws(StorageError) {
    let closed = StorageError.closed(path: file.path, failedSync: nil)
    let (isFirst, isSealable, isOwing) = state.withLock { state in
      defer {
        state.isEnded = true
        state.closing = state.closing ?? closed
      }
      return (
        !state.isEnded, state.closing == nil && state.hasWritten,
        state.owesDurability && !state.isWriting
      )
    }
    guard isFirst else { return }
    defer { use.end() }
    for index in lanes.indices { lanes[index].end(because: closed) }
    coordinator.wakeWaiters()
    guard isSealable else { return }
    // A transaction that has begun keeps the lock, and the file stays unsealed.
    if try !coordinator.tryLockWriter() {
      guard isOwing else { return }
      try coordinator.lockWriter()
    }
    defer { coordinator.unlockWriter() }
    let (newest, layout) = try settledVersion()
    if !layout.isDurable { try makeDurable(newest, layout) }
    guard try coordinator.isOnlyProcess() else { return }
    try writeSlot(newest.sealed(in: layout.nextWhenDurable))
    try synchronize(.data)
  }
}
