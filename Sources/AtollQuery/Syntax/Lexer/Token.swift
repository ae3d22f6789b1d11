/// The smallest piece of a query with a meaning, and the bytes it was read from.
struct Token: Equatable, Sendable {
  let kind: Kind

  /// UTF-8 byte offsets into the query.
  let range: Range<Int>

  enum Kind: Equatable, Sendable {
    case endOfQuery
    case keyword(Keyword)

    /// A property, class or variable name with its escapes decoded.
    case name(String)
    case atWord(AtWord)
    case placeholder(ArgumentPlaceholder)
    case symbol(Symbol)

    case integer(Int64, IntegerForm)
    case double(NumberText)
    case float32(NumberText)
    case infinity(isNegative: Bool)
    case notANumber

    /// `[c]`, `[d]` or `[cd]`.
    case foldingMark(QuerySyntax.Folding)

    /// A quoted string with its escapes decoded.
    case string(String)

    /// The decoded bytes of `B64"…"`: text by itself, bytes inside `bin()`.
    case base64([UInt8])
    case date(seconds: Int64, nanoseconds: Int32)

    /// Twelve bytes.
    case objectID([UInt8])

    /// Sixteen bytes.
    case uuid([UInt8])

    /// The number in `decimal(…)`, as it is written.
    case decimal(String)
  }

  /// How an integer is written: some places take an unsigned run of decimal digits only.
  enum IntegerForm: Sendable {
    case unsigned, signed, hexadecimal
  }

  /// The words that begin with `@`, in lower case only.
  enum AtWord: String, CaseIterable, Sendable {
    case count, size, min, max, sum, avg, type, links, keys, values

    /// The word, also as NSPredicate spells it: `allKeys`, `allValues`.
    init?(spelling: String) {
      switch spelling {
      case "allKeys": self = .keys
      case "allValues": self = .values
      default: self.init(rawValue: spelling)
      }
    }
  }

  /// Punctuation; the synonyms of an operator (`=` and `==`) are one symbol.
  enum Symbol: String, Sendable {
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case dot = "."
    case plus = "+"
    case minus = "-"
    case star = "*"
    case slash = "/"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
  }
}
