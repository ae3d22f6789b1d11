import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct AcceptanceTests {
  @Test(arguments: Corpus.accepted)
  func acceptsTheLanguage(text: String) throws {
    let request = try QuerySyntax.parse(text)
    #expect(try QuerySyntax.parse("  \t\(text)\n ") == request)
  }

  @Test(arguments: [
    // Precedence and what NOT captures.
    ("a==1||b==2&&c==3", "a == 1 OR b == 2 AND c == 3"),
    ("(a==1||b==2)&&c==3", "(a == 1 OR b == 2) AND c == 3"),
    ("!a==1 and b==2", "NOT a == 1 AND b == 2"),
    ("!(a==1 and b==2)", "NOT (a == 1 AND b == 2)"),
    ("!(!(a==1 and b==2) or c==3)", "NOT (NOT (a == 1 AND b == 2) OR c == 3)"),
    ("not a + 1 < 2", "NOT a + 1 < 2"),
    // Chains flatten, redundant parentheses and double negations vanish.
    ("(a==1 and b==2) and (c==3 and (d==4))", "a == 1 AND b == 2 AND c == 3 AND d == 4"),
    ("a==1 or (b==2 or (c==3 or d==4) or e==5)", "a == 1 OR b == 2 OR c == 3 OR d == 4 OR e == 5"),
    ("(a==1) or ((b==2 and ((c==3))))", "a == 1 OR b == 2 AND c == 3"),
    ("!!!(a==1)", "NOT a == 1"), ("!(!(a==1))", "a == 1"), ("!(!(!(a==1)))", "NOT a == 1"),
    ("a==1 and !(!(b==2 and c==3))", "a == 1 AND b == 2 AND c == 3"),
    ("a==1 and !(!(b==2 or c==3))", "a == 1 AND (b == 2 OR c == 3)"),
    // Arithmetic.
    ("((a))+((b*c))==((1))", "a + b * c == 1"), ("(a+b)*c==1", "(a + b) * c == 1"),
    ("a - b - c == 1", "a - b - c == 1"), ("a-b == 1", "a-b == 1"),
    ("a - (b - c) == 1", "a - (b - c) == 1"), ("(a - b) - c == 1", "(a - b) - c == 1"),
    ("a*b/c*(d/e) == (f)", "a * b / c * (d / e) == f"),
    ("1 + 2*3 - 4/5 > a", "1 + 2 * 3 - 4 / 5 > a"),
    // Synonyms.
    ("a=1&&b<>2||c=>3", "a == 1 AND b != 2 OR c >= 3"), ("a=<1", "a <= 1"),
    ("some a[SIZE] = all b.@size", "ANY a.@count == ALL b.@count"),
    ("a = nil", "a == NULL"), ("a = -nan", "a == NAN"), ("a = +Inf", "a == INF"),
    ("a = 0x1F", "a == 31"), ("a = +7", "a == 7"), ("a = $007", "a == $7"),
    ("a beginswith [c] \"x\"", "a BEGINSWITH[c] 'x'"),
    ("a=binary(\"Fram\")", "a == bin(B64\"RnJhbQ==\")"), ("a=B64\"RnJhbQ==\"", "a == 'Fram'"),
    ("a=2017-12-4T3:4:5:6", "a == T1512356645:6"),
    ("truepredicate sort(a ascending) limit(3)", "TRUEPREDICATE SORT(a ASC) LIMIT(3)"),
  ])
  func printsCanonicalText(text: String, canonical: String) throws {
    #expect(try QuerySyntax.parse(text).description == canonical)
  }

  /// Parentheses around runs of one connective change nothing, wherever they stand.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func regroupingKeepsTheOrderOfTerms(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let connective = Bool.random(using: &random) ? " AND " : " OR "
    var texts = (0..<Int.random(in: 2..<40, using: &random)).map { "a == \($0)" }
    let flat = texts.joined(separator: connective)
    while texts.count > 1 {
      let first = Int.random(in: 0..<texts.count - 1, using: &random)
      let last = min(texts.count - 1, first + Int.random(in: 1..<4, using: &random))
      let group = "(\(texts[first...last].joined(separator: connective)))"
      let isNegated = Int.random(in: 0..<5, using: &random) == 0
      texts.replaceSubrange(first...last, with: [isNegated ? "NOT !\(group)" : group])
    }
    #expect(try QuerySyntax.parse(texts[0]).description == flat)
  }

  @Test func buildsTheTreeItSays() throws {
    let request = try QuerySyntax.parse("ANY crew[0].@links.Boat.crew.age >= -1.50 LIMIT(3)")
    let path = QuerySyntax.Path([
      .init(.property("crew")), .init(.index(0)),
      .init(.backlinks(origin: .init("Boat"), property: .init("crew"))), .init(.property("age")),
    ])
    let number = try #require(NumberText(digits: "-1.50"))
    #expect(number.doubleValue == -1.5)
    let comparison = QuerySyntax.Comparison(
      .property(.init(path, quantifier: .init(.any))), .init(.greaterOrEqual),
      .literal(.init(.double(number))))
    #expect(request == .init(.comparison(comparison), descriptors: [.limit(3)]))
  }
}

@Suite(.computing) struct LiteralTests {
  private func literal(_ text: String) throws -> QuerySyntax.Literal? {
    let request = try QuerySyntax.parse("a == \(text)")
    guard case .comparison(let comparison) = request.predicate,
      case .literal(let literal) = comparison.right
    else { return nil }
    return literal.value
  }

  @Test(arguments: [
    ("'a\\'b'", "a'b"), (#""\"\\\/\b\f\n\r\t\0""#, "\"\\/\u{8}\u{C}\n\r\t\0"),
    (#"'\u00e9'"#, "é"), (#"'\uD83D\uDE00!'"#, "😀!"), (#"'\uFFFF'"#, "\u{FFFF}"),
    ("'Åse\n\"x\"'", "Åse\n\"x\""), (#""it's""#, "it's"), ("B64\"w4VzZQ==\"", "Åse"),
    ("B64\"w4VzZQ\"", "Åse"), ("B64\"\"", ""),
  ])
  func decodesStrings(text: String, value: String) throws {
    #expect(try literal(text) == .string(value))
  }

  @Test(
    arguments: [
      ("T17:0", 17, 0), ("T-1:-5", -1, -5), ("T0:-5", 0, -5), ("T-0:5", 0, 5), ("T+5:+6", 5, 6),
      ("T9223372036854775807:999999999", Int64.max, 999_999_999),
      ("1970-1-1@0:0:0", 0, 0), ("1970-1-1@0:0:0:7", 0, 7), ("1969-12-31@23:59:59:5", -1, -5),
      ("1969-12-31@23:59:59", -1, 0), ("2000-02-29T12:00:00", 951_825_600, 0),
      ("2017-12-4@3:4:5", 1_512_356_645, 0), ("1900-1-1@0:0:0", -2_208_988_800, 0),
      // Fields out of range roll over.
      ("2016-13-1@0:0:0", 1_483_228_800, 0), ("2017-0-1@0:0:0", 1_480_550_400, 0),
      ("2017-1-1@24:60:60", 1_483_318_860, 0), ("2017-1-0@0:0:0", 1_483_142_400, 0),
    ] as [(String, Int64, Int32)])
  func readsTimestamps(text: String, seconds: Int64, nanoseconds: Int32) throws {
    #expect(try literal(text) == .date(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(
    arguments: [
      ("10.", 10), (".5", 0.5), ("-.5", -0.5), ("+1.25", 1.25), ("1e3", 1000), ("1.5E-1", 0.15),
      ("1.e2", 100), ("00.5", 0.5), ("1e999", .infinity),
      ("123456789012345678901234567890.5", 1.2345678901234568e29),
    ] as [(String, Double)])
  func keepsTheDigitsOfNumbers(text: String, value: Double) throws {
    guard case .double(let number)? = try literal(text) else {
      Issue.record("\(text) is not a double")
      return
    }
    #expect(number.digits == text)
    #expect(number.doubleValue == value)
    guard case .float32(let single)? = try literal(text + "f") else {
      Issue.record("\(text)f is not a float")
      return
    }
    #expect(single.digits == text)
    #expect(single.floatValue == Float(text))
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("+12", 12), ("-12", -12), ("0x0", 0), ("0Xff", 255), ("0x0010", 16),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0x7fffffffffffffff", .max),
    ] as [(String, Int64)])
  func readsIntegers(text: String, value: Int64) throws {
    #expect(try literal(text) == .int(value))
  }

  @Test func readsBytes() throws {
    #expect(try literal("bin('Å')") == .data([0xC3, 0x85]))
    #expect(try literal("bin(B64\"//79AA==\")") == .data([0xFF, 0xFE, 0xFD, 0]))
    #expect(
      try literal("oid(00112233445566778899aAbB)")
        == .objectID([0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB]))
    #expect(
      try literal("uuid(00112233-4455-6677-8899-aabbccddeeff)")
        == .uuid((0...15).map { $0 * 0x11 }))
    #expect(
      try literal("obj('Port', 5)") == .object(class: .init("Port"), key: .init(.int(5))))
  }
}
