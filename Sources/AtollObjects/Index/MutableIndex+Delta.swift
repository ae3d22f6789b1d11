internal import AtollStorage

extension MutableIndex {
  /// Whether a batch of so many changes goes to the main tree.
  func isBatch(_ changeCount: Int) -> Bool {
    policy.isBatch(changeCount, deltaLimit)
      || main.tree.isOneLeaf && !policy.isForSmallTrees
  }

  var deltaLimit: Int { policy.limit(main.entryCount) }
  var isDeltaEmpty: Bool { addedCount == 0 && removedCount == 0 }

  /// Merges changes into the main tree, and the delta with them.
  func applyToMain(_ changes: inout IndexBuffer) throws(StorageError) {
    guard !isDeltaEmpty else {
      let startsValue = changes.sort()
      return try main.merge(changes, startsValue, mode)
    }
    // The delta first, so that what is newer decides.
    var all = try deltaEntries()
    // SAFETY: a value is valid during the call, and `all` copies it to a memory of its own.
    try unsafe changes.forEach { value, change throws(StorageError) in
      try unsafe all.add(value, key: change.key, isRemoval: change.isRemoval)
    }
    try added.removeAll()
    try removed.removeAll()
    (addedCount, removedCount) = (0, 0)
    let startsValue = all.sort()
    try main.merge(all, startsValue, mode)
  }

  private func deltaEntries() throws(StorageError) -> IndexBuffer {
    var entries = IndexBuffer()
    // SAFETY: a value is valid during the call, and `entries` copies it to a memory of its own.
    try unsafe added.layer().forEachEntry { value, key throws(StorageError) in
      try unsafe entries.add(value, key: key, isRemoval: false)
      try checkLength(entries)
    }
    try unsafe removed.layer().forEachEntry { value, key throws(StorageError) in
      try unsafe entries.add(value, key: key, isRemoval: true)
      try checkLength(entries)
    }
    return entries
  }

  /// Refuses a delta of more entries than fit into the file.
  private func checkLength(_ entries: borrowing IndexBuffer) throws(StorageError) {
    if entries.isOverlong { throw .corrupted(block: deltaBlock, .structure(.wrongEntryCount)) }
  }

  // MARK: Small batches

  /// Nets changes out against the trees and merges what is left of them into the delta.
  func applyToDelta(_ changes: inout IndexBuffer) throws(StorageError) {
    let startsValue = changes.sort()
    var toAdded = IndexBuffer()
    var toRemoved = IndexBuffer()
    var mainProbe = MutableIndexLayer.Probe(main)
    var addedProbe = MutableIndexLayer.Probe(added)
    var removedProbe = MutableIndexLayer.Probe(removed)
    var scratch = GrowableBytes()
    var start = 0
    while start < changes.count {
      // SAFETY: `start` is below the count of changes and `end` at most that. Nothing is added to
      // `changes`, so they and the value, which lies in their arena or in `scratch`, stay as they
      // are until the next turn. What is added to the other two buffers is copied there.
      let first = unsafe changes.changes[start]
      let value = unsafe changes.value(first, &scratch)
      var end = start + 1
      while end < changes.count, !startsValue[end],
        unsafe changes.changes[end].key == first.key
      {
        end += 1
      }
      let old = IndexPairCount(
        added: addedCount > 0 ? try unsafe addedProbe.count(value, first.key) : 0,
        removed: removedCount > 0 ? try unsafe removedProbe.count(value, first.key) : 0)
      let run = unsafe UnsafeBufferPointer(
        rebasing: UnsafeBufferPointer(changes.changes)[start..<end])
      let new = try unsafe old.changed(by: run, mode) { () throws(StorageError) in
        try unsafe mainProbe.count(value, first.key)
      }
      try unsafe Self.add(new.added - old.added, value, first.key, to: &toAdded)
      try unsafe Self.add(new.removed - old.removed, value, first.key, to: &toRemoved)
      addedCount += new.added - old.added
      removedCount += new.removed - old.removed
      start = end
    }
    try Self.merge(&toAdded, into: added)
    try Self.merge(&toRemoved, into: removed)
  }

  private static func add(
    _ times: Int, _ value: UnsafeRawBufferPointer, _ key: UInt64, to buffer: inout IndexBuffer
  ) throws(StorageError) {
    // SAFETY: the caller's value is valid during the call; the buffer copies it.
    for _ in 0..<abs(times) { try unsafe buffer.add(value, key: key, isRemoval: times < 0) }
  }

  private static func merge(_ buffer: inout IndexBuffer, into layer: MutableIndexLayer)
    throws(StorageError)
  {
    guard buffer.count > 0 else { return }
    let startsValue = buffer.sort()
    try layer.merge(buffer, startsValue, .counted)
  }

  // MARK: Moving on

  /// Moves entries of the delta to the main tree until it is within its bound.
  ///
  /// Takes whole leaves of the delta from where the last commit stopped, so that entries stay as
  /// long as they can and those that move are as close together as can be.
  func shrinkDelta() throws(StorageError) {
    let excess = addedCount + removedCount - deltaLimit
    guard excess > 0 else { return }
    let addedLayer = try added.layer()
    let removedLayer = try removed.layer()
    var moved = IndexBuffer()
    var fromAdded = IndexBuffer()
    var fromRemoved = IndexBuffer()
    let start = position
    var isAround = false
    while moved.count < excess {
      let lower = position
      var upper = try Self.lower(
        added.tree.locateWithBound(TreeKey(lower)).upper,
        removed.tree.locateWithBound(TreeKey(lower)).upper)
      if isAround {
        upper = Self.lower(upper, TreeKey(start))
        // Back where the search began: the delta has fewer entries than its trees say.
        if let upper, !(TreeKey(lower) < upper) {
          throw .corrupted(block: deltaBlock, .structure(.wrongEntryCount))
        }
      }
      // SAFETY: a value is valid during the call; the buffers copy it to memories of their own. The
      // trees stay as they are until all were visited.
      try unsafe addedLayer.forEachEntry(from: lower, below: upper) {
        value, key throws(StorageError) in
        try unsafe moved.add(value, key: key, isRemoval: false)
        try unsafe fromAdded.add(value, key: key, isRemoval: true)
        try checkLength(moved)
      }
      try unsafe removedLayer.forEachEntry(from: lower, below: upper) {
        value, key throws(StorageError) in
        try unsafe moved.add(value, key: key, isRemoval: true)
        try unsafe fromRemoved.add(value, key: key, isRemoval: true)
        try checkLength(moved)
      }
      if let upper {
        position = upper.bytes
      } else {
        guard !isAround else {
          throw .corrupted(block: deltaBlock, .structure(.wrongEntryCount))
        }
        position = []
        isAround = true
      }
    }
    position = Array(position.prefix(IndexRoots.positionByteLimit))
    addedCount -= fromAdded.count
    removedCount -= fromRemoved.count
    let startsValue = moved.sort()
    try main.merge(moved, startsValue, mode)
    try Self.merge(&fromAdded, into: added)
    try Self.merge(&fromRemoved, into: removed)
  }

  private static func lower(_ a: TreeKey?, _ b: TreeKey?) -> TreeKey? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }
}

/// How often a pair is in the two trees of a delta; in one of them at most.
struct IndexPairCount {
  var added: Int
  var removed: Int

  /// The counts after some changes of the pair, in the order in which they were made.
  ///
  /// `stored`: how often the main tree has the pair; asked only when that matters.
  func changed(
    by changes: UnsafeBufferPointer<IndexChange>, _ mode: IndexMode,
    _ stored: () throws(StorageError) -> Int
  ) throws(StorageError) -> IndexPairCount {
    switch mode {
    case .plain:
      // SAFETY: the caller keeps the changes during the call; here and below only those that are
      // there are read.
      let isWanted = unsafe !(changes.last?.isRemoval ?? true)
      let isStored = removed > 0 ? true : added > 0 ? false : try stored() > 0
      return IndexPairCount(
        added: isWanted && !isStored ? 1 : 0, removed: !isWanted && isStored ? 1 : 0)
    case .counted:
      guard unsafe changes.contains(where: \.isRemoval) else {
        return sum(added - removed + changes.count)
      }
      let stored = max(try stored(), removed)
      var count = stored + added - removed
      for index in changes.indices {
        count = max(0, unsafe count + (changes[index].isRemoval ? -1 : 1))
      }
      return sum(count - stored)
    }
  }

  private func sum(_ count: Int) -> IndexPairCount {
    IndexPairCount(added: max(0, count), removed: max(0, -count))
  }
}
