internal import AtollObjects
internal import AtollStorage

/// A table as one run of a query reads it.
final class TableAccess {
  let table: Table
  private var bounds: (least: UInt64, greatest: UInt64)?
  private var knownStatistics: TableStatistics?
  private var knownLeafList: LeafList?
  private var knownDecodedLeaves: DecodedLeaves?
  // What is known of the columns that were scanned; mostly one or two.
  private var intVectors: [(id: UInt32, vectors: ColumnVectors<IntVector>)] = []
  private var nanosecondVectors: [(id: UInt32, vectors: ColumnVectors<IntVector>)] = []
  private var bitVectors: [(id: UInt32, vectors: ColumnVectors<BitVector>)] = []
  private var doubleVectors: [(id: UInt32, vectors: ColumnVectors<FixedVector>)] = []
  private var bytesVectors: [(id: UInt32, vectors: ColumnVectors<BytesVector>)] = []
  /// The leaf that was looked into last.
  private var lastLeaf: Leaf?
  /// How many objects were looked up by their keys.
  private(set) var locatedCount = 0

  /// - Throws: `.corrupted` for a table that claims more objects than the file has room for: queries
  ///   ask for memory by that number.
  init(_ table: Table) throws {
    let root = table.tree.root
    let rowLimit = UInt64(RowGroupPage.maximumRowCount)
    guard (root.entryCount + rowLimit - 1) / rowLimit <= table.tree.reader.pageLimit else {
      throw StorageError.corrupted(block: root.reference.block, .structure(.wrongEntryCount))
    }
    self.table = table
  }

  var schema: TableSchema { table.schema }
  var count: Int { table.count }

  /// The leaves of the table.
  ///
  /// - Returns: nil when the list is not made yet and `isBuilt` is false.
  func leafList(isBuilt: Bool) throws -> LeafList? {
    if let knownLeafList { return knownLeafList }
    knownLeafList = try LeafList.of(table, isBuilt: isBuilt)
    return knownLeafList
  }

  /// The decoded pages of the leaves; nil when the leaves were not listed.
  var decodedLeaves: DecodedLeaves? {
    if let knownDecodedLeaves { return knownDecodedLeaves }
    guard let knownLeafList else { return nil }
    let tree = table.tree
    let leaves = DecodedLeaves(
      root: tree.root.reference, leafCount: knownLeafList.entries.count, cache: tree.reader.cache)
    knownDecodedLeaves = leaves
    return leaves
  }

  func keys() -> ColumnVectors<IntVector>? { vectors(0, 0, &intVectors) }
  func ints(_ id: UInt32) -> ColumnVectors<IntVector>? { vectors(id, 0, &intVectors) }
  func nanoseconds(_ id: UInt32) -> ColumnVectors<IntVector>? {
    vectors(id, 1, &nanosecondVectors)
  }
  func bits(_ id: UInt32) -> ColumnVectors<BitVector>? { vectors(id, 2, &bitVectors) }
  func doubles(_ id: UInt32) -> ColumnVectors<FixedVector>? { vectors(id, 3, &doubleVectors) }
  func bytes(_ id: UInt32) -> ColumnVectors<BytesVector>? { vectors(id, 4, &bytesVectors) }

  @inline(__always)
  private func vectors<Values>(
    _ id: UInt32, _ kind: UInt32, _ known: inout [(id: UInt32, vectors: ColumnVectors<Values>)]
  ) -> ColumnVectors<Values>? {
    for entry in known where entry.id == id { return entry.vectors }
    guard let knownLeafList else { return nil }
    let vectors = ColumnVectors<Values>(table, knownLeafList, id, kind: kind)
    known.append((id, vectors))
    return vectors
  }

  /// What the branches tell of the objects; taken once.
  func statistics() throws -> TableStatistics {
    if let knownStatistics { return knownStatistics }
    let statistics = try TableStatistics(table)
    knownStatistics = statistics
    return statistics
  }

  /// The least and the greatest key; nil when the table is empty.
  func keyBounds() throws -> (least: UInt64, greatest: UInt64)? {
    if let bounds { return bounds }
    guard count > 0, let first = try table.tree.leafPage(for: .lowest),
      let last = try table.tree.leafPage(for: TreeKey(.max))
    else { return nil }
    let firstRowGroup = try table.rowGroup(first)
    let lastRowGroup = try table.rowGroup(last)
    guard firstRowGroup.rowCount > 0, lastRowGroup.rowCount > 0 else { return nil }
    let found = (firstRowGroup.key(0), lastRowGroup.key(lastRowGroup.rowCount - 1))
    bounds = found
    return found
  }

  /// Compares a pass over all objects with look-ups.
  ///
  /// - Parameters:
  ///   - lookups: How many look-ups there are to be.
  ///   - cost: What one costs, in objects of a pass.
  /// - Returns: Whether the pass costs no more.
  func isPassWorth(_ lookups: Int, each cost: Int) -> Bool {
    // Rounded up, not multiplied: a damaged file may make any number of look-ups necessary.
    lookups >= (count + cost - 1) / cost
  }

  /// The place of an object; nil when it does not exist.
  func locate(_ key: UInt64) throws -> RowPlace? {
    locatedCount += 1
    if let lastLeaf, let row = lastLeaf.rowGroup.row(ofKey: key) {
      return RowPlace(leaf: lastLeaf, row: row)
    }
    guard let (rowGroup, row) = try table.location(of: key) else { return nil }
    let leaf = Leaf(self, rowGroup)
    lastLeaf = leaf
    return RowPlace(leaf: leaf, row: row)
  }
}

/// A leaf of a table, and the columns of it that a query has looked at.
///
/// Opened when something of it is needed that the table's vectors do not tell.
final class Leaf {
  /// Not kept, as it keeps the leaf that was looked into last.
  ///
  /// A leaf is used only while its run is: the run keeps the execution, which gives up no table,
  /// and the table keeps the version.
  unowned let table: TableAccess
  /// The place of the leaf in the list of the table; -1 when it was found otherwise.
  private(set) var number: Int
  private(set) var rowCount: Int
  private var reference: PageReference?
  private var opened: RowGroupPage?
  /// The address of the opened page if it was decoded; nil when it lies in the file's mapping.
  private var address: UInt?
  /// The decoded page, held while vectors in it are used that were found by an earlier run.
  private var decoded: PageBuffer?
  /// What holds it instead, together with those of its neighbours; may be of another leaf.
  private var group: DecodedLeafGroup?
  /// Whether vectors of this leaf were found in the group.
  private var isGroupUsed = false
  /// Groups that hold the page at other addresses, where vectors were found before.
  private var formerGroups: [DecodedLeafGroup] = []
  /// The column looked at first, and the others; mostly there is one, which needs no array.
  private var firstColumn: (id: UInt32, view: ColumnView)?
  private var columns: [(id: UInt32, view: ColumnView)] = []

  init(_ table: TableAccess, _ rowGroup: RowGroupPage) {
    self.table = table
    number = -1
    rowCount = rowGroup.rowCount
    opened = rowGroup
  }

  /// The leaf of a list at `number`, not opened.
  init(_ table: TableAccess, _ entry: LeafList.Entry, number: Int) {
    self.table = table
    self.number = number
    rowCount = entry.rowCount
    reference = entry.reference
  }

  /// Becomes another leaf; only while no other reference to this one exists.
  func move(to entry: LeafList.Entry, number: Int) {
    self.number = number
    rowCount = entry.rowCount
    reference = entry.reference
    if decoded != nil { decoded = nil }
    isGroupUsed = false
    if !formerGroups.isEmpty { formerGroups = [] }
    if opened != nil {
      opened = nil
      address = nil
      firstColumn = nil
      columns = []
    }
  }

  /// The leaf's page.
  ///
  /// - Precondition: the leaf was opened.
  var rowGroup: RowGroupPage {
    guard let opened else { preconditionFailure("a leaf is opened before its row group is used") }
    return opened
  }

  /// Reads the leaf's page, once.
  ///
  /// - Throws: `.corrupted`, also when it has not as many rows as its parent says.
  @discardableResult
  func open() throws -> RowGroupPage {
    if let opened { return opened }
    guard let reference else { preconditionFailure("a leaf has a page") }
    let page = try table.table.tree.leafPage(reference)
    let rowGroup = try table.table.rowGroup(page)
    guard rowGroup.rowCount == rowCount else {
      throw StorageError.corrupted(block: reference.block, .structure(.wrongEntryCount))
    }
    if page.owner !== table.table.tree.reader {
      address = page.bytes.address
      if number >= 0, let buffer = page.owner as? PageBuffer {
        table.decodedLeaves?.note(buffer, number)
      }
    }
    opened = rowGroup
    return rowGroup
  }

  // MARK: Vectors

  /// The keys of the rows, encoded.
  func keys() throws -> IntVector {
    if let opened { return opened.keys }
    return try vector(0, table.keys()) { rowGroup in rowGroup.keys }?.values ?? open().keys
  }

  // One vector of a plain column; nil when the leaf is older than the column.

  func ints(_ id: UInt32) throws -> LeafVector<IntVector>? {
    try vector(id, table.ints(id)) { rowGroup in try rowGroup.ints(id) }
  }

  func nanoseconds(_ id: UInt32) throws -> LeafVector<IntVector>? {
    try vector(id, table.nanoseconds(id)) { rowGroup in try rowGroup.ints(id, .nanoseconds) }
  }

  func bits(_ id: UInt32) throws -> LeafVector<BitVector>? {
    try vector(id, table.bits(id)) { rowGroup in try rowGroup.bits(id) }
  }

  func doubles(_ id: UInt32) throws -> LeafVector<FixedVector>? {
    try vector(id, table.doubles(id), isKept: { $0.owner == nil }) { rowGroup in
      try rowGroup.fixed(id, width: 8)
    }
  }

  /// Nil also when values lie in the external store.
  func bytes(_ id: UInt32) throws -> LeafVector<BytesVector>? {
    try vector(id, table.bytes(id)) { rowGroup in
      rowGroup.hasExternalValues(id) ? nil : try rowGroup.bytes(id)
    }
  }

  @inline(__always)
  private func vector<Values>(
    _ id: UInt32, _ known: ColumnVectors<Values>?, isKept: (Values) -> Bool = { _ in true },
    _ decode: (RowGroupPage) throws -> Values?
  ) throws -> LeafVector<Values>? {
    if let known, number >= 0, known.address(number).map(isDecoded(at:)) ?? true {
      switch known[number] {
      case .unknown: break
      case .absent: return nil
      case .values(let values): return LeafVector(values: values, validity: nil)
      case .nullable(let values, let validity):
        return LeafVector(values: values, validity: validity)
      }
    }
    let rowGroup = try open()
    let values = try decode(rowGroup)
    let validity = try rowGroup.bits(id, .validity)
    if let known, number >= 0, values.map(isKept) ?? true {
      if let values {
        let state: ColumnVectors<Values>.State =
          validity.map { .nullable(values, $0) } ?? .values(values)
        known.keep(state, number, address: address)
      } else {
        known.keep(.absent, number, address: nil)
      }
    }
    return values.map { LeafVector(values: $0, validity: validity) }
  }

  /// Whether the page is still decoded at `address`; if so it stays until the leaf moves on.
  ///
  /// A page that was evicted, or whose shard was busy, is decoded again: then vectors of one leaf
  /// are known at different addresses, and all that hold them stay.
  private func isDecoded(at address: UInt) -> Bool {
    if let group, group.holds(number, at: address) {
      isGroupUsed = true
      return true
    }
    if decoded == nil, let reference {
      if let found = table.decodedLeaves?.group(of: number), found.holds(number, at: address) {
        if isGroupUsed, let group { formerGroups.append(group) }
        group = found
        isGroupUsed = true
        return true
      }
      decoded = table.table.tree.reader.decodedPage(reference)
      if let decoded { table.decodedLeaves?.note(decoded, number) }
    }
    return decoded?.view.address == address
  }

  /// A column of the row group, checked once.
  func column(_ column: Column) throws -> ColumnView {
    if let firstColumn, firstColumn.id == column.id { return firstColumn.view }
    for entry in columns where entry.id == column.id { return entry.view }
    let view = try open().column(column.id, column.layout)
    if firstColumn == nil {
      firstColumn = (column.id, view)
    } else {
      columns.append((column.id, view))
    }
    return view
  }

  func value(_ column: Column, _ row: Int) throws -> Value {
    try self.column(column).value(row)
  }
}

/// One object: a row of a leaf.
struct RowPlace {
  let leaf: Leaf
  let row: Int

  /// - Precondition: the leaf was opened.
  var key: UInt64 { leaf.rowGroup.key(row) }

  func value(_ column: Column) throws -> Value { try leaf.value(column, row) }

  /// The value of a key of a map; nil when it is not there.
  func value(_ column: Column, mapKey: String) throws -> Value? {
    try leaf.column(column).part(row, .string(mapKey))
  }
}
