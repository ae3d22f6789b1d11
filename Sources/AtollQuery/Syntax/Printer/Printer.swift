/// Writes trees as canonical text.
///
/// Canonical are: one blank around operators, words in upper case, the first spelling of each
/// operator, strings in single quotes, and only the parentheses that change the meaning. A tree in
/// normal form (see `QuerySyntax.Predicate`) whose names are legal names is read back equal.
///
/// Nodes with nodes below them are not printed by recursion: they put their parts on a stack.
struct Printer {
  private(set) var text = ""

  /// What is still to be printed, the next part last.
  private var pending: [Part] = []

  /// A piece of text, or a tree that will become one.
  enum Part {
    case text(String)
    case predicate(QuerySyntax.Predicate)
    case expression(QuerySyntax.Expression)
  }

  /// Prints a tree, and everything that it puts off.
  mutating func print(tree: Part) {
    pending.append(tree)
    while let part = pending.popLast() {
      switch part {
      case .text(let string): print(string)
      case .predicate(let predicate): print(predicate)
      case .expression(let expression): print(expression)
      }
    }
  }

  /// Puts parts off until the present node is done; they are printed in this order.
  mutating func putOff(_ parts: [Part]) {
    pending.append(contentsOf: parts.reversed())
  }

  mutating func print(_ string: String) { text += string }

  /// Prints the items with a comma and a blank between.
  mutating func printList<Item>(_ items: [Item], _ printItem: (inout Printer, Item) -> Void) {
    for (index, item) in items.enumerated() {
      if index > 0 { print(", ") }
      printItem(&self, item)
    }
  }

  mutating func print(_ request: QuerySyntax.Request) {
    print(tree: .predicate(request.predicate))
    for descriptor in request.descriptors {
      print(" ")
      print(descriptor)
    }
    if let grouping = request.grouping { print(grouping) }
  }

  private mutating func print(_ predicate: QuerySyntax.Predicate) {
    switch predicate {
    case .and(let terms): printTerms(terms, connective: " AND ", areConjunctionsBare: false)
    case .or(let terms): printTerms(terms, connective: " OR ", areConjunctionsBare: true)
    case .not(let inner): putOff([.text("NOT ")] + Self.term(inner))
    case .comparison(let comparison):
      let mark = comparison.folding.rawValue
      putOff([
        .expression(comparison.left),
        .text(" \(comparison.comparator.value.rawValue)\(mark) "),
        .expression(comparison.right),
      ])
    case .between(let between):
      putOff([.expression(between.operand), .text(" BETWEEN ")] + Self.bounds(between))
    case .text(let search):
      putOff([.expression(search.operand), .text(" TEXT "), .expression(search.pattern)])
    case .geoWithin(let test):
      print(test.property)
      print(" GEOWITHIN ")
      print(test.area.value)
    case .true: print("TRUEPREDICATE")
    case .false: print("FALSEPREDICATE")
    }
  }

  /// The parts of the bounds: `{low, high}`, `{low, <high}`.
  private static func bounds(_ between: QuerySyntax.Between) -> [Part] {
    guard between.excludesHigh, case .list(let list) = between.bounds,
      list.elements.value.count == 2
    else { return [.expression(between.bounds.expression)] }
    let (low, high) = (list.elements.value[0], list.elements.value[1])
    return [
      .text("{"), .expression(.literal(low)), .text(", <"), .expression(.literal(high)), .text("}"),
    ]
  }

  /// Puts off the terms of AND or OR; AND binds tighter, so inside OR it needs no parentheses.
  private mutating func printTerms(
    _ terms: [QuerySyntax.Predicate], connective: String, areConjunctionsBare: Bool
  ) {
    var parts: [Part] = []
    for (index, term) in terms.enumerated() {
      if index > 0 { parts.append(.text(connective)) }
      if case .and = term, areConjunctionsBare {
        parts.append(.predicate(term))
      } else {
        parts += Self.term(term)
      }
    }
    putOff(parts)
  }

  /// The parts of a term of AND, OR or NOT: an AND or OR stands in parentheses.
  private static func term(_ term: QuerySyntax.Predicate) -> [Part] {
    switch term {
    case .and, .or: [.text("("), .predicate(term), .text(")")]
    default: [.predicate(term)]
    }
  }

  private mutating func print(_ descriptor: QuerySyntax.Descriptor) {
    switch descriptor {
    case .sort(let keys):
      print("SORT(")
      printList(keys) { printer, key in
        printer.print(key.path)
        printer.print(key.isAscending ? " ASC" : " DESC")
      }
    case .distinct(let paths):
      print("DISTINCT(")
      printList(paths) { printer, path in printer.print(path) }
    case .limit(let count):
      print("LIMIT(\(count)")
    }
    print(")")
  }
}

extension QuerySyntax.Request: CustomStringConvertible {
  /// The request as text of the query language.
  public var description: String {
    var printer = Printer()
    printer.print(self)
    return printer.text
  }
}

extension QuerySyntax.Predicate: CustomStringConvertible {
  /// The predicate as text of the query language.
  public var description: String {
    var printer = Printer()
    printer.print(tree: .predicate(self))
    return printer.text
  }
}

extension QuerySyntax.Expression: CustomStringConvertible {
  /// The expression as text of the query language.
  public var description: String {
    var printer = Printer()
    printer.print(tree: .expression(self))
    return printer.text
  }
}

extension QuerySyntax.Path: CustomStringConvertible {
  /// The path as text of the query language.
  public var description: String {
    var printer = Printer()
    printer.print(self)
    return printer.text
  }
}
