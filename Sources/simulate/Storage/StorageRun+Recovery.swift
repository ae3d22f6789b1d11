internal import AtollStorage
internal import TestSupport

extension StorageRun {
  /// Opens the file in a new process, and finds out which version it shows.
  ///
  /// - Throws: `SeedViolation` when it is none of those that it may be.
  func open() throws {
    if hasLostPower, isCareless { return try openCarelessFile() }
    let operationsUntilDeath = process.operationsUntilDeath
    process = ProcessFile(disk)
    process.operationsUntilDeath = operationsUntilDeath
    // Nothing may depend on the clock.
    processes =
      profile.isShared ? SharedCoordinator(LocalCoordinator(path: disk.path, now: { 0 })) : nil
    armNextStrike()
    guard
      let opened = try attempt(
        "opening", { try TreeStore.open(process, among: processes, key: key) })
    else { return }
    switch opened.recovery {
    case .created: count(.filesMade)
    case .clean: count(.cleanOpenings)
    case .verified: count(.verifiedOpenings)
    case .rolledBack: count(.rolledBackOpenings)
    }
    try identify(opened)
  }

  private func identify(_ store: PageStore) throws {
    guard let snapshot = try attempt("reading what was opened", { try store.snapshot() }) else {
      return
    }
    var candidates = [current]
    if let inFlight { candidates.append(inFlight) }
    if hasLostPower { candidates += [durable] + relaxed }
    self.store = store
    note("opened at version \(snapshot.transaction), \(store.recovery)")
    guard let found = candidates.first(where: { $0.transaction == snapshot.transaction }) else {
      let expected = candidates.map { "\($0.transaction)" }.joined(separator: " or ")
      throw violation("the file opened at version \(snapshot.transaction), not at \(expected)")
    }
    if found.transaction > current.transaction {
      count(.commitsFoundUnacknowledged)
      relaxed.append(found)
    } else if hasLostPower, !relaxed.isEmpty {
      let isNewest = found.transaction == current.transaction
      count(isNewest ? .relaxedCommitsSurvived : .relaxedCommitsLost)
    }
    current = found
    before = []
    inFlight = nil
    if hasLostPower {
      // What survived a power cut is on the disk.
      isOnDisk(found)
      relaxed = []
    }
    hasLostPower = false
    try check()
  }

  /// Opens a file that lost power after a commit that did not care: all that is read must be true.
  ///
  /// Goes on with a new file.
  private func openCarelessFile() throws {
    let known = past + [durable] + relaxed + (inFlight.map { [$0] } ?? [])
    do {
      let store = try TreeStore.open(ProcessFile(disk), key: key)
      let snapshot = try store.snapshot()
      guard let version = known.first(where: { $0.transaction == snapshot.transaction }) else {
        throw violation("a careless file opened at version \(snapshot.transaction)")
      }
      do {
        try snapshot.compare(with: version.contents)
      } catch let wrong as WrongContents {
        throw violation("version \(version.transaction): \(wrong.description)")
      }
    } catch StorageError.corrupted {
      count(.carelessFilesLost)
    }
    note("a careless file was given up")
    try beginAgain()
  }

  /// Continues after an interrupted step, until the store is open again.
  func recover() throws {
    while let reason = interruption {
      interruption = nil
      noteStrike()
      switch reason {
      case .powerCut:
        leave()
        try powerHasFailed()
        try open()
      case .death:
        note("the process died")
        count(.processDeaths)
        leave()
        disarm()
        armCutSoon()
        try open()
      case .fault(.failedSync):
        try expectRefusal()
        // Older versions can still be read.
        try comparePins()
        leave()
        disk = try disk.afterFailedSync(using: &fate)
        armCutSoon()
        // It is no longer known what must be written again.
        if isCareless { return try beginAgain() }
        try open()
      case .fault: try goOnOrOpen()
      }
    }
  }

  /// After a failed synchronisation nothing can be asked of the store but to be closed.
  private func expectRefusal() throws {
    guard let store else { return }
    for (name, ask) in [
      ("a snapshot", { _ = try store.snapshot() }),
      ("a transaction", { try store.beginWrite().cancel() }),
    ] as [(String, () throws -> Void)] {
      do {
        try ask()
      } catch StorageError.closed {
        continue
      }
      throw violation("the store gave \(name) after a synchronisation had failed")
    }
    try store.close()
  }

  /// After any other failure the store is unchanged, or refuses to continue.
  private func goOnOrOpen() throws {
    guard let store else { return try open() }
    let snapshot: StorageSnapshot
    do {
      snapshot = try store.snapshot()
    } catch {
      // Its header slot was being written, so only opening the file shows what is there.
      try comparePins()
      leave()
      return try open()
    }
    guard snapshot.transaction == current.transaction else {
      throw violation("after a failure the store shows version \(snapshot.transaction)")
    }
    inFlight = nil
    try check()
    armNextStrike()
  }

  /// Closes the store in good order and opens it again.
  func reopen() throws {
    guard try closeOther(), let store else { return }
    let closed: Void? = try attempt("closing") { try store.close() }
    guard closed != nil else { return }
    note("closed")
    if hasWritten {
      isOnDisk(current)
      try verifySealed()
    }
    // Those that read keep the file open.
    try comparePins()
    leave()
    count(.reopenings)
    try open()
  }

  /// Checks that the newest slot and a sealed copy of it lie in the file.
  func verifySealed() throws {
    let slots = try headerSlots()
    guard slots.count == Block.firstPage else {
      throw violation("a block of a closed file is no header slot")
    }
    let newest = slots.filter { $0.transaction == current.transaction }
    guard newest.contains(where: \.isSealed), newest.contains(where: { !$0.isSealed }) else {
      throw violation("the file was closed and not sealed")
    }
  }

  /// Goes on with a new file.
  private func beginAgain() throws {
    disk = try SimulatedFile(capacity: 1 << 26)
    durable = Version(
      transaction: 1,
      contents: TreeContents(treeCount: profile.treeCount, keyCount: profile.keyCount))
    current = durable
    relaxed = []
    past = []
    inFlight = nil
    isCareless = false
    hasLostPower = false
    isRecovering = false
    try open()
  }
}
