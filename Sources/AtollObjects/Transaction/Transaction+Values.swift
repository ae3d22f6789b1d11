import AtollStorage

// The values of objects, by class, key and property.

extension Transaction {
  /// Resolves the names and fits the values, so that nothing is half done when one is refused.
  func assignments(_ writer: TableWriter, _ values: [String: Value])
    throws(ObjectError) -> [(Column, Value)]
  {
    var result: [(Column, Value)] = []
    for column in writer.schema.columns {
      // The dictionary finds equivalent names too.
      guard let index = values.index(forKey: column.name),
        values[index].key.hasSameBytes(as: column.name)
      else { continue }
      result.append((column, try fit(values[index].value, column, writer)))
    }
    if result.count < values.count {
      for name in values.keys.sorted() { _ = try writer.schema.requireColumn(name) }
    }
    return result
  }

  /// The same for names that come once each by their bytes.
  func assignments(_ writer: TableWriter, named values: [(name: String, value: Value)])
    throws(ObjectError) -> [(Column, Value)]
  {
    var result: [(Column, Value)] = []
    result.reserveCapacity(values.count)
    for (name, value) in values {
      let column = try writer.schema.requireColumn(name)
      result.append((column, try fit(value, column, writer)))
    }
    return result
  }

  /// The value in the form in which the column holds it.
  package func fit(_ value: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    let fitted = try fitType(value, column, writer)
    try writer.checkSize(fitted, column)
    if column.isIndexed { try writer.checkIndexable(fitted, column) }
    // What a server has sent is not refused for the indexes of this device.
    if !writer.tableIndexes.isEmpty, !isReplaying { try writer.checkJointly(fitted, column) }
    return fitted
  }

  package func fitType(_ value: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    switch (column.layout.collection, value) {
    case (.none, _): return try fitSingle(value, column, writer)
    case (.list, .list(let elements)), (.list, .set(let elements)):
      var fitted: [Value] = []
      fitted.reserveCapacity(elements.count)
      for element in elements { fitted.append(try fitSingle(element, column, writer)) }
      return .list(fitted)
    case (.set, .list(let elements)), (.set, .set(let elements)):
      var fitted: [Value] = []
      for element in elements { fitted.append(try fitSingle(element, column, writer)) }
      return Value.normalizedSet(fitted)
    case (.map, .map(let map)):
      var fitted = ValueMap()
      for entry in map.entries {
        fitted[entry.key] = try fitSingle(entry.value, column, writer)
      }
      return .map(fitted)
    default: throw mismatch(value, column, writer)
    }
  }

  package func fitSingle(_ value: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    let layout = column.layout
    switch (layout.value, value) {
    case (.mixed, _):
      try checkMixed(value, depth: layout.collection == .none ? 0 : 1, column, writer)
      return value
    case (_, .null):
      let isNullable =
        layout.isOptional || layout.value == .link && layout.collection == .none
      guard isNullable else {
        throw .nullInRequiredProperty(className: writer.schema.name, property: column.name)
      }
      return value
    case (.link, .link(let link)):
      guard link.table == layout.linkTable else {
        throw .typeMismatch(
          className: writer.schema.name, property: column.name,
          expected: linkType(to: layout.linkTable), found: linkType(to: link.table))
      }
      guard try self.writer(id: link.table).contains(link.key) else {
        throw .danglingLink(className: writer.schema.name, property: column.name)
      }
      return value
    case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double),
      (.decimal, .decimal), (.string, .string), (.data, .data), (.date, .date),
      (.objectID, .objectID), (.uuid, .uuid):
      return value
    case (.double, .int(let number)):
      guard let double = Double(exactly: number) else { throw mismatch(value, column, writer) }
      return .double(double)
    case (.double, .float(let number)): return .double(Double(number))
    case (.decimal, .int(let number)): return .decimal(Decimal128(number))
    default: throw mismatch(value, column, writer)
    }
  }

  /// Refuses what a mixed property cannot hold: links to objects that do not exist or have an
  /// owner, and collections deeper than their encoding goes.
  private func checkMixed(_ value: Value, depth: Int, _ column: Column, _ writer: TableWriter)
    throws(ObjectError)
  {
    switch value {
    case .link(let link):
      guard let target = schema.table(id: link.table),
        try self.writer(id: link.table).contains(link.key)
      else { throw .danglingLink(className: writer.schema.name, property: column.name) }
      guard !target.isEmbedded else { throw .embeddedObjectHasOwner(className: target.name) }
    case .list(let elements), .set(let elements):
      guard depth < MixedCoding.nestingLimit else { throw mismatch(value, column, writer) }
      for element in elements { try checkMixed(element, depth: depth + 1, column, writer) }
    case .map(let map):
      guard depth < MixedCoding.nestingLimit else { throw mismatch(value, column, writer) }
      for entry in map.entries { try checkMixed(entry.value, depth: depth + 1, column, writer) }
    default: break
    }
  }

  /// The type of a link in words.
  private func linkType(to table: UInt32) -> String {
    schema.table(id: table).map { "link to \($0.name)" } ?? "link to a class that does not exist"
  }

  func mismatch(_ value: Value, _ column: Column, _ writer: TableWriter) -> ObjectError {
    .typeMismatch(
      className: writer.schema.name, property: column.name,
      expected: column.layout.description, found: value.typeName)
  }
}
