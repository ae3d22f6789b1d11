internal import AtollStorage

/// One column of a row group being collected or changed; see `ColumnView` for what it becomes.
///
/// The elements of a collection are appended to `values`, and a row knows where its own start: a
/// row that is replaced leaves its old elements there until they are half of all.
///
/// Values that are too large for a leaf are moved to the external store by `encode`; what was there
/// and is no longer wanted is freed then.
///
/// Invariant: for a collection every row's elements lie in `values`, and in `keys` for a map; for a
/// plain column `values` has one entry per row.
package final class ColumnBuilder {
  package let layout: ColumnLayout
  /// The rows of a plain column, for its typed calls; the elements of a collection.
  package private(set) var values: ScalarBuilder
  private(set) var rows: [Row] = []
  private(set) var keys = BytesBuilder()
  private(set) var released: [ReleasedValue] = []
  private var liveElementCount = 0

  /// The collection of one row.
  enum Row {
    case elements(start: Int, count: Int)
    case external(ExternalValue)
    /// A collection outside that is being changed.
    case list(any OutsideList)
  }

  package init(_ layout: ColumnLayout) {
    self.layout = layout
    values = ScalarBuilder(type: layout.value, isNullable: layout.allowsNull)
  }

  var isCollection: Bool { layout.collection != .none }
  var isMap: Bool { layout.collection == .map }

  /// Rows.
  package var count: Int { isCollection ? rows.count : values.count }

  func removeAll() {
    values.removeAll()
    rows.removeAll(keepingCapacity: true)
    keys.removeAll()
    released.removeAll()
    liveElementCount = 0
  }

  // MARK: Rows

  /// Adds a row with what a new object has: null, false, zero, empty.
  package func appendDefault() {
    if isCollection {
      rows.append(.elements(start: values.count, count: 0))
    } else {
      values.appendDefault()
    }
  }

  package func insertDefault(at row: Int) {
    if isCollection {
      rows.insert(.elements(start: values.count, count: 0), at: row)
    } else {
      values.insertDefault(at: row)
    }
  }

  func remove(_ removal: RowRemoval) {
    if isCollection {
      for row in removal.rows { forget(row) }
      removal.apply(to: &rows)
      compactIfWorthwhile()
    } else {
      values.remove(removal)
    }
  }

  /// Drops the rows from `count` on, which another builder has taken over.
  func truncate(to count: Int) {
    guard isCollection else { return values.truncate(to: count) }
    for row in count..<rows.count {
      if case .elements(_, let elementCount) = rows[row] { liveElementCount -= elementCount }
    }
    rows.removeLast(rows.count - count)
  }

  /// Adds rows of another builder of the same layout, which is to forget them with `truncate`.
  func append(_ other: ColumnBuilder, _ range: Range<Int>) throws(ColumnError) {
    guard isCollection else { return try values.append(other.values, range) }
    for row in range {
      switch other.rows[row] {
      case .elements(let start, let count):
        rows.append(.elements(start: values.count, count: count))
        // An empty one may begin behind the elements that are left.
        guard count > 0 else { continue }
        try values.append(other.values, start..<(start + count))
        if isMap { try keys.append(other.keys, start..<(start + count)) }
        liveElementCount += count
      case .external, .list: rows.append(other.rows[row])
      }
    }
  }

  /// Adds all rows of an encoded column.
  ///
  /// On an error the builder is not to be used any more.
  func append(_ view: ColumnView) throws(ColumnError) {
    precondition(view.layout == layout, "a column is decoded with its own layout")
    if let counts = view.counts {
      var start = values.count
      for row in 0..<view.count {
        if let value = view.external?.find(row) {
          // The elements of such a row were moved away, so there are none here.
          guard counts[row] == 0 else { throw .corrupted(.lengthsDoNotAddUp) }
          rows.append(.external(value))
        } else {
          let count = Int(counts[row])
          rows.append(.elements(start: start, count: count))
          start += count
          liveElementCount += count
        }
      }
      if let keys = view.keys { try self.keys.append(keys, external: nil) }
    }
    try values.append(view.values)
  }

  // MARK: Collections

  /// Starts a new, empty collection for a row.
  ///
  /// Its elements are then appended to `values`, and for a map their keys with `appendKey`;
  /// `endElements` completes it.
  func beginElements(_ row: Int) {
    forget(row)
    rows[row] = .elements(start: values.count, count: 0)
  }

  func appendKey(_ key: UnsafeRawBufferPointer) throws(ColumnError) {
    // SAFETY: the string's bytes are valid during the caller's call; the arena copies them.
    try unsafe keys.append(key)
  }

  func endElements(_ row: Int) {
    guard case .elements(let start, _) = rows[row] else {
      preconditionFailure("a collection ends after it begins")
    }
    rows[row] = .elements(start: start, count: values.count - start)
    liveElementCount += values.count - start
    compactIfWorthwhile()
  }

  /// Replaces the collection of a row by the only one of `other`.
  func setElements(_ row: Int, of other: ColumnBuilder) throws(ColumnError) {
    beginElements(row)
    try values.append(other.values, 0..<other.values.count)
    if isMap { try keys.append(other.keys, 0..<other.keys.count) }
    endElements(row)
  }

  /// Hands over the external values that no row refers to any more.
  func takeReleased() -> [ReleasedValue] {
    defer { released.removeAll() }
    return released + values.takeReleased().map { .value($0) }
  }

  /// Drops what a row holds, before it gets something else.
  private func forget(_ row: Int) {
    switch rows[row] {
    case .elements(let start, let count):
      var references: [ExternalReference] = []
      for element in start..<(start + count) { values.appendExternal(element, to: &references) }
      released += references.map { .value($0) }
      liveElementCount -= count
    case .external(let value): released.append(outside(value))
    case .list(let list): released.append(.openList(list))
    }
    rows[row] = .elements(start: 0, count: 0)
  }

  private func outside(_ value: ExternalValue) -> ReleasedValue {
    value.isList(layout) ? .list(value, layout) : .value(value.reference)
  }

  private func compactIfWorthwhile() {
    if values.count - liveElementCount > max(liveElementCount, 4096) {
      do { try compact() } catch {
        // A copy of values that fitted before cannot be too large.
        preconditionFailure("compaction makes values larger")
      }
    }
  }

  /// Puts the elements in the order of their rows, without gaps.
  ///
  /// Cost: a copy of all elements.
  private func compact() throws(ColumnError) {
    var next = 0
    var isInOrder = true
    for case .elements(let start, let count) in rows {
      if count > 0 && start != next { isInOrder = false }
      next += count
    }
    guard !isInOrder || next != values.count else { return }
    let old = values
    let new = ScalarBuilder(type: layout.value, isNullable: layout.allowsNull)
    var newKeys = BytesBuilder()
    for row in rows.indices {
      guard case .elements(let start, let count) = rows[row] else { continue }
      rows[row] = .elements(start: new.count, count: count)
      // As above.
      guard count > 0 else { continue }
      try new.append(old, start..<(start + count))
      if isMap { try newKeys.append(keys, start..<(start + count)) }
    }
    released += old.takeReleased().map { .value($0) }
    values = new
    keys = newKeys
  }

  // MARK: Encoding

  /// About what `encode` will write, directory included.
  package var estimatedByteCount: Int {
    guard isCollection else { return values.estimatedByteCount }
    return values.estimatedByteCount + 64 + rows.count * 2 + (isMap ? keys.estimatedByteCount : 0)
  }

  /// Adds the column's vectors to the sink and returns its zone; collections have none.
  ///
  /// - Throws: `ColumnError.valueTooLarge` when a value must go to the store and there is none;
  ///   what the store throws.
  func encode(into sink: inout VectorSink, store: (any ExternalStore)?) throws -> Zone? {
    if isCollection {
      try moveLargeCollections(to: store)
      try compact()
    }
    try values.moveLargeValues(to: store)
    try free(takeReleased(), in: store)

    guard isCollection else {
      return values.encode(
        into: &sink, validity: .validity, values: .values, nanoseconds: .nanoseconds,
        external: .external)
    }
    var counts = IntBuilder()
    var externals: [(index: Int, value: ExternalValue)] = []
    for (row, content) in rows.enumerated() {
      switch content {
      case .elements(_, let count): counts.append(Int64(count))
      case .external(let value):
        counts.append(0)
        externals.append((index: row, value: value))
      case .list: preconditionFailure("lists outside are stored before their column")
      }
    }
    if values.count > 0 { sink.add(.counts, .ints) { counts.encode(into: &$0) } }
    if isMap, keys.count > 0 { sink.add(.mapKeys, .bytes) { keys.encode(into: &$0) } }
    sink.addExternal(.external, externals)
    _ = values.encode(
      into: &sink, validity: .elementValidity, values: .elementValues,
      nanoseconds: .elementNanoseconds, external: .elementExternal)
    return nil
  }

  private func free(_ released: [ReleasedValue], in store: (any ExternalStore)?) throws {
    guard let store else { return }
    for value in released { try store.free(value) }
  }

  /// The bytes of large values that wait for `encode` in memory.
  static let waitingByteLimit = 1 << 28

  /// Moves the large values to the store, when with `byteCount` more bytes too many would wait.
  ///
  /// So the vectors of bytes never outgrow their 32-bit offsets.
  func makeRoom(for byteCount: Int, store: (any ExternalStore)?) throws {
    guard values.bytes.arena.count + keys.arena.count + byteCount > Self.waitingByteLimit else {
      return
    }
    if isCollection {
      try moveLargeCollections(to: store)
      try compact()
    }
    try values.moveLargeValues(to: store)
  }

  /// Moves every collection of more than a leaf takes to the store, and short ones back.
  private func moveLargeCollections(to store: (any ExternalStore)?) throws {
    for row in rows.indices {
      if case .list(let list) = rows[row] {
        try settle(list, row)
        continue
      }
      guard case .elements(let start, let count) = rows[row] else { continue }
      let byteCount = elementByteCount(start..<(start + count))
      guard
        byteCount > ExternalValue.maximumInlineCollectionByteCount
          || count > ExternalValue.maximumInlineElementCount
      else { continue }
      guard let store else { throw ColumnError.valueTooLarge(byteCount: byteCount) }
      rows[row] = .external(try moveOut(row, to: store).store())
    }
  }

  /// The bytes of elements and their keys, as a leaf would have to hold them.
  private func elementByteCount(_ range: Range<Int>) -> Int {
    switch values.form {
    case .bits where !isMap: return range.count / 8
    case .bits, .ints: return range.count * 8 + keyByteCount(range)
    case .timestamps: return range.count * 12 + keyByteCount(range)
    case .fixed(let width): return range.count * width + keyByteCount(range)
    case .bytes:
      var sum = keyByteCount(range) + range.count * 2
      for element in range where values.bytes.external(element) == nil {
        // SAFETY: only the count is used.
        let byteCount = unsafe values.bytes.bytes(element).count
        // An element too large for a leaf goes to the store by itself.
        sum += byteCount > ExternalValue.maximumInlineByteCount ? 40 : byteCount
      }
      return sum
    }
  }

  private func keyByteCount(_ range: Range<Int>) -> Int {
    guard isMap else { return 0 }
    // SAFETY: only the counts are used.
    return range.reduce(0) { unsafe $0 + keys.bytes($1).count + 2 }
  }

  /// The external values of all rows, to be freed with them.
  func outsideValues() -> [ReleasedValue] {
    var references: [ExternalReference] = []
    guard isCollection else {
      for row in 0..<count { values.appendExternal(row, to: &references) }
      return references.map { .value($0) }
    }
    var outside: [ReleasedValue] = []
    for row in rows {
      switch row {
      case .elements(let start, let count):
        for element in start..<(start + count) { values.appendExternal(element, to: &references) }
      case .external(let value): outside.append(self.outside(value))
      case .list(let list): outside.append(.openList(list))
      }
    }
    return outside + references.map { .value($0) }
  }

  // MARK: Elements

  /// Puts a list in the place of what the row holds, whose elements are not needed any more.
  func replace(_ row: Int, with list: any OutsideList) {
    forget(row)
    rows[row] = .list(list)
  }

  /// The list outside that a row holds, to be changed; nil when its elements lie here.
  func openList(_ row: Int, store: (any ExternalStore)?) throws -> (any OutsideList)? {
    switch rows[row] {
    case .elements: return nil
    case .list(let list): return list
    case .external(let value):
      guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
      guard value.isList(layout) else { return try moveOut(row, to: store) }
      let list = try store.openList(value, layout)
      rows[row] = .list(list)
      return list
    }
  }

  /// Inserts an element of a row whose elements are the last here; false for any other row.
  func insertLastElement(_ row: Int, at index: Int, _ element: Value, key: String?) throws -> Bool {
    guard case .elements(let start, let count) = rows[row],
      count == 0 || start + count == values.count
    else { return false }
    let first = values.count - count
    values.insertDefault(at: first + index)
    if isMap { keys.insertEmpty(at: first + index) }
    do {
      try values.set(first + index, element, layout: layout)
      if var key, isMap {
        // SAFETY: the string lends its bytes for the length of the call; the arena copies them.
        try key.withUTF8 { try unsafe keys.set(first + index, UnsafeRawBufferPointer($0)) }
      }
    } catch {
      values.remove(RowRemoval([first + index]))
      if isMap { keys.remove(RowRemoval([first + index])) }
      throw error
    }
    rows[row] = .elements(start: first, count: count + 1)
    liveElementCount += 1
    return true
  }

  /// Removes an element of a row whose elements are the last here; false for any other row.
  func removeLastElement(_ row: Int, at index: Int) -> Bool {
    guard case .elements(let start, let count) = rows[row], start + count == values.count else {
      return false
    }
    values.remove(RowRemoval([start + index]))
    if isMap { keys.remove(RowRemoval([start + index])) }
    rows[row] = .elements(start: start, count: count - 1)
    liveElementCount -= 1
    return true
  }

  /// Writes a list that was changed, or takes it back when it has become short.
  private func settle(_ list: any OutsideList, _ row: Int) throws {
    if list.count <= ExternalValue.returningElementCount {
      let value = try list.value()
      let byteCount = MixedCoding.byteCount(of: value)
      if byteCount <= ExternalValue.maximumInlineCollectionByteCount / 4 {
        return try set(row, value)
      }
    }
    rows[row] = .external(try list.store())
  }
}
