extension QuerySyntax {
  /// A whole query: which objects, then what to do with them, step after step.
  public struct Request: Hashable, Sendable {
    /// The test that an object passes to be found.
    public var predicate: Predicate

    /// Applied from left to right, as a pipeline.
    public var descriptors: [Descriptor]

    /// Applied last; nil when the query gives objects.
    public var grouping: Grouping?

    public init(
      _ predicate: Predicate, descriptors: [Descriptor] = [], grouping: Grouping? = nil
    ) {
      self.predicate = predicate
      self.descriptors = descriptors
      self.grouping = grouping
    }
  }

  /// A test of one object, true or false.
  ///
  /// Trees from text are in normal form, and the functions `all(of:)`, `any(of:)` and
  /// `negation(of:)` keep it: `and` and `or` have at least two terms, none of which is of the same
  /// kind, and `not` never stands on `not`. Only such trees print to text that gives an equal tree.
  public indirect enum Predicate: Hashable, Sendable {
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
    case comparison(Comparison)
    case between(Between)
    case text(TextSearch)
    case geoWithin(GeoWithin)
    case `true`
    case `false`

    /// Every one of `terms`; true when there are none.
    public static func all(of terms: [Predicate]) -> Predicate {
      var flat: [Predicate] = []
      for term in terms {
        if case .and(let inner) = term { flat += inner } else { flat.append(term) }
      }
      return flat.count > 1 ? .and(flat) : flat.first ?? .true
    }

    /// At least one of `terms`; false when there are none.
    public static func any(of terms: [Predicate]) -> Predicate {
      var flat: [Predicate] = []
      for term in terms {
        if case .or(let inner) = term { flat += inner } else { flat.append(term) }
      }
      return flat.count > 1 ? .or(flat) : flat.first ?? .false
    }

    /// The opposite of `predicate`; logic has two values, so two negations cancel.
    public static func negation(of predicate: Predicate) -> Predicate {
      if case .not(let inner) = predicate { inner } else { .not(predicate) }
    }
  }

  /// `left operator right`.
  public struct Comparison: Hashable, Sendable {
    /// The operand before the operator.
    public var left: Expression

    /// The range includes the mark.
    public var comparator: Located<Comparator>

    /// The mark behind the operator; only where `acceptsCaseMark` allows one.
    public var folding: QuerySyntax.Folding
    /// The operand behind the operator.
    public var right: Expression

    public init(
      _ left: Expression, _ comparator: Located<Comparator>, folding: QuerySyntax.Folding = .exact,
      _ right: Expression
    ) {
      self.left = left
      self.comparator = comparator
      self.folding = folding
      self.right = right
    }
  }

  /// A comparison operator; the raw value is its canonical spelling.
  public enum Comparator: String, CaseIterable, Hashable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case `in` = "IN"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"

    /// Whether `[c]`, `[d]` or `[cd]` may follow: on equality, membership and the string operators.
    public var acceptsCaseMark: Bool {
      switch self {
      case .equal, .notEqual, .in: true
      case .less, .lessOrEqual, .greater, .greaterOrEqual: false
      case .beginsWith, .endsWith, .contains, .like: true
      }
    }

    /// Whether both sides are plain operands, without arithmetic or parentheses.
    public var comparesStrings: Bool {
      switch self {
      case .beginsWith, .endsWith, .contains, .like: true
      default: false
      }
    }
  }

  /// A test against two bounds, `operand BETWEEN {low, high}`, or `{low, <high}` when the upper one
  /// does not belong to the range.
  ///
  /// The number of bounds is not checked here.
  public struct Between: Hashable, Sendable {
    /// A plain operand: no arithmetic.
    public var operand: Expression
    /// The ends of the range, or the argument that holds both.
    public var bounds: Bounds
    /// Whether the upper bound is outside of the range; only for two bounds in braces.
    public var excludesHigh: Bool

    public init(_ operand: Expression, _ bounds: Bounds, excludesHigh: Bool = false) {
      self.operand = operand
      self.bounds = bounds
      self.excludesHigh = excludesHigh
    }

    /// What stands behind `BETWEEN`.
    public enum Bounds: Hashable, Sendable {
      /// `{low, high}`
      case list(ListLiteral)
      /// `$0`, a list argument that holds both. In braces an argument is one bound.
      case argument(Located<Int>)

      /// The same as an operand.
      public var expression: Expression {
        switch self {
        case .list(let list): .list(list)
        case .argument(let index): .argument(nil, index)
        }
      }
    }
  }

  /// A full-text search, `operand TEXT pattern`.
  ///
  /// Both are plain operands: no arithmetic.
  public struct TextSearch: Hashable, Sendable {
    /// What is searched; binding requires a single string with a full-text index.
    public var operand: Expression
    /// The words that are looked for; binding requires a constant string.
    public var pattern: Expression

    public init(_ operand: Expression, _ pattern: Expression) {
      self.operand = operand
      self.pattern = pattern
    }
  }

  /// `property GEOWITHIN shape`.
  public struct GeoWithin: Hashable, Sendable {
    /// The path of a link to an embedded object that holds a point.
    public var property: PropertyReference
    /// The shape, or the argument that holds it.
    public var area: Located<GeoArea>

    public init(_ property: PropertyReference, _ area: Located<GeoArea>) {
      self.property = property
      self.area = area
    }
  }
}
