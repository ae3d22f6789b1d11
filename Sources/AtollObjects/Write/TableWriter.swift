internal import AtollStorage

/// The objects of one class inside a transaction: rows, indexes and backlinks together.
///
/// A leaf is decoded when it is first written to and stays so until `flush`; a pass of deletions
/// encodes the leaves that it leaves behind.
/// Index and backlink entries are buffered and applied in order by `flush`.
/// Knows one class only: what a change means for other classes (links to a
/// deleted object, embedded objects) is the business of `Transaction`.
@safe
package final class TableWriter {
  var record: ClassRecord
  package let schema: TableSchema
  /// The number of the class.
  let id: UInt32
  let layout: RowGroupLayout
  private(set) var log: ChangeLog
  let storage: WriteTransaction
  /// Gives a number that no other tree of the file has had.
  let newTreeID: () -> UInt32
  let environment: RowGroupEnvironment
  let rows: MutableTree
  /// In the order of `schema.columns`.
  let slots: [ColumnSlot]
  /// The same by column id, so that a loop finds one without a search.
  private let slotsByID: [Unmanaged<ColumnSlot>?]
  var isChanged = false
  /// Objects that were deleted, while their rows, entries and links are still there.
  ///
  /// They are no longer visible; see `Transaction.settleDeletions`.
  private(set) var doomed = DeletedKeys()
  /// An object that was looked for and exists.
  var foundKey: UInt64?
  /// Whether another writer took over, because the class's schema changed.
  var isRetired = false
  /// Hears of each change before it is made; nil unless the participant wants that.
  package var witness: (any ChangeWitness)? {
    get { unsafe currentWitness }
    set { unsafe currentWitness = newValue }
  }
  // SAFETY: as below.
  @exclusivity(unchecked) private var currentWitness: (any ChangeWitness)?

  // The object that the calls below read and write.
  // SAFETY: the run-time checks of exclusive access are left out: one thread uses a writer, and no
  // access to these calls back.

  @exclusivity(unchecked) private var selection: SelectedObject?
  /// How often an object of a leaf was selected that was in memory already.
  private var mutableSelectionCount: UInt64 = 0
  /// Changes whenever another object is selected, or none.
  private(set) var selectionStamp: UInt64 = 0
  /// The columns with an index.
  private let indexedSlots: [ColumnSlot]
  /// The columns with a full-text index.
  private let fullTextSlots: [ColumnSlot]
  /// The indexes of several columns, and the unique ones; in the order of `record.indexes`.
  let tableIndexes: [TableIndexSlot]
  /// The row group whose columns the slots have open.
  private var slotsOwner: RowGroupBuilder?
  /// The slots that have a column of it open.
  private var openSlots: [ColumnSlot] = []
  private var greatestKey = GreatestKey.unknown
  /// Where the last part was that was looked for: the next one often lies near it.
  ///
  /// A guess: the collection may have changed since.
  var lastPart: (key: UInt64, column: UInt32, index: Int)?

  /// `previous`: the writer that the transaction had before the class's schema changed.
  init(
    record: ClassRecord, continuing previous: TableWriter?, storage: WriteTransaction,
    environment: RowGroupEnvironment, newTreeID: @escaping () -> UInt32
  ) {
    self.record = record
    self.newTreeID = newTreeID
    log = previous?.log ?? ChangeLog()
    self.storage = storage
    schema = record.tableSchema
    id = record.id
    layout = schema.rowGroupLayout
    self.environment = environment
    let layout = layout
    rows = MutableTree(
      root: record.rows.root, form: MutableRowGroup.form(record.rows.treeID),
      leafByteLimit: MutableRowGroup.targetByteCount + MutableRowGroup.targetByteCount / 4,
      transaction: storage,
      makeLeaf: { MutableRowGroup(layout, environment) },
      decodeLeaf: { page throws(StorageError) in
        try MutableRowGroup(page, layout: layout, environment)
      })
    let tableIndexes = zip(schema.indexes, record.indexes).map { index, record in
      TableIndexSlot(
        index,
        MutableIndex(root: record.tree.root, treeID: record.tree.treeID, transaction: storage),
        continuing: previous?.tableIndex(index))
    }
    self.tableIndexes = tableIndexes
    slots = zip(schema.columns, record.columns).map { column, record in
      ColumnSlot(
        column,
        index: record.index.map {
          MutableIndex(root: $0.root, treeID: $0.treeID, transaction: storage)
        },
        backlinks: record.backlinks.map {
          MutableIndex(
            root: $0.root, treeID: $0.treeID, transaction: storage, mode: .counted)
        },
        fullText: record.fullText.map {
          MutableIndex(root: $0.root, treeID: $0.treeID, transaction: storage)
        },
        tableIndexes: tableIndexes.filter { $0.description.columns.contains { $0.id == column.id } }
      )
    }
    fullTextSlots = slots.filter { $0.fullText != nil }
    indexedSlots = slots.filter { $0.index != nil }
    var slotsByID = unsafe [Unmanaged<ColumnSlot>?](repeating: nil, count: Int(record.nextColumnID))
    for slot in slots {
      unsafe slotsByID[Int(slot.column.id)] = Unmanaged.passUnretained(slot)
      if let previous = previous?.slot(slot.column) {
        unsafe slot.uncheckedTargets = previous.uncheckedTargets
      }
    }
    unsafe self.slotsByID = slotsByID
  }

  func slot(_ column: Column) -> ColumnSlot? {
    // SAFETY: `slots` holds them.
    unsafe uncountedSlot(column)?.takeUnretainedValue()
  }

  @inline(__always)
  func uncountedSlot(_ column: Column) -> Unmanaged<ColumnSlot>? {
    unsafe column.id < slotsByID.count ? slotsByID[Int(column.id)] : nil
  }

  func index(_ column: Column) -> MutableIndex? { slot(column)?.index }

  func fullTextIndex(_ column: Column) -> MutableIndex? { slot(column)?.fullText }

  // MARK: Rows

  /// Whether the object exists.
  package func contains(_ key: UInt64) throws(ObjectError) -> Bool {
    if key == foundKey { return true }
    guard try isFound(key) else { return false }
    foundKey = key
    return true
  }

  private func isFound(_ key: UInt64) throws(ObjectError) -> Bool {
    if !doomed.isEmpty, doomed.contains(key) { return false }
    if unsafe selection?.key == key { return true }
    if let greatest = try greatest(), key > greatest { return false }
    do throws(StorageError) {
      switch try rows.locate(TreeKey(key)) {
      case .nowhere: return false
      case .mutable(let leaf): return (leaf as? MutableRowGroup)?.builder.row(ofKey: key) != nil
      case .stored(let page):
        return try RowGroupPage(page, environment: environment).row(ofKey: key) != nil
      }
    } catch { throw .storage(error) }
  }

  /// A value of an object that is not selected; nil when there is no such object.
  package func value(_ key: UInt64, _ column: Column) throws(ObjectError) -> Value? {
    if !doomed.isEmpty, doomed.contains(key) { return nil }
    return try storedValue(key, column)
  }

  /// The same, also of a deleted object whose row is still there.
  package func storedValue(_ key: UInt64, _ column: Column) throws(ObjectError) -> Value? {
    // That which was made or changed last is read most.
    if unsafe selection?.key == key { return try selectedValue(column) }
    try fillSelected()
    do {
      switch try rows.locate(TreeKey(key)) {
      case .nowhere: return nil
      case .mutable(let leaf):
        guard let builder = (leaf as? MutableRowGroup)?.builder, let row = builder.row(ofKey: key)
        else { return nil }
        return try builder.value(column.id, row)
      case .stored(let page):
        let rowGroup = try RowGroupPage(page, environment: environment)
        guard let row = rowGroup.row(ofKey: key) else { return nil }
        return try rowGroup.column(column.id, column.layout).value(row)
      }
    } catch {
      throw ObjectError(any: error, className: schema.name, property: column.name)
    }
  }

  /// Takes an object out of sight, which exists; its row goes with `carryOut`.
  func doom(_ key: UInt64) throws(ObjectError) {
    try endSelection()
    try witness?.willDelete(key, self)
    if key == foundKey { foundKey = nil }
    doomed.insert(key)
    isChanged = true
    log.recordDeletion(key)
  }

  /// An object is there no more under this key; it gets another one.
  func recordDeletion(_ key: UInt64) { log.recordDeletion(key) }

  /// Whether an object with this key was deleted, be it that there is one again.
  func hasDeleted(_ key: UInt64) -> Bool { log.hasDeleted(key) }

  /// The rows of all deleted objects are gone.
  func forgetDoomed() { doomed = DeletedKeys() }

  /// The key for an object of a class whose keys are given out in order.
  package func takeKey() -> UInt64 {
    defer { record.nextKey += 1 }
    isChanged = true
    return record.nextKey
  }

  /// Whether an object may have had the key, which it gets back when it returns.
  func hasGivenOut(_ key: UInt64) -> Bool { key < record.nextKey }

  /// Keys that are given out from now on lie above `key`.
  func reserveKey(_ key: UInt64) {
    record.nextKey = max(record.nextKey, key + 1)
    isChanged = true
  }

  /// Makes an object of default values and selects it.
  ///
  /// The key is not in use.
  package func insert(_ key: UInt64) throws(ObjectError) {
    precondition(!isRetired, "a writer is not used after its class's schema changed")
    try endSelection()
    do {
      if let greatest = try greatest(), key < greatest {
        let builder = Self.builder(of: try rows.mutableLeaf(for: TreeKey(key)))
        guard builder.row(ofKey: key) == nil else { throw keysContradict }
        select(key, builder, try builder.insertRow(key))
      } else {
        let builder = Self.builder(
          of: try rows.leafForAppend(
            isFull: { ($0 as? MutableRowGroup)?.isFull ?? false }, key: TreeKey(key)))
        guard builder.lowerBound(ofKey: key) == builder.rowCount else { throw keysContradict }
        try builder.appendKey(key)
        select(key, builder, builder.rowCount - 1, missingCount: slots.count)
        greatestKey = .known(key)
      }
      for slot in indexedSlots { unsafe slot.isUnlisted = true }
      for index in tableIndexes { unsafe index.isUnlisted = true }
      isChanged = true
      log.recordInsertion(key)
      witness?.didInsert(key, self)
    } catch {
      throw ObjectError(any: error, className: schema.name)
    }
  }

  /// A damaged file says that a key is free, or above all others, and has it in a leaf.
  private var keysContradict: StorageError {
    .corrupted(block: record.rows.root.reference.block, .structure(.keysOutOfOrder))
  }

  /// Selects an object for the calls below; false when it does not exist.
  package func select(_ key: UInt64) throws(ObjectError) -> Bool {
    if unsafe selection?.key == key { return true }
    precondition(!isRetired, "a writer is not used after its class's schema changed")
    try endSelection()
    if !doomed.isEmpty, doomed.contains(key) { return false }
    if let greatest = try greatest(), key > greatest { return false }
    do throws(StorageError) {
      let builder: RowGroupBuilder
      switch try rows.locate(TreeKey(key)) {
      case .nowhere: return false
      case .mutable(let leaf):
        // `mutableLeaf` splits one that has grown much, and makes it the one that the next key is
        // looked for in first: often enough, as it is a second descent.
        mutableSelectionCount &+= 1
        let isOften = mutableSelectionCount % 16 == 0
        builder = Self.builder(of: isOften ? try rows.mutableLeaf(for: TreeKey(key)) : leaf)
      case .stored(let page):
        guard try RowGroupPage(page, environment: environment).row(ofKey: key) != nil else {
          return false
        }
        // Making a leaf mutable gives its page up, so the class must be written from now on.
        isChanged = true
        builder = Self.builder(of: try rows.mutableLeaf(for: TreeKey(key)))
      }
      guard let row = builder.row(ofKey: key) else { return false }
      isChanged = true
      foundKey = key
      select(key, builder, row)
      return true
    } catch { throw .storage(error) }
  }

  private func select(
    _ key: UInt64, _ builder: RowGroupBuilder, _ row: Int, missingCount: Int = 0
  ) {
    unsafe selection = SelectedObject(
      rowGroup: builder, key: key, row: row, missingCount: missingCount)
    selectionStamp &+= 1
    if slotsOwner !== builder {
      closeSlots()
      slotsOwner = builder
    }
  }

  func closeSlots() {
    for slot in openSlots { slot.close() }
    openSlots.removeAll(keepingCapacity: true)
    slotsOwner = nil
  }

  /// Fills in and lists what a new object left at its defaults.
  func endSelection() throws(ObjectError) {
    guard unsafe selection != nil else { return }
    try fillSelected()
    for slot in indexedSlots where unsafe slot.isUnlisted {
      unsafe slot.isUnlisted = false
      try addEntry(slot.column, try selectedValue(slot.column), selectedKey)
    }
    if !tableIndexes.isEmpty { try listSelected() }
    deselect()
  }

  private func deselect() {
    unsafe selection = nil
    selectionStamp &+= 1
  }

  /// Gives every column of an appended row a value.
  func fillSelected() throws(ObjectError) {
    guard let appended = unsafe selection, appended.missingCount > 0 else { return }
    do throws(ColumnError) {
      for slot in slots {
        let builder = try builder(slot)
        if builder.count == appended.row { builder.appendDefault() }
      }
      unsafe selection?.missingCount = 0
    } catch { throw ObjectError(error, className: schema.name) }
  }

  /// The object `key` is to be removed.
  func forgetGreatestKey(_ key: UInt64) {
    if case .known(key) = greatestKey { greatestKey = .unknown }
  }

  /// The largest key may be gone.
  func forgetGreatestKey() { greatestKey = .unknown }

  /// The largest key of the class; nil when it has no objects.
  private func greatest() throws(ObjectError) -> UInt64? {
    if case .known(let key) = greatestKey { return key }
    let greatest: UInt64?
    do throws(StorageError) {
      switch try rows.locate(TreeKey(.max)) {
      case .nowhere: greatest = nil
      case .mutable(let leaf):
        guard let builder = (leaf as? MutableRowGroup)?.builder, builder.rowCount > 0 else {
          // The last leaf lost all its rows: where the others end is not worth a search.
          return .max
        }
        greatest = builder.key(builder.rowCount - 1)
      case .stored(let page):
        let rowGroup = try RowGroupPage(page, environment: environment)
        greatest = rowGroup.rowCount > 0 ? rowGroup.key(rowGroup.rowCount - 1) : nil
      }
      greatestKey = .known(greatest)
      return greatest
    } catch { throw .storage(error) }
  }

  static func builder(of leaf: any TreeLeaf) -> RowGroupBuilder {
    guard let leaf = leaf as? MutableRowGroup else {
      preconditionFailure("a table's leaves are row groups")
    }
    return leaf.builder
  }

  private var selected: SelectedObject {
    guard let selection = unsafe selection else {
      preconditionFailure("an object is selected before it is changed")
    }
    return selection
  }

  var selectedRowGroup: RowGroupBuilder { selected.rowGroup }
  var selectedKey: UInt64 { selected.key }
  var selectedRow: Int { selected.row }

  /// A column of the appended row got its value.
  func noteFilled() { unsafe selection?.missingCount &-= 1 }

  // MARK: Values of the selected object

  func selectedValue(_ column: Column) throws(ObjectError) -> Value {
    try fillSelected()
    do { return try selectedRowGroup.value(column.id, selectedRow) } catch {
      throw ObjectError(any: error, className: schema.name, property: column.name)
    }
  }

  /// Sets a value that fits the column.
  package func setSelected(_ column: Column, _ value: Value) throws(ObjectError) {
    guard let slot = slot(column) else { throw noSuchProperty(column) }
    do {
      let byteCount = Self.byteCount(value, column)
      if byteCount > ExternalValue.maximumInlineByteCount {
        try selectedRowGroup.makeRoom(for: byteCount, in: column.id)
      }
      let builder = try builder(slot)
      let isFirst = builder.count == selectedRow
      if isFirst { builder.appendDefault() }
      try change(slot, isFirst: isFirst, to: value) {
        try builder.set(selectedRow, value)
      } list: { index, key throws(StorageError) in
        try Self.insert(value, key, into: index)
      }
    } catch {
      throw ObjectError(any: error, className: schema.name, property: column.name)
    }
  }

  /// Gives a new object, which is selected, its primary key.
  package func setPrimaryKey(_ column: Column, _ value: Value) throws(ObjectError) {
    switch value {
    case .int(let number): try setInt(column, number)
    case .string(let text): try setString(column, text)
    default: try setSelected(column, value)
    }
  }

  /// Changes a value of the selected object: the one place through which every change goes.
  ///
  /// Tells the witness, writes, and keeps index, backlinks and full text.
  ///
  /// `isFirst`: an appended row gets the value that it lacks. `write` comes before the entries, so
  /// that they say what the column holds when it refuses. `list` adds the index entry.
  @inline(__always)
  func change(
    _ slot: ColumnSlot, isFirst: Bool, to new: @autoclosure () -> Value,
    write: () throws -> Void, list: (MutableIndex, UInt64) throws(StorageError) -> Void
  ) throws {
    var old = Value.null
    if isFirst {
      // The log and the witness have the row's insertion.
      try write()
      noteFilled()
    } else {
      if let witness { try witness.willChange(slot.column, of: selectedKey, self) }
      if slot.isIndexedJointly { try unlistSelected(slot) }
      if slot.hasEntries { old = try selectedValue(slot.column) }
      try write()
      recordChange(slot.column)
    }
    if let index = unsafe slot.uncountedIndex {
      if !isFirst, unsafe !slot.isUnlisted { try remove(old, from: slot.index) }
      unsafe slot.isUnlisted = false
      try unsafe index._withUnsafeGuaranteedRef { try list($0, selectedKey) }
    }
    if slot.keepsLinksOrWords { try keepLinksAndWords(slot, old, new()) }
  }

  /// Keeps backlinks and full text as a value of the selected object becomes another.
  private func keepLinksAndWords(_ slot: ColumnSlot, _ old: Value, _ new: Value)
    throws(StorageError)
  {
    if slot.column.layout.value == .mixed {
      try keepMixedLinks(slot, old, new)
    } else if let backlinks = slot.backlinks {
      try old.forEachLink { link throws(StorageError) in
        try backlinks.removeInt(link.key.orderedSigned, key: selectedKey)
      }
      try new.forEachLink { link throws(StorageError) in
        try backlinks.insertInt(link.key.orderedSigned, key: selectedKey)
      }
    }
    try slot.fullText?.replaceTokens(of: old, with: new, key: selectedKey)
  }

  func recordChange(_ column: Column) { recordChange(column.id, of: selectedKey) }

  func recordChange(_ column: UInt32, of key: UInt64) {
    isChanged = true
    log.recordChange(key, column: column)
  }

  /// The column's builder in the selected row group.
  func builder(_ slot: ColumnSlot) throws(ColumnError) -> ColumnBuilder {
    if let builder = unsafe slot.builder { return builder }
    let builder = try selectedRowGroup.column(slot.column.id)
    slot.open(builder)
    openSlots.append(slot)
    return builder
  }

  func noSuchProperty(_ column: Column) -> ObjectError {
    .noSuchProperty(column.name, className: schema.name, nearest: nil)
  }
}
