extension SchemaEditor {
  static func setDeletionRule(
    _ rule: DeletionRule, _ column: Column, in catalogue: inout Catalogue
  ) {
    catalogue.change(column.table) { record in
      for index in record.columns.indices where record.columns[index].id == column.id {
        record.columns[index].deletionRule = rule
      }
    }
  }

  /// Refuses a rule that a property of a class cannot have.
  static func checkRule(
    _ rule: DeletionRule, _ column: Column, of table: TableSchema, in schema: Schema
  ) throws(ObjectError) {
    var property = PropertySchema(
      column.name, column.layout.value, collection: column.layout.collection)
    property.deletionRule = rule
    property.linkTarget = schema.table(id: column.layout.linkTable)?.name
    try checkRule(
      property, of: table.name, isAsymmetric: table.isAsymmetric,
      Set(schema.tables.filter(\.isEmbedded).map { ExactText($0.name) }))
  }

  /// `embedded`: the names of the embedded classes.
  static func checkRule(
    _ property: PropertySchema, of className: String, isAsymmetric: Bool,
    _ embedded: Set<ExactText>
  ) throws(ObjectError) {
    guard property.deletionRule != .nullify else { return }
    guard property.type == .link, let target = property.linkTarget, !isAsymmetric,
      property.deletionRule == .cascade || !embedded.contains(ExactText(target))
    else {
      throw .invalidSchema(.wrongDeletionRule(property.name, className: className))
    }
  }
}
