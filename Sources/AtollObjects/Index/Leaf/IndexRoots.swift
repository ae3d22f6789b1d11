package import AtollStorage

/// The trees of one index in one version.
///
/// A commit of a few changes at random places would rewrite as many leaves of the main tree. Its
/// changes go to the *delta* instead: the pairs added to the main tree and those removed from it,
/// in two trees with leaves of one block. When the delta is over its bound, a commit moves some
/// leaves of it to the main tree, going round by value (Format.md, "Delta").
///
/// Invariant, in a plain index: a pair in `added` is not in `main`, one in `removed` is. In a
/// counted index a pair occurs as often as in `main` and `added` together, less those in `removed`,
/// where it is no more often than in `main`. No pair is in both `added` and `removed`.
package struct IndexRoots: Hashable, Sendable {
  package var main: TreeRoot
  package var added: TreeRoot
  package var removed: TreeRoot
  /// Where the next entries of the delta are taken from to be moved: those not below these bytes.
  package var position: [UInt8]

  /// The longest position; a longer one is cut, which only makes it lower.
  static let positionByteLimit = 64

  package static let empty = IndexRoots(main: .empty)

  package init(
    main: TreeRoot, added: TreeRoot = .empty, removed: TreeRoot = .empty, position: [UInt8] = []
  ) {
    self.main = main
    self.added = added
    self.removed = removed
    self.position = position
  }

  package var isDeltaEmpty: Bool { added.reference.isNone && removed.reference.isNone }
}

/// When changes go to an index's delta, and how large that grows.
///
/// A commit writes, for each of its changes, a leaf of the delta unless another change does, and
/// moves as many entries to the main tree as it added. A large delta has many leaves to write, a
/// small one makes the moved entries lie far apart in the main tree; the sum is least, for a
/// hundred changes and a million entries, near a delta of 1/128 of the main tree.
package struct IndexDeltaPolicy: Sendable {
  /// A bound for the delta's entries that holds for any main tree.
  var leastLimit = 512
  /// Entries of the main tree for each that the delta may have.
  var divisor = 128
  /// More changes than this, and than a fourth of the bound, go to the main tree with the delta.
  var leastBatchCount = 0
  /// Whether an index whose main tree is one leaf has a delta.
  var isForSmallTrees = false

  package static let standard = IndexDeltaPolicy()

  /// The most entries of the delta after a commit, beside a main tree of `entryCount`.
  func limit(_ entryCount: UInt64) -> Int { max(leastLimit, Int(clamping: entryCount) / divisor) }

  /// Whether a batch of so many changes goes to the main tree.
  func isBatch(_ changeCount: Int, _ limit: Int) -> Bool {
    changeCount > max(leastBatchCount, limit / 4)
  }
}
