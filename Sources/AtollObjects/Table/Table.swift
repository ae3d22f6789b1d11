package import AtollStorage

/// The objects of one class in one version.
///
/// Reading only. A table taken from a transaction shows what the transaction did up to then, is
/// used before the next change, and cannot be read after the end.
public struct Table {
  package let source: any TreeSource
  package let schema: TableSchema
  package let tree: Tree
  /// What row groups are read with; the source keeps it alive, as does every table.
  package let environment: RowGroupEnvironment

  package init(
    source: any TreeSource, schema: TableSchema, tree: Tree, environment: RowGroupEnvironment
  ) {
    self.source = source
    self.schema = schema
    self.tree = tree
    self.environment = environment
  }

  /// The name of the class.
  public var name: String { schema.name }
  /// The number of objects, known without a look at them.
  public var count: Int { Int(clamping: tree.root.entryCount) }

  /// The handle of a property.
  ///
  /// - Throws: `.noSuchProperty` with the nearest name.
  public func column(_ name: String) throws(ObjectError) -> Column {
    try schema.requireColumn(name)
  }

  /// The object with this key; nil when there is none.
  public func object(_ key: ObjectKey) throws(ObjectError) -> Object? {
    guard let (rowGroup, row) = try location(of: key.rawValue) else { return nil }
    return Object(table: self, key: key, rowGroup: rowGroup, row: row)
  }

  /// The object with this primary key; nil when there is none, or the value is of another type.
  public func object(primaryKey value: Value) throws(ObjectError) -> Object? {
    guard let key = try key(primaryKey: value) else { return nil }
    return try object(key)
  }

  /// The key of the object with this primary key.
  ///
  /// It may be the key of no object.
  package func key(primaryKey value: Value) throws(ObjectError) -> ObjectKey? {
    guard let column = schema.primaryKey else { return nil }
    if schema.isKeyedByPrimaryKey {
      guard case .int(let number) = value else { return nil }
      return ObjectKey(integerPrimaryKey: number)
    }
    guard let bytes = Index.bytes(of: value), let index = try source.index(column) else {
      return nil
    }
    do throws(StorageError) {
      return try index.firstKey(equalTo: bytes).map { ObjectKey(rawValue: $0) }
    } catch { throw .storage(error) }
  }

  /// Visits all objects in the order of their keys.
  ///
  /// - Throws: what `body` throws, and `.storage` when the file is damaged or the transaction that
  ///   the table is from has ended.
  public func forEach(_ body: (Object) throws -> Void) throws {
    var cursor = tree.cursor()
    while let rowGroup = try nextRowGroup(&cursor) {
      for row in 0..<rowGroup.rowCount {
        do throws(StorageError) { try tree.reader.checkUse() } catch {
          throw ObjectError.storage(error)
        }
        try body(
          Object(
            table: self, key: ObjectKey(rawValue: rowGroup.key(row)), rowGroup: rowGroup, row: row))
      }
    }
  }

  private func nextRowGroup(_ cursor: inout TreeCursor) throws(ObjectError) -> RowGroupPage? {
    do throws(StorageError) {
      guard let entry = try cursor.next() else { return nil }
      return try rowGroup(entry.reference)
    } catch { throw .storage(error) }
  }

  // MARK: Row groups

  /// The row group and row of an object.
  package func location(of key: UInt64) throws(ObjectError) -> (rowGroup: RowGroupPage, row: Int)? {
    do throws(StorageError) {
      guard let page = try tree.leafPage(for: TreeKey(key)) else { return nil }
      let rowGroup = try RowGroupPage(page, environment: environment)
      return rowGroup.row(ofKey: key).map { (rowGroup, $0) }
    } catch { throw .storage(error) }
  }

  /// The row group that lies at `reference`.
  package func rowGroup(_ reference: PageReference) throws(StorageError) -> RowGroupPage {
    try rowGroup(tree.leafPage(reference))
  }

  package func rowGroup(_ page: Page) throws(StorageError) -> RowGroupPage {
    try RowGroupPage(page, environment: environment)
  }

  /// As `rowGroup`, for a reader that does not ask at each value whether the transaction has ended.
  func keptRowGroup(_ page: Page) throws(StorageError) -> RowGroupPage {
    try RowGroupPage(tree.reader.kept(page), environment: environment)
  }
}

extension RowGroupPage {
  /// The row group in a page of a table's tree.
  package init(_ page: Page, environment: RowGroupEnvironment) throws(StorageError) {
    do throws(ColumnError) {
      // SAFETY: the page's bytes live as long as its owner, or as the file's mapping, which the
      // snapshot or transaction keeps; both outlive what is read from them, and so does the
      // environment, which they hold.
      try unsafe self.init(
        page.bytes.unsafeBytes, owner: page.owner,
        page: page.reference.identity, environment: environment)
    } catch { throw StorageError(reading: error.at(page.reference.block, .directory)) }
  }
}

extension TableSchema {
  package var rowGroupLayout: RowGroupLayout {
    RowGroupLayout(columns.map { RowGroupLayout.Column(id: $0.id, layout: $0.layout) })
  }
}
