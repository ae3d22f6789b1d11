internal import AtollStorage

/// The leaves of a table in one version with the keys that each begins at, and those of them that
/// are open.
///
/// A look-up in it is a search in one array and finds the columns of the leaf ready, where a
/// descent reads a page a level. Belongs to one reader. A version never changes, so nothing here
/// grows old.
///
/// Cost: the list is made when about as much time went into descents as it takes; 24 bytes a leaf,
/// and `Limits.openByteCount` for open leaves and the values they keep.
@safe
final class LeafDirectory {
  /// What a directory may grow to.
  struct Limits {
    /// Leaves that are listed; a table of more is read by descents.
    var leafCount = 1 << 16
    /// Bytes of open leaves, and as much again of decompressed values.
    var openByteCount = 1 << 23
    /// Descents before the list is made; one more for every 65 536 objects.
    var firstDescents = 16
  }

  private let limits: Limits
  private let columnCount: Int
  private(set) var leafCount = 0
  /// Whether the list will never be made.
  private(set) var isTooLarge = false
  private var descents: UInt64 = 0
  /// The least key that belongs in each leaf, ascending; the first is 0.
  private var lowerBounds: UnsafeMutablePointer<UInt64>
  private var references: [PageReference] = []
  /// The open leaf of each slot, held; the slot of a leaf is its number modulo the count of slots.
  private var slots: UnsafeMutablePointer<Slot>
  private var slotCount = 0
  /// Bytes that open leaves have come to keep since all were closed.
  private var keptByteCount = 0

  @safe
  private struct Slot {
    var number = -1
    var leaf: Unmanaged<OpenLeaf>?
  }

  init(columnCount: Int, limits: Limits) {
    self.columnCount = columnCount
    self.limits = limits
    unsafe lowerBounds = .allocate(capacity: 1)
    unsafe slots = .allocate(capacity: 1)
  }

  deinit {
    closeAll()
    unsafe slots.deallocate()
    unsafe lowerBounds.deallocate()
  }

  // MARK: Finding

  /// The number of the leaf that holds `key` if any does; nil when the list is not made.
  @inline(__always)
  func number(of key: UInt64) -> Int? {
    guard leafCount > 0 else { return nil }
    var low = 0
    var count = leafCount
    // SAFETY: `low` + `count` never exceeds the number of bounds. Without a branch on the keys,
    // which cannot be predicted.
    while count > 1 {
      let half = count &>> 1
      low = unsafe lowerBounds[low &+ half] <= key ? low &+ half : low
      count &-= half
    }
    return low
  }

  /// The leaf of this number, if it is open; valid until a leaf is kept.
  @inline(__always)
  func openLeaf(_ number: Int) -> Unmanaged<OpenLeaf>? {
    // SAFETY: the count of slots is a power of two.
    let slot = unsafe slots + (number & (slotCount &- 1))
    return unsafe slot.pointee.number == number ? slot.pointee.leaf : nil
  }

  func reference(_ number: Int) -> PageReference { references[number] }

  // MARK: Keeping

  /// Keeps an open leaf, perhaps in the place of another.
  func keep(_ leaf: OpenLeaf, number: Int) {
    precondition(number >= 0 && number < leafCount, "a leaf of the list")
    let slot = unsafe slots + (number & (slotCount &- 1))
    unsafe slot.pointee.leaf?.release()
    unsafe slot.pointee = Slot(number: number, leaf: Unmanaged.passRetained(leaf))
  }

  /// Takes note of decompressed values that a leaf keeps from now on.
  func addKept(byteCount: Int) { keptByteCount += byteCount }

  /// Closes all leaves when they keep too much; theirs are the values, so none may be in use.
  func closeAllIfTooMany() {
    if keptByteCount > limits.openByteCount { closeAll() }
  }

  private func closeAll() {
    for index in 0..<slotCount {
      unsafe slots[index].leaf?.release()
      unsafe slots[index] = Slot()
    }
    keptByteCount = 0
  }

  // MARK: The list

  /// Counts a descent, and makes the list when there were enough.
  func noteDescent(in tree: Tree) throws(StorageError) {
    guard leafCount == 0, !isTooLarge else { return }
    descents += 1
    guard descents > UInt64(limits.firstDescents) + tree.root.entryCount >> 16 else { return }
    try read(tree)
  }

  private func read(_ tree: Tree) throws(StorageError) {
    guard !tree.root.reference.isNone else { return }
    var bounds: [UInt64] = []
    var found: [PageReference] = []
    // The pages to be visited, the next one last, each with the least key that belongs there.
    var pending = [(tree.root.reference, Int(tree.root.height), UInt64.min)]
    while let (reference, level, lowerBound) = pending.popLast() {
      guard level > 0 else {
        guard found.count < limits.leafCount else {
          isTooLarge = true
          return
        }
        bounds.append(lowerBound)
        found.append(reference)
        continue
      }
      let branch = try tree.branch(reference, level: level)
      for index in (0..<branch.count).reversed() {
        // What lies below the first key goes to the first child too.
        let bound = index == 0 ? lowerBound : branch.key(index).prefix
        pending.append((branch.reference(index), level - 1, bound))
      }
    }
    let leafByteCount =
      MemoryLayout<Slot>.stride + 256 + columnCount * MemoryLayout<OpenColumn>.stride
    let openLimit = max(limits.openByteCount / leafByteCount, 1)
    var slotCount = 1
    while slotCount < found.count, slotCount * 2 <= openLimit { slotCount *= 2 }
    unsafe slots.deallocate()
    unsafe slots = .allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: Slot(), count: slotCount)
    self.slotCount = slotCount
    unsafe lowerBounds.deallocate()
    unsafe lowerBounds = .allocate(capacity: bounds.count)
    for index in bounds.indices { unsafe (lowerBounds + index).initialize(to: bounds[index]) }
    references = found
    leafCount = found.count
  }
}
