internal import AtollStorage

/// One object of one version: a place in a row group, read when asked.
///
/// Valid as long as the snapshot it came from, which it holds; from a transaction, until the next
/// change, and an error after the end.
public struct Object {
  /// The objects of its class in the version that it is read from.
  public let table: Table
  /// The key of the object in its class.
  public let key: ObjectKey
  package let rowGroup: RowGroupPage
  package let row: Int

  package init(table: Table, key: ObjectKey, rowGroup: RowGroupPage, row: Int) {
    self.table = table
    self.key = key
    self.rowGroup = rowGroup
    self.row = row
  }

  /// The value of a property by name.
  ///
  /// - Throws: `.noSuchProperty`; `.storage` when the page is damaged.
  public subscript(property: String) -> Value {
    get throws(ObjectError) { try value(table.schema.requireColumn(property)) }
  }

  /// The value of a property.
  ///
  /// - Throws: `.storage` when the page is damaged, or the transaction that it is from has ended.
  public func value(_ column: Column) throws(ObjectError) -> Value {
    do {
      try table.tree.reader.checkUse()
      return try rowGroup.column(column.id, column.layout).value(row)
    } catch {
      throw ObjectError(any: error, className: table.name, property: column.name)
    }
  }

  /// The number of elements of a collection, without a look at them.
  public func elementCount(_ column: Column) throws(ObjectError) -> Int {
    try collection(column) { view, row throws in try view.countElements(row) }
  }

  /// The elements of a range of a collection; of a map its values, in the order of their keys.
  ///
  /// Costs what the range takes, however long the collection.
  ///
  /// - Throws: `.indexOutOfRange` and what `value` throws.
  public func elements(_ column: Column, _ range: Range<Int>) throws(ObjectError) -> [Value] {
    try collection(column) { view, row throws in
      let count = try view.countElements(row)
      guard range.lowerBound >= 0, range.upperBound <= count else {
        throw ObjectError.indexOutOfRange(
          className: table.name, property: column.name, index: range.upperBound, count: count)
      }
      return try view.elements(row, range)
    }
  }

  /// A member of a set, or the value of a key of a map, which is a string; nil when it is not there.
  ///
  /// Costs what a search takes, however large the collection.
  package func part(_ column: Column, _ part: Value) throws(ObjectError) -> Value? {
    try collection(column) { view, row throws in try view.part(row, part) }
  }

  private func collection<Result>(_ column: Column, _ read: (ColumnView, Int) throws -> Result)
    throws(ObjectError) -> Result
  {
    guard column.layout.collection != .none else {
      throw .typeMismatch(
        className: table.name, property: column.name, expected: column.layout.description,
        found: "collection")
    }
    do {
      try table.tree.reader.checkUse()
      return try read(rowGroup.column(column.id, column.layout), row)
    } catch {
      throw ObjectError(any: error, className: table.name, property: column.name)
    }
  }

  /// The object that a to-one link leads to.
  public func linked(_ column: Column) throws(ObjectError) -> Object? {
    guard case .link(let link) = try value(column) else { return nil }
    return try table.source.table(id: link.table)?.object(ObjectKey(rawValue: link.key))
  }

  /// The keys of the objects that link to this one through `column` of their class, ascending; one
  /// that holds this object several times comes as often.
  public func backlinks(_ column: Column) throws(ObjectError) -> [ObjectKey] {
    guard column.layout.value == .mixed || column.layout.linkTable == table.schema.id,
      let index = try table.source.backlinks(column),
      let target = Index.bytes(of: Index.target(link, of: column))
    else { return [] }
    do throws(StorageError) {
      return try index.keys(.equal(to: target)).map { ObjectKey(rawValue: $0) }
    } catch { throw .storage(error) }
  }

  /// The address under which properties of type link hold this object.
  public var link: ObjectLink { ObjectLink(table: table.schema.id, key: key.rawValue) }
}

extension Object: CustomStringConvertible {
  /// The class, the key and the values, for people: `Person 5 (name: "Ann", age: 31)`.
  ///
  /// A value that cannot be read is a question mark.
  public var description: String {
    let values = table.schema.columns.map { column in
      "\(column.name): " + ((try? value(column)).map { "\($0)" } ?? "?")
    }
    return "\(table.name) \(key.rawValue) (\(values.joined(separator: ", ")))"
  }
}
