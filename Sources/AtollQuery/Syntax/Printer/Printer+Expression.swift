extension Printer {
  /// Prints an expression up to the first tree below it.
  mutating func print(_ expression: QuerySyntax.Expression) {
    switch expression {
    case .literal(let literal): print(literal.value)
    case .list(let list): print(list)
    case .argument(let quantifier, let index):
      printQuantifier(quantifier)
      print("$\(index.value)")
    case .property(let reference): print(reference)
    case .aggregate(let aggregate):
      print(aggregate.path)
      print(".\(aggregate.function.value.rawValue)")
      if let property = aggregate.property {
        print(".")
        printName(property.value)
      }
    case .subquery(let subquery):
      print("SUBQUERY(")
      print(subquery.value.source)
      print(", ")
      printName(subquery.value.variable.value)
      print(", ")
      putOff([.predicate(subquery.value.predicate), .text(").@count")])
    case .arithmetic(let arithmetic): print(arithmetic)
    }
  }

  private mutating func print(_ arithmetic: QuerySyntax.Arithmetic) {
    let isProduct = arithmetic.rest.first?.function.value.isMultiplicative == true
    var parts = Self.chainOperand(arithmetic.first, inProduct: isProduct)
    for term in arithmetic.rest {
      parts.append(.text(" \(term.function.value.rawValue) "))
      parts += Self.chainOperand(term.operand, inProduct: isProduct)
    }
    putOff(parts)
  }

  /// The parts of an operand: chains stand in parentheses, except a product in a sum.
  private static func chainOperand(
    _ operand: QuerySyntax.Expression, inProduct: Bool
  ) -> [Part] {
    guard case .arithmetic(let inner) = operand else { return [.expression(operand)] }
    let isProduct = inner.rest.first?.function.value.isMultiplicative == true
    if isProduct, !inProduct { return [.expression(operand)] }
    return [.text("("), .expression(operand), .text(")")]
  }

  mutating func print(_ reference: QuerySyntax.PropertyReference) {
    printQuantifier(reference.quantifier)
    print(reference.path)
    if let suffix = reference.suffix { print(".\(suffix.value.rawValue)") }
  }

  private mutating func printQuantifier(_ quantifier: QuerySyntax.Located<QuerySyntax.Quantifier>?)
  {
    if let quantifier { print("\(quantifier.value.rawValue) ") }
  }

  mutating func print(_ path: QuerySyntax.Path) {
    for (index, step) in path.steps.enumerated() {
      if index > 0, !step.value.isIndex { print(".") }
      print(step.value)
    }
  }

  private mutating func print(_ step: QuerySyntax.PathStep) {
    switch step {
    case .property(let name): printName(name)
    case .keyPathArgument(let index): print("$K\(index)")
    case .backlinks(let origin, let property):
      print("@links.")
      printName(origin.value)
      print(".")
      printName(property.value)
    case .incomingLinks: print("@links")
    case .keys: print("@keys")
    case .values: print("@values")
    case .index(let index): print("[\(index)]")
    case .first: print("[FIRST]")
    case .last: print("[LAST]")
    case .all: print("[*]")
    case .key(let key):
      print("[")
      printString(key)
      print("]")
    case .indexArgument(let index): print("[$\(index)]")
    case .placeArgument(let index): print("[$K\(index)]")
    }
  }

  /// Prints a name, with escapes for what would be read as something else.
  private mutating func printName(_ name: String) {
    let bytes = Array(name.utf8)
    let isWord = Self.isWord(bytes[...])
    for (index, scalar) in name.unicodeScalars.enumerated() {
      switch scalar {
      case " ": print(#"\ "#)
      case "\n": print(#"\n"#)
      case "\r": print(#"\r"#)
      case "\t": print(#"\t"#)
      case "%": print("%%")
      default:
        guard let byte = UInt8(exactly: scalar.value), byte < 0x80,
          !byte.continuesName || index == 0 && (!isWord || !byte.startsName)
        else {
          print(String(scalar))
          continue
        }
        print(#"\u00"# + Self.hexadecimal([byte][...]))
      }
    }
  }

  /// Whether the bytes are read as a name, and not as a keyword or an argument.
  private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    if let keyword = Keyword(bytes), !keyword.mayBeName { return false }
    if bytes.count > 1, bytes.first == UInt8(ascii: "O"), bytes.dropFirst().allSatisfy(\.isDigit) {
      return false
    }
    do { return try ArgumentPlaceholder(word: bytes) == nil } catch { return false }
  }

  mutating func print(_ list: QuerySyntax.ListLiteral) {
    printQuantifier(list.quantifier)
    print("{")
    printList(list.elements.value) { printer, element in printer.print(element.value) }
    print("}")
  }
}
