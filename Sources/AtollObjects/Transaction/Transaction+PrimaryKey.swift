internal import AtollStorage

// Another primary key for a class that has objects. An object whose primary key is a required integer
// has that as its key in the file; where such a property becomes the primary key, or was it, all
// objects get other keys, and all links to them with them.

extension Transaction {
  /// Makes another property the primary key of a class; nil: none.
  ///
  /// The property that was it keeps its values, and its index where it had one. Cost: a pass over the
  /// objects; where their keys change, the class and all links to it are rewritten.
  ///
  /// - Throws: `.noSuchClass`, `.noSuchProperty`; `.duplicatePrimaryKey` when two objects have one
  ///   value; `.valueTooLarge` for a value that no index takes; `.invalidSchema` for a property that
  ///   cannot be it, for an embedded class and for a synced one. Nothing was changed then.
  public func changePrimaryKey(of className: String, to property: String?) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    let column = try property.map { name throws(ObjectError) in try table.requireColumn(name) }
    guard column?.id != table.primaryKey?.id else { return }
    try SchemaEditor.checkIsLocal(table, in: schema)
    if let column { try SchemaEditor.checkPrimaryKey(column, of: table) }
    try flushAll()
    let becomesKey = column.map(\.isObjectKey) ?? false
    if let column, !becomesKey { try checkDistinct(column, of: table) }
    guard table.isKeyedByPrimaryKey || becomesKey else {
      return try change { () throws(ObjectError) in try changePrimaryKey(of: table, to: column) }
    }
    let keys = try newKeys(of: table, column)
    try change { () throws(ObjectError) in try rekey(table, keys, column) }
  }

  // MARK: The keys stay

  private func changePrimaryKey(of table: TableSchema, to column: Column?) throws(ObjectError) {
    if let column, !column.isIndexed {
      try addIndex(on: column.name, of: table.name)
      // Its entries are in the class's record only then.
      try flushAll()
    }
    catalogue.change(table.id) { $0.primaryKeyColumn = column?.id ?? 0 }
    adoptSchema()
  }

  // MARK: The keys change

  /// The objects by the keys that they are to have, ascending.
  private func newKeys(
    of table: TableSchema, _ column: Column?
  ) throws(ObjectError) -> [(new: UInt64, old: UInt64)] {
    var keys: [(new: UInt64, old: UInt64)] = []
    do {
      try self.table(id: table.id)?.forEach { object in
        var key = UInt64(keys.count) + 1
        if let column, column.isObjectKey, case .int(let number) = try object.value(column) {
          key = ObjectKey(integerPrimaryKey: number).rawValue
        }
        keys.append((key, object.key.rawValue))
      }
    } catch { throw ObjectError(any: error) }
    keys.sort { $0.new < $1.new }
    for (a, b) in zip(keys, keys.dropFirst()) where a.new == b.new {
      throw .duplicatePrimaryKey(
        className: table.name, value: "\(ObjectKey(rawValue: a.new).integerPrimaryKey)")
    }
    return keys
  }

  /// Refuses a property in which two objects have one value, or one has a value that is too long.
  private func checkDistinct(_ column: Column, of table: TableSchema) throws(ObjectError) {
    let writer = try writer(id: table.id)
    var seen: Set<[UInt8]> = []
    do {
      try self.table(id: table.id)?.forEach { object in
        let value = try object.value(column)
        try writer.checkIndexable(value, column)
        guard !seen.insert(Index.bytes(of: value) ?? []).inserted else { return }
        throw ObjectError.duplicatePrimaryKey(className: table.name, value: value.description)
      }
    } catch { throw ObjectError(any: error) }
  }

  /// Rewrites the class with other keys, and the links to it.
  private func rekey(
    _ table: TableSchema, _ keys: [(new: UInt64, old: UInt64)], _ column: Column?
  ) throws(ObjectError) {
    var others: [UInt64: UInt64] = [:]
    others.reserveCapacity(keys.count)
    for key in keys { others[key.old] = key.new }
    func moved(_ link: ObjectLink) -> ObjectLink {
      guard link.table == table.id, let key = others[link.key] else { return link }
      return ObjectLink(table: link.table, key: key)
    }
    guard let rows = try self.table(id: table.id),
      let position = catalogue.records.firstIndex(where: { $0.id == table.id })
    else { return }
    let old = try writer(id: table.id)
    let new = TableWriter(
      record: rekeyed(catalogue.records[position], column, keys), continuing: old,
      storage: storage, environment: environment, newTreeID: newTreeID)
    for key in keys { new.recordDeletion(key.old) }
    let columns = new.schema.columns
    for key in keys {
      guard let object = try rows.object(ObjectKey(rawValue: key.old)) else { continue }
      try new.insert(key.new)
      for column in columns {
        let value = try object.value(column)
        try new.setSelected(column, column.layout.mayHoldLinks ? value.mappingLinks(moved) : value)
      }
    }
    try moveWaiting(of: table, others)
    denied.move(table.id, others)
    let record = try new.flush()
    try old.removeAll()
    old.isRetired = true
    catalogue.records[position] = record
    writers[table.id] = new
    adoptSchema()
    try moveLinks(to: table, moved)
  }

  /// The record of the class without objects, with another primary key.
  private func rekeyed(
    _ record: ClassRecord, _ column: Column?, _ keys: [(new: UInt64, old: UInt64)]
  ) -> ClassRecord {
    var record = record.emptied
    let isKey = column.map(\.isObjectKey) ?? false
    record.primaryKeyColumn = column?.id ?? 0
    record.nextKey = isKey ? 1 : UInt64(keys.count) + 1
    for index in record.columns.indices where record.columns[index].id == column?.id {
      // An object whose key is its primary key is found without an index.
      record.columns[index].index =
        isKey ? nil : record.columns[index].index ?? catalogue.newIndex()
    }
    return record
  }

  /// Lets what waits in objects wait in them under their other keys.
  private func moveWaiting(
    of table: TableSchema, _ others: [UInt64: UInt64]
  ) throws(ObjectError) {
    guard !pending.isEmpty else { return }
    for column in table.columns where column.layout.mayHoldLinks {
      var moved: [(ObjectLink, PendingLinks.Waiting)] = []
      for key in try pending.sources(column, of: 0...UInt64.max) {
        guard let other = others[key] else { continue }
        let source = ObjectLink(table: table.id, key: key)
        let target = ObjectLink(table: table.id, key: other)
        moved += try pending.waiting(source: source, column: column).map { (target, $0) }
        try pending.remove(source: source, column: column.id)
      }
      // When none is left under its old key, which may be the new one of another object.
      for (source, link) in moved {
        try pending.add(
          source: source, column: column.id, position: link.position,
          targetTable: link.targetTable, target: link.target, mapKey: link.mapKey)
      }
    }
  }

  /// Gives the links of other classes to objects of a class their other keys.
  private func moveLinks(
    to table: TableSchema, _ moved: (ObjectLink) -> ObjectLink
  ) throws(ObjectError) {
    let mixed = schema.mixedColumns.filter { hasBacklinks($0.column) }
    for (origin, column) in schema.incomingLinks(to: table.id) + mixed where origin.id != table.id {
      var changes: [(UInt64, Value)] = []
      do {
        try self.table(id: origin.id)?.forEach { object in
          let value = try object.value(column)
          guard value.links.contains(where: { $0.table == table.id }) else { return }
          changes.append((object.key.rawValue, value.mappingLinks(moved)))
        }
      } catch { throw ObjectError(any: error) }
      let writer = try writer(id: origin.id)
      for (key, value) in changes {
        guard try writer.select(key) else { continue }
        try writer.setSelected(column, value)
      }
    }
  }
}
