/// A query that cannot be answered, and why.
///
/// Raised before any result is computed. Where the query was read from text, the error names the
/// place in it.
public struct QueryError: Error, Sendable, Equatable {
  /// What part of the query is at fault.
  public enum Kind: Sendable, Equatable {
    /// The text is not in the query language.
    case syntax
    /// The text does not fit the schema.
    case binding
    /// The text asks for something the language has but this version cannot do.
    case notSupported
    /// The arguments do not fit the text.
    case argument
  }

  /// The part of the query that is at fault.
  public let kind: Kind

  /// The message and the place in the text.
  public private(set) var place: QuerySyntaxError

  /// What is wrong, in one clause.
  public var message: String { place.message }

  init(syntax: QuerySyntaxError) {
    kind = .syntax
    place = syntax
  }

  init(
    _ kind: Kind, _ message: String, in source: SourceText, at range: Range<Int>,
    expected: [String] = [], hint: String? = nil
  ) {
    self.kind = kind
    // A tree that a program put together may have ranges of another text.
    let range = range.clamped(to: 0..<source.bytes.count)
    place = QuerySyntaxError(message, in: source, at: range, expected: expected, hint: hint)
  }
}

extension QueryError {
  /// The error with a hint, where it has none and the text does not fit the schema.
  package func hinting(_ hint: String) -> QueryError {
    guard kind == .binding, place.hint == nil else { return self }
    var error = self
    error.place.hint = hint
    return error
  }
}

extension QuerySyntax {
  /// Reads a query, with the error that callers of the query layer handle.
  package static func request(_ text: String) throws(QueryError) -> Request {
    do throws(QuerySyntaxError) { return try parse(text) } catch { throw QueryError(syntax: error) }
  }
}

extension QueryError: CustomStringConvertible {
  /// The message with line and column, the line of the query with a caret, and a hint.
  public var description: String { place.description }
}
