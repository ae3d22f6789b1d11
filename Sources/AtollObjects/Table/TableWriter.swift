internal import AtollStorage

/// The objects of one class inside a transaction: rows, indexes and backlinks together.
///
/// A leaf is decoded when it is first written to and stays so until `flush`; a pass of deletions
/// encodes the leaves that it leaves behind.
/// Index and backlink entries are buffered and applied in order by `flush`.
/// Knows one class only: what a change means for other classes (links to a
/// deleted object, embedded objects) is the business of `Transaction`.
@safe
final class TableWriter {
  var record: ClassRecord
  let schema: TableSchema
  let layout: ClusterLayout
  private(set) var log: ChangeLog
  let storage: WriteTransaction
  /// Gives a number that no other tree of the file has had.
  let newTreeID: () -> UInt32
  let environment: ClusterEnvironment
  let rows: MutableTree
  /// In the order of `schema.columns`.
  let slots: [ColumnSlot]
  /// The same by column id, so that a loop finds one without a search.
  private let slotsByID: [Unmanaged<ColumnSlot>?]
  private(set) var isChanged = false
  /// Objects that were deleted, while their rows, entries and links are still there.
  ///
  /// Nobody sees them any more; see `Transaction.settleDeletions`.
  private(set) var doomed = DeletedKeys()
  /// An object that was looked for and exists.
  private var foundKey: UInt64?
  /// Whether another writer took over, because the class's schema changed.
  var isRetired = false
  /// Hears of each change before it is made; nil unless changes of the class are recorded.
  var recorder: Recorder? {
    get { unsafe currentRecorder }
    set { unsafe currentRecorder = newValue }
  }
  // SAFETY: as below.
  @exclusivity(unchecked) private var currentRecorder: Recorder?

  // The object that the calls below read and write.
  // SAFETY: the run-time checks of exclusive access are left out: one thread uses a writer, and no
  // access to these calls back.

  /// The selected object's cluster; nil when none is selected.
  @exclusivity(unchecked) private var cluster: ClusterBuilder?
  /// The object that is, or was last, selected.
  private(set) var selectedKey: UInt64 = 0
  private(set) var selectedRow = 0
  /// Changes whenever another object is selected, or none.
  private(set) var selectionStamp: UInt64 = 0
  /// Whether the selected row was appended and some of its columns may have no value yet; those get
  /// their default when they are read or the selection ends.
  private var isFilling = false
  /// Columns of the appended row that have their value.
  var filledCount = 0
  /// The columns with an index.
  private let indexedSlots: [ColumnSlot]
  /// The columns with a full-text index.
  private let fullTextSlots: [ColumnSlot]
  /// The cluster whose columns the slots have open.
  private var slotsOwner: ClusterBuilder?
  /// The largest key, once it is known.
  private var greatestKey: UInt64?
  private var isGreatestKeyKnown = false

  /// `previous`: the writer that the transaction had before the class's schema changed.
  init(
    record: ClassRecord, continuing previous: TableWriter?, storage: WriteTransaction,
    environment: ClusterEnvironment, newTreeID: @escaping () -> UInt32
  ) {
    self.record = record
    self.newTreeID = newTreeID
    log = previous?.log ?? ChangeLog()
    self.storage = storage
    schema = record.tableSchema
    layout = schema.clusterLayout
    self.environment = environment
    let layout = layout
    rows = MutableTree(
      root: record.rows.root, form: ClusterLeaf.form(record.rows.treeID),
      leafByteLimit: ClusterLeaf.targetByteCount + ClusterLeaf.targetByteCount / 4,
      transaction: storage,
      makeLeaf: { ClusterLeaf(layout, environment) },
      decodeLeaf: { page throws(StorageError) in
        try ClusterLeaf(page, layout: layout, environment)
      })
    slots = zip(schema.columns, record.columns).map { column, record in
      ColumnSlot(
        column,
        index: record.index.map {
          MutableIndexTree(root: $0.root, treeID: $0.treeID, transaction: storage)
        },
        backlinks: record.backlinks.map {
          MutableIndexTree(
            root: $0.root, treeID: $0.treeID, transaction: storage, mode: .counted)
        },
        fullText: record.fullText.map {
          MutableIndexTree(root: $0.root, treeID: $0.treeID, transaction: storage)
        })
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
  private func uncountedSlot(_ column: Column) -> Unmanaged<ColumnSlot>? {
    unsafe column.id < slotsByID.count ? slotsByID[Int(column.id)] : nil
  }

  func index(_ column: Column) -> MutableIndexTree? { slot(column)?.index }

  func fullTextIndex(_ column: Column) -> MutableIndexTree? { slot(column)?.fullText }

  // MARK: Index entries

  /// The objects that link to `target` through `column`, one that does so twice twice.
  func sources(of target: UInt64, _ column: Column) throws(ObjectError) -> [UInt64] {
    guard let bytes = IndexTree.bytes(of: IndexTree.target(target)) else { return [] }
    do throws(StorageError) { return try slot(column)?.backlinks?.keys(of: bytes) ?? [] } catch {
      throw .storage(error)
    }
  }

  private func addEntry(_ column: Column, _ value: Value, _ key: UInt64) throws(ObjectError) {
    guard let index = slot(column)?.index, let bytes = IndexTree.bytes(of: value) else {
      return
    }
    do throws(StorageError) { try index.insert(bytes, key: key) } catch {
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
    guard byteCount > IndexTree.valueByteLimit / 2 - 8, let key = OrderedKey.bytes(of: value),
      key.count > IndexTree.valueByteLimit
    else { return }
    throw tooLarge(column, byteCount, limit: IndexTree.valueByteLimit)
  }

  /// Refuses what is too large for the file, before anything is changed.
  func checkSize(_ value: Value, _ column: Column) throws(ObjectError) {
    try checkSize(Self.byteCount(value, column), column)
  }

  /// The bytes of a value that may be large, as the store would hold it; 0 for any other.
  static func byteCount(_ value: Value, _ column: Column) -> Int {
    let isMixed = column.layout.value == .mixed
    return switch value {
    case .list, .set, .map: MixedCoding.byteCount(of: value)
    case .string(let string): isMixed ? MixedCoding.byteCount(of: value) : string.utf8.count
    case .data(let data): isMixed ? MixedCoding.byteCount(of: value) : data.count
    default: 0
    }
  }

  private func checkSize(_ byteCount: Int, _ column: Column) throws(ObjectError) {
    guard byteCount <= BlobStore.byteCountLimit else {
      throw tooLarge(column, byteCount, limit: BlobStore.byteCountLimit)
    }
  }

  private func tooLarge(_ column: Column, _ byteCount: Int, limit: Int) -> ObjectError {
    .valueTooLarge(
      className: schema.name, property: column.name, byteCount: byteCount, limit: limit)
  }

  // MARK: Rows

  /// Whether the object exists.
  func contains(_ key: UInt64) throws(ObjectError) -> Bool {
    if key == foundKey { return true }
    guard try isFound(key) else { return false }
    foundKey = key
    return true
  }

  private func isFound(_ key: UInt64) throws(ObjectError) -> Bool {
    if !doomed.isEmpty, doomed.contains(key) { return false }
    if unsafe cluster != nil, selectedKey == key { return true }
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
    if !doomed.isEmpty, doomed.contains(key) { return nil }
    return try storedValue(key, column)
  }

  /// The same, also of a deleted object whose row is still there.
  func storedValue(_ key: UInt64, _ column: Column) throws(ObjectError) -> Value? {
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

  /// Takes an object out of sight, which exists; its row goes with `carryOut`.
  func doom(_ key: UInt64) throws(ObjectError) {
    try endSelection()
    try recorder?.willDelete(key, self)
    if key == foundKey { foundKey = nil }
    doomed.insert(key)
    isChanged = true
    log.recordDeletion(key)
  }

  /// The rows of all deleted objects are gone.
  func forgetDoomed() { doomed = DeletedKeys() }

  /// The key for an object of a class whose keys are given out in order.
  func takeKey() -> UInt64 {
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
  func insert(_ key: UInt64) throws(ObjectError) {
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
            isFull: { ($0 as? ClusterLeaf)?.isFull ?? false }, key: TreeKey(key)))
        guard builder.lowerBound(ofKey: key) == builder.rowCount else { throw keysContradict }
        try builder.appendKey(key)
        select(key, builder, builder.rowCount - 1)
        isFilling = true
        filledCount = 0
        greatestKey = key
        isGreatestKeyKnown = true
      }
      for slot in indexedSlots { unsafe slot.isUnlisted = true }
      isChanged = true
      log.recordInsertion(key)
      recorder?.didInsert(key, self)
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name)
    }
  }

  /// A damaged file says that a key is free, or above all others, and has it in a leaf.
  private var keysContradict: StorageError {
    .corrupted(block: record.rows.root.reference.block, .structure(.keysOutOfOrder))
  }

  /// Selects an object for the calls below; false when it does not exist.
  func select(_ key: UInt64) throws(ObjectError) -> Bool {
    if unsafe cluster != nil, selectedKey == key { return true }
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
    unsafe cluster = builder
    selectedKey = key
    selectedRow = row
    selectionStamp &+= 1
    if slotsOwner !== builder {
      closeSlots()
      slotsOwner = builder
    }
  }

  func closeSlots() {
    for slot in slots { slot.close() }
    slotsOwner = nil
  }

  /// Fills in and lists what a new object left at its defaults.
  func endSelection() throws(ObjectError) {
    guard unsafe cluster != nil else { return }
    try fillSelected()
    for slot in indexedSlots where unsafe slot.isUnlisted {
      unsafe slot.isUnlisted = false
      try addEntry(slot.column, try selectedValue(slot.column), selectedKey)
    }
    deselect()
  }

  private func deselect() {
    unsafe cluster = nil
    selectionStamp &+= 1
  }

  /// Gives every column of an appended row a value.
  func fillSelected() throws(ObjectError) {
    guard isFilling else { return }
    isFilling = false
    guard filledCount < slots.count else { return }
    do throws(ColumnError) {
      for slot in slots {
        let builder = try builder(slot)
        if builder.count == selectedRow { builder.appendDefault() }
      }
    } catch { throw ObjectError(error, block: 0, className: schema.name) }
  }

  /// The object `key` is to be removed.
  func forgetGreatestKey(_ key: UInt64) {
    if key == greatestKey { isGreatestKeyKnown = false }
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

  static func builder(of leaf: any TreeLeaf) -> ClusterBuilder {
    guard let leaf = leaf as? ClusterLeaf else {
      preconditionFailure("a table's leaves are clusters")
    }
    return leaf.builder
  }

  var selectedCluster: ClusterBuilder {
    guard let cluster = unsafe cluster else {
      preconditionFailure("an object is selected before it is changed")
    }
    return cluster
  }

  // MARK: Values of the selected object

  func selectedValue(_ column: Column) throws(ObjectError) -> Value {
    try fillSelected()
    do { return try selectedCluster.value(column.id, selectedRow) } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Sets a value that fits the column.
  func setSelected(_ column: Column, _ value: Value) throws(ObjectError) {
    guard let slot = slot(column) else { throw noSuchProperty(column) }
    do {
      let byteCount = Self.byteCount(value, column)
      if byteCount > ExternalValue.maximumInlineByteCount {
        try selectedCluster.makeRoom(for: byteCount, in: column.id)
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
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Gives a new object, which is selected, its primary key.
  func setPrimaryKey(_ column: Column, _ value: Value) throws(ObjectError) {
    switch value {
    case .int(let number): try setInt(column, number)
    case .string(let text): try setString(column, text)
    default: try setSelected(column, value)
    }
  }

  /// Changes a value of the selected object: the one place through which every change goes.
  ///
  /// Tells the recorder, writes, and keeps index, backlinks and full text.
  ///
  /// `isFirst`: an appended row gets the value that it lacks. `write` comes before the entries, so that
  /// they say what the column holds when it refuses. `list` adds the index entry.
  @inline(__always)
  private func change(
    _ slot: ColumnSlot, isFirst: Bool, to new: @autoclosure () -> Value,
    write: () throws -> Void, list: (MutableIndexTree, UInt64) throws(StorageError) -> Void
  ) throws {
    var old = Value.null
    if isFirst {
      // The log and the recorder have the row's insertion.
      try write()
      filledCount &+= 1
    } else {
      if let recorder { try recorder.willChange(slot.column, of: selectedKey, self) }
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
        try backlinks.removeInt(Int64(bitPattern: link.key ^ 1 << 63), key: selectedKey)
      }
      try new.forEachLink { link throws(StorageError) in
        try backlinks.insertInt(Int64(bitPattern: link.key ^ 1 << 63), key: selectedKey)
      }
    }
    try slot.fullText?.replaceTokens(of: old, with: new, key: selectedKey)
  }

  func recordChange(_ column: Column) { recordChange(column.id, of: selectedKey) }

  func recordChange(_ column: UInt32, of key: UInt64) {
    isChanged = true
    log.recordChange(key, column: column)
  }

  /// The column's builder in the selected cluster.
  func builder(_ slot: ColumnSlot) throws(ColumnError) -> ColumnBuilder {
    if let builder = unsafe slot.builder { return builder }
    let builder = try selectedCluster.column(slot.column.id)
    slot.open(builder)
    return builder
  }

  func noSuchProperty(_ column: Column) -> ObjectError {
    .noSuchProperty(column.name, className: schema.name, nearest: nil)
  }

  // MARK: Typed values of the selected object, for loads

  /// Sets a value of a plain column: `append` gives it to an appended row that lacks one, `set`
  /// replaces the one that is there, and `list` adds the new one to the index.
  ///
  /// - Throws: `.typeMismatch` before anything is changed.
  @inline(__always)
  private func set(
    _ column: Column, _ type: ValueType, _ value: @autoclosure () -> Value,
    append: (ScalarBuilder) throws(ColumnError) -> Void,
    set: (ScalarBuilder, Int) throws(ColumnError) -> Void,
    list: (MutableIndexTree, UInt64) throws(StorageError) -> Void
  ) throws(ObjectError) {
    guard let slot = unsafe uncountedSlot(column) else { throw refused(column, type) }
    do {
      // SAFETY: `slots` holds the slot; the slot holds its values and its index, and no closure
      // makes it open another cluster.
      try unsafe slot._withUnsafeGuaranteedRef { slot in
        guard slot.type == type else { throw refused(column, type) }
        if unsafe slot.values == nil { _ = try builder(slot) }
        guard let values = unsafe slot.values else { throw refused(column, type) }
        try unsafe values._withUnsafeGuaranteedRef { values in
          let isFirst = values.count == selectedRow
          try change(slot, isFirst: isFirst, to: value()) {
            if isFirst { try append(values) } else { try set(values, selectedRow) }
          } list: { index, key throws(StorageError) in
            try list(index, key)
          }
        }
      }
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  private func refused(_ column: Column, _ type: ValueType) -> ObjectError {
    guard slot(column) != nil else { return noSuchProperty(column) }
    return .typeMismatch(
      className: schema.name, property: column.name, expected: column.layout.description,
      found: type.queryName)
  }

  func setInt(_ column: Column, _ value: Int64) throws(ObjectError) {
    try set(column, .int, .int(value)) { values throws(ColumnError) in
      values.appendInt(value)
    } set: { values, row throws(ColumnError) in
      values.setInt(row, value)
    } list: { index, key throws(StorageError) in
      try index.insertInt(value, key: key)
    }
  }

  func setBool(_ column: Column, _ value: Bool) throws(ObjectError) {
    try set(column, .bool, .bool(value)) { values throws(ColumnError) in
      values.appendBool(value)
    } set: { values, row throws(ColumnError) in
      values.setBool(row, value)
    } list: { index, key throws(StorageError) in
      try Self.insert(.bool(value), key, into: index)
    }
  }

  func setDouble(_ column: Column, _ value: Double) throws(ObjectError) {
    try set(column, .double, .double(value)) { values throws(ColumnError) in
      values.appendDouble(value)
    } set: { values, row throws(ColumnError) in
      var bits = value.bitPattern.littleEndian
      // SAFETY: the bytes of a local integer, for the length of the call.
      unsafe withUnsafeBytes(of: &bits) { unsafe values.setFixed(row, $0) }
    } list: { index, key throws(StorageError) in
      try Self.insert(.double(value), key, into: index)
    }
  }

  func setDate(_ column: Column, _ value: Timestamp) throws(ObjectError) {
    try set(column, .date, .date(value)) { values throws(ColumnError) in
      values.appendDate(seconds: value.seconds, nanoseconds: value.nanoseconds)
    } set: { values, row throws(ColumnError) in
      values.setDate(row, seconds: value.seconds, nanoseconds: value.nanoseconds)
    } list: { index, key throws(StorageError) in
      try Self.insert(.date(value), key, into: index)
    }
  }

  private func remove(_ value: Value, from index: MutableIndexTree?) throws(StorageError) {
    if let bytes = IndexTree.bytes(of: value) { try index?.remove(bytes, key: selectedKey) }
  }

  private static func insert(_ value: Value, _ key: UInt64, into index: MutableIndexTree)
    throws(StorageError)
  {
    if let bytes = IndexTree.bytes(of: value) { try index.insert(bytes, key: key) }
  }

  func setString(_ column: Column, _ value: String) throws(ObjectError) {
    var value = value
    if value.utf8.count > ExternalValue.maximumInlineByteCount { try prepare(column, value) }
    do {
      // SAFETY: the bytes are used inside the closure only.
      try value.withUTF8 { utf8 in
        let bytes = UnsafeRawBufferPointer(utf8)
        try set(column, .string, .string(unsafe String(decoding: bytes, as: UTF8.self))) {
          values throws(ColumnError) in
          try unsafe values.appendBytes(bytes)
        } set: { values, row throws(ColumnError) in
          try unsafe values.setBytes(row, bytes)
        } list: { index, key throws(StorageError) in
          try unsafe index.insertString(bytes, key: key)
        }
      }
    } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Refuses a long string that is too long, and makes room for another.
  private func prepare(_ column: Column, _ value: String) throws(ObjectError) {
    guard let slot = slot(column), slot.type == .string else { throw refused(column, .string) }
    if slot.index != nil { try checkIndexable(.string(value), column) }
    try checkSize(.string(value), column)
    do { try selectedCluster.makeRoom(for: value.utf8.count, in: column.id) } catch {
      throw ObjectError(any: error, block: 0, className: schema.name, property: column.name)
    }
  }

  /// Sets a to-one link.
  ///
  /// That the target exists is checked before the commit.
  func setLink(_ column: Column, _ target: UInt64) throws(ObjectError) {
    try set(column, .link, .link(ObjectLink(table: column.layout.linkTable, key: target))) {
      values throws(ColumnError) in
      values.appendInt(Int64(bitPattern: target))
    } set: { values, row throws(ColumnError) in
      values.setInt(row, Int64(bitPattern: target))
    } list: { _, _ throws(StorageError) in
    }
    // SAFETY: `slots` holds the slot.
    unsafe uncountedSlot(column)?._withUnsafeGuaranteedRef { slot in
      unsafe slot.uncheckedTargets.append(target)
    }
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
    precondition(doomed.isEmpty, "deletions are settled before their class is written")
    try endSelection()
    closeSlots()
    do throws(StorageError) {
      record.rows.root = try rows.flush()
      for (position, slot) in slots.enumerated() {
        if let index = slot.index { record.columns[position].index?.root = try index.flush() }
        if let index = slot.backlinks {
          record.columns[position].backlinks?.root = try index.flush()
        }
        if let index = slot.fullText {
          record.columns[position].fullText?.root = try index.flush()
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

  /// The links that the typed path has set and nobody has looked up, by column.
  var uncheckedTargets: [(column: Column, targets: [UInt64])] {
    slots.compactMap { slot in
      let targets = unsafe slot.uncheckedTargets
      return targets.isEmpty ? nil : (slot.column, targets)
    }
  }

  /// The targets of unchecked links were found to exist.
  func forgetUncheckedTargets() {
    for slot in slots { unsafe slot.uncheckedTargets = [] }
  }

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
      for slot in slots {
        for index in [slot.index, slot.backlinks, slot.fullText] { try index?.removeAll() }
      }
    } catch { throw .storage(error) }
    foundKey = nil
    isGreatestKeyKnown = false
    isChanged = true
  }
}
