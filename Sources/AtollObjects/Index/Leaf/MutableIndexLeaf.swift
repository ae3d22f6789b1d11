import AtollStorage

/// An index leaf in its mutable form, as the tree keeps it.
final class MutableIndexLeaf: TreeLeaf {
  private(set) var contents: IndexLeafContents
  /// A key between the leaf before and this one's entries; nil: the lowest entry.
  private let separator: TreeKey?
  /// Bytes that the leaf should not exceed.
  private let byteLimit: Int

  init(byteLimit: Int) {
    contents = IndexLeafContents()
    separator = nil
    self.byteLimit = byteLimit
  }

  /// `separator`: lies above all entries of the leaf before and not above any of these.
  init(_ contents: consuming IndexLeafContents, separator: TreeKey?, byteLimit: Int) {
    self.contents = contents
    self.separator = separator
    self.byteLimit = byteLimit
  }

  /// Decodes a page and checks the order of its entries.
  init(_ page: Page, byteLimit: Int) throws(StorageError) {
    contents = IndexLeafContents()
    separator = nil
    self.byteLimit = byteLimit
    try contents.load(IndexPage(page))
  }

  /// Leaves no entries behind.
  func takeContents() -> IndexLeafContents {
    var taken = IndexLeafContents()
    swap(&taken, &contents)
    return taken
  }

  var entryCount: Int { contents.entryCount }

  var lowestKey: TreeKey { separator ?? contents.treeKey(value: 0, entry: 0) }

  var highestKey: TreeKey {
    contents.treeKey(value: contents.valueCount - 1, entry: contents.entryCount - 1)
  }

  /// What cannot be split is never reported as longer than a leaf should be.
  var estimatedByteCount: Int {
    contents.isSplittable
      ? contents.byteCount : min(contents.byteCount, byteLimit)
  }

  func splitOff() throws(StorageError) -> any TreeLeaf {
    var lower = IndexLeafContents()
    var upper = IndexLeafContents()
    contents.split(into: &lower, &upper)
    let separator = IndexLeafContents.separator(lower, upper)
    contents = lower
    return MutableIndexLeaf(upper, separator: separator, byteLimit: byteLimit)
  }

  func absorb(_ next: any TreeLeaf) throws(StorageError) {
    guard let next = next as? MutableIndexLeaf else {
      preconditionFailure("a tree has leaves of one form")
    }
    contents.absorb(next.contents)
  }

  func recycled() -> any TreeLeaf {
    var contents = takeContents()
    contents.removeAll()
    return MutableIndexLeaf(contents, separator: nil, byteLimit: byteLimit)
  }

  func encode() throws(StorageError) -> (payload: [UInt8], summary: [UInt8]) {
    (try contents.encode(), [])
  }
}
