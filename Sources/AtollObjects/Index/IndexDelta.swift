internal import AtollStorage

/// What was added to the main tree of an index and removed from it; see `IndexRoots`.
struct IndexDelta {
  let added: IndexLayer
  let removed: IndexLayer

  init(_ root: IndexRoots, treeID: UInt32, reader: PageReader) {
    added = IndexLayer(root: root.added, treeID: treeID, reader: reader)
    removed = IndexLayer(root: root.removed, treeID: treeID, reader: reader)
  }

  /// The changes of one value, by key.
  func changes(of value: [UInt8]) throws(StorageError) -> [IndexChange] {
    var changes: [IndexChange] = []
    let range = IndexRange.equal(to: value)
    if added.entryCount > 0 {
      changes = try added.keys(range).map { IndexChange(key: $0, isRemoval: false) }
    }
    guard removed.entryCount > 0 else { return changes }
    let removals = try removed.keys(range)
    guard !removals.isEmpty else { return changes }
    changes += removals.map { IndexChange(key: $0, isRemoval: true) }
    changes.sort { $0.key < $1.key }
    return changes
  }

  /// All changes in `range`, in the order in which they lie.
  ///
  /// - Throws: `.corrupted` for a delta of more entries than fit into the file.
  func entries(_ range: IndexRange) throws -> IndexBuffer {
    var buffer = IndexBuffer()
    try added.forEachGroup(range) { value, keys in
      for index in keys.indices {
        // SAFETY: the value is valid during the closure's call, and the buffer copies it.
        try unsafe buffer.add(value.unsafeBytes, key: keys[index], isRemoval: false)
        if buffer.isOverlong { throw Self.tooManyEntries(added) }
      }
      return true
    }
    try removed.forEachGroup(range) { value, keys in
      for index in keys.indices {
        // SAFETY: as above.
        try unsafe buffer.add(value.unsafeBytes, key: keys[index], isRemoval: true)
        if buffer.isOverlong { throw Self.tooManyEntries(removed) }
      }
      return true
    }
    return buffer
  }

  private static func tooManyEntries(_ layer: IndexLayer) -> StorageError {
    .corrupted(block: layer.tree.root.reference.block, .structure(.wrongEntryCount))
  }
}

extension IndexChange {
  /// A change of a value that is known from elsewhere.
  init(key: UInt64, isRemoval: Bool) {
    self.init(window: 0, key: key, start: 0, byteCount: 0, isRemoval: isRemoval)
  }
}

/// Merges the groups of an index's main tree with the changes of its delta.
///
/// A change of a pair of the main tree joins the part of the value in which the pair lies; pairs
/// between come with the next part.
struct IndexGroupMerge: ~Copyable {
  // SAFETY, for all below: nothing is added to the buffer after the initialiser, so its changes and
  // their values stay where they are. The groups are ranges of its changes, and never empty: they
  // are made of its indices, and `join` keeps what is left of one only when that is something. A
  // value may lie in `scratch`: it is compared or passed on before `scratch` is written again.
  private let buffer: IndexBuffer
  private let order: IndexOrder
  /// The changes of each value, in the order of the walk.
  private var groups: [Range<Int>] = []
  private var next = 0
  private var merged = GrowableBytes()
  private var keys: [UInt64] = []
  private var scratch = GrowableBytes()

  init(_ entries: consuming IndexBuffer, _ order: IndexOrder) {
    self.order = order
    var buffer = entries
    if buffer.count > 0 {
      let startsValue = buffer.sort()
      for index in 0..<buffer.count {
        if index == 0 || startsValue[index] {
          groups.append(index..<index + 1)
        } else {
          groups[groups.count - 1] = groups[groups.count - 1].lowerBound..<index + 1
        }
      }
      if order == .descending { groups.reverse() }
    }
    self.buffer = buffer
  }

  /// Passes on a part of a value of the main tree, and what the delta has before it.
  mutating func pass(
    _ value: ByteView, _ part: Span<UInt64>,
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws -> Bool {
    while next < groups.count {
      let first = unsafe buffer.changes[groups[next].lowerBound]
      let comparison = unsafe compare(buffer.value(first, &scratch), value.unsafeBytes)
      if comparison == 0 { return try join(value, part, body) }
      guard (comparison < 0) == (order == .ascending) else { break }
      guard try passNext(body) else { return false }
    }
    return try body(value, part)
  }

  /// Merges a part with the changes of its value up to its last key; the others wait.
  private mutating func join(
    _ value: ByteView, _ part: Span<UInt64>,
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws -> Bool {
    guard !part.isEmpty else { return true }
    let last = part[part.count - 1]
    let group = groups[next]
    var end = group.lowerBound
    while end < group.upperBound, unsafe buffer.changes[end].key <= last { end += 1 }
    if end == group.lowerBound { return try body(value, part) }
    if end == group.upperBound {
      next += 1
    } else {
      groups[next] = end..<group.upperBound
    }
    keys.removeAll(keepingCapacity: true)
    for index in part.indices { keys.append(part[index]) }
    merge(group.lowerBound..<end)
    return try keys.isEmpty || body(value, keys.span)
  }

  /// Passes on the next value of the delta, which the main tree does not have any more.
  private mutating func passNext(
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws -> Bool {
    let group = groups[next]
    next += 1
    keys.removeAll(keepingCapacity: true)
    merge(group)
    if keys.isEmpty { return true }
    let first = unsafe buffer.changes[group.lowerBound]
    let value = unsafe ByteView(buffer.value(first, &scratch))
    return try body(value, keys.span)
  }

  /// Passes on what the delta has behind the last value of the main tree.
  mutating func finish(
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws {
    while next < groups.count {
      guard try passNext(body) else { return }
    }
  }

  private mutating func merge(_ group: Range<Int>) {
    let changes = unsafe UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer.changes)[group])
    keys = unsafe IndexMerge.merged(keys, changes, .counted)
  }
}
