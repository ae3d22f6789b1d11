import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct LexerTests {
  private func spellings(_ text: String) throws -> [String] {
    var lexer = Lexer(SourceText(text))
    var spellings: [String] = []
    while true {
      let token = try lexer.next()
      if token.kind == .endOfQuery { return spellings }
      spellings.append(lexer.source.text(in: token.range))
    }
  }

  @Test(arguments: [
    ("berths-1", ["berths-1"]), ("berths -1", ["berths", "-1"]),
    ("berths - 1", ["berths", "-", "1"]), ("2*berths", ["2", "*", "berths"]),
    ("-berths", ["-", "berths"]), ("NOT0 = 1", ["NOT0", "=", "1"]), ("1AND 2", ["1", "AND", "2"]),
    ("T17", ["T17"]), ("T17:0", ["T17:0"]), ("T2017-12-04", ["T2017-12-04"]),
    ("!=1", ["!=", "1"]), ("! =1", ["!", "=", "1"]), ("===", ["==", "="]),
    (
      "a=-1",
      [
        "a", "=",
        "-1",
      ]
    ),
    ("1..0", ["1.", ".0"]), ("1.0.", ["1.0", "."]), ("2e1.3", ["2e1", ".3"]), ("0x", ["0", "x"]),
    ("3a", ["3", "a"]), ("-+2", ["-", "+2"]), ("a..b", ["a", ".", ".", "b"]),
    ("5f", ["5f"]), ("5fx", ["5f", "x"]), ("0x5fg", ["0x5f", "g"]), ("-0x1", ["-0", "x1"]),
    ("1e", ["1", "e"]), ("1e+", ["1", "e", "+"]), ("-infx", ["-inf", "x"]),
    ("infx", ["infx"]), ("-nanny", ["-nan", "ny"]), ("+infinity", ["+infinity"]),
    ("[c]", ["[c]"]), ("[c", ["[", "c"]), ("[ c]", ["[", "c", "]"]), ("[cd]", ["[cd]"]),
    ("[d]", ["[d]"]), ("[dc]", ["[", "dc", "]"]),
    ("<>=<=>", ["<>", "=<", "=>"]), ("$0abc", ["$0abc"]), ("$K0.a", ["$K0", ".", "a"]),
    (#"a\ b\tc d"#, [#"a\ b\tc"#, "d"]), ("a@count", ["a", "@count"]),
    ("5-3-2", ["5", "-3", "-2"]),
    ("'a''b'", ["'a'", "'b'"]), ("2017-1-2@3:4:5T6", ["2017-1-2@3:4:5", "T6"]),
  ])
  func takesTheLongestToken(text: String, tokens: [String]) throws {
    #expect(try spellings(text) == tokens)
  }

  @Test(arguments: [
    // Any case.
    ("AND", true), ("aNd", true), ("Or", true), ("Contains", true), ("TruePredicate", true),
    ("Null", true), ("nIl", true), ("SubQuery", true), ("Asc", true), ("GeoBox", true),
    // All letters alike.
    ("NOT", true), ("not", true), ("Not", false), ("ANY", true), ("Any", false), ("aLL", false),
    ("in", true), ("In", false), ("iN", false), ("TRUE", true), ("True", false), ("some", true),
    ("None", false), ("First", false), ("LAST", true), ("Size", false),
    ("average", false), ("nots", false), ("self", false),
  ])
  func knowsKeywordsByTheirCase(word: String, isKeyword: Bool) throws {
    var lexer = Lexer(SourceText(word))
    let token = try lexer.next()
    if isKeyword {
      guard case .keyword = token.kind else {
        Issue.record("\(word) is \(token.kind)")
        return
      }
    } else {
      #expect(token.kind == .name(word))
    }
  }

  @Test(
    arguments: [
      ("$0", .value(index: 0)), ("$002", .value(index: 2)), ("$K0", .keyPath(index: 0)),
      ("$K12", .keyPath(index: 12)), ("$x", nil), ("$-1", nil), ("$", nil), ("$K", nil),
      ("$k0", nil), ("$0x", nil), ("x$0", nil),
    ] as [(String, ArgumentPlaceholder?)])
  func tellsArgumentsFromNames(word: String, placeholder: ArgumentPlaceholder?) throws {
    var lexer = Lexer(SourceText(word))
    #expect(try lexer.next().kind == placeholder.map(Token.Kind.placeholder) ?? .name(word))
  }

  @Test func decodesTheEscapesOfNames() throws {
    var lexer = Lexer(SourceText(#"a\ b\n\r\tc"#))
    #expect(try lexer.next().kind == .name("a b\n\r\tc"))
  }
}
