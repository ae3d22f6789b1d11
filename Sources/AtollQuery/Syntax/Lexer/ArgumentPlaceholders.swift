/// The forms in which a query names a value that comes beside its text.
///
/// Numbered forms are words to the lexer, so they are recognised after a word has been read. The
/// forms of NSPredicate (`%@`, `%d` and their kin, `%K`) take the arguments from left to right; the
/// lexer counts them, so they become the same two tokens. A query has one form or the other.
enum ArgumentPlaceholder: Hashable, Sendable {
  /// `$3`: the argument itself. Leading zeros are harmless.
  case value(index: Int)

  /// `$K3`: the argument is a string and stands for a path.
  case keyPath(index: Int)

  /// How the arguments of a query are written.
  enum Form: Equatable, Sendable {
    case undecided
    /// `$0`, `$K1`
    case numbered
    /// `%@`, `%K`; the next one stands for this argument.
    case inOrder(next: Int)
  }

  /// The placeholder spelled by a word; nil when the word is an ordinary name such as `$x`.
  ///
  /// - Throws: the digits when they exceed every possible argument count.
  init?(word: ArraySlice<UInt8>) throws(IndexOutOfRange) {
    guard word.first == UInt8(ascii: "$") else { return nil }
    var digits = word.dropFirst()
    let namesPath = digits.first == UInt8(ascii: "K")
    if namesPath { digits = digits.dropFirst() }
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    guard let index = Int(String(decoding: digits, as: UTF8.self)) else { throw IndexOutOfRange() }
    self = namesPath ? .keyPath(index: index) : .value(index: index)
  }

  /// The digits of a placeholder do not fit an integer.
  struct IndexOutOfRange: Error {}
}
