internal import AtollStorage

/// One copy of what can be read of a version; see `Database.salvage`.
///
/// Two passes over the leaves of each class. The first finds which objects will be copied, the
/// second copies them, with links to no others. A leaf is copied in both passes or in neither:
/// pages do not change, and a page that verified once is the same the second time.
///
/// Where a branch cannot be read, the leaves below it are looked for in the whole file.
struct SalvageRun {
  private let source: Snapshot
  private let finder: LeafFinder
  private let transaction: Transaction
  private(set) var report = SalvageReport()
  /// The keys of the objects that are copied, by class, ascending.
  private var keys: [UInt32: [UInt64]] = [:]

  init(_ source: Snapshot, _ transaction: Transaction) {
    self.source = source
    finder = LeafFinder(source)
    self.transaction = transaction
    report.version = source.version
  }

  /// Says that a newer version could not be read at all; `error` is nil where it is not whole, as
  /// after a power cut.
  mutating func noteNewerVersion(_ error: ObjectError?) {
    report.losses.append(.init(kind: .newerVersion, cause: error?.storageError))
  }

  mutating func run(progress: (Double) -> Void) throws {
    transaction.adoptEmptied(source.catalogue)
    transaction.leaveOutDerivedTrees()
    var tables: [Table] = []
    for schema in source.schema.tables { tables.append(try source.table(schema.name)) }
    for (index, table) in tables.enumerated() {
      findKeys(of: table)
      progress(Double(index + 1) / Double(2 * tables.count))
    }
    for (index, table) in tables.enumerated() {
      try copyObjects(of: table)
      progress(Double(tables.count + index + 1) / Double(2 * tables.count))
    }
    try copyWaitingLinks()
    try copyNamedTrees()
    try leaveOutBrokenIndexes()
    try transaction.database.participant?.mend(transaction)
  }

  // MARK: Keys

  /// Finds the objects of a class that can be copied, and lists those that cannot.
  private mutating func findKeys(of table: Table) {
    var found: [UInt64] = []
    var losses: [SalvageReport.Loss] = []
    forEachLeaf(of: table) { page, rowGroup throws(StorageError) in
      try Self.requirePrimaryKey(of: table, in: rowGroup)
      var previous = found.last
      for row in 0..<rowGroup.rowCount {
        let key = rowGroup.key(row)
        guard previous.map({ $0 < key }) ?? true else {
          throw .corrupted(block: page.reference.block, .structure(.keysOutOfOrder))
        }
        previous = key
      }
      for row in 0..<rowGroup.rowCount { found.append(rowGroup.key(row)) }
    } lost: { lower, upper, count, error in
      losses.append(
        .init(
          kind: .objects, className: table.name, keys: Self.range(lower, upper),
          count: Int(clamping: count), cause: error,
          hasPrimaryKeys: table.schema.isKeyedByPrimaryKey))
    }
    report.losses += losses
    if !table.schema.isHidden {
      report.classes.append(
        .init(
          name: table.name, objectCount: max(table.count, found.count), copiedCount: found.count))
    }
    keys[table.schema.id] = found
  }

  /// Without its primary key an object cannot be told from others: it counts as lost.
  private static func requirePrimaryKey(of table: Table, in rowGroup: RowGroupPage)
    throws(StorageError)
  {
    guard let column = table.schema.primaryKey, !table.schema.isKeyedByPrimaryKey else { return }
    do {
      let view = try rowGroup.column(column.id, column.layout)
      for row in 0..<rowGroup.rowCount { _ = try view.value(row) }
    } catch { throw StorageError(reading: error) }
  }

  /// Visits the leaves that can be reached, and says which keys lie below pages that cannot be
  /// read.
  private func forEachLeaf(
    of table: Table, _ body: (Page, RowGroupPage) throws(StorageError) -> Void,
    lost: (_ lower: UInt64, _ upper: UInt64, _ count: UInt64, StorageError) -> Void
  ) {
    let tree = table.tree
    guard !tree.root.reference.isNone else { return }
    var pageCount: UInt64 = 0
    func visit(
      _ reference: PageReference, level: Int, _ lower: UInt64, _ upper: UInt64, _ count: UInt64
    ) {
      // In a damaged file pages may be shared so often that the walk would not end.
      pageCount += 1
      guard pageCount <= tree.reader.pageLimit else {
        return lost(
          lower, upper, count, .corrupted(block: reference.block, .structure(.sharedPage)))
      }
      do throws(StorageError) {
        guard level > 0 else {
          let page = try tree.leafPage(reference)
          return try body(page, try table.rowGroup(page))
        }
        let branch = try tree.branch(reference, level: level)
        for index in 0..<branch.count {
          let start = index == 0 ? lower : branch.key(index).prefix
          let end = index + 1 < branch.count ? branch.key(index + 1).prefix &- 1 : upper
          visit(branch.reference(index), level: level - 1, start, end, branch.entryCount(index))
        }
      } catch {
        guard level > 0, lower <= upper else { return lost(lower, upper, count, error) }
        var rest = count
        for leaf in finder.leaves(of: table) where lower <= leaf.first && leaf.last <= upper {
          guard let page = try? tree.leafPage(leaf.reference),
            let rowGroup = try? table.rowGroup(page), (try? body(page, rowGroup)) != nil
          else { continue }
          rest -= min(rest, UInt64(rowGroup.rowCount))
        }
        if rest > 0 { lost(lower, upper, rest, error) }
      }
    }
    visit(tree.root.reference, level: Int(tree.root.height), 0, .max, tree.root.entryCount)
  }

  private static func range(_ lower: UInt64, _ upper: UInt64) -> ClosedRange<ObjectKey>? {
    guard lower <= upper, (lower, upper) != (0, .max) else { return nil }
    return ObjectKey(rawValue: lower)...ObjectKey(rawValue: upper)
  }

  // MARK: Objects

  private mutating func copyObjects(of table: Table) throws {
    let writer = try transaction.writer(id: table.schema.id)
    let copied = keys[table.schema.id] ?? []
    var next = 0
    var failure: (any Error)?
    var losses = LossList(table.schema)
    forEachLeaf(of: table) { _, rowGroup throws(StorageError) in
      // A leaf that the first pass refused has other keys than the next ones.
      guard failure == nil, next + rowGroup.rowCount <= copied.count,
        rowGroup.rowCount == 0 || rowGroup.key(0) == copied[next]
      else { return }
      next += rowGroup.rowCount
      do {
        try copy(rowGroup, of: table, writer, &losses)
      } catch { failure = error }
    } lost: { _, _, _, _ in
      // Listed by the first pass.
    }
    if let failure { throw failure }
    report.losses += losses.losses
  }

  private func copy(
    _ rowGroup: RowGroupPage, of table: Table, _ writer: TableWriter, _ losses: inout LossList
  ) throws {
    var views: [ColumnView?] = []
    for column in table.schema.columns {
      do { views.append(try rowGroup.column(column.id, column.layout)) } catch {
        views.append(nil)
        losses.add(
          column, rowGroup.key(0)...rowGroup.key(rowGroup.rowCount - 1), rowGroup.rowCount,
          StorageError(reading: error))
      }
    }
    for row in 0..<rowGroup.rowCount {
      let key = rowGroup.key(row)
      try writer.insert(key)
      for (column, view) in zip(table.schema.columns, views) {
        guard let view else { continue }
        let value: Value
        do { value = try view.value(row) } catch {
          losses.add(column, key...key, 1, StorageError(reading: error))
          continue
        }
        guard column.layout.mayHoldLinks else {
          try writer.setSelected(column, value)
          continue
        }
        let (kept, lostCount) = surviving(value, column)
        if lostCount > 0 { losses.addLinks(column, key, lostCount) }
        try writer.setSelected(column, kept)
      }
    }
  }

  /// The value without links to objects that are not copied, and how many those are.
  private func surviving(_ value: Value, _ column: Column) -> (Value, removedCount: Int) {
    let isLost = { (link: ObjectLink) in
      !DistinctKeys.contains(keys[link.table] ?? [], link.key)
    }
    return column.layout.value == .mixed
      ? value.clearingLinks(where: isLost) : value.removingLinks(where: isLost)
  }

  private mutating func copyWaitingLinks() throws {
    do {
      try transaction.pending.copy(of: source) { link in
        DistinctKeys.contains(keys[link.table] ?? [], link.key)
      }
    } catch {
      guard case .storage(let cause) = error else { throw error }
      report.losses.append(.init(kind: .waitingLinks, cause: cause))
    }
  }

  /// Leaves out the unique indexes that do not hold any more, as values are lost.
  private mutating func leaveOutBrokenIndexes() throws(ObjectError) {
    for table in source.schema.tables {
      for index in table.indexes where index.isUnique {
        guard try transaction.isBroken(index) else { continue }
        try transaction.removeIndex(index.schema, of: table.name)
        report.losses.append(
          .init(kind: .uniqueIndex, className: table.name, property: index.propertyNames))
      }
    }
  }

  private mutating func copyNamedTrees() throws(ObjectError) {
    for name in source.namedTreeNames where !name.hasPrefix(NamedTree.derivedPrefix) {
      guard let record = source.catalogue.namedTrees[name] else { continue }
      var salvage = NamedTreeSalvage(
        record, of: source, into: try transaction.namedTree(name), finder)
      try salvage.run()
      guard salvage.lostCount > 0 else { continue }
      report.losses.append(
        .init(
          kind: .entries, className: name, count: Int(clamping: salvage.lostCount),
          cause: salvage.cause))
    }
  }
}

/// Finds the leaves of trees that lie below branches that cannot be read.
final class LeafFinder {
  struct Leaf {
    var reference: PageReference
    var first: UInt64
    var last: UInt64
  }

  private let snapshot: Snapshot
  /// Read with the first branch that is damaged.
  private lazy var found = FoundLeaves(in: snapshot.storage)
  private var known: [UInt32: [Leaf]] = [:]

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// The leaves of a tree, in the order of their blocks.
  func references(treeID: UInt32) -> [PageReference] { found[treeID] }

  /// The leaves of a table that have objects, in ascending order of their first keys.
  func leaves(of table: Table) -> [Leaf] {
    let tree = table.tree
    if let leaves = known[tree.form.treeID] { return leaves }
    var leaves: [Leaf] = []
    for reference in found[tree.form.treeID] {
      guard let page = try? tree.leafPage(reference), let rowGroup = try? table.rowGroup(page),
        rowGroup.rowCount > 0
      else { continue }
      leaves.append(
        Leaf(
          reference: reference, first: rowGroup.key(0), last: rowGroup.key(rowGroup.rowCount - 1)))
    }
    leaves.sort { $0.first < $1.first }
    known[tree.form.treeID] = leaves
    return leaves
  }
}

/// The losses of one class, those of neighbours put together.
private struct LossList {
  private let schema: TableSchema
  private(set) var losses: [SalvageReport.Loss] = []
  private var last: [UInt32: Int] = [:]

  init(_ schema: TableSchema) { self.schema = schema }

  mutating func add(
    _ column: Column, _ keys: ClosedRange<UInt64>, _ count: Int, _ cause: StorageError
  ) {
    add(.values, column, keys, count, cause)
  }

  mutating func addLinks(_ column: Column, _ key: UInt64, _ count: Int) {
    add(.links, column, key...key, count, nil)
  }

  private mutating func add(
    _ kind: SalvageReport.Loss.Kind, _ column: Column, _ keys: ClosedRange<UInt64>, _ count: Int,
    _ cause: StorageError?
  ) {
    if let index = last[column.id], losses[index].kind == kind, losses[index].cause == cause,
      let known = losses[index].keys
    {
      losses[index].keys = known.lowerBound...ObjectKey(rawValue: keys.upperBound)
      losses[index].count = (losses[index].count ?? 0) + count
      return
    }
    last[column.id] = losses.count
    losses.append(
      .init(
        kind: kind, className: schema.name, property: column.name,
        keys: ObjectKey(rawValue: keys.lowerBound)...ObjectKey(rawValue: keys.upperBound),
        count: count, cause: cause, hasPrimaryKeys: schema.isKeyedByPrimaryKey))
  }
}
