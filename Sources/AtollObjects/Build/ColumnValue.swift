internal import AtollStorage

// Rows as values: a single value, or a whole collection.

extension ColumnView {
  /// Row `row` as a value; a collection with all its elements.
  ///
  /// - Throws: `ColumnError.corrupted`; what the external store throws.
  package func value(_ row: Int) throws -> Value {
    precondition(row >= 0 && row < count, "a row of the column")
    do {
      let store = store
      guard layout.collection != .none else {
        return try values.value(row, linkTable: layout.linkTable, store: store)
      }
      if let value = external?.find(row) {
        return try CollectionCoding.external(value, layout, store: store)
      }
      let range = elements(row)
      let elements = try range.map {
        try values.value($0, linkTable: layout.linkTable, store: store)
      }
      return try CollectionCoding.value(layout.collection, elements) { index throws in
        guard let keys else { preconditionFailure("a map has keys") }
        return try unsafe keys.withBytes(range.lowerBound + index) {
          try unsafe CollectionCoding.key($0)
        }
      }
    } catch { throw placed(error) }
  }
}

extension ColumnBuilder {
  /// Row `row` as a value; a collection with all its elements.
  package func value(_ row: Int, store: (any ExternalStore)? = nil) throws -> Value {
    guard isCollection else {
      return try values.value(row, linkTable: layout.linkTable, store: store)
    }
    switch rows[row] {
    case .list(let list): return try list.value()
    case .external(let value):
      return try CollectionCoding.external(value, layout, store: store)
    case .elements(let start, let count):
      let elements = try (start..<(start + count)).map {
        try values.value($0, linkTable: layout.linkTable, store: store)
      }
      return try CollectionCoding.value(layout.collection, elements) { index throws in
        try unsafe CollectionCoding.key(keys.bytes(start + index))
      }
    }
  }

  /// Replaces row `row`.
  ///
  /// On an error the column holds what it held before.
  ///
  /// - Throws: `ColumnError.nullInRequiredColumn`, `typeMismatch`, `valueTooLarge`.
  package func set(_ row: Int, _ value: Value) throws {
    precondition(row >= 0 && row < count, "a row of the column")
    guard isCollection else { return try values.set(row, value, layout: layout) }
    let elements: [Value]
    switch (layout.collection, value) {
    case (.list, .list(let list)): elements = list
    case (.set, .set(let set)): elements = set
    case (.map, .map(let map)): elements = map.entries.map(\.value)
    default: throw ColumnError.typeMismatch(layout)
    }
    // The elements are collected apart, so that an error leaves the row as it was.
    let new = ColumnBuilder(layout)
    new.appendDefault()
    new.beginElements(0)
    for (index, element) in elements.enumerated() {
      new.values.appendDefault()
      try new.values.set(index, element, layout: layout)
    }
    if case .map(let map) = value {
      for entry in map.entries {
        var key = entry.key
        try key.withUTF8 { try unsafe new.appendKey(UnsafeRawBufferPointer($0)) }
      }
    }
    try setElements(row, of: new)
  }

  /// Adds a row.
  ///
  /// - Throws: As `set`; then no row was added.
  package func append(_ value: Value) throws {
    appendDefault()
    do { try set(count - 1, value) } catch {
      remove(RowRemoval([count - 1]))
      throw error
    }
  }
}

/// Collections as values.
enum CollectionCoding {
  /// The collection of `elements`; `key` gives the key of the element at a position.
  static func value(
    _ kind: CollectionKind, _ elements: [Value], key: (Int) throws -> String
  ) throws -> Value {
    switch kind {
    case .list: return .list(elements)
    case .set: return .set(elements)
    case .map:
      return .map(
        ValueMap(try elements.indices.map { (key: try key($0), value: elements[$0]) }))
    case .none: preconditionFailure("a kind of collection")
    }
  }

  /// A collection that lies outside of its leaf.
  static func external(
    _ value: ExternalValue, _ layout: ColumnLayout, store: (any ExternalStore)?
  ) throws -> Value {
    if value.isList(layout) {
      guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
      return try store.readList(value, layout).value()
    }
    let bytes = try ScalarCoding.read(value, store: store)
    // SAFETY: bytes have no padding.
    let collection = try unsafe MixedCoding.decode(bytes.span.bytes)
    switch (layout.collection, collection) {
    case (.set, .set), (.map, .map): return collection
    default: throw ColumnError.corrupted(.value)
    }
  }

  static func key(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) -> String {
    guard let key = unsafe String(validating: bytes, as: UTF8.self) else {
      throw .corrupted(.notUTF8)
    }
    return key
  }
}
