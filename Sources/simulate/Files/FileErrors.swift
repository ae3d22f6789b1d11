internal import AtollObjects
internal import AtollQuery
internal import AtollStorage

/// What errors say of a file.
enum FileErrors {
  /// Whether an error is one that a caller of the library has to be ready for.
  static func isTyped(_ error: any Error) -> Bool {
    error is StorageError || error is ObjectError || error is QueryError
  }

  /// Whether an error says that the file is damaged or not to be opened, and asks nothing else.
  static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case ObjectError.storage(let error): isDamage(error)
    case let error as StorageError:
      switch error {
      case .corrupted, .notADatabase, .empty, .encryption, .unsupportedFormat: true
      default: false
      }
    default: false
    }
  }
}
