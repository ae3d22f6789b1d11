internal import Synchronization

// Beginning a transaction, and what belongs to a commit beside the pages.

extension PageStore {
  /// Runs `body`, which commits a relaxed transaction, on a thread for all that wait for one, and
  /// waits until it is durable with the others of its group.
  ///
  /// `body` calls what it is given when it has begun a transaction, before it does anything.
  ///
  /// - Throws: what `body` throws; `CancellationError`, at once, when the task is cancelled before
  ///   `body` has begun; what the synchronisation throws.
  package func writeInGroup<Result: Sendable>(
    _ body: @escaping @Sendable (_ begin: () throws -> Void) throws -> Result
  ) async throws -> Result {
    try await groups.run(in: self, body)
  }

  /// Runs `body`, which ends a transaction that has begun before it returns, on this thread alone.
  ///
  /// What waits for a transaction throws `.insideWrite` meanwhile, where it would wait for ever.
  package func whileWriting<Result>(_ body: () throws -> Result) rethrows -> Result {
    let own = SystemCalls.threadHash()
    writingThread.store(own, ordering: .relaxed)
    // The transaction has ended, so the next one may run already on another thread.
    defer { _ = writingThread.compareExchange(expected: own, desired: 0, ordering: .relaxed) }
    return try body()
  }

  /// Takes the writer lock and begins the next version; waits while another transaction writes.
  ///
  /// `makingDurable`: whether to put the version that it builds on on the disk, if it is not there.
  ///
  /// Throws `.moved` when the file is not at its path any more, `.insideWrite` inside of
  /// `whileWriting`.
  package func beginWrite(makingDurable: Bool = false) throws(StorageError) -> WriteTransaction {
    try lockWriter()
    return try beginLocked(makingDurable: makingDurable)
  }

  /// As `beginWrite`; nil, at once, while another transaction writes.
  package func tryBeginWrite() throws(StorageError) -> WriteTransaction? {
    try lockWriter(isWaiting: false) ? beginLocked() : nil
  }

  /// Begins the next version under the writer lock.
  private func beginLocked(makingDurable: Bool = false) throws(StorageError) -> WriteTransaction {
    do throws(StorageError) {
      try file.checkPlace()
      var (newest, layout) = try settledVersion()
      if makingDurable, !layout.isDurable { layout = try makeDurable(newest, layout) }
      let known = state.withLock { state in
        defer { state.space = nil }
        return state.space
      }
      let space: SpaceState
      if let known {
        space = known
      } else {
        let reader = PageReader(
          source: source, transaction: newest.transaction, blockCount: newest.blockCount)
        space = try SpaceState(slot: newest, reader: reader)
      }
      return WriteTransaction(
        store: self, base: newest, space: space, layout: layout,
        held: try HeldVersions(
          pins: coordinator.pins(), newest: newest.transaction, durable: layout.durable),
        fileByteCount: try file.byteCount())
    } catch {
      finishWrite()
      throw error
    }
  }

  /// Takes the writer lock, and becomes a user of the file; `finishWrite` ends both.
  ///
  /// - Returns: false when another transaction has the lock and is not waited for.
  @discardableResult
  private func lockWriter(isWaiting: Bool = true) throws(StorageError) -> Bool {
    guard !file.isReadOnly else { throw .readOnly(path: file.path) }
    guard writingThread.load(ordering: .relaxed) != SystemCalls.threadHash() else {
      throw .insideWrite(path: file.path)
    }
    if isWaiting {
      try coordinator.lockWriter()
    } else {
      guard try coordinator.tryLockWriter() else { return false }
    }
    do throws(StorageError) {
      try state.withLock { state throws(StorageError) in
        if let closing = state.closing { throw closing }
        state.isWriting = true
        use.begin()
      }
    } catch {
      coordinator.unlockWriter()
      throw error
    }
    return true
  }

  /// Puts every commit that returned, of any process, on the disk.
  ///
  /// Waits for a transaction that is running, unless nothing is to be done.
  package func makeCommitsDurable() throws(StorageError) {
    let isDone = try state.withLock { state throws(StorageError) in
      if let closing = state.closing { throw closing }
      return state.isSettled && state.slots?.layout.isDurable ?? false
        && state.newest.transaction == coordinator.newestTransaction
    }
    if isDone { return }
    try lockWriter()
    defer { finishWrite() }
    let (newest, layout) = try settledVersion()
    if !layout.isDurable { try makeDurable(newest, layout) }
  }

  /// Synchronises, and says so in the file: another process that writes next must know it, or it
  /// might overwrite the slot of this version before a newer one is durable.
  ///
  /// - Returns: how the slots lie then.
  @discardableResult
  func makeDurable(
    _ newest: HeaderSlot, _ layout: SlotLayout
  ) throws(StorageError) -> SlotLayout {
    try synchronize(lengthScope)
    let sealed = newest.sealed(in: layout.nextWhenDurable)
    let encoded = try writeSlot(sealed)
    var layout = layout
    layout.add(sealed)
    state.withLock { state in
      state.isLengthUnsynced = false
      state.owesDurability = false
      state.slots?.add(sealed, encoded)
    }
    return layout
  }

  /// What the next synchronisation has to reach, besides what the transaction itself has grown.
  var lengthScope: SynchronizationScope {
    state.withLock { $0.isLengthUnsynced } ? .full : .data
  }

  /// The version to build on, and how the header slots lie.
  ///
  /// Called with the writer lock held.
  func settledVersion() throws(StorageError) -> (HeaderSlot, SlotLayout) {
    let (newest, isSettled, known) = try state.withLock { state throws(StorageError) in
      try refresh(&state)
      return (state.newest, state.isSettled, state.slots)
    }
    let found = try slots.bytes()
    // Nearly always the blocks are as this process left them.
    if isSettled, let known, known.bytes == found { return (newest, known.layout) }
    let readings = slots.decode(found)
    let adopted = try unpublished(readings, after: newest)
    let header = adopted ?? newest
    let now: KnownSlots
    let isSynced: Bool
    if isSettled, adopted == nil, let layout = SlotLayout(readings, newest: newest) {
      // Another process has written, and left everything as it should be.
      now = KnownSlots(bytes: found, layout: layout)
      isSynced = false
    } else {
      now = try settle(header, readings, found)
      isSynced = true
    }
    if adopted != nil { coordinator.publish(transaction: header.transaction) }
    state.withLock { state in
      if adopted != nil { follow(header, &state) }
      if isSynced { state.isLengthUnsynced = false }
      state.isSettled = true
      state.slots = now
    }
    return (header, now.layout)
  }

  /// The commit of a process that died after it wrote the slot and before it published it.
  private func unpublished(_ readings: [HeaderSlot.Reading], after known: HeaderSlot)
    throws(StorageError) -> HeaderSlot?
  {
    let recovery = Recovery(
      slots: slots, coordinator: coordinator, verified: verified, cache: cache)
    for case .valid(let slot) in readings
    where slot.transaction == known.transaction + 1 && slot.fileID == known.fileID {
      if try recovery.isWhole(slot) { return slot }
    }
    return nil
  }

  /// Makes sure that a version that this process did not commit is on the disk with its slot, and
  /// overwrites what commits that were undone left in the other blocks.
  ///
  /// The numbers of the steps are those of Format.md, "Recovery", where the first transaction
  /// establishes invariant I.
  ///
  /// What was found may lie in the system's memory only, left there by a process that died, or by
  /// a synchronisation that failed: after an error some systems keep the bytes, take them for
  /// written and never try again. So the bytes that the one sync of a commit may have failed to
  /// write are written again, as they are, and synchronised then.
  private func settle(
    _ newest: HeaderSlot, _ readings: [HeaderSlot.Reading], _ found: [UInt8]
  ) throws(StorageError) -> KnownSlots {
    // 1. The pages that slot n lists and all slots of versions up to n are written over themselves,
    //    and synchronised in full.
    var lost: Set<BlockNumber> = []
    var copies: [HeaderSlot] = []
    for (block, reading) in zip(0..<Block.firstPage, readings) {
      switch reading {
      case .valid(let slot)
      where slot.fileID == newest.fileID && slot.transaction <= newest.transaction:
        try writeSlot(Array(found[HeaderSlots.range(of: block)]), at: block)
        if slot.transaction == newest.transaction { copies.append(slot) }
      // Whole, but not written by the rules of this file: not to be overwritten.
      case .locked(let problem): throw .encryption(path: path, problem)
      case .otherFormat(let version):
        throw .unsupportedFormat(version: version, newestSupported: HeaderSlot.formatVersion)
      default: lost.insert(block)
      }
    }
    for reference in newest.written { try rewrite(reference.run) }
    try synchronize(.full)

    // 2. Slot n gets the copy that it lacks: the plain one when it is only sealed, else the sealed
    //    one.
    let sealed = copies.first(where: \.isSealed)?.blockNumber
    let plain = SlotLayout.home(ofCopies: copies.filter { !$0.isSealed }.map(\.blockNumber))
    let next: BlockNumber
    if let sealed {
      next = sealed
      // The next slot overwrites the sealed copy, so it must not be the only one.
      if plain == nil { lost.insert(SlotLayout.behind(SlotLayout.behind(sealed))) }
    } else if let plain {
      next = SlotLayout.behind(plain)
      if newest.isRelaxed || lost.contains(next) { try writeSlot(newest.sealed(in: next)) }
    } else {
      throw .corrupted(block: 0, .structure(.headerSlot))
    }
    // 3. Every other block gets slot n, and all is synchronised.
    for block in lost.sorted() where block != next { try writeSlot(newest.unsealed(in: block)) }
    // A slot of a commit that was undone must not be mixed with the next of the same number.
    if !lost.isEmpty { try synchronize(.data) }
    let bytes = try slots.bytes()
    guard let layout = SlotLayout(slots.decode(bytes), newest: newest) else {
      throw .corrupted(block: 0, .structure(.headerSlot))
    }
    return KnownSlots(bytes: bytes, layout: layout)
  }

  /// Writes the bytes of a run over themselves.
  private func rewrite(_ run: BlockRun) throws(StorageError) {
    let buffer = PageBuffer(byteCount: run.byteCount, zeroed: true)
    defer { withExtendedLifetime(buffer) {} }
    let byteOffset = run.start * UInt64(Block.byteCount)
    // SAFETY: the buffer lives to the end (above).
    _ = try unsafe file.read(into: buffer.unsafeBytes, at: byteOffset)
    try unsafe file.write(buffer.view.unsafeBytes, at: byteOffset)
  }

  /// Writes a slot into its block, and returns its bytes.
  @discardableResult
  func writeSlot(_ slot: HeaderSlot) throws(StorageError) -> [UInt8] {
    let encoded = slot.encoded(cipher)
    try writeSlot(encoded, at: slot.blockNumber)
    return encoded
  }

  private func writeSlot(_ encoded: [UInt8], at block: BlockNumber) throws(StorageError) {
    do throws(StorageError) {
      try encoded.withByteView { bytes throws(StorageError) in
        // SAFETY: the view is lent for the length of the closure; its bytes alone are written.
        try unsafe file.write(bytes.unsafeBytes, at: block * UInt64(Block.byteCount))
      }
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
    state.withLock { $0.isWriting = false }
    unlockWriter()
  }

  /// Ends a transaction whose version, with its slot as it was written, is in the file.
  ///
  /// `isLengthUnsynced`: whether the file may be longer than the disk knows.
  func finishWrite(
    published slot: HeaderSlot, encoded: [UInt8], space: SpaceState, isLengthUnsynced: Bool
  ) {
    state.withLock { state in
      state.newest = slot
      state.slots?.add(slot, encoded)
      state.space = space
      state.isLengthUnsynced = isLengthUnsynced
      state.hasWritten = true
      state.owesDurability = slot.isRelaxed
      state.isWriting = false
    }
    coordinator.publish(transaction: slot.transaction)
    unlockWriter()
  }

  private func unlockWriter() {
    coordinator.unlockWriter()
    // Not before: a file that is closed has no writer lock to give back.
    use.end()
  }
}
