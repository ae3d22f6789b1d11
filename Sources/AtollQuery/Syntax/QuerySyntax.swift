/// The text form of queries: text in, syntax tree out, and back.
///
/// This folder knows nothing of schemas, arguments or rows and needs only the standard library, so
/// the same trees carry queries, subscriptions and permissions. What it promises:
///
/// - Any text gives a tree or a `QuerySyntaxError` with a position; none traps.
/// - Parsing costs time and memory linear in the length of the text (times a logarithm where
///   parentheses regroup AND and OR), and no stack that depends on the text.
/// - A tree is at most `maximumDepth` nodes deep, so recursion over it is safe.
/// - `Request(…).description` is text that parses to an equal tree.
///
/// Reading order: `QueryLimits`, `Token`, `Lexer`, `SyntaxTree` and its parts, `Parser`,
/// `Parser+Predicate`, `Printer`.
public enum QuerySyntax {
  /// The deepest tree, in nodes from the predicate to its lowest operand.
  public static let maximumDepth = QueryLimits.depth

  /// The largest number of parentheses open at one place, redundant ones included.
  public static let maximumOpenParentheses = QueryLimits.openParentheses
}
