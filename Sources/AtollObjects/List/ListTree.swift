internal import AtollStorage

/// A collection outside of its leaf as it lies in the file, for reading.
///
/// A tree of its own, whose leaves are row groups: of one column, the elements, and for a map of
/// another one, their keys. Branches count the entries below each child, so an element is found by
/// its place with one page a level. The keys of the rows only order them, and are used nowhere
/// else. Members of a set and keys of a map ascend, and are found by a binary search.
///
/// Normative text: Format.md, "Lists".
struct ListTree: OutsideElements {
  static let treeID: UInt32 = 4
  /// The column of the elements in a leaf.
  static let columnID: UInt32 = 1
  /// The column of the keys of a map.
  static let keyColumnID: UInt32 = 2
  /// What a leaf should take: one block less a margin for guesses, so that one change is cheap.
  static let leafByteLimit = Page.byteCount(inBlocks: 1) - 96
  /// Elements of a leaf that is written: more would make a change slower and save nothing.
  static let leafElementCount = 4096

  let tree: Tree
  let layout: ColumnLayout
  let environment: RowGroupEnvironment

  static let form = TreeForm(
    treeID: treeID, leafKind: .rowGroup, hasByteKeys: false, compressesLeaves: false)

  /// `layout`: of the column that holds the collection.
  init(
    _ value: ExternalValue, _ layout: ColumnLayout, reader: PageReader,
    environment: RowGroupEnvironment
  ) throws(StorageError) {
    tree = Tree(root: try value.listRoot(layout), form: Self.form, reader: reader)
    self.layout = layout
    self.environment = environment
  }

  var count: Int { Int(clamping: tree.root.entryCount) }

  func elements(_ range: Range<Int>) throws -> [Value] {
    try values(range, layout.listColumns.elements)
  }

  func keys(_ range: Range<Int>) throws -> [String] {
    guard let column = layout.listColumns.keys else { preconditionFailure("a map has keys") }
    return try values(range, column).map { $0.string ?? "" }
  }

  /// The values of a range of one column.
  ///
  /// Cost: a descent for each leaf that holds some of them.
  private func values(_ range: Range<Int>, _ column: RowGroupLayout.Column) throws -> [Value] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements of the list")
    var values: [Value] = []
    var leafCount: UInt64 = 0
    while values.count < range.count {
      let ordinal = range.lowerBound + values.count
      leafCount += 1
      // More leaves than the file has room for: branches share them.
      guard leafCount <= tree.reader.pageLimit,
        let (page, first) = try tree.leafPage(atOrdinal: UInt64(ordinal))
      else { throw StorageError.corrupted(block: block, .structure(.sharedPage)) }
      values += try Self.values(
        of: page, from: ordinal - Int(first), limit: range.upperBound - ordinal, column,
        environment)
    }
    return values
  }

  func run(at index: Int) throws -> PartRun {
    guard let (page, first) = try tree.leafPage(atOrdinal: UInt64(index)) else {
      throw StorageError.corrupted(block: block, .structure(.wrongEntryCount))
    }
    return try Self.run(of: page, first: Int(first), containing: index, layout, environment)
  }

  func byteCount() throws -> Int {
    var sum = 0
    var cursor = tree.cursor()
    while let entry = try cursor.next() {
      sum += try Self.byteCount(of: tree.leafPage(entry.reference), layout, environment)
    }
    return sum
  }

  private var block: UInt64 { tree.root.reference.block }

  // MARK: Leaves

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

  /// The values of a column of a leaf from one of its rows on, one at least.
  static func values(
    of page: Page, from row: Int, limit: Int, _ column: RowGroupLayout.Column,
    _ environment: RowGroupEnvironment
  ) throws -> [Value] {
    let rowGroup = try rowGroup(page, environment)
    guard row < rowGroup.rowCount else { throw wrongCount(page) }
    do {
      let view = try rowGroup.column(column.id, column.layout)
      return try (row..<row + min(limit, rowGroup.rowCount - row)).map { try view.value($0) }
    } catch let error as ColumnError { throw ObjectError(error) }
  }

  /// The parts of a leaf, whose first one has the place `first` and which has one at `index`.
  static func run(
    of page: Page, first: Int, containing index: Int, _ layout: ColumnLayout,
    _ environment: RowGroupEnvironment
  ) throws -> PartRun {
    let rowGroup = try rowGroup(page, environment)
    guard index - first < rowGroup.rowCount else { throw wrongCount(page) }
    let column = layout.listColumns.parts
    let view: ColumnView
    do throws(ColumnError) { view = try rowGroup.column(column.id, column.layout) } catch {
      throw ObjectError(error)
    }
    return PartRun(range: first..<first + rowGroup.rowCount) { index in
      // What is read outlives no environment.
      try withExtendedLifetime(environment) { try view.value(index - first) }
    }
  }

  /// What `byteCount` adds up, of one leaf.
  static func byteCount(of page: Page, _ layout: ColumnLayout, _ environment: RowGroupEnvironment)
    throws -> Int
  {
    let rowGroup = try rowGroup(page, environment)
    var sum = 0
    do throws(ColumnError) {
      for column in layout.listColumns.all {
        let values = try rowGroup.column(column.id, column.layout).values
        for row in 0..<rowGroup.rowCount {
          sum += fixedByteCount + min(values.byteCount(row), BlobStore.byteCountLimit)
        }
      }
    } catch { throw ObjectError(error) }
    return sum
  }

  /// What a value takes at least, as `byteCount` counts it.
  static let fixedByteCount = 20

  private static func wrongCount(_ page: Page) -> StorageError {
    .corrupted(block: page.reference.block, .structure(.wrongEntryCount))
  }
}

extension ExternalValue {
  /// The collection that begins at `root`, which is not empty.
  init(listRoot root: TreeRoot, _ layout: ColumnLayout) {
    self.init(
      reference: ExternalReference(
        first: root.reference.location, second: root.reference.checksum),
      byteCount: root.entryCount, prefix: UInt64(root.height) + (layout.hasParts ? 1 : 0))
  }

  /// Where a list, or a set or map that is no single value, begins.
  func listRoot(_ layout: ColumnLayout) throws(StorageError) -> TreeRoot {
    let page = PageReference(location: reference.first, checksum: reference.second)
    let height = layout.hasParts ? prefix &- 1 : prefix
    guard !page.isNone, byteCount > 0, byteCount <= TreeRoot.entryCountLimit,
      height <= UInt64(TreeRoot.heightLimit)
    else { throw .corrupted(block: page.block, .structure(.malformedEntries)) }
    return TreeRoot(reference: page, entryCount: byteCount, height: UInt8(height))
  }
}

/// The columns of a leaf of a list.
struct ListColumns {
  let elements: RowGroupLayout.Column
  /// Of a map.
  let keys: RowGroupLayout.Column?

  /// What an element is found by.
  var parts: RowGroupLayout.Column { keys ?? elements }

  var all: [RowGroupLayout.Column] { [elements] + (keys.map { [$0] } ?? []) }
}

extension ColumnLayout {
  /// How one element of a collection is kept.
  var element: ColumnLayout {
    ColumnLayout(value, isOptional: isOptional, linkTable: linkTable)
  }

  /// How a list of the collection's elements is kept.
  var listColumns: ListColumns {
    ListColumns(
      elements: .init(id: ListTree.columnID, layout: element),
      keys: collection == .map
        ? .init(id: ListTree.keyColumnID, layout: ColumnLayout(.string)) : nil)
  }
}
