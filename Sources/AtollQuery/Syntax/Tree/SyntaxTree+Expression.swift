extension QuerySyntax {
  /// Something with a value, or with several, that a comparison can stand on.
  public indirect enum Expression: Hashable, Sendable {
    /// A constant in the text; an argument is not written like this but as `argument`.
    case literal(Located<Literal>)
    case list(ListLiteral)

    /// `$0`, possibly with a quantifier when the argument is a list.
    case argument(Located<Quantifier>?, Located<Int>)
    case property(PropertyReference)
    case aggregate(Aggregate)
    case subquery(Located<Subquery>)
    case arithmetic(Arithmetic)

    /// The bytes the expression was read from, without parentheses around it.
    public var range: Range<Int> {
      switch self {
      case .literal(let literal): literal.range
      case .list(let list): Self.span(list.quantifier?.range, list.elements.range, nil)
      case .argument(let quantifier, let index): Self.span(quantifier?.range, index.range, nil)
      case .property(let reference):
        Self.span(reference.quantifier?.range, reference.path.range, reference.suffix?.range)
      case .aggregate(let aggregate):
        Self.span(aggregate.path.range, aggregate.function.range, aggregate.property?.range)
      case .subquery(let subquery): subquery.range
      case .arithmetic(let arithmetic):
        Self.span(nil, arithmetic.first.range, arithmetic.rest.last?.operand.range)
      }
    }

    /// The bytes from the start of the first range there is to the end of the last.
    private static func span(
      _ before: Range<Int>?, _ middle: Range<Int>, _ after: Range<Int>?
    ) -> Range<Int> {
      let lower = (before ?? middle).lowerBound
      return lower..<max(lower, (after ?? middle).upperBound)
    }
  }

  /// How many of several values must pass a test; `SOME` is read as `any`.
  public enum Quantifier: String, CaseIterable, Hashable, Sendable {
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"
  }

  /// A path, possibly quantified, and possibly asked for its count or type.
  public struct PropertyReference: Hashable, Sendable {
    /// How many of several values must pass the test; nil when none is written.
    public var quantifier: Located<Quantifier>?
    /// The way to the value, or to several.
    public var path: Path
    /// The count or the type of what the path leads to; nil for the values themselves.
    public var suffix: Located<Suffix>?

    public init(
      _ path: Path, quantifier: Located<Quantifier>? = nil, suffix: Located<Suffix>? = nil
    ) {
      self.quantifier = quantifier
      self.path = path
      self.suffix = suffix
    }
  }

  /// What a path may end in; `@size` and `[SIZE]` are read as `count`.
  public enum Suffix: String, CaseIterable, Hashable, Sendable {
    case count = "@count"
    case type = "@type"
  }

  /// `path.@max.property`, or `path.@max` over primitive values.
  public struct Aggregate: Hashable, Sendable {
    /// The way to the collection.
    public var path: Path
    /// The function that makes one value of many.
    public var function: Located<AggregateFunction>
    /// The property of the objects in the collection; nil for a collection of values.
    public var property: Located<String>?

    public init(
      _ path: Path, _ function: Located<AggregateFunction>, of property: Located<String>? = nil
    ) {
      self.path = path
      self.function = function
      self.property = property
    }
  }

  /// An aggregate; the raw value is its spelling.
  public enum AggregateFunction: String, CaseIterable, Hashable, Sendable {
    case minimum = "@min"
    case maximum = "@max"
    case sum = "@sum"
    case average = "@avg"
  }

  /// `SUBQUERY(source, $variable, predicate).@count`: how many elements pass the predicate.
  public struct Subquery: Hashable, Sendable {
    /// The way to the collection.
    public var source: Path

    /// The variable with its `$`; a path inside the predicate may begin with it.
    public var variable: Located<String>
    /// The test that an element passes to be counted.
    public var predicate: Predicate

    public init(_ source: Path, variable: Located<String>, _ predicate: Predicate) {
      self.source = source
      self.variable = variable
      self.predicate = predicate
    }
  }

  /// A chain of sums or of products, evaluated from left to right: `a - b + c`.
  ///
  /// `rest` is not empty, and its operators bind alike: all of them are `+` and `-`, or all `*`
  /// and `/`. An operand of a chain is a chain only if it stood in parentheses, or is a product
  /// inside a sum.
  public struct Arithmetic: Hashable, Sendable {
    /// The first operand.
    public var first: Expression
    /// The other operands, each with the operator before it.
    public var rest: [ArithmeticTerm]

    public init(_ first: Expression, _ rest: [ArithmeticTerm]) {
      self.first = first
      self.rest = rest
    }
  }

  /// An operand of a chain and the operator before it.
  public struct ArithmeticTerm: Hashable, Sendable {
    public var function: Located<ArithmeticFunction>
    public var operand: Expression

    public init(_ function: Located<ArithmeticFunction>, _ operand: Expression) {
      self.function = function
      self.operand = operand
    }
  }

  /// An arithmetic operator; the raw value is its spelling.
  public enum ArithmeticFunction: String, CaseIterable, Hashable, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case dividedBy = "/"

    /// Whether the operator binds tighter than `+` and `-`.
    public var isMultiplicative: Bool { self == .times || self == .dividedBy }
  }
}
