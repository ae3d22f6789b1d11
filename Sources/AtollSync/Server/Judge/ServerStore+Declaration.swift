package import AtollObjects

extension ServerStore {
  /// Adds the classes and properties of a configuration that the store lacks, if the rest of the
  /// configuration is valid with them.
  ///
  /// Classes are never removed, so those of a refused configuration must not stay.
  ///
  /// - Parameters:
  ///   - classes: What the configuration declares.
  ///   - check: Looks at all classes of the store as they will be, and throws what is wrong.
  /// - Returns: What `check` makes of them.
  /// - Throws: `SchemaConflict`, what `check` throws, or `ServerStoreError`; nothing was added
  ///   then.
  package func declare<Result>(
    _ classes: [ClassSchema], _ check: (Schema) throws -> Result
  ) throws -> Result {
    var refusal: (any Error)?
    do {
      return try tick { transaction throws(ServerStoreError) in
        do {
          try transaction.add(
            SchemaAddition(classes, to: transaction.schema, source: "in the configuration"))
          return try check(transaction.schema)
        } catch let error as ServerStoreError {
          throw error
        } catch {
          refusal = error
          // An error in a tick undoes it.
          throw .unfit("\(error)")
        }
      }
    } catch { throw refusal ?? error }
  }
}

extension ServerTransaction {
  /// Adds classes and properties.
  ///
  /// - Throws: `SchemaConflict` for what the store's own rules refuse, and some of it may have been
  ///   added; `ServerStoreError`.
  fileprivate func add(_ addition: SchemaAddition) throws {
    do throws(ServerStoreError) {
      if !addition.classes.isEmpty { try add(addition.classes) }
      for (property, className) in addition.properties { try add(property, to: className) }
    } catch .objects(.invalidSchema(let problem)) {
      throw SchemaConflict(problem)
    }
  }
}
