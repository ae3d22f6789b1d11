extension TableSchema {
  /// Finds a property that must be there.
  ///
  /// - Throws: `.noSuchProperty`, with the nearest name that there is.
  package func requireColumn(_ name: String) throws(ObjectError) -> Column {
    if let column = column(name) { return column }
    throw .noSuchProperty(
      name, className: self.name, nearest: NearestName.find(name, among: columns.map(\.name)))
  }
}

extension Schema {
  /// Finds a class that must be there.
  ///
  /// - Throws: `.noSuchClass`, with the nearest name that there is.
  package func requireTable(_ className: String) throws(ObjectError) -> TableSchema {
    if let table = table(className) { return table }
    throw .noSuchClass(
      className, nearest: NearestName.find(className, among: visibleTables.map(\.name)))
  }
}
