import TestThreads
import Testing

@testable import AtollQuery

/// A text outside the language, where it leaves it, and words that the error must contain.
struct Refusal: Sendable, CustomTestStringConvertible {
  let text: String
  let byteOffset: Int
  let words: [String]

  init(_ text: String, _ byteOffset: Int, _ words: String...) {
    self.text = text
    self.byteOffset = byteOffset
    self.words = words
  }

  var testDescription: String { text }
}

@Suite(.computing) struct RefusalTests {
  private func check(_ refusal: Refusal) {
    let error = #expect(throws: QuerySyntaxError.self) { try QuerySyntax.parse(refusal.text) }
    guard let error else { return }
    #expect(error.byteOffset == refusal.byteOffset, "\(error)")
    for word in refusal.words {
      #expect(error.description.contains(word), "\(error) does not say \(word)")
    }
    #expect(!error.expected.isEmpty || error.hint != nil, "\(error) does not help")
  }

  @Test(arguments: [
    Refusal("", 0, "empty", "a comparison", "a predicate", "TRUEPREDICATE"),
    Refusal(" \n\t", 3, "empty", "a comparison or a predicate"),
    Refusal("title", 5, "a comparison operator", "comparison or predicate is expected", "`title`"),
    Refusal("(title)", 7, "a comparison operator"), Refusal("title AND a == 1", 6, "alone"),
    Refusal("NOT title", 9, "a comparison operator"), Refusal("NOT", 3, "a predicate"),
    Refusal("1", 1, "`1` alone"), Refusal("a == 1 AND", 10, "a predicate"),
    Refusal("AND a == 1", 0, "between two tests"), Refusal("a == 1 OR OR b == 2", 10, "between"),
    Refusal("SORT(a ASC)", 0, "A predicate comes first", "TRUEPREDICATE SORT(…)"),
    Refusal("limit(1) a == 1", 0, "TRUEPREDICATE LIMIT(…)"),
    Refusal("DISTINCT(a) TRUEPREDICATE", 0, "predicate"),
    Refusal("== 1", 0, "left side"), Refusal("a ==", 4, "a literal"), Refusal("a == == 1", 5),
    Refusal("a < b < c", 6, "one comparison", "AND"), Refusal("a == 1 b == 2", 7, "`AND`, `OR`"),
    Refusal("(a == 1) == 2", 9, "AND"), Refusal("(a == 1) + 2 == 3", 9, "AND"),
    Refusal("TRUEPREDICATE == 1", 14, "AND"), Refusal("a == TRUEPREDICATE", 5, "not a value"),
    Refusal("a == (b == c)", 8, ")", "a test is not"), Refusal("a == NOT b", 5, "NOT stands"),
    Refusal("a == 1 SORT(b ASC) AND c == 1", 19, "SORT", "LIMIT", "the end of the query"),
    Refusal("a == (b AND c)", 8, "expected `)`"),
    Refusal("(NOT a) == 1", 6, "a comparison operator"),
    Refusal("{1, 2}", 6, "`{1, 2}` alone"),
  ])
  func wantsAPredicate(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("(a == 1", 7, "`(` at line 1, column 1 is still open"),
    Refusal("a == 1 AND\n  (b == 2 OR (c == 3)", 32, "`(` at line 2, column 3 is still open"),
    Refusal("a == 1)", 6, "no open `(`"), Refusal("a == 1}", 6, "no open `{`"),
    Refusal("a[0]] == 1", 4, "no open `[`"), Refusal("(a == 1]", 7, "`(` at line 1, column 1"),
    Refusal("a IN {1, 2", 10, "`{` at line 1, column 6"), Refusal("a IN {1, 2)", 10, "`{` at"),
    Refusal("a IN {", 6, "`{` at"), Refusal("a[0 == 1", 4, "]"), Refusal("a[", 2, "`[` at"),
    Refusal("a[0", 3, "`[` at"), Refusal("a[0)", 3, "`[` at"), Refusal("()", 1, "a predicate"),
    Refusal("SUBQUERY(crew, $s, a == 1", 25, "`(` at line 1, column 9"),
    Refusal("a == obj('P', 1", 15, "`(` at"), Refusal("a == bin('x'", 12, "`(` at"),
    Refusal("a == 1 SORT(b ASC", 17, "`(` at"), Refusal("a == 1 LIMIT(1", 14, "`(` at"),
    Refusal("a GEOWITHIN geoBox([1, 2], [3, 4]", 33, "`(` at"),
    Refusal("a GEOWITHIN geoBox([1, 2, [3, 4])", 26, "a number with a decimal point"),
    Refusal("a == ()", 6, "a literal"), Refusal("(a == 1 SORT(b ASC))", 8, "`AND`, `OR` or `)`"),
  ])
  func namesTheOpenBracket(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("a == 1 & b == 2", 7, "unexpected character `&`", "&&"),
    Refusal("a == 1 | b == 2", 7, "||"), Refusal("a == 1 # note", 7, "`#`", "comments"),
    Refusal("a == %s", 5, "`%`", "$0"), Refusal("`a` == 1", 0, "without quotes"),
    Refusal(#"a\x == 1"#, 1, "backslash"), Refusal("a ~ 1", 2, "`~`", "$K0"),
    Refusal("title === 'x'", 8, "= or =="), Refusal("a..b == 1", 2, "a property name"),
    Refusal("a == 1..0", 7, "AND"), Refusal("a == 1.0.", 8), Refusal("a == 0x", 6),
    Refusal("a == 3a", 6), Refusal("a == -+2", 5, "a literal"), Refusal("a == 2e1.3", 8),
    Refusal("a == .", 5), Refusal("a. == 1", 3, "a property name"),
    Refusal("berths -1 == 15", 7, "blanks around `-`"), Refusal("a == 5-3", 6, "blanks around"),
    Refusal("a[0]+1 == 2", 4, "blanks around `+`"), Refusal("-berths == 1", 0, "0 - berths"),
    Refusal("title ! = 'x'", 6), Refusal("! = 1", 2, "without a blank"),
    Refusal("a == 020", 5, "begins with a zero", "octal"), Refusal("a == -01", 5, "zero"),
    Refusal("a == 9223372036854775808", 5, "out of range", "a point or an exponent"),
    Refusal("a == -9223372036854775809", 5, "out of range"),
    Refusal("a == 0x8000000000000000", 5, "out of range"),
    Refusal("a == $99999999999999999999", 5, "out of range"), Refusal("O12 == 1", 0, "obj(", "$K0"),
    Refusal("a == L3:4", 7, "date"), Refusal("a;b == 1", 1, "one predicate"),
    Refusal("a \u{0} 1", 2, "0x0"), Refusal("all == 1", 4, "a property path"),
    Refusal("home.not == 1", 5, "reserved", "$K0"), Refusal("obj == 1", 4, "reserved", "$K0"),
    Refusal("geoBox == 1", 0, "reserved"), Refusal("a == 1 ? 2", 7, "`?`"),
  ])
  func refusesStrayCharacters(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal(#"a == 'b\x'"#, 7, #"`\x`"#, #"\uXXXX"#, #"\\"#), Refusal(#"a == '\é'"#, 6, #"`\é`"#),
    Refusal(#"a == '\u12'"#, 6, "exactly four", #"`\u12`"#), Refusal(#"a == '\u12G4'"#, 6, "four"),
    Refusal(#"a == '\uD800x'"#, 6, "surrogate"), Refusal(#"a == '\uDC00'"#, 6, "surrogate"),
    Refusal(#"a == '\uD800\u0041'"#, 6, "surrogate"),
    Refusal(
      "a == 'b", 5, "never closed",
      "column 6"),
    Refusal("a ==\n \"b' AND c == 1", 6, "line 2, column 2", "a closing \""),
    Refusal(#"a == 'b\"#, 5, "never closed"), Refusal(#"a == 'b\'"#, 5, "never closed"),
    Refusal("a == B64\"abc!\"", 5, "base64"), Refusal("a == B64\"abcde\"", 5, "base64"),
    Refusal("a == B64\"ab=\"", 5, "base64"), Refusal("a == B64\"====\"", 5, "base64"),
    Refusal("a == B64\"ab", 8, "never closed"), Refusal("a == B64\"QQ\n\"", 5, "base64"),
    Refusal("a == B64\"QR==\"", 5, "base64"), Refusal("a == B64'QQ=='", 8),
    Refusal("a == B64\"//79\"", 5, "UTF-8", "bin(B64"), Refusal("a == bin(5)", 9, "a string"),
    Refusal("a == bin(B64\"a\")", 9, "base64"),
    Refusal("a == oid('0123')", 5, "24 hexadecimal digits", "without quotes"),
    Refusal("a == oid(0123456789abcdef01234567890)", 5, "24"), Refusal("a == OID(01)", 8, "oid"),
    Refusal("a == uuid(01234567-89ab-cdef-0123-456789abcde)", 5, "8-4-4-4-12"),
    Refusal("a == uuid( 01234567-89ab-cdef-0123-456789abcdef)", 5, "blanks"),
    Refusal("a == uuid (01)", 10, "without blanks"), Refusal("a == uuid(", 5, "8-4-4-4-12"),
  ])
  func refusesMalformedStringsAndBytes(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("a == 2017-12-04", 5, "date"), Refusal("a == 2017-1-2@3:4", 5, "date"),
    Refusal("a == 2017-1-2T3", 5, "Y-M-D@h:m:s"), Refusal("a == 2017-1-2@T3:4:5", 5, "date"),
    Refusal("a == 2017-1-2T@3:4:5", 5, "date"), Refusal("a == 2017-1@3:4:5", 5, "Y-M"),
    Refusal("a == T2017-1-2@3:4:5", 14, "Y-M-D@h:m:s"),
    Refusal("a == 2017-1-2@3:4:5T6", 19, "date"),
    Refusal("a == 2017-1-2@3:4:5.5", 19, "Y-M-D"),
    Refusal("a == 2017-1-2@3:4:5Z", 19, "UTC"), Refusal("a == 2017-1-2@3:4:5+2", 19, "UTC"),
    Refusal("a == 2017-1-2@3:4:5:-6", 19, "date"),
    Refusal(
      "a == T-1:5", 5, "signs",
      "disagree"),
    Refusal("a == T1:-5", 5, "disagree"), Refusal("a == T1:", 5, "incomplete"),
    Refusal("a == T:5", 6, "date"), Refusal("a == T1:1000000000", 5, "out of range"),
    Refusal("a == T9223372036854775808:0", 5, "out of range"), Refusal("a == T010:5", 5, "zero"),
    Refusal("a == 2017-1-2@3:4:5:1000000000", 5, "nine digits"),
    Refusal("a == 9999999999-1-1@0:0:0", 5, "nine digits"),
    Refusal("a == 1899-12-31@23:59:59", 5, "1900", "T<seconds>"),
  ])
  func refusesMalformedTimestamps(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("crew.@prop == 1", 5, "unknown word `@prop`", "@count", "@links", "@values"),
    Refusal("crew.@average.age == 1", 5, "@avg"), Refusal("crew.@Count == 1", 5, "lower case"),
    Refusal("title@links == 1", 5, "A dot stands between"), Refusal("@count == 1", 0, "path"),
    Refusal("crew.@count.x == 1", 11, "Nothing may follow"),
    Refusal("a.@type[0] == 1", 7, "Nothing"),
    Refusal("a[SIZE].b == 1", 7, "Nothing may follow"),
    Refusal("crew.@max.boss.age == 1", 14, "one"),
    Refusal("crew.@max[0] == 1", 9, "one property"), Refusal("crew.@max.@count == 1", 10, "name"),
    Refusal("ANY crew.@max.age == 1", 0, "quantifier", "`ANY`"),
    Refusal("@links == 1", 7, ".Class"),
    Refusal("@links[0] == 1", 6, "@links.Class.property"),
    Refusal("@links.5 == 1", 6, "@links.Class"),
    Refusal("@links.Boat == 1", 12, "a property of class `Boat`"),
    Refusal("@links.Boat[0] == 1", 11, "dot"),
    Refusal("@links.Boat.@count == 1", 12, "a property of class `Boat`"),
    Refusal("@links.@max.x == 1", 7, "@count"), Refusal("@links.@type == 1", 7, "@count"),
    Refusal("@links.@count.x == 1", 13, "Nothing"), Refusal("a[-1] == 1", 2, "an unsigned integer"),
    Refusal("a[1.5] == 1", 2), Refusal("a[x] == 1", 2, "quotes"), Refusal("a[] == 1", 2, "FIRST"),
    Refusal("a[0x1] == 1", 2), Refusal("a[First] == 1", 2, "FIRST"),
    Refusal("$K0.age == 1", 3, "whole path"), Refusal("$K0[0] == 1", 3, "whole path"),
    Refusal("a.$K0 == 1", 2, "a property name"), Refusal("a.$0 == 1", 2, "$K0"),
    Refusal("$0.a == 1", 2, "a comparison operator", "$K0"), Refusal("a == -b", 5, "0 - berths"),
  ])
  func refusesMalformedPaths(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("Any crew.age > 40", 4, "`any` or `ANY`"), Refusal("Not a == 1", 4, "`not` or `NOT`"),
    Refusal("a In {1}", 2, "`in` or `IN`"), Refusal("a == 1 AND True", 15, "`true` or `TRUE`"),
    Refusal("Some a == 1", 5, "SOME"), Refusal("a == All b", 9, "ALL"),
    Refusal("NOTNOT(a == 1)", 6, "functions"), Refusal("sum(a) == 1", 3, "no functions"),
    Refusal("a IN (1, 2)", 7, "in braces: {1, 2}"), Refusal("a IN [1, 2]", 5, "in braces: {1, 2}"),
    Refusal("a IN 1, 2", 6, "in braces: {1, 2}"), Refusal("a IN {1 2}", 8, "`,` or `}`"),
    Refusal("a IN {1, }", 9, "a literal"), Refusal("a IN {, 1}", 6),
    Refusal("a IN {b, 1}", 6, "literals"),
    Refusal("a IN {ANY $0}", 6, "literals"), Refusal("a IN {{1}}", 6), Refusal("a IN {$K0}", 6),
    Refusal("a == ANY 5", 9, "ANY ranges over several values"), Refusal("NONE 'x' == a", 5, "NONE"),
    Refusal("ALL (a) == 1", 4), Refusal("ANY SUBQUERY(a, $b, c == 1).@count == 1", 4, "path"),
    Refusal("{1, 2}.@count == 2", 6, "paths, not lists"), Refusal("a IN {1}.@max", 8, "not lists"),
    Refusal("x NOT IN {1}", 2, "NOT title IN {…}"), Refusal("x IS NULL", 2, "== NULL"),
    Refusal("x MATCHES 'a'", 2, "LIKE"), Refusal("a ==[dc] 'x'", 4, "written [cd]"),
    Refusal("a CONTAINS[D] 'x'", 10, "written [d]"), Refusal("a ==[C] 'x'", 4, "[c]"),
    Refusal("a ==[ c ] 'x'", 4, "without blanks"), Refusal("a <[c] 'x'", 3, "does not take [c]"),
    Refusal("a BETWEEN[c] {1, 2}", 9, "does not take"),
    Refusal("a TEXT[c] 'x'", 6, "does not take"),
    Refusal("a == [c][c] 'x'", 8, "[c]"), Refusal("a [c] == 'x'", 2, "[c] follows"),
    Refusal("a BETWEEN b", 10, "{$0, $1}"), Refusal("a BETWEEN 1 AND 2", 10, "braces"),
    Refusal("a BETWEEN ALL b", 10, "a list in braces"), Refusal("a + 1 BETWEEN {1, 2}", 6, "plain"),
    Refusal("(a) CONTAINS 'x'", 4, "plain operands"), Refusal("a CONTAINS ('x')", 11, "plain"),
    Refusal("a CONTAINS 'x' + 'y'", 15, "plain"), Refusal("a TEXT b * 2", 9, "plain"),
    Refusal("a ! IN {1}", 2, "a comparison operator"),
    Refusal("a WHERE b == 1", 2, "without WHERE"),
    Refusal("a == 1 ORDER BY b", 7, "SORT(path ASC)"),
  ])
  func suggestsTheLegalForm(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("a == 1 SORT(p)", 13, "ASC", "DESCENDING", "direction"),
    Refusal("a == 1 SORT()", 12, "a property name"), Refusal("a == 1 DISTINCT()", 16, "property"),
    Refusal("a == 1 SORT(a ASC b DESC)", 18, "`,` or `)`"), Refusal("a == 1 SORT(a ASC,)", 18),
    Refusal("a == 1 SORT a ASC", 12, "("), Refusal("a == 1 DISTINCT(a b)", 18, "`,` or `)`"),
    Refusal("a == 1 SORT(crew.@count ASC)", 17, "@count", "a key of SORT"),
    Refusal("a == 1 DISTINCT(crew.@max.age)", 21, "aggregate"),
    Refusal("a == 1 SORT(ANY a ASC)", 12),
    Refusal("a == 1 SORT($K0 ASC)", 12, "SORT, DISTINCT or GROUP"),
    Refusal("a == 1 DISTINCT($0)", 16),
    Refusal("a == 1 LIMIT()", 13, "one unsigned integer"), Refusal("a == 1 LIMIT(-1)", 13, "one"),
    Refusal("a == 1 LIMIT(2.5)", 13, "one unsigned integer"),
    Refusal("a == 1 LIMIT(0x10)", 13, "one"),
    Refusal("a == 1 LIMIT(x)", 13, "one unsigned"), Refusal("a == 1 LIMIT($0)", 13, "unsigned"),
    Refusal("a == 1 LIMIT(1, 2)", 14, "one number"), Refusal("a == 1 LIMIT(+1)", 13, "unsigned"),
    Refusal("a == 1 INCLUDE(b)", 7, "INCLUDE is not part"), Refusal("a == 1 LIMIT 5", 13, "("),
    Refusal("a == 1 LIMIT(9223372036854775808)", 13, "out of range"),
  ])
  func refusesMalformedDescriptors(refusal: Refusal) { check(refusal) }

  @Test(arguments: [
    Refusal("SUBQUERY(crew, $s, a == 1) > 0", 27, ".@count"),
    Refusal("SUBQUERY(crew, $s, a == 1).@max > 0", 27, "@size"),
    Refusal("SUBQUERY(crew, $s, a == 1).age > 0", 27, "@count"),
    Refusal("SUBQUERY(crew, $s, a == 1).@count.x > 0", 33, "Nothing may follow"),
    Refusal("SUBQUERY(, $s, a == 1).@count > 0", 9, "the path of a list"),
    Refusal("SUBQUERY(crew, , a == 1).@count > 0", 15, "a variable"),
    Refusal("SUBQUERY(crew, $s, ).@count > 0", 19, "a predicate"),
    Refusal("SUBQUERY(crew, $s).@count > 0", 17, "`)`", ","),
    Refusal("SUBQUERY(crew, s, a == 1).@count > 0", 15, "begins with $"),
    Refusal("SUBQUERY(crew, $0, a == 1).@count > 0", 15, "`$0` is an argument"),
    Refusal("SUBQUERY(crew, $K0, a == 1).@count > 0", 15, "is an argument"),
    Refusal("SUBQUERY(crew, $, a == 1).@count > 0", 15, "variable"),
    Refusal("SUBQUERY(crew, $s.a, a == 1).@count > 0", 17, ","),
    Refusal("SUBQUERY(crew.@count, $s, a == 1).@count > 0", 14, "subquery"),
    Refusal("SUBQUERY(ANY crew, $s, a == 1).@count > 0", 9, "path"),
    Refusal("SUBQUERY(crew, $s, age).@count > 0", 22, "a comparison operator"),
    Refusal("SUBQUERY crew", 9, "("), Refusal("SUBQUERY(crew, $s, a == 1).@count", 33, "alone"),
    Refusal("a == obj(Port, 1)", 9, "quotes"), Refusal("a == obj('Port')", 15, "primary key"),
    Refusal("a == obj('Port', NULL)", 17, "an integer"), Refusal("a == obj('Port', 1.5)", 17),
    Refusal("a GEOWITHIN 5", 12, "geoBox(…)", "geoCircle(…)", "geoPolygon(…)"),
    Refusal("a GEOWITHIN b", 12, "an argument"), Refusal("a GEOWITHIN {1}", 12, "geoBox"),
    Refusal("5 GEOWITHIN $0", 2, "left side"), Refusal("(a) GEOWITHIN $0", 4, "plain"),
    Refusal("a GEOWITHIN geoBox([-1, 0], [1, 1])", 20, "-1.0"),
    Refusal("a GEOWITHIN geoBox([1, 0])", 25, "two opposite corners"),
    Refusal("a GEOWITHIN geoCircle([1, 0, 5], 1)", 29, "12.0"),
    Refusal("a GEOWITHIN geoCircle([1], 1)", 24, "latitude"),
    Refusal("a GEOWITHIN geoPolygon()", 23),
    Refusal("a GEOWITHIN geoPolygon([1, 2])", 23, "braces"),
    Refusal("a GEOWITHIN geoPolygon({})", 24, "[longitude, latitude]"),
    Refusal("a GEOWITHIN geoCircle([1, 2], inf)", 30), Refusal("a GEOWITHIN[c] $0", 11, "not take"),
  ])
  func refusesMalformedSubqueriesObjectsAndShapes(refusal: Refusal) { check(refusal) }
}
