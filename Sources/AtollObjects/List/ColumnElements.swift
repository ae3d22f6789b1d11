internal import AtollStorage

// The elements of one row's collection, wherever they lie.

extension ColumnView {
  /// The number of elements of row `row`.
  func countElements(_ row: Int) throws -> Int {
    if let count = elementCount(row) { return count }
    return try value(row).parts.count
  }

  /// The elements of a range of row `row`'s collection, which is inside of it; of a map its values.
  func elements(_ row: Int, _ range: Range<Int>) throws -> [Value] {
    precondition(layout.collection != .none && row >= 0 && row < count, "a row of collections")
    let store = store
    do {
      if let value = external?.find(row) {
        guard value.isList(layout) else { return Array(try self.value(row).parts.values[range]) }
        return try ColumnBuilder.list(value, layout, store).elements(range)
      }
      let all = elements(row)
      precondition(range.lowerBound >= 0 && range.upperBound <= all.count, "elements of the list")
      return try range.map {
        try values.value(all.lowerBound + $0, linkTable: layout.linkTable, store: store)
      }
    } catch { throw placed(error) }
  }

  /// Where a member of row `row`'s set, or a key of its map, is; `near`: where it may be.
  func place(_ row: Int, of part: Value, near: Int? = nil) throws -> PartPlace {
    precondition(layout.hasParts && row >= 0 && row < count, "a row of sets or maps")
    let store = store
    do {
      if let value = external?.find(row) {
        guard value.isList(layout) else { return try self.value(row).parts.place(of: part) }
        return try ColumnBuilder.list(value, layout, store).place(of: part, near: near)
      }
      let all = elements(row)
      return try PartPlace(of: part, in: 0..<all.count) { index throws in
        if let keys {
          return .string(
            // SAFETY: the view holds the owner of the bytes; `withBytes` checks the index and lends
            // bytes that lie in the vector. `key` copies them, and throws unless they are a text.
            try unsafe keys.withBytes(all.lowerBound + index) {
              try unsafe CollectionCoding.key($0)
            })
        }
        return try values.value(
          all.lowerBound + index, linkTable: layout.linkTable, store: store)
      }
    } catch { throw placed(error) }
  }

  /// Whether the members of row `row`'s set, or the keys of its map, ascend, so that a search finds
  /// them; true of a collection that lies outside one by one, of which its tree is to be walked.
  func hasAscendingParts(_ row: Int) throws -> Bool {
    precondition(layout.hasParts && row >= 0 && row < count, "a row of sets or maps")
    let store = store
    do {
      var parts: [Value] = []
      if let value = external?.find(row) {
        guard !value.isList(layout) else { return true }
        let known = try self.value(row).parts
        parts = layout.collection == .map ? known.keys.map { .string($0) } : known.values
      } else {
        for index in elements(row) {
          if let keys {
            // SAFETY: as in `place`.
            let key = try unsafe keys.withBytes(index) { try unsafe CollectionCoding.key($0) }
            parts.append(.string(key))
          } else {
            parts.append(try values.value(index, linkTable: layout.linkTable, store: store))
          }
        }
      }
      return zip(parts, parts.dropFirst()).allSatisfy { Value.sortOrder($0, $1) == .less }
    } catch { throw placed(error) }
  }

  /// The bytes of row `row`'s elements, if they lie outside one by one.
  func listByteCount(_ row: Int) throws -> Int? {
    guard let value = external?.find(row), value.isList(layout) else { return nil }
    do { return try ColumnBuilder.list(value, layout, store).byteCount() } catch {
      throw placed(error)
    }
  }

  /// A member of row `row`'s set, or the value of a key of its map; nil when it is not there.
  package func part(_ row: Int, _ part: Value) throws -> Value? {
    let place = try place(row, of: part)
    return place.isThere ? try elements(row, place.index..<place.index + 1).first : nil
  }
}

extension ColumnBuilder {
  fileprivate static func list(
    _ value: ExternalValue, _ layout: ColumnLayout, _ store: (any ExternalStore)?
  ) throws -> any OutsideElements {
    guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
    return try store.readList(value, layout)
  }

  /// The number of elements of row `row`, which is one of collections.
  func listCount(_ row: Int, store: (any ExternalStore)?) throws -> Int {
    switch rows[row] {
    case .elements(_, let count): return count
    case .external(let external):
      guard !external.isList(layout) else { return Int(clamping: external.byteCount) }
      return try value(row, store: store).parts.count
    case .list(let list): return list.count
    }
  }

  /// The elements of a range of row `row`'s collection, which is inside of it.
  func elements(_ row: Int, _ range: Range<Int>, store: (any ExternalStore)?) throws -> [Value] {
    switch rows[row] {
    case .list(let list): return try list.elements(range)
    case .external(let external):
      guard external.isList(layout) else {
        return Array(try value(row, store: store).parts.values[range])
      }
      return try Self.list(external, layout, store).elements(range)
    case .elements(let start, _):
      return try range.map {
        try values.value(start + $0, linkTable: layout.linkTable, store: store)
      }
    }
  }

  /// Whether row `row`'s set or map lies outside as one value.
  func isOneValue(_ row: Int) -> Bool {
    if case .external(let value) = rows[row] { !value.isList(layout) } else { false }
  }

  /// The bytes of row `row`'s elements, if they lie outside one by one.
  func listByteCount(_ row: Int, store: (any ExternalStore)?) throws -> Int? {
    switch rows[row] {
    case .elements: return nil
    case .list(let list): return try list.byteCount()
    case .external(let external):
      guard external.isList(layout) else { return nil }
      return try Self.list(external, layout, store).byteCount()
    }
  }

  /// Where a member of row `row`'s set, or a key of its map, is; `near`: where it may be.
  func place(
    _ row: Int, of part: Value, near: Int? = nil, store: (any ExternalStore)?
  ) throws -> PartPlace {
    switch rows[row] {
    case .list(let list): return try list.place(of: part, near: near)
    case .external(let external):
      guard external.isList(layout) else {
        return try value(row, store: store).parts.place(of: part)
      }
      return try Self.list(external, layout, store).place(of: part, near: near)
    case .elements(let start, let count):
      return try PartPlace(of: part, in: 0..<count) { index throws in
        // SAFETY: `bytes` checks the index and where the key lies in the arena, which does not
        // change here. `key` copies it.
        if isMap { return .string(try unsafe CollectionCoding.key(keys.bytes(start + index))) }
        return try values.value(start + index, linkTable: layout.linkTable, store: store)
      }
    }
  }

  // MARK: Changing

  /// Inserts an element before the one at `index`, or at the end; `key`: of a map's entry.
  func insertElement(
    _ row: Int, at index: Int, _ element: Value, key: String? = nil, store: (any ExternalStore)?
  ) throws {
    if let list = try longList(row, adding: 1, store: store) {
      return try list.insert(element, key: key, at: index)
    }
    if try insertLastElement(row, at: index, element, key: key) { return }
    try changeElements(row, store: store) { parts in
      parts.values.insert(element, at: index)
      if let key { parts.keys.insert(key, at: index) }
    }
  }

  /// Changes an element; an entry of a map keeps its key.
  func setElement(_ row: Int, at index: Int, _ element: Value, store: (any ExternalStore)?) throws {
    if let list = try longList(row, adding: 0, store: store) {
      return try list.set(index, element)
    }
    guard case .elements(let start, _) = rows[row] else { return }
    try values.set(start + index, element, layout: layout)
  }

  func removeElement(_ row: Int, at index: Int, store: (any ExternalStore)?) throws {
    if let list = try longList(row, adding: 0, store: store) { return try list.remove(at: index) }
    if removeLastElement(row, at: index) { return }
    try changeElements(row, store: store) { parts in
      parts.values.remove(at: index)
      if isMap { parts.keys.remove(at: index) }
    }
  }

  /// The list outside that a row holds, or is to hold as it has many elements.
  private func longList(_ row: Int, adding count: Int, store: (any ExternalStore)?) throws
    -> (any OutsideList)?
  {
    if let list = try openList(row, store: store) { return list }
    guard let store, case .elements(_, let known) = rows[row],
      known + count > ExternalValue.maximumInlineElementCount
    else { return nil }
    return try moveOut(row, to: store)
  }

  /// Puts the elements of a row into a list outside, wherever they lie.
  func moveOut(_ row: Int, to store: any ExternalStore) throws -> any OutsideList {
    let list = try store.makeList(layout)
    let parts = try value(row, store: store).parts
    for (index, element) in parts.values.enumerated() {
      try list.insert(element, key: isMap ? parts.keys[index] : nil, at: list.count)
    }
    replace(row, with: list)
    return list
  }

  private func changeElements(
    _ row: Int, store: (any ExternalStore)?, _ change: (inout CollectionParts) -> Void
  ) throws {
    var parts = try value(row, store: store).parts
    change(&parts)
    try set(row, parts.value(layout.collection))
  }
}

/// The elements of a collection, and of a map their keys.
struct CollectionParts {
  var values: [Value] = []
  var keys: [String] = []
  private var isMap = false

  var count: Int { values.count }

  fileprivate init(_ value: Value) {
    switch value {
    case .list(let elements), .set(let elements): values = elements
    case .map(let map):
      values = map.entries.map(\.value)
      keys = map.entries.map(\.key)
      isMap = true
    default: break
    }
  }

  fileprivate func place(of part: Value) -> PartPlace {
    PartPlace(of: part, in: 0..<count) { isMap ? .string(keys[$0]) : values[$0] }
  }

  fileprivate func value(_ kind: CollectionKind) -> Value {
    switch kind {
    case .map: .map(ValueMap(zip(keys, values).map { (key: $0, value: $1) }))
    case .set: .set(values)
    case .list, .none: .list(values)
    }
  }
}

extension Value {
  fileprivate var parts: CollectionParts { CollectionParts(self) }
}

extension RowGroupBuilder {
  /// Reads a column in whichever form it is, without decoding it.
  func read<Result>(
    _ id: UInt32, decoded: (ColumnBuilder) throws -> Result, stored: (ColumnView) throws -> Result
  ) throws -> Result {
    guard let builder = decodedColumn(id) else { return try stored(view(of: id)) }
    do { return try decoded(builder) } catch { throw placed(error, id) }
  }
}
