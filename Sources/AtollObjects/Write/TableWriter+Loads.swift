internal import AtollStorage

// Typed values of the selected object, for loads.

extension TableWriter {
  /// Sets a value of a plain column: `append` gives it to an appended row that lacks one, `set`
  /// replaces the one that is there, and `list` adds the new one to the index.
  ///
  /// - Throws: `.typeMismatch` before anything is changed.
  @inline(__always)
  private func set(
    _ column: Column, _ type: ValueType, _ value: @autoclosure () -> Value,
    append: (ScalarBuilder) throws(ColumnError) -> Void,
    set: (ScalarBuilder, Int) throws(ColumnError) -> Void,
    list: (MutableIndex, UInt64) throws(StorageError) -> Void
  ) throws(ObjectError) {
    guard let slot = unsafe uncountedSlot(column) else { throw refused(column, type) }
    do {
      // SAFETY: `slots` holds the slot; the slot holds its values and its index, and no closure
      // makes it open another row group.
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
      throw ObjectError(any: error, className: schema.name, property: column.name)
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

  /// Sets single values, each by its type; none is a link.
  func setSingle(
    _ columns: [Column], _ values: [Value], of key: UInt64
  ) throws(ObjectError) {
    do {
      // SAFETY: both are only read, inside the closures; an element of an array would be copied.
      try unsafe columns.withUnsafeBufferPointer { columns in
        try unsafe values.withUnsafeBufferPointer { values in
          for index in columns.indices {
            guard try select(key) else { throw ObjectError.noSuchObject(className: schema.name) }
            try unsafe setSingle(columns[index], values[index])
          }
        }
      }
    } catch { throw ObjectError(any: error) }
  }

  @inline(__always)
  private func setSingle(_ column: Column, _ value: Value) throws(ObjectError) {
    switch (column.layout.value, value) {
    case (.int, .int(let number)): try setInt(column, number)
    case (.bool, .bool(let bool)): try setBool(column, bool)
    case (.double, .double(let double)): try setDouble(column, double)
    case (.date, .date(let date)): try setDate(column, date)
    case (.string, .string(let string)): try setString(column, string)
    default: try setSelected(column, value)
    }
  }

  func remove(_ value: Value, from index: MutableIndex?) throws(StorageError) {
    if let bytes = Index.bytes(of: value) { try index?.remove(bytes, key: selectedKey) }
  }

  static func insert(_ value: Value, _ key: UInt64, into index: MutableIndex)
    throws(StorageError)
  {
    if let bytes = Index.bytes(of: value) { try index.insert(bytes, key: key) }
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
      throw ObjectError(any: error, className: schema.name, property: column.name)
    }
  }

  /// Refuses a long string that is too long, and makes room for another.
  private func prepare(_ column: Column, _ value: String) throws(ObjectError) {
    guard let slot = slot(column), slot.type == .string else { throw refused(column, .string) }
    if slot.index != nil { try checkIndexable(.string(value), column) }
    try checkSize(.string(value), column)
    do { try selectedRowGroup.makeRoom(for: value.utf8.count, in: column.id) } catch {
      throw ObjectError(any: error, className: schema.name, property: column.name)
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
}
