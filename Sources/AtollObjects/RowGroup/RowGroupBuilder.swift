internal import AtollStorage

/// A row group that is being filled or changed; see `RowGroupPage` for what it becomes.
///
/// Opened from an encoded row group, a column is decoded when it is first written; columns that are
/// only read, or not touched at all, are copied to the new row group as they lie. Adding or
/// removing a row decodes all of them.
///
/// To fill row groups one after the other, reuse one builder with `removeAll`: it keeps its memory
/// and what it learned about how well the values compress.
///
/// Invariant: keys ascend strictly; every decoded column has `rowCount` rows; a column without a
/// builder is in `source`, which has `rowCount` rows.
package final class RowGroupBuilder {
  package let layout: RowGroupLayout
  private var keys: RowKeys
  /// The decoded column for each column of the layout; nil: still as in `source`.
  private var builders: [ColumnBuilder?]
  private var source: RowGroupPage?
  /// The block of the page that the rows were in, for errors; nil when they were in none, or in
  /// two.
  private(set) var block: UInt64?
  /// What is known of the columns of `source`.
  private var sourceZones = ZoneMaps()
  let store: (any ExternalStore)?
  /// Kept for its memory.
  private var sink = VectorSink()
  /// What columns that are gone had outside.
  private var released: [ReleasedValue] = []

  /// An empty row group.
  package init(_ layout: RowGroupLayout, store: (any ExternalStore)? = nil) {
    self.layout = layout
    self.store = store
    keys = RowKeys()
    builders = layout.columns.map { ColumnBuilder($0.layout) }
  }

  /// The rows of `source`, of which nothing but the keys is decoded yet.
  ///
  /// Columns that `layout` does not name are dropped. `zones` is what the parent knows of `source`;
  /// a column without a zone gets none again until it is written.
  package init(
    opening source: RowGroupPage, _ layout: RowGroupLayout, zones: ZoneMaps = ZoneMaps(),
    store: (any ExternalStore)? = nil
  ) throws(ColumnError) {
    self.layout = layout
    self.store = store
    self.source = source
    block = source.block
    sourceZones = zones
    builders = layout.columns.map { _ in nil }
    do throws(ColumnError) { keys = try RowKeys(source.keys) } catch {
      throw error.at(source.block, .keys)
    }
  }

  /// Forgets all rows, to fill another row group.
  package func removeAll() {
    keys.removeAll()
    for (index, column) in layout.columns.enumerated() {
      if let builder = builders[index] {
        builder.removeAll()
      } else {
        builders[index] = ColumnBuilder(column.layout)
      }
    }
    source = nil
    block = nil
    sourceZones = ZoneMaps()
    released.removeAll()
  }

  // MARK: Reading

  package var rowCount: Int { keys.count }

  package func key(_ row: Int) -> UInt64 {
    keys[row].orderedUnsigned
  }

  /// The row of the object `key`, or nil.
  ///
  /// Cost: at most a binary search.
  package func row(ofKey key: UInt64) -> Int? {
    let row = lowerBound(ofKey: key)
    return row < rowCount && self.key(row) == key ? row : nil
  }

  /// The first row whose key is not below `key`; `rowCount` if there is none.
  package func lowerBound(ofKey key: UInt64) -> Int {
    keys.lowerBound(key.orderedSigned)
  }

  /// A value, read without decoding its column.
  package func value(_ id: UInt32, _ row: Int) throws -> Value {
    let index = index(id)
    guard let builder = builders[index] else { return try view(index).value(row) }
    do { return try builder.value(row, store: store) } catch { throw placed(error, id) }
  }

  /// An error of a column's bytes with its place, if that is known.
  package func placed(_ error: any Error, _ id: UInt32) -> any Error {
    guard let block else { return error }
    return ColumnError.placed(error, at: block, .column(id))
  }

  /// How many columns have been decoded; what is not, is copied as it lies.
  package var decodedColumnCount: Int {
    source == nil ? 0 : builders.count { $0 != nil }
  }

  // MARK: Changing

  /// The column `id`, decoded, for writing.
  ///
  /// It must keep as many rows as the row group.
  package func column(_ id: UInt32) throws(ColumnError) -> ColumnBuilder {
    try decoded(index(id))
  }

  /// Prepares a column for a value of `byteCount` bytes, more than a leaf takes.
  ///
  /// - Throws: What the store throws.
  func makeRoom(for byteCount: Int, in id: UInt32) throws {
    try column(id).makeRoom(for: byteCount, store: store)
  }

  /// Adds a row at the end: its columns then get one value each, by the caller.
  ///
  /// The key is above all others.
  package func appendKey(_ key: UInt64) throws(ColumnError) {
    if source != nil { try decodeAll() }
    let encoded = key.orderedSigned
    precondition(rowCount == 0 || keys[rowCount - 1] < encoded, "keys ascend")
    keys.append(encoded)
  }

  /// Adds a row of default values where its key belongs, and returns its place.
  ///
  /// The key must not be there yet.
  package func insertRow(_ key: UInt64) throws(ColumnError) -> Int {
    let row = lowerBound(ofKey: key)
    precondition(row == rowCount || self.key(row) != key, "keys are distinct")
    try decodeAll()
    keys.insert(key.orderedSigned, at: row)
    for builder in builders { builder?.insertDefault(at: row) }
    return row
  }

  /// Takes rows out, which ascend.
  ///
  /// Cost: a pass over the rows behind the first of them.
  package func removeRows(_ rows: [Int]) throws(ColumnError) {
    let removal = RowRemoval(rows)
    let isEmptied = rows.count == rowCount
    // All are decoded before one is changed: a column that is damaged leaves every row whole.
    var isDiscarded = builders.map { _ in false }
    for index in builders.indices {
      if isEmptied, builders[index] == nil, !hasExternalValues(index) {
        isDiscarded[index] = true
      } else {
        _ = try decoded(index)
      }
    }
    for index in builders.indices {
      if isDiscarded[index] {
        builders[index] = ColumnBuilder(layout.columns[index].layout)
      } else {
        try decoded(index).remove(removal)
      }
    }
    keys.remove(removal)
  }

  /// Whether values of a column that is not decoded lie in the store.
  private func hasExternalValues(_ index: Int) -> Bool {
    source?.hasValuesOutside(layout.columns[index].id) ?? false
  }

  /// Moves the rows from `row` on to a new row group.
  package func split(at row: Int) throws(ColumnError) -> RowGroupBuilder {
    precondition(row >= 0 && row <= rowCount, "a place in the row group")
    let right = RowGroupBuilder(layout, store: store)
    right.block = block
    try right.append(self, row..<rowCount)
    keys.truncate(to: row)
    for builder in builders { builder?.truncate(to: row) }
    return right
  }

  /// Moves all rows of `other`, whose keys are above all keys here, to the end of this row group.
  package func append(contentsOf other: RowGroupBuilder) throws(ColumnError) {
    try append(other, 0..<other.rowCount)
    if block != other.block { block = nil }
    for builder in other.builders {
      released += builder?.takeReleased() ?? []
      builder?.truncate(to: 0)
    }
    released += other.released
    other.released.removeAll()
    other.keys.truncate(to: 0)
  }

  private func append(_ other: RowGroupBuilder, _ range: Range<Int>) throws(ColumnError) {
    precondition(other.layout == layout, "row groups of one table are joined")
    try decodeAll()
    try other.decodeAll()
    if let first = range.first, rowCount > 0 {
      precondition(keys[rowCount - 1] < other.keys[first], "keys ascend")
    }
    keys.append(other.keys, range)
    for (index, builder) in builders.enumerated() {
      guard let source = other.builders[index] else { continue }
      try builder?.append(source, range)
    }
  }

  // MARK: Encoding

  /// About what `encode` will write; compression is guessed from what it did the last time.
  ///
  /// Cost: a few nanoseconds a column.
  package var estimatedByteCount: Int {
    estimatedByteCountWithoutKeys + keys.estimatedByteCount
  }

  /// The same for keys that are evenly spaced.
  var estimatedByteCountWithoutKeys: Int {
    var sum = RowGroupPage.headerByteCount + RowGroupPage.entryByteCount + 16
    for (index, builder) in builders.enumerated() {
      if let builder {
        sum += builder.estimatedByteCount
      } else if let source {
        for entry in source.entries(of: layout.columns[index].id) {
          // SAFETY: only the count is used.
          sum += unsafe RowGroupPage.entryByteCount + source.bytes(entry).count
        }
      }
    }
    return sum
  }

  /// Appends the encoded row group to `out`, whose memory must start 16-byte aligned and which must
  /// have a multiple of 16 bytes, and returns the zones of its columns.
  ///
  /// The builder can be used further. Values that are too large for a leaf are written to the
  /// store, those that are no longer used are freed there.
  ///
  /// - Throws: `ColumnError.valueTooLarge` without a store; what the store throws.
  package func encode(into out: inout GrowableBytes) throws -> ZoneMaps {
    precondition(out.count % 16 == 0, "a row group starts 16-byte aligned")
    precondition(rowCount <= RowGroupPage.maximumRowCount, "a row group of too many rows")
    var zones = ZoneMaps()
    sink.removeAll()
    sink.add(.values, .ints) { keys.encode(into: &$0) }
    for (index, column) in layout.columns.enumerated() {
      sink.column = column.id
      if let builder = builders[index] {
        precondition(builder.count == rowCount, "every column has a value for every row")
        if let zone = try builder.encode(into: &sink, store: store) {
          zones.append(column.id, zone)
        }
      } else if let source {
        for entry in source.entries(of: column.id) {
          // SAFETY: the bytes were checked to lie in `source`, which holds their owner, or whose
          // maker keeps them. A page that a transaction has given up stays as it is until the
          // commit begins, when the last row group was encoded. The sink copies them.
          unsafe sink.add(source.role(entry), source.kind(entry), copying: source.bytes(entry))
        }
        if let zone = sourceZones.zone(column.id) { zones.append(column.id, zone) }
      }
    }
    if let store {
      for value in released { try store.free(value) }
      released.removeAll()
    }
    write(into: &out)
    return zones
  }

  /// The same into an array, which must be empty or have a multiple of 16 bytes.
  package func encode(into out: inout [UInt8]) throws -> ZoneMaps {
    var bytes = GrowableBytes()
    let zones = try encode(into: &bytes)
    // SAFETY: `bytes` does not change any more, and the array copies it.
    unsafe out.append(contentsOf: bytes.bytes)
    return zones
  }

  /// Writes header, directory and vectors.
  private func write(into out: inout GrowableBytes) {
    precondition(sink.entries.count <= Int(UInt16.max), "a row group of too many vectors")
    out.append(UInt32(rowCount))
    out.append(UInt16(sink.entries.count))
    out.appendZeros(10)
    let bodyOffset =
      RowGroupPage.headerByteCount + sink.entries.count * RowGroupPage.entryByteCount
    for entry in sink.entries.sorted(by: {
      ($0.column, $0.role.rawValue) < ($1.column, $1.role.rawValue)
    }) {
      out.append(entry.column)
      out.append(entry.role.rawValue)
      out.append(entry.kind.rawValue)
      out.append(UInt16(0))
      out.append(UInt32(bodyOffset + entry.byteOffset))
      out.append(UInt32(entry.byteCount))
    }
    // SAFETY: the sink owns the bytes and does not change here; `out` is another memory.
    unsafe out.append(sink.body.bytes)
  }

  /// Gives up the external values of rows that are gone, where the row group will not be encoded.
  package func freeReleased() throws {
    guard let store else { return }
    for builder in builders { released += builder?.takeReleased() ?? [] }
    for value in released { try store.free(value) }
    released.removeAll()
  }

  /// The external values of all rows, to be freed with the row group.
  package func outsideValues() throws(ColumnError) -> [ReleasedValue] {
    try decodeAll()
    return builders.flatMap { $0?.outsideValues() ?? [] }
  }

  // MARK: Keys

  /// Gives the rows other keys, which ascend and are evenly spaced.
  func setKeys(first: UInt64, stride: UInt64) {
    keys = RowKeys(first: first.orderedSigned, stride: Int64(stride), count: rowCount)
  }

  /// Spaces the keys evenly between the first and the last one, so that they take no room.
  func spaceKeysEvenly() {
    guard rowCount > 2 else { return }
    setKeys(first: key(0), stride: (key(rowCount - 1) - key(0)) / UInt64(rowCount - 1))
  }

  // MARK: Columns

  private func index(_ id: UInt32) -> Int {
    guard let index = layout.index(of: id) else {
      preconditionFailure("a column of the table")
    }
    return index
  }

  /// The column `id` if it has been decoded.
  func decodedColumn(_ id: UInt32) -> ColumnBuilder? { builders[index(id)] }

  /// The column `id`, which has not been decoded.
  func view(of id: UInt32) throws(ColumnError) -> ColumnView { try view(index(id)) }

  private func view(_ index: Int) throws(ColumnError) -> ColumnView {
    guard let source else { preconditionFailure("a column without a builder has a source") }
    return try source.column(layout.columns[index].id, layout.columns[index].layout)
  }

  private func decoded(_ index: Int) throws(ColumnError) -> ColumnBuilder {
    if let builder = builders[index] { return builder }
    let column = layout.columns[index]
    let builder = ColumnBuilder(column.layout)
    let view = try view(index)
    do throws(ColumnError) { try builder.append(view) } catch {
      throw error.at(view.block, .column(column.id))
    }
    builders[index] = builder
    return builder
  }

  private func decodeAll() throws(ColumnError) {
    for index in builders.indices where builders[index] == nil { _ = try decoded(index) }
  }
}

extension RowGroupBuilder {
  /// Traps on the first broken rule.
  ///
  /// 1. Keys ascend strictly.
  /// 2. Every decoded column has one value a row.
  /// 3. A column that is not decoded is in the source.
  package func checkInvariants() {
    for row in 1..<max(rowCount, 1) {
      precondition(keys[row - 1] < keys[row], "keys ascend")
    }
    for builder in builders {
      if let builder {
        precondition(builder.count == rowCount, "every column has a value for every row")
      } else {
        precondition(source?.rowCount == rowCount, "what is not decoded is in the source")
      }
    }
  }
}
