internal import AtollStorage

/// A list outside of its leaf as it lies in the file, for reading.
///
/// A tree of its own, whose leaves are row groups of one column, the elements. Branches count the
/// entries below each child, so an element is found by its place with one page a level. The keys of
/// the rows only order them, and are used nowhere else.
///
/// Normative text: Format.md, "Lists".
struct ListTree {
  static let treeID: UInt32 = 4
  /// The only column of a leaf.
  static let columnID: UInt32 = 1
  /// What a leaf should take: one block less a margin for guesses, so that one change is cheap.
  static let leafByteLimit = Page.byteCount(inBlocks: 1) - 96
  /// Elements of a leaf that is written: more would make a change slower and save nothing.
  static let leafElementCount = 4096

  let tree: Tree
  let layout: ColumnLayout
  let environment: RowGroupEnvironment

  static let form = TreeForm(
    treeID: treeID, leafKind: .rowGroup, hasByteKeys: false, compressesLeaves: false)

  /// `layout`: of the column that holds the list.
  init(
    _ value: ExternalValue, _ layout: ColumnLayout, reader: PageReader,
    environment: RowGroupEnvironment
  ) throws(StorageError) {
    tree = Tree(root: try value.listRoot, form: Self.form, reader: reader)
    self.layout = layout.element
    self.environment = environment
  }

  var count: Int { Int(clamping: tree.root.entryCount) }

  /// The elements of a range, which is inside the list.
  ///
  /// Cost: a descent for each leaf that holds some of them.
  func elements(_ range: Range<Int>) throws -> [Value] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements of the list")
    var elements: [Value] = []
    var leafCount: UInt64 = 0
    while elements.count < range.count {
      let ordinal = range.lowerBound + elements.count
      leafCount += 1
      // More leaves than the file has room for: branches share them.
      guard leafCount <= tree.reader.pageLimit,
        let (page, first) = try tree.leafPage(atOrdinal: UInt64(ordinal))
      else { throw StorageError.corrupted(block: block, .structure(.sharedPage)) }
      elements += try Self.elements(
        of: page, from: ordinal - Int(first), limit: range.upperBound - ordinal, layout,
        environment)
    }
    return elements
  }

  private var block: UInt64 { tree.root.reference.block }

  /// The row group in a leaf, which is no longer than one may be.
  static func rowGroup(_ page: Page, _ environment: RowGroupEnvironment) throws(StorageError)
    -> RowGroupPage
  {
    let rowGroup = try RowGroupPage(page, environment: environment)
    guard rowGroup.rowCount <= 2 * leafElementCount else {
      throw .corrupted(block: page.reference.block, .structure(.malformedEntries))
    }
    return rowGroup
  }

  /// The elements of a leaf from one of its rows on, one at least.
  static func elements(
    of page: Page, from row: Int, limit: Int, _ layout: ColumnLayout,
    _ environment: RowGroupEnvironment
  ) throws -> [Value] {
    let rowGroup = try rowGroup(page, environment)
    guard row < rowGroup.rowCount else {
      throw StorageError.corrupted(
        block: page.reference.block, .structure(.wrongEntryCount))
    }
    do {
      let column = try rowGroup.column(columnID, layout)
      return try (row..<row + min(limit, rowGroup.rowCount - row)).map { try column.value($0) }
    } catch let error as ColumnError { throw ObjectError(error) }
  }
}

extension ExternalValue {
  /// The list that begins at `root`, which is not empty.
  init(listRoot root: TreeRoot) {
    self.init(
      reference: ExternalReference(
        first: root.reference.location, second: root.reference.checksum),
      byteCount: root.entryCount, prefix: UInt64(root.height))
  }

  /// Where a list begins.
  var listRoot: TreeRoot {
    get throws(StorageError) {
      let page = PageReference(location: reference.first, checksum: reference.second)
      guard !page.isNone, byteCount > 0, byteCount <= TreeRoot.entryCountLimit,
        prefix <= UInt64(TreeRoot.heightLimit)
      else { throw .corrupted(block: page.block, .structure(.malformedEntries)) }
      return TreeRoot(reference: page, entryCount: byteCount, height: UInt8(prefix))
    }
  }
}

extension ColumnLayout {
  /// How one element of a collection is kept.
  var element: ColumnLayout {
    ColumnLayout(value, isOptional: isOptional, linkTable: linkTable)
  }
}
