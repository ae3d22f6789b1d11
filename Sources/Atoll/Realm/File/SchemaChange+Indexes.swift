internal import AtollObjects

extension SchemaChange {
  /// Adds an index of several properties, or a unique one.
  ///
  /// - Throws: `notUnique` for what the file has, and the class alone does not tell: so it is no wrong
  ///   use, and a write in which the class is used for the first time throws it at its end.
  static func add(
    _ index: IndexSchema, to className: String, _ transaction: Transaction
  ) throws {
    do throws(ObjectError) { try transaction.addIndex(index, of: className) } catch {
      guard case .notUnique = error else { throw error }
      throw Realm.Error(
        .notUnique,
        "\(error); the class declares it and the file does not have it yet: give one of them other "
          + "values before, in a migrationBlock of a higher schemaVersion, or by a class that does "
          + "not declare it", fileURL: nil, isFailure: true)
    }
  }
}
