internal import AtollStorage

/// A collection outside of its leaf inside a write transaction.
///
/// A change decodes the leaf of its element and the branches above it; all else stays as it lies. A
/// new element gets a label between those of its neighbours. Where there is none left, the labels
/// of its leaf are spaced again, and those of the whole list when its leaf has none left: after
/// some thousands of insertions at one place.
final class MutableListTree: OutsideList {
  /// Labels between two neighbours that are appended.
  static let defaultSpacing: UInt64 = 1 << 32

  private let tree: MutableTree
  let layout: ColumnLayout
  private let columns: ListColumns
  private let rowGroupLayout: RowGroupLayout
  private let environment: RowGroupEnvironment
  private let reader: PageReader
  private let spacing: UInt64
  /// The block of the list's root as it was opened, for errors; 0 for a list that was empty then.
  private let rootBlock: UInt64
  private(set) var count: Int
  /// The last element's label; nil when it has to be looked up.
  private var greatestLabel: UInt64?

  /// `layout`: of the column that holds the collection.
  init(
    _ root: TreeRoot, _ layout: ColumnLayout, transaction: WriteTransaction,
    environment: RowGroupEnvironment, spacing: UInt64 = MutableListTree.defaultSpacing
  ) {
    self.layout = layout
    columns = layout.listColumns
    self.environment = environment
    self.spacing = spacing
    rootBlock = root.reference.block
    reader = transaction.reader
    count = Int(clamping: root.entryCount)
    let rowGroupLayout = RowGroupLayout(layout.listColumns.all)
    self.rowGroupLayout = rowGroupLayout
    tree = MutableTree(
      root: root, form: ListTree.form, leafByteLimit: ListTree.leafByteLimit,
      transaction: transaction,
      makeLeaf: { MutableListLeaf(RowGroupBuilder(rowGroupLayout, store: environment.store)) },
      decodeLeaf: { page throws(StorageError) in
        let view = try ListTree.rowGroup(page, environment)
        do throws(ColumnError) {
          return MutableListLeaf(
            try RowGroupBuilder(opening: view, rowGroupLayout, store: environment.store))
        } catch { throw StorageError(reading: error) }
      })
  }

  // MARK: Reading

  func elements(_ range: Range<Int>) throws -> [Value] { try values(range, columns.elements) }

  func keys(_ range: Range<Int>) throws -> [String] {
    guard let column = columns.keys else { preconditionFailure("a map has keys") }
    return try values(range, column).map { $0.string ?? "" }
  }

  private func values(_ range: Range<Int>, _ column: RowGroupLayout.Column) throws -> [Value] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "elements of the list")
    var values: [Value] = []
    var storedCount: UInt64 = 0
    while values.count < range.count {
      let ordinal = range.lowerBound + values.count
      let (key, first) = try tree.leafKey(ofOrdinal: UInt64(ordinal))
      let row = ordinal - Int(first)
      let limit = range.upperBound - ordinal
      switch try tree.locate(key) {
      case .nowhere: throw contradiction
      case .stored(let page):
        storedCount += 1
        // More leaves than the file has room for: branches share them.
        guard storedCount <= reader.pageLimit else { throw contradiction }
        values += try ListTree.values(of: page, from: row, limit: limit, column, environment)
      case .mutable(let leaf):
        let builder = Self.leaf(leaf).builder
        guard row < builder.rowCount else { throw contradiction }
        for row in row..<row + min(limit, builder.rowCount - row) {
          values.append(try builder.value(column.id, row))
        }
      }
    }
    return values
  }

  func run(at index: Int) throws -> PartRun {
    let (key, ordinal) = try tree.leafKey(ofOrdinal: UInt64(index))
    let first = Int(ordinal)
    switch try tree.locate(key) {
    case .nowhere: throw contradiction
    case .stored(let page):
      return try ListTree.run(of: page, first: first, containing: index, layout, environment)
    case .mutable(let leaf):
      let builder = Self.leaf(leaf).builder
      guard index - first < builder.rowCount else { throw contradiction }
      let id = columns.parts.id
      return PartRun(range: first..<first + builder.rowCount) {
        try builder.value(id, $0 - first)
      }
    }
  }

  func byteCount() throws -> Int {
    var sum = 0
    var index = 0
    while index < count {
      let (key, first) = try tree.leafKey(ofOrdinal: UInt64(index))
      let rowCount: Int
      switch try tree.locate(key) {
      case .nowhere: throw contradiction
      case .stored(let page):
        rowCount = try ListTree.rowGroup(page, environment).rowCount
        sum += try ListTree.byteCount(of: page, layout, environment)
      case .mutable(let leaf):
        let builder = Self.leaf(leaf).builder
        rowCount = builder.rowCount
        for column in columns.all {
          for row in 0..<rowCount {
            sum +=
              ListTree.fixedByteCount
              + MixedCoding.byteCount(of: try builder.value(column.id, row))
          }
        }
      }
      guard Int(first) + rowCount > index else { throw contradiction }
      index = Int(first) + rowCount
    }
    return sum
  }

  // MARK: Changing

  func insert(_ element: Value, key: String?, at index: Int) throws {
    precondition(index >= 0 && index <= count, "a place in the list")
    precondition((key == nil) == (columns.keys == nil), "entries of maps have keys")
    if index == count { return try append(element, key) }
    let place = try place(index)
    guard let label = try label(before: place) else {
      return try replaceAll(inserting: element, key, at: index)
    }
    let builder = place.leaf.builder
    let row = try builder.insertRow(label)
    guard row == place.row else { throw contradiction }
    try fill(place.leaf, row, element, key)
    count += 1
  }

  /// Gives a new row its element and key.
  private func fill(_ leaf: MutableListLeaf, _ row: Int, _ element: Value, _ key: String?) throws {
    try leaf.column().set(row, element)
    if let key { try leaf.builder.column(ListTree.keyColumnID).set(row, .string(key)) }
  }

  func set(_ index: Int, _ element: Value) throws {
    precondition(index >= 0 && index < count, "an element of the list")
    let place = try place(index)
    try place.leaf.column().set(place.row, element)
  }

  func remove(at index: Int) throws {
    precondition(index >= 0 && index < count, "an element of the list")
    let place = try place(index)
    try place.leaf.builder.removeRows([place.row])
    // The tree drops an empty leaf without encoding it.
    if place.leaf.entryCount == 0 { try place.leaf.builder.freeReleased() }
    count -= 1
    greatestLabel = nil
  }

  private func append(_ element: Value, _ key: String?) throws {
    let label: UInt64
    if let greatest = try greatest() {
      guard greatest <= .max - spacing - 1 else {
        return try replaceAll(inserting: element, key, at: count)
      }
      label = greatest + spacing
    } else {
      label = 1 << 63
    }
    let leaf = Self.leaf(
      try tree.leafForAppend(isFull: { Self.leaf($0).isFull }, key: TreeKey(label)))
    guard leaf.entryCount == 0 || leaf.highestKey < TreeKey(label) else { throw contradiction }
    try leaf.builder.appendKey(label)
    for column in columns.all { try leaf.builder.column(column.id).appendDefault() }
    try fill(leaf, leaf.entryCount - 1, element, key)
    count += 1
    greatestLabel = label
  }

  private func greatest() throws -> UInt64? {
    if let greatestLabel { return greatestLabel }
    guard count > 0 else { return nil }
    let (key, _) = try tree.leafKey(ofOrdinal: UInt64(count - 1))
    switch try tree.locate(key) {
    case .nowhere: throw contradiction
    case .stored(let page):
      let rowGroup = try RowGroupPage(page, environment: environment)
      guard rowGroup.rowCount > 0 else { throw contradiction }
      return rowGroup.key(rowGroup.rowCount - 1)
    case .mutable(let leaf):
      guard leaf.entryCount > 0 else { throw contradiction }
      return leaf.highestKey.prefix
    }
  }

  /// An element in its leaf, and the labels that belong there.
  private struct Place {
    var leaf: MutableListLeaf
    var row: Int
    /// The least label of the leaf; nil for the first leaf.
    var lower: UInt64?
    /// The least label of the next leaf; nil for the last leaf.
    var upper: UInt64?
  }

  private func place(_ index: Int) throws -> Place {
    // A leaf that has grown too much is split when it is asked for, and is looked for again then.
    for _ in 0..<3 {
      let (key, first) = try tree.leafKey(ofOrdinal: UInt64(index))
      let leaf = Self.leaf(try tree.mutableLeaf(for: key))
      let row = index - Int(first)
      guard row < leaf.entryCount else { continue }
      let upper = try tree.locateWithBound(key).upper
      return Place(
        leaf: leaf, row: row, lower: key == .lowest ? nil : key.prefix, upper: upper?.prefix)
    }
    throw contradiction
  }

  /// A label for a new element before another one; nil when the leaf has none left.
  private func label(before place: Place) throws -> UInt64? {
    if let free = freeLabel(before: place) { return free }
    let builder = place.leaf.builder
    let rowCount = UInt64(builder.rowCount)
    let (span, overflow) = spacing.multipliedReportingOverflow(by: rowCount + 1)
    guard !overflow else { return nil }
    let first = builder.key(0)
    let last = builder.key(builder.rowCount - 1)
    let lower = place.lower ?? (first > span ? first - span : 0)
    let upper = place.upper ?? (last < .max - span ? last + span : .max)
    guard lower < upper else { throw contradiction }
    let stride = (upper - lower) / (rowCount + 2)
    guard stride >= 2 else { return nil }
    builder.setKeys(first: lower + stride, stride: stride)
    greatestLabel = nil
    return freeLabel(before: place)
  }

  private func freeLabel(before place: Place) -> UInt64? {
    let after = place.leaf.builder.key(place.row)
    if place.row > 0 {
      let before = place.leaf.builder.key(place.row - 1)
      return after - before >= 2 ? before + (after - before) / 2 : nil
    }
    if let lower = place.lower { return after > lower ? lower + (after - lower) / 2 : nil }
    if after > spacing { return after - spacing }
    return after > 0 ? after / 2 : nil
  }

  /// Rewrites the list, with one element more and with labels in the middle of all.
  private func replaceAll(inserting element: Value, _ key: String?, at index: Int) throws {
    var elements = try elements(0..<count)
    elements.insert(element, at: index)
    var keys: [String]?
    if let key {
      keys = try self.keys(0..<count)
      keys?.insert(key, at: index)
    }
    try removeAll()
    for (index, element) in elements.enumerated() { try append(element, keys?[index]) }
  }

  private static func leaf(_ leaf: any TreeLeaf) -> MutableListLeaf {
    guard let leaf = leaf as? MutableListLeaf else {
      preconditionFailure("a list's leaves are of one form")
    }
    return leaf
  }

  /// A damaged file says that there are more elements, or in another order, than there are.
  private var contradiction: StorageError {
    .corrupted(block: rootBlock, .structure(.wrongEntryCount))
  }

  // MARK: End

  func store() throws -> ExternalValue {
    let root = try tree.flush()
    guard root.entryCount == UInt64(count), count > 0 else { throw contradiction }
    return ExternalValue(listRoot: root, layout)
  }

  func removeAll() throws {
    try tree.removeAll { location throws(StorageError) in
      do {
        let released: [ReleasedValue]
        switch location {
        case .nowhere: released = []
        case .mutable(let leaf):
          let builder = Self.leaf(leaf).builder
          try builder.freeReleased()
          released = try builder.outsideValues()
        case .stored(let page):
          let rowGroup = try RowGroupPage(page, environment: environment)
          released = try columns.all.flatMap { column in
            try rowGroup.column(column.id, column.layout).externalReferences.map { .value($0) }
          }
        }
        for value in released { try environment.store?.free(value) }
      } catch { throw StorageError(reading: error) }
    }
    count = 0
    greatestLabel = nil
  }
}
