internal import AtollStorage

extension Database {
  /// Makes the file shorter while it is used, in short transactions.
  ///
  /// Pages at the end of the file are moved to free space before them, and the file is cut. Others
  /// may read and write meanwhile, in any process: between two transactions the writer lock is
  /// given back, and no version that is read changes. Needs no disk space beside the file. Where
  /// pages do not fit into the gaps between others, the file stays longer than `compact` makes it:
  /// a little for objects and indexes, whose pages have up to four blocks; more when the end of the
  /// file holds values of hundreds of kilobytes and no gap is as long.
  ///
  /// What readers of older versions hold cannot be cut off; the report says how much that is, and
  /// who they are. Those of this process count too: a snapshot that is kept keeps the file long.
  ///
  /// `progress`: is told the share of the work that is done, now and then.
  ///
  /// - Throws: `.storage`, also when the file is damaged. What was committed before stays, and is
  ///   whole.
  @discardableResult
  public func compactInPlace(
    limits: CompactionLimits = CompactionLimits(), progress: (Double) -> Void = { _ in }
  ) throws(ObjectError) -> CompactionReport {
    do {
      let byteCountBefore = try store.file.byteCount()
      var compaction = Compaction(
        store, stepByteCount: limits.stepByteCount, treesInLeaves: [ListTree.treeID])
      var end = CompactionReport.End.complete
      var patience = limits.patience
      let start = ContinuousClock.now
      var isFinished = false
      while !isFinished {
        if limits.isReached(by: compaction, since: start) {
          end = .limit
          break
        }
        let begin = ContinuousClock.now
        switch try compaction.step(mayWait: patience > .zero, relocate: Self.relocateAll) {
        case .goesOn: break
        case .waitsForReaders:
          store.coordinator.wait(timeout: Self.pause) { false }
          patience -= begin.duration(to: .now)
        case .isFinished: isFinished = true
        }
        if let expected = compaction.expectedByteCount, expected > 0 {
          progress(min(1, Double(compaction.movedByteCount) / Double(expected)))
        }
      }
      let status = try status()
      let heldByteCount = status.pins.reduce(0) { $0 + $1.heldByteCount }
      let isHeld = heldByteCount > 0 || status.fileByteCount > status.versionByteCount
      if end == .complete, patience <= .zero, !status.pins.isEmpty, isHeld { end = .heldByReaders }
      return CompactionReport(
        end: end, byteCountBefore: byteCountBefore, byteCountAfter: status.fileByteCount,
        movedByteCount: compaction.movedByteCount, transactionCount: compaction.commitCount,
        heldByteCount: heldByteCount, pins: status.pins)
    } catch { throw ObjectError(any: error) }
  }

  /// Between two looks whether readers of older versions are gone.
  private static let pause = Duration.milliseconds(10)

  /// Moves pages of all trees of a version, and returns its new catalogue.
  private static func relocateAll(_ relocation: Relocation) throws -> TreeRoot {
    let transaction = relocation.transaction
    var catalogue = try Catalogue(root: transaction.base.catalogue, reader: transaction.reader)
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: Catalogue.treeID, transaction: transaction)

    let pending = catalogue.pendingLinks
    catalogue.pendingLinks.root = try relocation.relocate(
      pending.root, KeyValueTree.form(pending.treeID))
    if catalogue.pendingLinks != pending {
      try tree.set(catalogue.encodedMeta(), for: Catalogue.metaKey)
    }
    for place in catalogue.treePlaces {
      switch place {
      case .ofClass(let position, let place):
        var record = catalogue.records[position]
        guard try record.relocate(place, relocation) else { continue }
        catalogue.records[position] = record
        try tree.set(record.encoded(), for: record.key)
      case .named(let name, var record):
        let moved = try relocation.relocate(record.root, KeyValueTree.form(record.treeID))
        guard moved != record.root else { continue }
        record.root = moved
        try tree.set(record.encoded(), for: Catalogue.namedTreeKey(name))
      }
    }
    return try relocation.relocateWhole(tree.flush(), KeyValueTree.form(Catalogue.treeID))
  }
}

extension CompactionLimits {
  fileprivate func isReached(
    by compaction: Compaction, since start: ContinuousClock.Instant
  ) -> Bool {
    if let transactionCount, compaction.commitCount >= transactionCount { return true }
    if let movedByteCount, compaction.movedByteCount >= movedByteCount { return true }
    if let duration, start.duration(to: .now) >= duration { return true }
    return false
  }
}
