extension Parser {
  /// What has been read since a parenthesis opened, or since the query began.
  ///
  /// Groups are the explicit stack that replaces recursion. A parenthesis may turn out to enclose
  /// a predicate or an arithmetic expression, and only what follows tells; a group can be either.
  ///
  /// At any time exactly one of three things is true: an operand is awaited (`operand` and `unit`
  /// are nil), an operand has just ended (`operand` is set), or a predicate has (`unit` is set).
  struct Group {
    enum Purpose {
      case request
      case parentheses
      case subquery(SubqueryHeader)
    }

    let purpose: Purpose

    /// Where the group begins, for errors about the whole of it.
    let start: Range<Int>

    /// Whether the group may be a predicate; on the right of an operator it must be a value.
    let allowsPredicate: Bool

    private var disjunction = TermCollector(.or)
    private var conjunction = TermCollector(.and)

    /// NOTs before the awaited unit: whether there is one, and whether their number is odd.
    private(set) var hasNegation = false
    private var isNegated = false

    /// The left side and operator of a comparison whose right side is being read.
    private(set) var comparison: PendingComparison?
    private var sum = ChainBuilder()
    private var product = ChainBuilder()

    /// The operand that has just been read.
    private(set) var operand: Operand?

    /// The predicate that has just been read.
    private(set) var unit: PredicateDraft?

    init(_ purpose: Purpose, start: Range<Int>, allowsPredicate: Bool = true) {
      self.purpose = purpose
      self.start = start
      self.allowsPredicate = allowsPredicate
    }
  }

  /// A value and what the grammar wants to know about it.
  struct Operand {
    let expression: QuerySyntax.Expression
    let depth: Int

    /// Whether it stands without arithmetic and parentheses.
    let isPlain: Bool
  }

  /// The part of a comparison before its right side.
  struct PendingComparison {
    enum Operation {
      case comparator(QuerySyntax.Located<QuerySyntax.Comparator>, folding: QuerySyntax.Folding)
      case text
    }

    let left: Operand
    let operation: Operation

    /// Whether the right side may not have arithmetic or parentheses.
    var wantsPlainOperand: Bool {
      switch operation {
      case .comparator(let comparator, _): comparator.value.comparesStrings
      case .text: true
      }
    }
  }

  /// The part of a subquery before its predicate: `SUBQUERY(path, $v,`.
  struct SubqueryHeader {
    let start: Int
    let source: QuerySyntax.Path
    let variable: QuerySyntax.Located<String>
  }

  /// A chain of operands whose operators bind alike.
  private struct ChainBuilder {
    private var first: Operand?
    private var rest: [QuerySyntax.ArithmeticTerm] = []
    private var depth = 0
    private var pending: QuerySyntax.Located<QuerySyntax.ArithmeticFunction>?

    var isEmpty: Bool { first == nil }

    mutating func append(
      _ operand: Operand, then function: QuerySyntax.Located<QuerySyntax.ArithmeticFunction>
    ) {
      add(operand)
      pending = function
    }

    /// Ends the chain with `operand`, which is the result when there is no chain.
    mutating func finish(_ operand: Operand) -> Operand {
      guard !isEmpty else { return operand }
      add(operand)
      guard let first = first.take() else { return operand }
      let arithmetic = QuerySyntax.Arithmetic(first.expression, rest)
      let result = Operand(expression: .arithmetic(arithmetic), depth: depth + 1, isPlain: false)
      self = ChainBuilder()
      return result
    }

    private mutating func add(_ operand: Operand) {
      depth = max(depth, operand.depth)
      if let function = pending.take() {
        rest.append(QuerySyntax.ArithmeticTerm(function, operand.expression))
      } else {
        first = operand
      }
    }
  }
}

extension Parser.Group {
  /// Whether nothing of the next test has been read but NOTs.
  var isAtUnitStart: Bool {
    comparison == nil && sum.isEmpty && product.isEmpty && operand == nil && unit == nil
  }

  /// Whether the group holds nothing but the value just read.
  var isBareValue: Bool {
    operand != nil && comparison == nil && !hasNegation && conjunction.isEmpty
      && disjunction.isEmpty
  }

  /// Whether arithmetic has been read for the side of the comparison at hand.
  var hasArithmetic: Bool { !sum.isEmpty || !product.isEmpty }

  mutating func negate() {
    hasNegation = true
    isNegated.toggle()
  }

  mutating func take(_ operand: Parser.Operand) {
    self.operand = operand
  }

  mutating func take(_ unit: PredicateDraft) {
    self.unit = unit
  }

  /// Puts the operand just read before an arithmetic operator.
  mutating func append(_ function: QuerySyntax.Located<QuerySyntax.ArithmeticFunction>) {
    guard let operand = operand.take() else { return }
    if function.value.isMultiplicative {
      product.append(operand, then: function)
    } else {
      sum.append(product.finish(operand), then: function)
    }
  }

  /// Ends the value just read and removes it.
  mutating func takeValue() -> Parser.Operand? {
    operand.take().map { sum.finish(product.finish($0)) }
  }

  /// Makes the value just read the left side of a comparison.
  mutating func compare(_ operation: Parser.PendingComparison.Operation) {
    comparison = takeValue().map { Parser.PendingComparison(left: $0, operation: operation) }
  }

  /// Makes a predicate of the comparison and the value just read.
  mutating func finishComparison() {
    guard let comparison = comparison.take(), let right = takeValue() else { return }
    let predicate: QuerySyntax.Predicate
    switch comparison.operation {
    case .comparator(let comparator, let folding):
      predicate = .comparison(
        QuerySyntax.Comparison(
          comparison.left.expression, comparator, folding: folding,
          right.expression))
    case .text:
      predicate = .text(
        QuerySyntax.TextSearch(comparison.left.expression, right.expression))
    }
    unit = PredicateDraft(predicate, depth: max(comparison.left.depth, right.depth) + 1)
  }

  /// Adds the predicate just read, with its NOTs, to the present AND.
  mutating func finishUnit() {
    guard var draft = unit.take() else { return }
    if isNegated { draft.isNegated.toggle() }
    isNegated = false
    hasNegation = false
    conjunction.append(draft)
  }

  /// Adds the present AND to the OR.
  mutating func finishConjunction() {
    if let draft = conjunction.take() { disjunction.append(draft) }
  }

  /// Ends the group as a predicate.
  mutating func finish() -> PredicateDraft? {
    finishUnit()
    finishConjunction()
    return disjunction.take()
  }
}
