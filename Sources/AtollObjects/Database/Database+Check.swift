public import AtollStorage

/// What `Database.check` saw.
public struct CheckReport: Equatable, Sendable {
  /// What is wrong; empty for a sound file.
  public var findings: [CheckFinding] = []
  /// How many pages were visited whose checksums hold.
  public var pageCount = 0
  /// How many objects of classes that are not hidden were found in leaves that can be read.
  public var objectCount = 0
}

extension Database {
  /// Verifies every page, tree, index, link and free run of the newest version against each other.
  ///
  /// Hidden classes and internal trees are verified too, and not counted.
  ///
  /// Rules, beyond those of each page and tree:
  ///
  /// 1. Every column of every row group decodes, and every value in it, every list outside
  ///   included; the members of sets and the keys of maps ascend.
  /// 2. An index has exactly one entry for each object, with the object's value or values; a unique
  ///    one has no two with the same values, none of them null.
  /// 3. A full-text index has exactly one entry for each word of an object's text.
  /// 4. A link leads to an object that exists, and has a backlink; a backlink has its link, as
  ///    often as the source holds the target.
  /// 5. The zone maps of each leaf hold for its values: a scan leaves out what they rule out.
  /// 6. What the database's participant keeps fits together and fits the objects.
  /// 7. Every block is in use by one page, free or waiting, and never two of these.
  ///
  /// Tells `progress` the share of the work that is done, now and then. Throws only when the file
  /// cannot be read at all. Cost: reads the whole file; memory for the entries of one index at a
  /// time.
  public func check(progress: (Double) -> Void = { _ in }) throws(ObjectError) -> CheckReport {
    let snapshot: Snapshot
    var report = CheckReport()
    do throws(ObjectError) {
      snapshot = try self.snapshot()
    } catch {
      report.findings = [CheckFinding(block: nil, message: "\(error)")]
      return report
    }
    var checker = Checker(snapshot, participant)
    checker.run(progress: progress)
    report.findings = checker.audit.findings
    report.pageCount = checker.audit.pageCount
    report.objectCount = checker.objectCount
    return report
  }
}

/// One walk over a whole version.
private struct Checker {
  let snapshot: Snapshot
  let participant: (any DatabaseParticipant)?
  var audit = Audit()
  var objectCount = 0
  /// The keys of each class's objects, ascending.
  private var keys: [UInt32: [UInt64]] = [:]

  init(_ snapshot: Snapshot, _ participant: (any DatabaseParticipant)?) {
    self.snapshot = snapshot
    self.participant = participant
  }

  mutating func run(progress: (Double) -> Void) {
    let storage = snapshot.storage
    KeyValueTree(
      root: storage.slot.catalogue, treeID: Catalogue.treeID, reader: storage.reader
    ).check(&audit) { _, _ in }
    let pending = snapshot.catalogue.pendingLinks
    KeyValueTree(root: pending.root, treeID: pending.treeID, reader: storage.reader)
      .check(&audit) { _, _ in }
    for name in snapshot.namedTreeNames {
      guard let tree = snapshot.catalogue.namedTrees[name] else { continue }
      KeyValueTree(root: tree.root, treeID: tree.treeID, reader: storage.reader)
        .check(&audit) { _, _ in }
    }
    let tables = snapshot.schema.tables
    var done = 0.0
    let total = Double(max(1, tables.count * 2))
    for table in tables {
      checkRows(of: table)
      checkZones(of: table)
      done += 1
      progress(done / total)
    }
    for table in tables {
      for column in table.columns {
        checkIndex(of: column, in: table)
        checkFullTextIndex(of: column, in: table)
        checkBacklinks(of: column, in: table)
      }
      for index in table.indexes { check(index, of: table) }
      done += 1
      progress(done / total)
    }
    for finding in participant?.check(snapshot) ?? [] { audit.report(finding) }
    storage.checkSpace(&audit)
  }

  /// Walks the row groups of a class and decodes every value.
  private mutating func checkRows(of schema: TableSchema) {
    guard let table = try? snapshot.table(schema.name) else {
      return audit.report("class '\(schema.name)' cannot be opened")
    }
    var keys: [UInt64] = []
    let snapshot = snapshot
    table.tree.check(&audit) { page, audit throws(StorageError) in
      let rowGroup = try table.rowGroup(page)
      let first = keys.count
      for row in 0..<rowGroup.rowCount {
        let key = rowGroup.key(row)
        if row > 0, let last = keys.last, last >= key {
          audit.report(.corrupted(block: page.reference.block, .structure(.keysOutOfOrder)))
        }
        keys.append(key)
      }
      for column in schema.columns {
        do {
          let view = try rowGroup.column(column.id, column.layout)
          for row in 0..<rowGroup.rowCount {
            _ = try view.value(row)
            guard column.layout.hasParts, try !view.hasAscendingParts(row) else { continue }
            audit.report(
              "\(schema.name).\(column.name): a set or map is not in order",
              block: page.reference.block)
          }
          for reference in view.externalReferences {
            Self.checkBlob(reference, reader: snapshot.storage.reader, &audit)
          }
          for value in view.externalLists {
            try Self.checkList(
              value, column.layout, table.environment, reader: snapshot.storage.reader, &audit)
          }
        } catch {
          audit.report(
            "\(schema.name).\(column.name) cannot be read: \(error)",
            block: page.reference.block)
        }
      }
      // Not the first and the last: the keys may be out of order.
      guard let least = keys[first...].min(), let greatest = keys[first...].max() else {
        return (0, nil)
      }
      return (UInt64(keys.count - first), TreeKey(least)...TreeKey(greatest))
    }
    if !schema.isHidden { objectCount += keys.count }
    self.keys[schema.id] = keys
  }

  /// Compares what the tree says of the leaves of a class with their values.
  private mutating func checkZones(of schema: TableSchema) {
    guard let table = try? snapshot.table(schema.name) else { return }
    var cursor = table.tree.cursor()
    // A row group that cannot be read was reported before.
    while let entry = try? cursor.next() {
      guard let rowGroup = try? table.rowGroup(entry.reference) else { continue }
      let zones = ZoneMaps(entry.summary.copy())
      for column in schema.columns where column.layout.collection == .none {
        guard let zone = zones.zone(column.id),
          let view = try? rowGroup.column(column.id, column.layout)
        else { continue }
        var nullCount = 0
        var isOutside = false
        for row in 0..<rowGroup.rowCount {
          guard let value = try? view.value(row) else { continue }
          if value.isNull { nullCount += 1 } else { isOutside = isOutside || !zone.allows(value) }
        }
        guard isOutside || nullCount != zone.nullCount else { continue }
        audit.report(
          "the zone map of \(schema.name).\(column.name) does not hold for its values",
          block: entry.reference.block)
      }
    }
  }

  /// Walks the tree of a collection outside of its leaf and decodes every element.
  private static func checkList(
    _ value: ExternalValue, _ layout: ColumnLayout, _ environment: RowGroupEnvironment,
    reader: PageReader, _ audit: inout Audit
  ) throws(StorageError) {
    let list = try ListTree(value, layout, reader: reader, environment: environment)
    var last: Value?
    list.tree.check(&audit) { page, audit throws(StorageError) in
      let rowGroup = try RowGroupPage(page, environment: environment)
      for row in 1..<max(rowGroup.rowCount, 1) where rowGroup.key(row - 1) >= rowGroup.key(row) {
        audit.report(.corrupted(block: page.reference.block, .structure(.keysOutOfOrder)))
      }
      do {
        for column in layout.listColumns.all {
          let view = try rowGroup.column(column.id, column.layout)
          let isSorted = layout.hasParts && column.id == layout.listColumns.parts.id
          for row in 0..<rowGroup.rowCount {
            let value = try view.value(row)
            guard isSorted else { continue }
            if let last, Value.sortOrder(last, value) != .less {
              audit.report(.corrupted(block: page.reference.block, .structure(.keysOutOfOrder)))
            }
            last = value
          }
          for reference in view.externalReferences { checkBlob(reference, reader: reader, &audit) }
        }
      } catch {
        audit.report(
          "elements of a collection cannot be read: \(error)", block: page.reference.block)
      }
      guard rowGroup.rowCount > 0 else { return (0, nil) }
      let first = TreeKey(rowGroup.key(0))
      return (
        UInt64(rowGroup.rowCount), first...max(first, TreeKey(rowGroup.key(rowGroup.rowCount - 1)))
      )
    }
  }

  private static func checkBlob(
    _ reference: ExternalReference, reader: PageReader, _ audit: inout Audit
  ) {
    do {
      try BlobStore(reader: reader).forEachPage(reference) { page in
        _ = audit.visit(page.reference, reader: reader)
      }
    } catch { audit.report("a value outside its leaf cannot be read: \(error)") }
  }

  private mutating func checkIndex(of column: Column, in table: TableSchema) {
    guard let index = try? snapshot.index(column) else { return }
    var expected: [Entry] = []
    forEachValue(of: column, in: table) { key, value in
      if let bytes = Index.bytes(of: value) { expected.append(Entry(value: bytes, key: key)) }
    }
    compare(
      index, isCounted: false, with: expected, "index of \(table.name).\(column.name)",
      missing: "an object has no entry in it", extra: "an entry has no object with its value")
  }

  private mutating func check(_ index: TableIndex, of table: TableSchema) {
    let name = "index of \(table.name) (\(index.propertyNames))"
    guard let found = try? snapshot.index(index), let objects = try? snapshot.table(table.name)
    else { return audit.report("\(name): it cannot be opened") }
    var expected: [Entry] = []
    // A row group that cannot be read was reported before.
    try? objects.forEach { object in
      let values = try index.columns.map { try object.value($0) }
      guard let bytes = Index.bytes(ofAll: values) else { return }
      expected.append(Entry(value: bytes, key: object.key.rawValue))
    }
    if index.isUnique, let twice = UniqueIndex.firstRepeated(in: expected.map(\.value)) {
      audit.report("\(name): it is unique, and two objects have \(UniqueIndex.text(twice))")
    }
    compare(
      found, isCounted: false, with: expected, name,
      missing: "an object has no entry in it", extra: "an entry has no object with its values")
  }

  private mutating func checkFullTextIndex(of column: Column, in table: TableSchema) {
    guard let index = try? snapshot.fullTextIndex(column) else { return }
    var expected: [Entry] = []
    forEachValue(of: column, in: table) { key, value in
      guard case .string(let text) = value else { return }
      let tokens = TokenSet(text)
      for position in 0..<tokens.count {
        let bytes = Index.range(ofToken: tokens.token(position)).lower
        expected.append(Entry(value: bytes, key: key))
      }
    }
    compare(
      index, isCounted: false, with: expected, "full-text index of \(table.name).\(column.name)",
      missing: "a word of an object has no entry in it",
      extra: "an entry has no object with its word")
  }

  private mutating func checkBacklinks(of column: Column, in table: TableSchema) {
    guard column.layout.mayHoldLinks else { return }
    var expected: [Entry] = []
    var dangling = 0
    forEachValue(of: column, in: table) { key, value in
      for target in value.links {
        if !DistinctKeys.contains(keys[target.table] ?? [], target.key) { dangling += 1 }
        if let bytes = Index.bytes(of: Index.target(target, of: column)) {
          expected.append(Entry(value: bytes, key: key))
        }
      }
    }
    if dangling > 0 {
      audit.report(
        "\(dangling) links of \(table.name).\(column.name) lead to objects that do not exist")
    }
    guard let index = try? snapshot.backlinks(column) else {
      if expected.isEmpty, column.layout.value == .mixed { return }
      return audit.report("the links of \(table.name).\(column.name) have no backlinks")
    }
    compare(
      index, isCounted: true, with: expected, "backlinks of \(table.name).\(column.name)",
      missing: "a link has no backlink", extra: "a backlink has no link (it dangles)")
  }

  private struct Entry: Hashable, Comparable {
    var value: [UInt8]
    var key: UInt64

    static func < (a: Entry, b: Entry) -> Bool {
      if a.value != b.value { return a.value.lexicographicallyPrecedes(b.value) }
      return a.key < b.key
    }
  }

  /// Walks an index and compares its entries with what the objects say there must be.
  private mutating func compare(
    _ index: Index, isCounted: Bool, with expected: [Entry], _ name: String,
    missing: String, extra: String
  ) {
    var found: [Entry] = []
    index.check(&audit, isCounted: isCounted) { value, key in
      found.append(Entry(value: value, key: key))
    }
    let expected = expected.sorted()
    found.sort()
    guard found != expected else { return }
    var (i, j, missingCount, extraCount) = (0, 0, 0, 0)
    while i < expected.count || j < found.count {
      if j == found.count || i < expected.count && expected[i] < found[j] {
        missingCount += 1
        i += 1
      } else if i == expected.count || found[j] < expected[i] {
        extraCount += 1
        j += 1
      } else {
        i += 1
        j += 1
      }
    }
    if missingCount > 0 { audit.report("\(name): \(missing) (\(missingCount) in all)") }
    if extraCount > 0 { audit.report("\(name): \(extra) (\(extraCount) in all)") }
  }

  /// Visits a column's values; a row group that cannot be read was reported before.
  private func forEachValue(
    of column: Column, in table: TableSchema, _ body: (UInt64, Value) -> Void
  ) {
    guard let table = try? snapshot.table(table.name) else { return }
    var cursor = table.tree.cursor()
    while let entry = try? cursor.next() {
      guard let rowGroup = try? table.rowGroup(entry.reference),
        let view = try? rowGroup.column(column.id, column.layout)
      else { continue }
      for row in 0..<rowGroup.rowCount {
        if let value = try? view.value(row) { body(rowGroup.key(row), value) }
      }
    }
  }
}
