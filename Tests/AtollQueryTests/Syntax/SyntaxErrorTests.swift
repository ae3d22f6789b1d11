import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct SyntaxErrorTests {
  private func failure(_ text: String) throws -> QuerySyntaxError {
    try #require(throws: QuerySyntaxError.self) { try QuerySyntax.parse(text) }
  }

  @Test func pointsAtTheToken() throws {
    let error = try failure("title === 'Fram'")
    #expect(error.byteOffset == 8)
    #expect(error.line == 1)
    #expect(error.column == 9)
    #expect(error.token == "=")
    #expect(
      error.description == """
        line 1, column 9: unexpected `=`; expected a literal, a property path, an argument or a \
        list in braces
          title === 'Fram'
                  ^
        hint: Equality is written = or ==.
        """)
  }

  @Test func countsColumnsInCharactersAndOffsetsInBytes() throws {
    let error = try failure("a == 'x' AND\r\n\ttitel👩‍👩‍👧å == 'e\u{301}' NIX\nOR b == 1")
    #expect(error.line == 2)
    #expect(error.column == 17)
    #expect(error.byteOffset == 50)
    #expect(error.token == "NIX")
    #expect(error.excerpt == " titel👩‍👩‍👧å == 'e\u{301}' NIX")
    #expect(error.caret == "                ^~~")
  }

  @Test func pointsBehindTheEndOfTheQuery() throws {
    let error = try failure("a == 1 AND\n")
    #expect(error.byteOffset == 11)
    #expect(error.line == 2)
    #expect(error.column == 1)
    #expect(error.token.isEmpty)
    #expect(error.caret == "^")
    #expect(error.message == "unexpected end of query")
  }

  @Test func cutsLongLinesAroundTheToken() throws {
    let terms = Array(repeating: "åge == 1", count: 500).joined(separator: " AND ")
    let error = try failure("\(terms) AND 7 \(terms)")
    #expect(error.token == "åge")
    #expect(error.excerpt.count < 120)
    #expect(error.excerpt.hasPrefix("…"))
    #expect(error.excerpt.hasSuffix("…"))
    let marked = error.excerpt.dropFirst(error.caret.prefix { $0 == " " }.count)
    #expect(marked.hasPrefix("åge == 1"))
    #expect(error.column == 500 * 13 - 5 + 5 + 3)
  }

  @Test(arguments: [
    ("a == 1 'x", "x", "'"), ("a == 1 x", "x", ""), ("a == $0", "9", ""), ("a.@x", "x", ""),
    ("O1", "2", ""), ("a == 1", "2", ""), ("a == 0x1", "f", ""), ("@links.x", "x", ".@count"),
    ("a == T1:0", "1", ""), ("a == 0", "1", ""), ("x", "x", ""), ("a.@max", ".b", ""),
    ("a BETWEEN ANY x", "x", " "), ("SORT(", "(", ""), ("a == 1 SORT($", "0", " ASC)"),
    ("SUBQUERY(a, $", "0", ", b == 1)"), ("a == uuid(", "1", ")"), ("SUBQUERY(a.", "a.", "@count)"),
  ])
  func cutsLongTokens(start: String, middle: String, end: String) throws {
    let error = try failure(start + String(repeating: middle, count: 10_000) + end)
    #expect(error.token.count <= 41)
    #expect(error.description.utf8.count < 1_000)
  }

  @Test func equalErrorsAreEqual() throws {
    #expect(try failure("a == ") == failure("a == "))
    #expect(try failure("a == ") != failure("a ==  "))
  }

  /// Each piece that binding may refuse knows the bytes it was read from.
  @Test func theTreeKnowsWhereItCameFrom() throws {
    let text =
      "ANY crew['x'].boss.@count ==[c] {1, 'b'} OR a.@max.b - 2 > SUBQUERY(c, $v, d==1).@size"
    let bytes = Array(text.utf8)
    func slice(_ range: Range<Int>?) -> String {
      range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
    }
    guard case .or(let terms) = try QuerySyntax.parse(text).predicate,
      case .comparison(let first) = terms.first, case .comparison(let second) = terms.last,
      case .property(let reference) = first.left, case .list(let list) = first.right,
      case .arithmetic(let arithmetic) = second.left,
      case .aggregate(let aggregate) = arithmetic.first,
      case .subquery(let subquery) = second.right
    else {
      Issue.record("the tree has another shape")
      return
    }
    #expect(slice(first.left.range) == "ANY crew['x'].boss.@count")
    #expect(slice(reference.quantifier?.range) == "ANY")
    #expect(reference.path.steps.map { slice($0.range) } == ["crew", "['x']", "boss"])
    #expect(slice(reference.path.range) == "crew['x'].boss")
    #expect(slice(reference.suffix?.range) == "@count")
    #expect(slice(first.comparator.range) == "==[c]")
    #expect(slice(first.right.range) == "{1, 'b'}")
    #expect(list.elements.value.map { slice($0.range) } == ["1", "'b'"])
    #expect(slice(second.left.range) == "a.@max.b - 2")
    #expect(slice(aggregate.function.range) == "@max")
    #expect(slice(aggregate.property?.range) == "b")
    #expect(slice(arithmetic.rest.first?.function.range) == "-")
    #expect(slice(second.right.range) == "SUBQUERY(c, $v, d==1).@size")
    #expect(slice(subquery.value.variable.range) == "$v")
  }

  @Test func readsShapesAlone() throws {
    let shape = try QuerySyntax.parseGeoShape(" geoCircle([10.7, 59.9], 0.1) ")
    guard case .circle = shape else {
      Issue.record("\(shape) is no circle")
      return
    }
    let error = #expect(throws: QuerySyntaxError.self) {
      try QuerySyntax.parseGeoShape("geoCircle([1, 2], 3) x")
    }
    #expect(error?.byteOffset == 21)
  }
}
