package import AtollStorage

/// An index of one version, for reading: pairs of a value and an object's key, by value, then key.
///
/// Serves secondary indexes, primary keys and backlinks (there the value is the target's key, as an
/// integer with its highest bit flipped, and the key the source's).
///
/// Most pairs are in the main tree. Two small trees, the delta, hold what small commits added and
/// removed since: see `IndexRoots`.
///
/// Cost: where the delta is empty, that of the main tree alone; else a descent more for each of its
/// trees, and for a range its entries in the range.
package struct Index {
  /// Bytes of a leaf's payload in the main tree.
  static let leafByteLimit = Page.byteCount(inBlocks: 4)
  /// Bytes of a leaf's payload in the delta.
  static let deltaLeafByteLimit = Page.byteCount(inBlocks: 1)
  /// Bytes of the longest value; of what is longer an index holds the beginning (`isCut`).
  package static let valueByteLimit = IndexPage.valueByteLimit
  /// Bytes of the longest string or data that a program may have in an index, a 00 counted twice:
  /// a tag stands before them, and two bytes behind.
  package static let textByteLimit = valueByteLimit - 3

  let main: IndexLayer
  /// Nil when nothing was added or removed since.
  let delta: IndexDelta?

  package init(root: IndexRoots, treeID: UInt32, reader: PageReader) {
    main = IndexLayer(root: root.main, treeID: treeID, reader: reader)
    delta = root.isDeltaEmpty ? nil : IndexDelta(root, treeID: treeID, reader: reader)
  }

  static func form(_ treeID: UInt32) -> TreeForm {
    TreeForm(treeID: treeID, leafKind: .indexLeaf, hasByteKeys: true, compressesLeaves: false)
  }

  /// The entries of all values.
  package var entryCount: Int {
    max(0, main.entryCount + (delta.map { $0.added.entryCount - $0.removed.entryCount } ?? 0))
  }

  /// The number of entries in `range`, from the counts in the branches.
  ///
  /// Cost: for each tree one descent for a single value, unless its entries reach the end of a
  /// leaf; else two.
  package func count(_ range: IndexRange) throws(StorageError) -> Int {
    let count = try main.count(range)
    guard let delta else { return count }
    return max(0, count + (try delta.added.count(range)) - (try delta.removed.count(range)))
  }

  // MARK: Keys

  /// The smallest key among the entries of `value`.
  package func firstKey(equalTo value: [UInt8]) throws(StorageError) -> UInt64? {
    guard let delta, try !delta.changes(of: value).isEmpty else {
      return try main.firstKey(equalTo: value)
    }
    return try keys(.equal(to: value)).first
  }

  /// The keys in `range`, by value, then key.
  package func keys(_ range: IndexRange) throws(StorageError) -> [UInt64] {
    guard let delta else { return try main.keys(range) }
    if range.isSingleValue {
      let keys = try main.keys(range)
      let changes = try delta.changes(of: range.lower)
      return changes.isEmpty ? keys : IndexMerge.merged(keys, changes, .counted)
    }
    var keys: [UInt64] = []
    do {
      try forEachGroup(range) { _, part in
        for index in part.indices { keys.append(part[index]) }
        return true
      }
    } catch let error as StorageError { throw error } catch {
      preconditionFailure("a body that throws nothing makes no other errors")
    }
    return keys
  }

  /// Calls `body` with the keys in `range`, about a leaf at a time, by value, then key.
  ///
  /// `body`: returns whether to go on.
  package func forEachLeaf(
    _ range: IndexRange, _ body: (_ keys: Span<UInt64>) throws -> Bool
  ) throws {
    guard delta != nil else { return try main.forEachLeaf(range, body) }
    var keys: [UInt64] = []
    var isGoingOn = true
    try forEachGroup(range) { _, part in
      for index in part.indices { keys.append(part[index]) }
      if keys.count >= Self.keyBatchCount {
        isGoingOn = try body(keys.span)
        keys.removeAll(keepingCapacity: true)
      }
      return isGoingOn
    }
    if isGoingOn, !keys.isEmpty { _ = try body(keys.span) }
  }

  private static let keyBatchCount = 4096

  /// Calls `body` with each value in `range` and its keys, which ascend.
  ///
  /// A value whose entries lie in several leaves comes several times, its keys going on from where
  /// they ended; so it does in descending order too.
  ///
  /// `body`: gets bytes and keys that are valid during the call, and returns whether to go
  /// on.
  /// Cost: a pass over the leaves; no allocation for a value or an entry.
  package func forEachGroup(
    _ range: IndexRange, order: IndexOrder = .ascending,
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws {
    guard let delta else { return try main.forEachGroup(range, order: order, body) }
    var merge = try IndexGroupMerge(delta.entries(range), order)
    var isGoingOn = true
    try main.forEachGroup(range, order: order) { value, keys in
      isGoingOn = try merge.pass(value, keys, body)
      return isGoingOn
    }
    if isGoingOn { try merge.finish(body) }
  }
}
