package import AtollObjects

extension ServerStore {
  /// Adds the classes and properties that a configuration declares and the store has not.
  ///
  /// - Returns: All classes of the store, or the conflict that keeps some from being added: then
  ///   nothing was.
  /// - Throws: What the store throws.
  package func declare(_ classes: [ClassSchema]) throws(ServerStoreError)
    -> Result<Schema, SchemaConflict>
  {
    try tick { transaction throws(ServerStoreError) in
      let addition: SchemaAddition
      do throws(SchemaConflict) {
        addition = try SchemaAddition(
          classes, to: transaction.schema, source: "in the configuration")
      } catch { return .failure(error) }
      do throws(ServerStoreError) {
        if !addition.classes.isEmpty { try transaction.add(addition.classes) }
        for (property, className) in addition.properties {
          try transaction.add(property, to: className)
        }
      } catch .objects(.invalidSchema(let problem)) {
        return .failure(SchemaConflict(ObjectError.invalidSchema(problem).description))
      }
      return .success(transaction.schema)
    }
  }
}
