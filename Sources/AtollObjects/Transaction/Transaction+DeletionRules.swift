// Rules of deletion. They hold where an object is deleted, not where a link to it is taken away. Of
// what a server has sent, and of objects that leave a device, nothing follows.

extension Transaction {
  /// Sets the rule of a property of links from now on.
  ///
  /// - Throws: `.noSuchClass`, `.noSuchProperty`; `.invalidSchema` for a property that cannot have
  ///   the rule.
  public func setDeletionRule(
    _ rule: DeletionRule, on property: String, of className: String
  ) throws(ObjectError) {
    try checkUse()
    let table = try schema.requireTable(className)
    let column = try table.requireColumn(property)
    guard column.deletionRule != rule else { return }
    try SchemaEditor.checkRule(rule, column, of: table, in: schema)
    try flushAll()
    SchemaEditor.setDeletionRule(rule, column, in: &catalogue)
    adoptSchema()
  }

  /// Takes note of the objects that link to one which is deleted, where they forbid that.
  ///
  /// `writer`: of the class of the deleted object, whose row is still there.
  func noteDenials(of target: ObjectLink, _ writer: TableWriter) throws(ObjectError) {
    // One look for the name, however many objects forbid it.
    var known: String?
    for column in schema.denyingColumns[target.table] ?? [] {
      let origin = try self.writer(id: column.table)
      for key in try origin.sources(of: target.key, column) where !origin.doomed.contains(key) {
        let name: String
        if let known { name = known } else { name = try self.name(of: target.key, writer) }
        known = name
        denied.add(ObjectLink(table: column.table, key: key), column, target: name)
      }
    }
  }

  /// Refuses a deletion that an object which is still there forbids.
  func checkDenials() throws(ObjectError) {
    guard let (source, denial) = denied.first else { return }
    let writer = try writer(id: source.table)
    throw .deletionDenied(
      className: schema.table(id: denial.column.layout.linkTable)?.name ?? "",
      object: denial.target, by: writer.schema.name, property: denial.column.name,
      source: try name(of: source.key, writer))
  }
}
