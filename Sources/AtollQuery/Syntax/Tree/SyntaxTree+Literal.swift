extension QuerySyntax {
  /// A constant.
  public enum Literal: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(NumberText)
    case float32(NumberText)
    case infinity(isNegative: Bool)
    case notANumber
    case string(String)
    case data([UInt8])

    /// `decimal(12.50)`, `decimal(NaN)`, `decimal(-Infinity)`: the number as it is written.
    case decimal(String)

    /// Since 1970-01-01 UTC; the signs agree, and |nanoseconds| is below one thousand million.
    case date(seconds: Int64, nanoseconds: Int32)

    /// Twelve bytes.
    case objectID([UInt8])

    /// Sixteen bytes.
    case uuid([UInt8])

    /// `obj('Class', key)`: the object of a class with that primary key.
    indirect case object(class: Located<String>, key: Located<ObjectKey>)

    /// `$0` inside braces. Outside them an argument is an `Expression.argument`.
    case argument(Int)
  }

  /// The primary key in an object literal.
  public enum ObjectKey: Hashable, Sendable {
    case int(Int64)
    case string(String)
    case objectID([UInt8])
    case uuid([UInt8])
    case argument(Int)

    /// The same value as a literal.
    public var literal: Literal {
      switch self {
      case .int(let value): .int(value)
      case .string(let value): .string(value)
      case .objectID(let bytes): .objectID(bytes)
      case .uuid(let bytes): .uuid(bytes)
      case .argument(let index): .argument(index)
      }
    }
  }

  /// `{a, b}`, possibly quantified.
  public struct ListLiteral: Hashable, Sendable {
    /// How many of the elements must pass the test; nil when none is written.
    public var quantifier: Located<Quantifier>?

    /// The range of the array includes the braces.
    public var elements: Located<[Located<Literal>]>

    public init(_ elements: Located<[Located<Literal>]>, quantifier: Located<Quantifier>? = nil) {
      self.quantifier = quantifier
      self.elements = elements
    }
  }
}
