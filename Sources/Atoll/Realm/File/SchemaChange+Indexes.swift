internal import AtollObjects

extension SchemaChange {
  /// Adds an index that a class declares.
  ///
  /// - Throws: `notUnique` and `invalidInput` for what the file has, and the class alone does not tell:
  ///   so it is no wrong use, and a write in which the class is used for the first time throws it at
  ///   its end.
  static func addingIndex(_ add: () throws(ObjectError) -> Void) throws {
    do throws(ObjectError) { try add() } catch {
      let (code, advice): (Realm.Error.Code, String)
      switch error {
      case .notUnique: (code, advice) = (.notUnique, "give one of them other values")
      case .valueTooLarge: (code, advice) = (.invalidInput, "shorten it")
      default: throw error
      }
      throw Realm.Error(
        code,
        "\(error); the class declares an index of it and the file does not have it yet: \(advice) "
          + "before, in a migrationBlock of a higher schemaVersion, or by a class that does not "
          + "declare it", fileURL: nil, isFailure: true)
    }
  }
}
