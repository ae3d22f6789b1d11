package import AtollStorage

/// What a caller of columns and row groups has to be ready to handle.
package enum ColumnError: Error, Equatable, Sendable {
  // The value cannot go there; the column is unharmed.
  case typeMismatch(ColumnLayout)
  case nullInRequiredColumn
  case valueTooLarge(byteCount: Int)

  // The bytes are not what a writer of this format produces.

  /// The rule that is broken, from a decoder that knows nothing but the bytes.
  case corrupted(Corruption)
  /// The same with the page and the vector that the bytes are in.
  ///
  /// Indirect, so that errors stay as small as decoders in hot loops need them.
  indirect case damaged(StorageError)

  package typealias Corruption = StorageError.VectorProblem

  /// The same error with its place, unless it has one.
  package func at(_ block: UInt64, _ part: StorageError.VectorPart) -> ColumnError {
    guard case .corrupted(let problem) = self else { return self }
    return .damaged(.corrupted(block: block, .vector(part, problem)))
  }

  /// Damage of any kind that a decoder of values reported, with its place; other errors as they
  /// are.
  package static func placed(
    _ error: any Error, at block: UInt64, _ part: StorageError.VectorPart
  ) -> any Error {
    switch error {
    case let error as ColumnError: error.at(block, part)
    case is ValueCodingError: ColumnError.corrupted(.value).at(block, part)
    default: error
    }
  }
}
