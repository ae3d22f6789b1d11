/// A query text that is not in the query language, and where it leaves it.
///
/// Nothing has been looked up or evaluated yet: the schema and the arguments play no part.
public struct QuerySyntaxError: Error, Sendable, Equatable {
  /// What is wrong, in one clause: "unexpected `=`".
  public let message: String

  /// Where the offending token begins, in UTF-8 bytes from the start of the query.
  public let byteOffset: Int

  /// The line of that byte, counted from 1; a line ends with a newline.
  public let line: Int

  /// The position in that line, counted from 1 in characters.
  public let column: Int

  /// The offending token as written, cut after 40 characters; empty at the end of the query.
  public let token: String

  /// What could have stood there instead: spellings (`==`) or kinds ("a property name").
  public let expected: [String]

  /// How to say what was probably meant.
  public internal(set) var hint: String?

  /// The line of the query that holds the token; long lines are cut around it.
  public let excerpt: String

  /// The marker to print below `excerpt`: blanks and a caret.
  public let caret: String

  /// Describes the token in `range`, a range of byte offsets into `source`.
  init(
    _ message: String, in source: SourceText, at range: Range<Int>, expected: [String] = [],
    hint: String? = nil
  ) {
    let end = source.bytes.count
    let range = range.clamped(to: 0..<end)
    let text = source.text(in: range)
    self.message = message
    self.byteOffset = range.lowerBound
    (self.line, self.column) = source.position(of: range.lowerBound)
    self.token = Self.shortened(text)
    self.expected = expected
    self.hint = hint
    let (line, indentation, length) = source.excerpt(of: range)
    self.excerpt = line
    self.caret =
      String(repeating: " ", count: indentation) + "^" + String(repeating: "~", count: length - 1)
  }

  /// The text, cut after 40 characters.
  static func shortened(_ text: String) -> String {
    let prefix = text.prefix(40)
    return prefix.endIndex == text.endIndex ? text : prefix + "…"
  }
}

extension QuerySyntaxError: CustomStringConvertible {
  /// The message, the expected tokens, the query line with a caret, and the hint.
  public var description: String {
    var text = "line \(line), column \(column): \(message)"
    if !expected.isEmpty { text += "; expected \(Self.enumeration(expected))" }
    text += "\n  \(excerpt)\n  \(caret)"
    if let hint { text += "\nhint: \(hint)" }
    return text
  }

  /// Spellings in quotes, kinds as they are: "`,` or `}`", "a literal, `(` or an argument".
  private static func enumeration(_ expected: [String]) -> String {
    let items = expected.map { $0.contains(" ") ? $0 : "`\($0)`" }
    guard let last = items.last, items.count > 1 else { return items.joined() }
    return items.dropLast().joined(separator: ", ") + " or " + last
  }
}
