internal import Synchronization

/// Where snapshots begin and end: one of several lanes of a store, each for some of the threads.
///
/// With one lock and one pin for all readers, threads that take many snapshots would spend their
/// time waiting for each other. A lane has its own lock, its own pin, and its own copy of every
/// object that a snapshot refers to.
///
/// 1. A version that has readers in the lane is pinned in a slot of its own from before the first
///    of them sees a page until the last is gone. A lane without readers has no pin, so it holds
///    nothing back.
/// 2. The first reader pins by the pin protocol (`Coordinator.pinNewest`). A later one shares the
///    pin; it need not look again after that, because the pin is as old as the version's first
///    reader.
/// 3. Readers never share a pin that the table has lost, nor one of a version that is not the
///    newest published one: the lane then pins again, and the readers of the older version keep
///    theirs.
/// 4. When the reader table is full, a reader of another lane may share a pin of this one.
/// 5. After `end` no reader begins. The lane gives the file up when it has ended and its last
///    reader is gone, whichever comes later, and once.
///
/// Lock order: a lane, then the store's `state`.
final class ReaderLane: VersionHolder {
  private struct State {
    /// The newest version that a reader of the lane asked for.
    var newest: PinnedVersion?
    /// Readers of all versions.
    var readerCount = 0
    /// The slot of the last pin that ended.
    var likelySlot: ReaderSlot
    /// What every call throws; nil while the store is open.
    var closing: StorageError?
    var hasEnded = false

    var isUnused: Bool { hasEnded && readerCount == 0 }
  }

  private let state: Mutex<State>
  private let source: PageSource
  private let coordinator: any Coordinator
  private let use: FileUse
  // Keeps what changes in two lanes out of one cache line, and out of the pair of lines that
  // processors fetch together.
  private let padding = InlineArray<16, UInt64>(repeating: 0)

  /// A lane without readers, which is one more user of the file.
  init(index: Int, source: PageSource, coordinator: any Coordinator, use: FileUse) {
    self.source = source
    self.coordinator = coordinator
    self.use = use
    use.begin()
    state = Mutex(State(likelySlot: ReaderSlot(index: index)))
  }

  /// A reader of the newest version; nil when another thread is in the lane.
  func tryReader(of store: PageStore) throws(StorageError) -> PageReader? {
    let version = try state.withLockIfAvailable { state throws(StorageError) in
      try enter(&state, store)
    }
    return version.map { reader($0) }
  }

  /// A reader of the newest version.
  func reader(of store: PageStore) throws(StorageError) -> PageReader {
    reader(try state.withLock { state throws(StorageError) in try enter(&state, store) })
  }

  /// A reader of the newest version, if the lane has it pinned already.
  ///
  /// It takes no slot of the reader table.
  func readerSharingPin() throws(StorageError) -> PageReader? {
    let version = try state.withLock { state throws(StorageError) in try share(&state) }
    return version.map { reader($0) }
  }

  private func reader(_ version: PinnedVersion) -> PageReader {
    PageReader(
      source: source, transaction: version.transaction, blockCount: version.header.blockCount,
      pinned: version, in: self)
  }

  /// Counts one more reader of the newest version, which is pinned when this returns.
  private func enter(_ state: inout State, _ store: PageStore) throws(StorageError)
    -> PinnedVersion
  {
    if let version = try share(&state) { return version }
    let version = try pinNewest(&state, store)
    version.readerCount = 1
    state.readerCount += 1
    return version
  }

  /// Counts one more reader of the newest version, if that is pinned in this lane.
  private func share(_ state: inout State) throws(StorageError) -> PinnedVersion? {
    if let closing = state.closing { throw closing }
    guard let newest = state.newest, let slot = newest.slot, isNewest(newest) else { return nil }
    guard coordinator.holds(slot, newest.transaction) else {
      // Lost. The slot may soon be that of another pin, which its readers must not end.
      newest.slot = nil
      return nil
    }
    newest.readerCount += 1
    state.readerCount += 1
    return newest
  }

  private func isNewest(_ version: PinnedVersion) -> Bool {
    coordinator.newestTransaction <= version.transaction
  }

  /// Pins the newest version in a slot of its own.
  private func pinNewest(_ state: inout State, _ store: PageStore) throws(StorageError)
    -> PinnedVersion
  {
    // One that has readers keeps its own pin, or has lost it: it is left to them.
    var version = state.newest.flatMap { $0.readerCount == 0 ? $0 : nil }
    let (slot, _) = try coordinator.pinNewest(likely: state.likelySlot) {
      () throws(StorageError) in
      if let version, isNewest(version) { return version.extent }
      // A file that is no longer at its path gets no more versions, so a reader that does not look
      // for a new one may go on.
      try store.file.checkPlace()
      let found = PinnedVersion(try store.newestHeader(), source: source)
      version = found
      return found.extent
    }
    guard let version else { preconditionFailure("the pinned version was looked up") }
    version.slot = slot
    state.newest = version
    return version
  }

  /// Ends one reader's use of a version.
  func leave(_ version: PinnedVersion) {
    let isUnused = state.withLock { state in
      precondition(version.readerCount > 0, "a version is left as often as it was entered")
      version.readerCount -= 1
      state.readerCount -= 1
      if version.readerCount == 0, let slot = version.slot {
        version.slot = nil
        state.likelySlot = slot
        if coordinator.holds(slot, version.transaction) { coordinator.unpin(slot) }
      }
      return state.isUnused
    }
    if isUnused { use.end() }
  }

  /// Lets no reader begin any more.
  func close(because error: StorageError) {
    state.withLock { $0.closing = $0.closing ?? error }
  }

  /// Lets no reader begin any more, and gives the file up after the last.
  func end(because error: StorageError) {
    let isUnused = state.withLock { state in
      precondition(!state.hasEnded, "a lane ends once")
      state.closing = state.closing ?? error
      state.hasEnded = true
      return state.isUnused
    }
    if isUnused { use.end() }
  }
}
