public import AtollQuery
public import Foundation

extension QueryError: LocalizedError {
  /// What is wrong, with line and column, the line of the query with a caret, and a hint.
  public var errorDescription: String? { description }
}
