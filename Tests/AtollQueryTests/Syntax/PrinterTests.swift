import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct PrinterTests {
  @Test(arguments: Corpus.accepted)
  func printedTextGivesTheSameTree(text: String) throws {
    let request = try QuerySyntax.parse(text)
    let printed = request.description
    let again = try QuerySyntax.parse(printed)
    #expect(again == request, "printed as \(printed)")
    #expect(again.hashValue == request.hashValue)
    #expect(again.description == printed)
  }

  @Test(arguments: 0..<400 as Range<UInt64>)
  func randomTreesSurvivePrinting(seed: UInt64) throws {
    var trees = RandomTree(seed: seed)
    let request = trees.request()
    let printed = request.description
    #expect(try QuerySyntax.parse(printed) == request, "printed as \(printed)")
  }

  /// Equality must not be trivial, or the tests above prove nothing.
  @Test func differentTreesDiffer() throws {
    let requests = try Set(Corpus.accepted.map { try QuerySyntax.parse($0) })
    let texts = Set(requests.map(\.description))
    #expect(requests.count == texts.count)
    #expect(requests.count > Corpus.accepted.count * 9 / 10)
  }

  @Test(arguments: [
    ("a == 1", "a == 2"), ("a == 1", "a != 1"), ("a == 1", "b == 1"), ("a == 1", "a ==[c] 1"),
    ("a == 1", "1 == a"), ("a == 1", "a == 1.0"), ("a == 1.0", "a == 1.00"),
    (
      "a == 1",
      "NOT a == 1"
    ),
    ("a == 1.0", "a == 1.0f"), ("a == 1 AND b == 1", "a == 1 OR b == 1"), ("a == inf", "a == -inf"),
    ("a == 1 AND b == 1", "b == 1 AND a == 1"), ("a == 1 AND b == 1", "a == 1"),
    (
      "a == 'x'",
      "a == x"
    ),
    ("a BETWEEN $0", "a BETWEEN {$0}"), ("a BETWEEN $0", "a BETWEEN $1"),
    ("a BETWEEN {1, 2}", "a BETWEEN {1, 3}"), ("a BETWEEN {1, 2}", "b BETWEEN {1, 2}"),
    ("a TEXT 'x'", "a TEXT 'y'"), ("a TEXT 'x'", "b TEXT 'x'"),
    (
      "a GEOWITHIN $0",
      "a GEOWITHIN $1"
    ),
    ("a == {1}", "a == ANY {1}"), ("a == {1}", "a == {}"), ("a == $0", "a == $1"),
    ("a == $0", "a == ALL $0"), ("ANY a == 1", "ALL a == 1"), ("a.@count == 1", "a.@type == 1"),
    ("a.b == 1", "a['b'] == 1"), ("a[0] == 1", "a[1] == 1"), ("a[FIRST] == 1", "a[LAST] == 1"),
    ("a.@max == 1", "a.@min == 1"), ("a.@max.b == 1", "a.@max.c == 1"),
    (
      "a.@max == 1",
      "a.@max.b == 1"
    ),
    ("a + b == 1", "a - b == 1"), ("a + b == 1", "a + c == 1"), ("a + b == 1", "a + b + b == 1"),
    ("(a + b) + c == 1", "a + b + c == 1"), ("TRUEPREDICATE", "FALSEPREDICATE"),
    ("SUBQUERY(a, $x, b == 1).@count == 1", "SUBQUERY(a, $x, b == 2).@count == 1"),
    ("SUBQUERY(a, $x, b == 1).@count == 1", "SUBQUERY(a, $y, b == 1).@count == 1"),
    ("SUBQUERY(a, $x, b == 1).@count == 1", "SUBQUERY(c, $x, b == 1).@count == 1"),
    ("a == 1 SORT(a ASC)", "a == 1 SORT(a DESC)"), ("a == 1 LIMIT(1)", "a == 1 LIMIT(2)"),
    ("a == 1 LIMIT(1)", "a == 1"), ("a == T1:1", "a == T1:2"),
    (
      "a == obj('P', 1)",
      "a == obj('Q', 1)"
    ),
  ])
  func treesThatDifferInOnePlaceDiffer(first: String, second: String) throws {
    #expect(try QuerySyntax.parse(first) != QuerySyntax.parse(second))
  }

  /// Trees from code are as deep as they are made; only destroying them recurses.
  @Test func printsAndComparesWithoutRecursion() {
    func tree() -> QuerySyntax.Predicate {
      (0..<1_000).reduce(.true) { inner, level in
        level.isMultiple(of: 2)
          ? .all(of: [.false, inner]) : .any(of: [.true, .negation(of: inner)])
      }
    }
    #expect(tree() == tree())
    #expect(tree().hashValue == tree().hashValue)
    #expect(tree().description.utf8.count > 10_000)
  }
}
