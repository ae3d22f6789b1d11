internal import AtollObjects

/// An expression of numbers in plain columns of the object itself, as the steps of a stack machine.
///
/// A step loads a column, repeats a constant, widens numbers, or puts the result of an operation in
/// the place of its two operands. The types are known before a row is seen: they follow from those
/// of the columns and constants by the rules of `ValueArithmetic`.
struct NumberExpression {
  /// The types of numbers, the wider ones later.
  enum Kind: Int {
    case int
    case float
    case double

    init?(_ type: ValueType?) {
      switch type {
      case .int: self = .int
      case .float: self = .float
      case .double: self = .double
      default: return nil
      }
    }

    var type: ValueType {
      switch self {
      case .int: .int
      case .float: .float
      case .double: .double
      }
    }
  }

  enum Step {
    /// Pushes the numbers of the column at this place in `columns`.
    case load(Int)
    /// Pushes one number for all rows.
    case constant(Value)
    /// Widens the numbers that lie so far below the top of the stack.
    case widen(below: Int, from: Kind, to: Kind)
    /// Pops two operands of this type, and pushes the results.
    case apply(QuerySyntax.ArithmeticFunction, Kind)
  }

  private(set) var steps: [Step] = []
  private(set) var columns: [Column] = []
  /// The type of the results.
  private(set) var kind = Kind.int
  /// Operands that wait at the same time, at most.
  private(set) var depth = 0
  private var waiting = 0
  /// The expression in a plan.
  private(set) var text = ""

  /// More operands than this are not kept waiting.
  private static let depthLimit = 64

  /// No expression.
  init() {}

  /// Nil for an expression that is not made of such columns and of numbers.
  init?(_ expression: RowExpression) {
    guard let (kind, text) = append(expression, level: 0), depth <= Self.depthLimit else {
      return nil
    }
    self.kind = kind
    self.text = QuerySyntaxError.shortened(text)
  }

  /// Appends the steps that leave the expression's numbers on the stack.
  private mutating func append(
    _ expression: RowExpression, level: Int
  ) -> (kind: Kind, text: String)? {
    switch expression {
    case .values(let values):
      guard values.count == 1, let kind = Kind(values[0].type) else { return nil }
      push(.constant(values[0]))
      return (kind, values[0].planText)
    case .path(let path):
      guard let column = path.directColumn, column.layout.collection == .none,
        let kind = Kind(column.layout.value)
      else { return nil }
      let known = columns.firstIndex { $0.id == column.id }
      if known == nil { columns.append(column) }
      push(.load(known ?? columns.count - 1))
      return (kind, "'\(column.name)'")
    case .arithmetic(let first, let rest):
      guard level < Self.depthLimit, var (kind, text) = append(first, level: level + 1) else {
        return nil
      }
      for (function, operand) in rest {
        guard let (other, otherText) = append(operand, level: level + 1) else { return nil }
        let wider = kind.rawValue < other.rawValue ? other : kind
        if kind != wider { steps.append(.widen(below: 1, from: kind, to: wider)) }
        if other != wider { steps.append(.widen(below: 0, from: other, to: wider)) }
        steps.append(.apply(function, wider))
        waiting -= 1
        kind = wider
        text += " \(function.rawValue) \(otherText)"
      }
      return (kind, level > 0 ? "(\(text))" : text)
    case .count, .aggregate, .subquery, .typeName: return nil
    }
  }

  private mutating func push(_ step: Step) {
    steps.append(step)
    waiting += 1
    depth = max(depth, waiting)
  }

  /// The expression with its results widened to doubles, which hold every float exactly.
  var asDoubles: NumberExpression {
    var copy = self
    if kind != .double { copy.steps.append(.widen(below: 0, from: kind, to: .double)) }
    copy.kind = .double
    return copy
  }

  /// Whether a column is read that only the leaf's page tells.
  var needsRowGroup: Bool { columns.contains { $0.layout.value == .float } }

  /// What a row costs, in about a tenth of a nanosecond.
  var cost: Double { Double(steps.count) * 8 }
}
