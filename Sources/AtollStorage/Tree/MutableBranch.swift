/// A branch in its mutable form, in memory while the path below it changes.
final class MutableBranch {
  /// What lies below an entry, or below the root.
  enum Child {
    case none
    case stored(PageReference)
    case branch(MutableBranch)
    case leaf(any TreeLeaf)

    var isStored: Bool {
      if case .stored = self { true } else { false }
    }
  }

  /// What a branch says of one child.
  struct Entry {
    /// No key below the child is smaller.
    var key: TreeKey
    var child: Child
    /// Entries in all leaves below the child, when it is stored.
    var count: UInt64
    /// What the kind of tree keeps for its leaves, such as zone maps; empty above level 1.
    var summary: [UInt8]
  }

  /// Bytes at which a branch is split.
  static let byteLimit = Page.byteCount(inBlocks: 4)

  let level: Int
  let hasByteKeys: Bool
  var entries: [Entry]

  init(level: Int, hasByteKeys: Bool, entries: [Entry]) {
    self.level = level
    self.hasByteKeys = hasByteKeys
    self.entries = entries
  }

  /// Bytes of the encoded branch.
  var byteCount: Int {
    var byteCount = BranchPage.headerByteCount
    for index in entries.indices {
      byteCount += BranchPage.entryByteCount(
        entries[index].key, summaryByteCount: entries[index].summary.count,
        hasByteKeys: hasByteKeys)
    }
    return byteCount
  }

  /// Each half of a branch has two children or more.
  var isTooLong: Bool { entries.count > 3 && byteCount > Self.byteLimit }

  var isShort: Bool { byteCount < Self.byteLimit / 4 }

  /// The child whose range holds `key`: the last whose own key is not above it, else the first.
  func childIndex(for key: TreeKey) -> Int {
    let low =
      hasByteKeys
      ? binarySearch(0..<entries.count) { key >= entries[$0].key }
      // Numbers are all in the prefix; the first key may be `.lowest`, whose prefix is 0.
      : binarySearch(0..<entries.count) { key.prefix >= entries[$0].key.prefix }
    return max(0, low - 1)
  }

  /// Moves the upper half to a new branch and returns it.
  func splitOff() -> MutableBranch {
    let middle = entries.count / 2
    let upper = MutableBranch(
      level: level, hasByteKeys: hasByteKeys, entries: Array(entries[middle...]))
    entries.removeSubrange(middle...)
    return upper
  }
}

extension BranchPage {
  /// The mutable form.
  func node() -> MutableBranch {
    var entries: [MutableBranch.Entry] = []
    entries.reserveCapacity(count + 1)
    for index in 0..<count {
      let summary = summary(index)
      entries.append(
        MutableBranch.Entry(
          key: key(index), child: .stored(reference(index)), count: entryCount(index),
          summary: summary.isEmpty ? [] : summary.copy()))
    }
    return MutableBranch(level: level, hasByteKeys: hasByteKeys, entries: entries)
  }

  /// Encodes a branch whose children are all stored.
  static func encode(_ node: MutableBranch) -> PageBuffer {
    let count = node.entries.count
    let hasByteKeys = node.hasByteKeys
    let page = PageBuffer(byteCount: node.byteCount, zeroed: false)
    page.store(UInt32(count), at: 0)
    page.store(UInt8(node.level), at: 4)
    page.store(UInt8(hasByteKeys ? 1 : 0), at: 5)
    page.store(UInt16(0), at: 6)
    let keysOffset = headerByteCount + count * (hasByteKeys ? 40 : 36)
    var keysEnd = 0
    if hasByteKeys {
      for index in 0..<count {
        let bytes = node.entries[index].key.bytes
        bytes.withByteView { page.copy($0, to: keysOffset + keysEnd) }
        keysEnd += bytes.count
        page.store(UInt32(keysEnd), at: 16 + 36 * count + 4 * index)
      }
    }
    let summariesOffset = keysOffset + keysEnd
    var summariesEnd = 0
    for index in 0..<count {
      guard case .stored(let reference) = node.entries[index].child else {
        preconditionFailure("a branch is stored after its children")
      }
      page.store(reference.location, at: 16 + 16 * index)
      page.store(reference.checksum, at: 24 + 16 * index)
      page.store(node.entries[index].count, at: 16 + 16 * count + 8 * index)
      page.store(node.entries[index].key.prefix, at: 16 + 24 * count + 8 * index)
      if !node.entries[index].summary.isEmpty {
        node.entries[index].summary.withByteView {
          page.copy($0, to: summariesOffset + summariesEnd)
        }
        summariesEnd += node.entries[index].summary.count
      }
      page.store(UInt32(summariesEnd), at: 16 + 32 * count + 4 * index)
    }
    page.store(UInt32(keysEnd), at: 8)
    page.store(UInt32(summariesEnd), at: 12)
    return page
  }
}
