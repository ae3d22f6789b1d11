internal import AtollStorage

/// The objects of one class inside a transaction: rows, indexes and backlinks together.
///
/// A leaf is decoded when it is first written to and stays so until `flush`.
/// Index and backlink entries are buffered and applied in order by `flush`.
/// Knows one class only: what a change means for other classes (links to a
/// deleted object, embedded objects) is the business of `Transaction`.
final class TableWriter {
  private(set) var record: ClassRecord
  let schema: TableSchema
  let layout: ClusterLayout
  private(set) var log: ChangeLog
  private let storage: WriteTransaction
  private let environment: ClusterEnvironment
  private let rows: MutableTree
  /// By column id; nil where no index is kept.
  private var indexes: [MutableIndexTree?]
  private var backlinks: [MutableIndexTree?]
  /// The position of a column in `schema.columns`, by column id.
  private var positions: [Int]
  private(set) var isChanged = false
  /// Whether another writer took over, because the class's schema changed.
  var isRetired = false
  /// Targets of links set by the typed path, by column id: `Transaction` checks before the commit
  /// that they exist.
  private(set) var uncheckedTargets: [UInt32: [UInt64]]

  /// The object that the calls below read and write.
  private struct Selection {
    var key: UInt64
    var builder: ClusterBuilder
    var row: Int
  }

  private var selection: Selection?
  /// Whether the selected row was appended and some of its columns may have no value yet; those get
  /// their default when they are read or the selection ends.
  private var isFilling = false
  /// Columns of the appended row that have their value.
  private var filledCount = 0
  /// Positions of the indexed columns of a new object that have no entry yet: those that are not
  /// set get one for their default when the selection ends.
  private var unlisted: [Int] = []
  private let indexedPositions: [Int]
  /// The columns of the selected cluster, by position, so that a loop looks each up once.
  private var builders: [ColumnBuilder?] = []
  private var buildersOwner: ClusterBuilder?
  /// The largest key, once it is known.
  private var greatestKey: UInt64?
  private var isGreatestKeyKnown = false
  private(set) var count: UInt64

  /// `previous`: the writer that the transaction had before the class's schema changed.
  init(
    record: ClassRecord, continuing previous: TableWriter?, storage: WriteTransaction,
    environment: ClusterEnvironment
  ) {
    self.record = record
    log = previous?.log ?? ChangeLog()
    uncheckedTargets = previous?.uncheckedTargets ?? [:]
    self.storage = storage
    schema = record.tableSchema
    layout = schema.clusterLayout
    self.environment = environment
    count = record.rows.root.entryCount
    let layout = layout
    rows = MutableTree(
      root: record.rows.root, form: ClusterLeaf.form(record.rows.treeID),
      leafByteLimit: ClusterLeaf.targetByteCount + ClusterLeaf.targetByteCount / 4,
      transaction: storage,
      makeLeaf: { ClusterLeaf(layout, environment) },
      decodeLeaf: { page throws(StorageError) in
        try ClusterLeaf(page, layout: layout, environment)
      })
    indexedPositions = record.columns.indices.filter { record.columns[$0].index != nil }
    let idLimit = Int(record.nextColumnID)
    indexes = Array(repeating: nil, count: idLimit)
    backlinks = Array(repeating: nil, count: idLimit)
    positions = Array(repeating: 0, count: idLimit)
    for (position, column) in record.columns.enumerated() {
      positions[Int(column.id)] = position
      indexes[Int(column.id)] = column.index.map {
        MutableIndexTree(root: $0.root, treeID: $0.treeID, transaction: storage)
      }
      backlinks[Int(column.id)] = column.backlinks.map {
        MutableIndexTree(
          root: $0.root, treeID: $0.treeID, transaction: storage, mode: .counted)
      }
    }
    builders = Array(repeating: nil, count: record.columns.count)
  }

  func index(_ column: Column) -> MutableIndexTree? { indexes[Int(column.id)] }

  // MARK: Index entries

  /// The objects that link to `target` through `column`, one that does so twice twice.
  func sources(of target: UInt64, _ column: Column) throws(ObjectError) -> [UInt64] {
    guard let bytes = IndexTree.bytes(of: IndexTree.target(target)) else { return [] }
    do throws(StorageError) { return try backlinks[Int(column.id)]?.keys(of: bytes) ?? [] } catch {
      throw .storage(error)
    }
  }

  func addBacklink(_ column: Column, target: UInt64, source: UInt64) throws(ObjectError) {
    do throws(StorageError) {
      try backlinks[Int(column.id)]?
        .insertInt(Int64(bitPattern: target ^ 1 << 63), key: source)
    } catch { throw .storage(error) }
  }

  func removeBacklink(_ column: Column, target: UInt64, source: UInt64) throws(ObjectError) {
    do throws(StorageError) {
      try backlinks[Int(column.id)]?
        .removeInt(Int64(bitPattern: target ^ 1 << 63), key: source)
    } catch { throw .storage(error) }
  }

  private func addEntry(_ column: Column, _ value: Value, _ key: UInt64) throws(ObjectError) {
    guard let index = indexes[Int(column.id)], let bytes = IndexTree.bytes(of: value) else {
      return
    }
    do throws(StorageError) { try index.insert(bytes, key: key) } catch {
      throw .storage(error)
    }
  }

  private func removeEntry(_ column: Column, _ value: Value, _ key: UInt64) throws(ObjectError) {
    guard let index = indexes[Int(column.id)], let bytes = IndexTree.bytes(of: value) else {
      return
    }
    do throws(StorageError) { try index.remove(bytes, key: key) } catch {
      throw .storage(error)
    }
  }

  /// Refuses what is too long for an index, before anything is changed.
  func checkIndexable(_ value: Value, _ column: Column) throws(ObjectError) {
    let byteCount: Int
    switch value {
    case .string(let string): byteCount = string.utf8.count
    case .data(let data): byteCount = data.count
    default: return
    }
    // A key is at most twice as long, with a few bytes around.
    guard byteCount > IndexTree.valueByteLimit / 2 - 8,
      let bytes = IndexTree.bytes(of: value), bytes.count > IndexTree.valueByteLimit
    else { return }
    throw .valueTooLarge(
      className: schema.name, property: column.name, byteCount: byteCount)
  }

  // MARK: Rows

  /// Whether the object exists.
  func contains(_ key: UInt64) throws(ObjectError) -> Bool {
    if let selection, selection.key == key { return true }
    if let greatest = try greatest(), key > greatest { return false }
    do throws(StorageError) {
      switch try rows.locate(TreeKey(key)) {
      case .nowhere: return false
      case .mutable(let leaf): return (leaf as? ClusterLeaf)?.builder.row(ofKey: key) != nil
      case .stored(let page):
        return try ClusterView(page, environment: environment).row(ofKey: key) != nil
      }
    } catch { throw .storage(error) }
  }

  /// A value of an object that is not selected; nil when there is no such object.
  func value(_ key: UInt64, _ column: Column) throws(ObjectError) -> Value? {
    try fillSelected()
    do {
      switch try rows.locate(TreeKey(key)) {
      case .nowhere: return nil
      case .mutable(let leaf):
        guard let builder = (leaf as? ClusterLeaf)?.builder, let row = builder.row(ofKey: key)
        else { return nil }
        return try builder.value(column.id, row)
      case .stored(let page):
        let cluster = try ClusterView(page, environment: environment)
        guard let row = cluster.row(ofKey: key) else { return nil }
        return try cluster.column(column.id, column.layout).value(row)
      }
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// The key for an object of a class whose keys are given out in order.
  func takeKey() -> UInt64 {
    defer { record.nextKey += 1 }
    isChanged = true
    return record.nextKey
  }

  /// Makes an object of default values and selects it.
  ///
  /// The key is not in use.
  func insert(_ key: UInt64) throws(ObjectError) {
    precondition(!isRetired, "a writer is not used after its class's schema changed")
    try endSelection()
    do {
      if let greatest = try greatest(), key < greatest {
        let builder = Self.builder(of: try rows.mutableLeaf(for: TreeKey(key)))
        select(key, builder, try builder.insertRow(key))
      } else {
        let builder = Self.builder(
          of: try rows.leafForAppend(
            isFull: { ($0 as? ClusterLeaf)?.isFull ?? false }, key: TreeKey(key)))
        try builder.appendKey(key)
        select(key, builder, builder.rowCount - 1)
        isFilling = true
        filledCount = 0
        greatestKey = key
        isGreatestKeyKnown = true
      }
      unlisted = indexedPositions
      count += 1
      isChanged = true
      log.recordInsertion(key)
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name)
    }
  }

  /// Selects an object for the calls below; false when it does not exist.
  func select(_ key: UInt64) throws(ObjectError) -> Bool {
    if let selection, selection.key == key { return true }
    precondition(!isRetired, "a writer is not used after its class's schema changed")
    try endSelection()
    guard try contains(key) else { return false }
    // Making a leaf mutable gives its page up, so the class must be written from now on.
    isChanged = true
    do throws(StorageError) {
      let builder = Self.builder(of: try rows.mutableLeaf(for: TreeKey(key)))
      guard let row = builder.row(ofKey: key) else { return false }
      select(key, builder, row)
      return true
    } catch { throw .storage(error) }
  }

  private func select(_ key: UInt64, _ builder: ClusterBuilder, _ row: Int) {
    selection = Selection(key: key, builder: builder, row: row)
    if buildersOwner !== builder {
      for index in builders.indices { builders[index] = nil }
      buildersOwner = builder
    }
  }

  /// Fills in and lists what a new object left at its defaults.
  private func endSelection() throws(ObjectError) {
    guard let selection else { return }
    try fillSelected()
    if !unlisted.isEmpty {
      let positions = unlisted
      unlisted = []
      for position in positions {
        let column = schema.columns[position]
        try addEntry(column, try selectedValue(column), selection.key)
      }
    }
    self.selection = nil
  }

  /// Gives every column of an appended row a value.
  private func fillSelected() throws(ObjectError) {
    guard isFilling else { return }
    isFilling = false
    guard filledCount < schema.columns.count else { return }
    do throws(ColumnError) {
      for column in schema.columns {
        let builder = try builder(column)
        if builder.count == selected.row { builder.appendDefault() }
      }
    } catch { throw ObjectError(error, block: 0, className: schema.name) }
  }

  /// Removes the selected object and its index entries; its backlinks are the caller's.
  func removeSelected() throws(ObjectError) {
    try fillSelected()
    let selection = selected
    for position in indexedPositions where !unlisted.contains(position) {
      let column = schema.columns[position]
      try removeEntry(column, try selectedValue(column), selection.key)
    }
    unlisted = []
    do {
      try selection.builder.removeRow(selection.row)
      // The tree drops an empty leaf without encoding it.
      if selection.builder.rowCount == 0 { try selection.builder.freeReleased() }
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name)
    }
    log.recordDeletion(selection.key)
    if selection.key == greatestKey { isGreatestKeyKnown = false }
    self.selection = nil
    count -= 1
    isChanged = true
  }

  /// The largest key of the class; nil when it has no objects.
  ///
  /// May be larger than any key in use when the last objects were deleted in this transaction:
  /// good enough to tell an append.
  private func greatest() throws(ObjectError) -> UInt64? {
    if isGreatestKeyKnown { return greatestKey }
    do throws(StorageError) {
      switch try rows.locate(TreeKey(.max)) {
      case .nowhere: greatestKey = nil
      case .mutable(let leaf):
        guard let builder = (leaf as? ClusterLeaf)?.builder, builder.rowCount > 0 else {
          // The last leaf lost all its rows: where the others end is not worth a search.
          return .max
        }
        greatestKey = builder.key(builder.rowCount - 1)
      case .stored(let page):
        let cluster = try ClusterView(page, environment: environment)
        greatestKey = cluster.rowCount > 0 ? cluster.key(cluster.rowCount - 1) : nil
      }
      isGreatestKeyKnown = true
      return greatestKey
    } catch { throw .storage(error) }
  }

  private static func builder(of leaf: any TreeLeaf) -> ClusterBuilder {
    guard let leaf = leaf as? ClusterLeaf else {
      preconditionFailure("a table's leaves are clusters")
    }
    return leaf.builder
  }

  private var selected: Selection {
    guard let selection else { preconditionFailure("an object is selected before it is changed") }
    return selection
  }

  // MARK: Values of the selected object

  var selectedKey: UInt64 { selected.key }

  func selectedValue(_ column: Column) throws(ObjectError) -> Value {
    try fillSelected()
    let selection = selected
    do { return try selection.builder.value(column.id, selection.row) } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Sets a value that fits the column, and its index entry; backlinks are the caller's.
  func setSelected(_ column: Column, _ value: Value) throws(ObjectError) {
    try fillSelected()
    let selection = selected
    do {
      if indexes[Int(column.id)] != nil {
        try unlist(column)
        try addEntry(column, value, selection.key)
      }
      try builder(column).set(selection.row, value)
      recordChange(column)
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Sets a value that an object of another file holds, with the backlinks that belong to it.
  func copySelected(_ column: Column, _ value: Value) throws(ObjectError) {
    try setSelected(column, value)
    for target in value.links {
      try addBacklink(column, target: target.key, source: selected.key)
    }
  }

  /// Removes the index entry of the selected object's value, if it has one yet.
  private func unlist(_ column: Column) throws(ObjectError) {
    if let index = unlisted.firstIndex(of: positions[Int(column.id)]) {
      unlisted.remove(at: index)
    } else {
      try removeEntry(column, try selectedValue(column), selected.key)
    }
  }

  private func recordChange(_ column: Column) {
    isChanged = true
    log.recordChange(selected.key, column: column.id)
  }

  /// The column's builder in the selected cluster.
  private func builder(_ column: Column) throws(ColumnError) -> ColumnBuilder {
    let position = positions[Int(column.id)]
    if let builder = builders[position] { return builder }
    let builder = try selected.builder.column(column.id)
    builders[position] = builder
    return builder
  }

  // MARK: Typed values of the selected object, for loads

  func setInt(_ column: Column, _ value: Int64) throws(ObjectError) {
    let (values, row) = try writable(column, .int)
    if values.count == row { values.appendInt(value) } else { values.setInt(row, value) }
    guard let index = indexes[Int(column.id)] else { return }
    do throws(StorageError) { try index.insertInt(value, key: selected.key) } catch {
      throw .storage(error)
    }
  }

  func setBool(_ column: Column, _ value: Bool) throws(ObjectError) {
    let (values, row) = try writable(column, .bool)
    if values.count == row { values.appendBool(value) } else { values.setBool(row, value) }
    try addEntry(column, .bool(value), selected.key)
  }

  func setDouble(_ column: Column, _ value: Double) throws(ObjectError) {
    let (values, row) = try writable(column, .double)
    if values.count == row {
      values.appendDouble(value)
    } else {
      var bits = value.bitPattern.littleEndian
      // SAFETY: the bytes of a local integer, for the length of the call.
      unsafe withUnsafeBytes(of: &bits) { unsafe values.setFixed(row, $0) }
    }
    try addEntry(column, .double(value), selected.key)
  }

  func setDate(_ column: Column, _ value: Timestamp) throws(ObjectError) {
    let (values, row) = try writable(column, .date)
    if values.count == row {
      values.appendDate(seconds: value.seconds, nanoseconds: value.nanoseconds)
    } else {
      values.setDate(row, seconds: value.seconds, nanoseconds: value.nanoseconds)
    }
    try addEntry(column, .date(value), selected.key)
  }

  func setString(_ column: Column, _ value: String) throws(ObjectError) {
    if column.isIndexed { try checkIndexable(.string(value), column) }
    let (values, row) = try writable(column, .string)
    let index = indexes[Int(column.id)]
    let key = selected.key
    var value = value
    do {
      // SAFETY: the bytes are used inside the closure only.
      try value.withUTF8 { utf8 in
        let bytes = UnsafeRawBufferPointer(utf8)
        if values.count == row {
          try unsafe values.appendBytes(bytes)
        } else {
          try unsafe values.setBytes(row, bytes)
        }
        if let index { try unsafe index.insertString(bytes, key: key) }
      }
    } catch {
      // The row still lacks the value; it gets its default.
      if values.count == row { filledCount -= 1 }
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Sets a to-one link.
  ///
  /// That the target exists is checked before the commit.
  func setLink(_ column: Column, _ target: UInt64) throws(ObjectError) {
    let (values, row) = try writable(column, .link)
    if values.count == row {
      values.appendInt(Int64(bitPattern: target))
    } else {
      if case .link(let old) = try selectedValue(column) {
        try removeBacklink(column, target: old.key, source: selected.key)
      }
      values.setInt(row, Int64(bitPattern: target))
    }
    try addBacklink(column, target: target, source: selected.key)
    uncheckedTargets[column.id, default: []].append(target)
  }

  /// The selected object's place in a plain column of this type, whose old value is unlisted.
  ///
  /// In an appended row the column may lack the value still; then it is appended.
  private func writable(_ column: Column, _ type: ValueType) throws(ObjectError)
    -> (values: ScalarBuilder, row: Int)
  {
    guard column.layout.value == type, column.layout.collection == .none else {
      throw .typeMismatch(
        className: schema.name, property: column.name, expected: column.layout.description,
        found: type.queryName)
    }
    let values: ScalarBuilder
    do throws(ColumnError) { values = try builder(column).values } catch {
      throw ObjectError(error, block: 0, className: schema.name, property: column.name)
    }
    let row = selected.row
    if values.count == row { filledCount += 1 }
    if indexes[Int(column.id)] != nil {
      if values.count == row {
        unlisted.removeAll { $0 == positions[Int(column.id)] }
      } else {
        try unlist(column)
      }
    }
    recordChange(column)
    return (values, row)
  }

  // MARK: Schema

  /// Writes the values of a column into the leaves that are older than the column.
  ///
  /// There they are read as zero as long as the column is required, and would be null from then on.
  /// All changes are flushed. Cost: a look at every leaf.
  func writeOut(_ column: Column) throws(ObjectError) {
    try endSelection()
    do {
      let tree = Tree(
        root: record.rows.root, form: ClusterLeaf.form(record.rows.treeID), reader: storage.reader)
      var firstKeys: [UInt64] = []
      var cursor = tree.cursor()
      while let entry = try cursor.next() {
        let cluster = try ClusterView(tree.leafPage(entry.reference), environment: environment)
        if cluster.rowCount > 0, cluster.entries(of: column.id).isEmpty {
          firstKeys.append(cluster.key(0))
        }
      }
      for (index, key) in firstKeys.enumerated() {
        _ = try Self.builder(of: rows.mutableLeaf(for: TreeKey(key))).column(column.id)
        isChanged = true
        // So that not all leaves are in memory at once.
        if index % 256 == 255 { _ = try flush() }
      }
    } catch { throw ObjectError(any: error, block: 0, className: schema.name) }
  }

  // MARK: End

  /// Makes the next commit write the class's record.
  func touch() { isChanged = true }

  /// Writes all changes to pages and gives the class's new record.
  func flush() throws(ObjectError) -> ClassRecord {
    try endSelection()
    buildersOwner = nil
    for index in builders.indices { builders[index] = nil }
    do throws(StorageError) {
      record.rows.root = try rows.flush()
      for position in record.columns.indices {
        let id = Int(record.columns[position].id)
        if let index = indexes[id] { record.columns[position].index?.root = try index.flush() }
        if let index = backlinks[id] {
          record.columns[position].backlinks?.root = try index.flush()
        }
      }
      return record
    } catch { throw .storage(error) }
  }

  /// Whether all objects of `keys`, which ascend, exist in the rows as they were flushed last.
  ///
  /// Cost: a pass over the leaves that hold them.
  func containsAll(_ keys: [UInt64]) throws(ObjectError) -> Bool {
    guard let first = keys.first else { return true }
    do throws(StorageError) {
      let tree = Tree(
        root: record.rows.root, form: ClusterLeaf.form(record.rows.treeID),
        reader: storage.reader)
      var cursor = tree.cursor(from: TreeKey(first))
      var position = 0
      while position < keys.count, let entry = try cursor.next() {
        let cluster = try ClusterView(tree.leafPage(entry.reference), environment: environment)
        guard cluster.rowCount > 0 else { return false }
        let last = cluster.key(cluster.rowCount - 1)
        while position < keys.count, keys[position] <= last {
          guard cluster.row(ofKey: keys[position]) != nil else { return false }
          position += 1
        }
      }
      return position == keys.count
    } catch { throw .storage(error) }
  }

  /// The targets of unchecked links were found to exist.
  func forgetUncheckedTargets() { uncheckedTargets = [:] }

  /// Gives up every page of the class.
  func removeAll() throws(ObjectError) {
    try endSelection()
    do throws(StorageError) {
      try rows.removeAll { location throws(StorageError) in
        switch location {
        case .nowhere: break
        case .mutable(let leaf): try (leaf as? ClusterLeaf)?.freeExternalValues()
        case .stored(let page):
          try ClusterLeaf(page, layout: layout, environment)
            .freeExternalValues()
        }
      }
      for index in indexes + backlinks { try index?.removeAll() }
    } catch { throw .storage(error) }
    count = 0
    isGreatestKeyKnown = false
    isChanged = true
  }
}
