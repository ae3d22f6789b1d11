package import AtollStorage

/// How often a pair may occur in an index.
package enum IndexMode: Sendable {
  /// Once: of several changes of one pair the last decides.
  case plain
  /// As often as it was inserted more than removed.
  case counted
}

/// An index inside a write transaction.
///
/// Changes wait in a buffer, which is sorted and merged into the trees by `flush`, or when it has
/// grown large: a few into the delta, many into the main tree (`IndexDeltaPolicy`). Each leaf that
/// a batch concerns is decoded once and written once.
///
/// In a counted index each insertion adds one and each removal takes one, so that a pair occurs as
/// often as, say, a list holds one target. Removing what is not there does nothing.
package final class MutableIndex {
  let mode: IndexMode
  let policy: IndexDeltaPolicy
  let main: MutableIndexLayer
  let added: MutableIndexLayer
  let removed: MutableIndexLayer
  /// Entries of the delta's two trees.
  var addedCount: Int
  var removedCount: Int
  /// See `IndexRoots.position`.
  var position: [UInt8]
  private var buffer = IndexBuffer()
  private var bound = IndexBound()
  /// The page that says how many entries the delta has.
  let deltaBlock: UInt64

  package init(
    root: IndexRoots, treeID: UInt32, transaction: WriteTransaction, mode: IndexMode = .plain,
    policy: IndexDeltaPolicy = .standard
  ) {
    self.mode = mode
    self.policy = policy
    func layer(_ root: TreeRoot, _ leafByteLimit: Int) -> MutableIndexLayer {
      MutableIndexLayer(
        root: root, treeID: treeID, transaction: transaction, leafByteLimit: leafByteLimit)
    }
    main = layer(root.main, Index.leafByteLimit)
    added = layer(root.added, Index.deltaLeafByteLimit)
    removed = layer(root.removed, Index.deltaLeafByteLimit)
    addedCount = Int(clamping: root.added.entryCount)
    removedCount = Int(clamping: root.removed.entryCount)
    position = root.position
    deltaBlock =
      root.added.reference.isNone ? root.removed.reference.block : root.added.reference.block
  }

  // MARK: Changing

  /// Adds the pair of `value`, one whole key as `OrderedKey` writes it, and `key`.
  ///
  /// - Throws: `.valueTooLarge` above `Index.valueByteLimit`; else what `flush` throws.
  package func insert(_ value: [UInt8], key: UInt64) throws(StorageError) {
    try change(value, key, isRemoval: false)
  }

  /// Removes the pair.
  package func remove(_ value: [UInt8], key: UInt64) throws(StorageError) {
    try change(value, key, isRemoval: true)
  }

  private func change(_ value: [UInt8], _ key: UInt64, isRemoval: Bool) throws(StorageError) {
    if !isRemoval { bound.raise(to: value) }
    // SAFETY: the bytes do not leave the closure: the buffer copies them.
    try unsafe value.withRawBytes { bytes throws(StorageError) in
      try unsafe buffer.add(bytes, key: key, isRemoval: isRemoval)
    }
    if buffer.isFull { try apply() }
  }

  /// Adds a pair whose value is an integer.
  package func insertInt(_ integer: Int64, key: UInt64) throws(StorageError) {
    bound.giveUp()
    buffer.add(integer, key: key, isRemoval: false)
    if buffer.isFull { try apply() }
  }

  /// Removes a pair whose value is an integer.
  package func removeInt(_ integer: Int64, key: UInt64) throws(StorageError) {
    buffer.add(integer, key: key, isRemoval: true)
    if buffer.isFull { try apply() }
  }

  /// Adds a pair whose value is a string; of one that is too long, its beginning.
  package func insertString(_ utf8: UnsafeRawBufferPointer, key: UInt64) throws(StorageError) {
    bound.giveUp()
    // SAFETY: the caller's bytes are valid during the call, in which the buffer copies them.
    unsafe buffer.add(string: utf8, key: key, isRemoval: false)
    if buffer.isFull { try apply() }
  }

  /// Removes a pair whose value is a string.
  package func removeString(_ utf8: UnsafeRawBufferPointer, key: UInt64) throws(StorageError) {
    // SAFETY: as in `insertString`.
    unsafe buffer.add(string: utf8, key: key, isRemoval: true)
    if buffer.isFull { try apply() }
  }

  /// Forgets the buffer and gives up all pages.
  package func removeAll() throws(StorageError) {
    buffer.releaseMemory()
    for layer in [main, added, removed] { try layer.removeAll() }
    (addedCount, removedCount) = (0, 0)
    position = []
  }

  /// Applies the buffer, writes everything that changed and returns the new roots.
  ///
  /// The index may be used further.
  package func flush() throws(StorageError) -> IndexRoots {
    try apply()
    buffer.releaseMemory()
    var mainRoot: TreeRoot
    // What is moved to the main tree may make it shorter, and the bound with it.
    repeat {
      try shrinkDelta()
      mainRoot = try main.flush()
    } while addedCount + removedCount > deltaLimit
    if isDeltaEmpty { position = [] }
    return IndexRoots(
      main: mainRoot, added: try added.flush(), removed: try removed.flush(),
      position: position)
  }

  /// Brings the buffer into the trees.
  private func apply() throws(StorageError) {
    guard buffer.count > 0 else { return }
    if isBatch(buffer.count) {
      try applyToMain(&buffer)
    } else {
      try applyToDelta(&buffer)
    }
    buffer.removeAll()
  }

  // MARK: Reading

  /// The keys of `value`, those in the buffer included, in ascending order.
  package func keys(of value: [UInt8]) throws(StorageError) -> [UInt64] {
    var keys = try main.keys(of: value)
    let stored = try deltaChanges(of: value)
    if !stored.isEmpty { keys = IndexMerge.merged(keys, stored, .counted) }
    // SAFETY: the bytes do not leave the closure: the buffer only compares its own with them.
    let changes = unsafe value.withRawBytes { unsafe buffer.changes(of: $0) }
    return changes.isEmpty ? keys : IndexMerge.merged(keys, changes, mode)
  }

  /// Calls `body` with the keys of each of `integers` that has any, those in the buffer included.
  ///
  /// `integers`: ascend.
  /// Cost: neighbours in one leaf need one descent; the buffer is looked into as by `firstKey`.
  func forEachGroup(
    ofInts integers: some Sequence<Int64>, _ body: (_ integer: Int64, _ keys: [UInt64]) -> Void
  ) throws(StorageError) {
    var mainProbe = MutableIndexLayer.Probe(main)
    var addedProbe = MutableIndexLayer.Probe(added)
    var removedProbe = MutableIndexLayer.Probe(removed)
    var value = GrowableBytes()
    var keys: [UInt64] = []
    var changed: [UInt64] = []
    for integer in integers {
      value.removeAll()
      IndexInteger.append(integer, to: &value)
      keys.removeAll(keepingCapacity: true)
      // SAFETY: `value` owns its bytes, which change only when the next turn begins. Those who get
      // them here and below read them during the call.
      try unsafe mainProbe.appendKeys(value.bytes, to: &keys)
      if addedCount > 0 {
        changed.removeAll(keepingCapacity: true)
        try unsafe addedProbe.appendKeys(value.bytes, to: &changed)
        keys = IndexMerge.merged(
          keys, changed.map { IndexChange(key: $0, isRemoval: false) }, .counted)
      }
      if removedCount > 0 {
        changed.removeAll(keepingCapacity: true)
        try unsafe removedProbe.appendKeys(value.bytes, to: &changed)
        keys = IndexMerge.merged(
          keys, changed.map { IndexChange(key: $0, isRemoval: true) }, .counted)
      }
      if buffer.count > 0 {
        let changes = unsafe buffer.changes(of: value.bytes)
        if !changes.isEmpty { keys = IndexMerge.merged(keys, changes, mode) }
      }
      if !keys.isEmpty { body(integer, keys) }
    }
  }

  /// The smallest key of `value`, those in the buffer included.
  ///
  /// Cost: a comparison for a value above all others, as new keys are that grow. Else a descent in
  /// each tree, and a look into a table of the buffer that is kept from the first call on; of all
  /// keys of the value when changes of it wait in the buffer or the delta.
  package func firstKey(of value: [UInt8]) throws(StorageError) -> UInt64? {
    if bound.isBelow(value) { return nil }
    if bound.isSought, buffer.count == 0 {
      let isAbove = try isAboveAll(value)
      bound.note(value, isAboveAll: isAbove)
      if isAbove { return nil }
    }
    // SAFETY: as in `keys`.
    if unsafe value.withRawBytes({ unsafe buffer.containsChange(of: $0) }) {
      return try keys(of: value).first
    }
    guard try deltaChanges(of: value).isEmpty else { return try keys(of: value).first }
    return try main.firstKey(of: value)
  }

  /// Whether all values in the trees are less than one.
  private func isAboveAll(_ value: [UInt8]) throws(StorageError) -> Bool {
    for layer in [main, added, removed] {
      guard try layer.ends(before: value) else { return false }
    }
    return true
  }

  /// The smallest key of an integer, those in the buffer included.
  package func firstKey(ofInt integer: Int64) throws(StorageError) -> UInt64? {
    try firstKey(of: IndexInteger.bytes(integer))
  }

  /// What the delta has of a value, by key.
  private func deltaChanges(of value: [UInt8]) throws(StorageError) -> [IndexChange] {
    var changes: [IndexChange] = []
    if addedCount > 0 {
      changes += try added.keys(of: value).map { IndexChange(key: $0, isRemoval: false) }
    }
    if removedCount > 0 {
      changes += try removed.keys(of: value).map { IndexChange(key: $0, isRemoval: true) }
    }
    changes.sort { $0.key < $1.key }
    return changes
  }
}
