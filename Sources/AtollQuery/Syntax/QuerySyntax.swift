/// The text form of questions: query text in, syntax tree out, and back.
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
/// Reading order: `Token`, `Lexer`, `SyntaxTree` and its parts, `Parser`, `Parser+Predicate`,
/// `Printer`.
public enum QuerySyntax {
  /// The deepest tree, in nodes from the predicate to its lowest operand.
  ///
  /// Chosen for the smallest threads in use (512 KiB). Parsing, comparing, hashing and printing do
  /// not recurse; destroying the deepest tree takes 64 KiB at most (measured without optimisation),
  /// which leaves a reader that recurses about 2 KiB for each level. AND, OR and NOT count only
  /// where they alternate: chains and redundant parentheses add nothing.
  public static let maximumDepth = 200

  /// The largest number of parentheses open at one place, redundant ones included.
  ///
  /// Bounds the memory of the parser to a few megabytes however the text is made.
  public static let maximumOpenParentheses = 16_384
}
