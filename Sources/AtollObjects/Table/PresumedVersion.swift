import AtollStorage

/// A version as it is, with classes and properties that it does not have: there is nothing in them.
///
/// So what is asked of a class that no write has brought into the file yet is answered as of any
/// other class.
package final class PresumedVersion: TreeSource, Sendable {
  private let base: Snapshot
  package let schema: Schema

  /// `schema`: what `presumedSchema` of the snapshot, or of one with the same schema, has returned.
  package init(_ base: Snapshot, schema: Schema) {
    self.base = base
    self.schema = schema
  }

  package func table(_ className: String) throws(ObjectError) -> Table {
    base.table(try schema.requireTable(className), of: self)
  }

  package func table(id: UInt32) throws(ObjectError) -> Table? {
    schema.table(id: id).map { base.table($0, of: self) }
  }

  package func index(_ column: Column) throws(ObjectError) -> Index? {
    try base.index(column) ?? (column.isIndexed ? base.emptyIndex : nil)
  }

  package func index(_ index: TableIndex) throws(ObjectError) -> Index? {
    // One that the version does not have is that of a class without objects.
    try base.index(index) ?? base.emptyIndex
  }

  package func backlinks(_ column: Column) throws(ObjectError) -> Index? {
    try base.backlinks(column) ?? (column.layout.value == .link ? base.emptyIndex : nil)
  }

  package func fullTextIndex(_ column: Column) throws(ObjectError) -> Index? {
    try base.fullTextIndex(column) ?? (column.isFullTextIndexed ? base.emptyIndex : nil)
  }

  package func waitingLinks(_ column: Column, of keys: ClosedRange<UInt64>) throws(ObjectError)
    -> [UInt64: [[UInt8]]]
  {
    try base.waitingLinks(column, of: keys)
  }
}

extension Snapshot {
  /// The schema with more classes, and with more properties of those that there are.
  ///
  /// The objects of a class have no index of a property that is added, as all of them would be in
  /// it.
  ///
  /// - Throws: `.invalidSchema`, as a transaction that adds them.
  package func presumedSchema(
    adding classes: [ClassSchema], _ properties: [(className: String, property: PropertySchema)]
  ) throws(ObjectError) -> Schema {
    var presumed = Catalogue()
    presumed.records = catalogue.records
    presumed.nextTreeID = catalogue.nextTreeID
    presumed.nextClassID = catalogue.nextClassID
    try SchemaEditor.add(classes, to: &presumed)
    for (className, property) in properties {
      var property = property
      property.isIndexed = false
      try SchemaEditor.add(property, to: className, of: &presumed, schema: presumed.schema)
    }
    return presumed.schema
  }
}
