import TestThreads
import Testing

@testable import AtollImport

@Suite(.computing) struct JSONReaderTests {
  static let chunkByteCounts = [1, 2, 3, 5, 7, 16, 1 << 16]

  @Test(arguments: chunkByteCounts)
  func readsTheSameWhateverTheChunks(chunkByteCount: Int) throws {
    let text = """
      \u{FEFF}{"id": 1, "name": "Zürich \\u00e9\\ud83d\\ude00\\n", "wide": [1.5, -2e3, true, null]}\r

        {"id":-9223372036854775808,"deep":{"a":[[]],"b":{}},
         "last": "東京 \\"x\\" \\\\"}
      """
    let records = try readJSON(text, chunkByteCount: chunkByteCount)
    #expect(records == (try readJSON(text)))
    #expect(records.map(\.position) == [.init(line: 1, column: 1), .init(line: 3, column: 3)])
    try #require(records.count == 2)
    #expect(records[0].fields.map(\.name) == ["id", "name", "wide"])
    #expect(records[0].fields[1].value == .string("Zürich é😀\n"))
    #expect(
      records[0].fields[2]
        == DataField(
          name: "wide",
          value: .list([
            .init(value: .double(1.5, digits: "1.5"), position: .init(line: 1, column: 59)),
            .init(value: .double(-2000, digits: "-2e3"), position: .init(line: 1, column: 64)),
            .init(value: .bool(true), position: .init(line: 1, column: 70)),
            .init(value: .null, position: .init(line: 1, column: 76)),
          ]), position: .init(line: 1, column: 58)))
    #expect(records[1].fields[0].value == .int(.min))
    #expect(records[1].fields[2].value == .string("東京 \"x\" \\"))
    #expect(records[1].fields[2].position == .init(line: 4, column: 12))
  }

  @Test(arguments: [
    ("", 0), (" \n\r\t", 0), ("[]", 0), ("[ ]\n", 0), ("[{}]", 1), ("[{},\n {}]", 2), ("{}", 1),
    ("{}\n{}\n", 2), ("{\n}\n\n\n{}", 2), ("\u{FEFF}[{\"a\":1}]", 1),
  ])
  func tellsAnArrayFromLines(text: String, count: Int) throws {
    #expect(try readJSON(text).count == count)
    #expect(try readJSON(text, chunkByteCount: 1).count == count)
  }

  @Test(arguments: [
    ("0", DataValue.int(0)), ("-0", .int(0)), ("9223372036854775807", .int(.max)),
    ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .longInt("9223372036854775808")),
    ("-9223372036854775809", .longInt("-9223372036854775809")),
    ("184467440737095516160", .longInt("184467440737095516160")),
    ("1e309", .longDouble("1e309")),
    ("-1.0e99999999999999999999", .longDouble("-1.0e99999999999999999999")),
    ("1e-400", .longDouble("1e-400")), ("-0.01e-399", .longDouble("-0.01e-399")),
    ("true", .bool(true)), ("false", .bool(false)), ("null", .null), (#""""#, .string("")),
    (#""\/\b\f\n\r\t\"\\""#, .string("/\u{8}\u{C}\n\r\t\"\\")),
    (#""\u0000\u001F\u007f""#, .string("\0\u{1F}\u{7F}")), (#""\uD834\uDD1E""#, .string("𝄞")),
    ("[]", .list([])), ("{}", .object([])),
  ])
  func readsValues(text: String, value: DataValue) throws {
    #expect(try readValue(text) == value)
  }

  @Test(
    arguments: [
      ("0.0", 0), ("-0.0", -0.0), ("468.0", 468), ("1e3", 1000), ("1E+2", 100), ("12.5e-1", 1.25),
      ("0.1", 0.1), ("42.50729", 42.50729), ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("5e-324", .leastNonzeroMagnitude), ("0.0e-400", 0),
      ("123456789012345678901234567890.0", 123456789012345678901234567890.0),
      ("9007199254740993.0", 9007199254740992), ("1e23", 1e23), ("1.10", 1.1),
    ] as [(String, Double)])
  func keepsTheDigitsOfADouble(text: String, value: Double) throws {
    #expect(try readValue(text) == .double(value, digits: text))
  }

  @Test(arguments: 0..<400 as Range<UInt64>)
  func readsTheNearestDouble(seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1
    func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    for _ in 0..<8 { _ = next() }
    let digits = String(next() % [1000, 1 << 53, 1 << 60, .max][Int(next() % 4)])
    let exponent = Int(next() % 61) - 30
    let point = Int(next() % UInt64(digits.count)) + 1
    let whole = digits.prefix(point)
    let fraction = digits.dropFirst(point)
    let text = "-\(whole).\(fraction.isEmpty ? "0" : fraction)e\(exponent)"
    #expect(try readValue(text) == .double(try #require(Double(text)), digits: text))
  }

  typealias Refusal = (text: String, problem: DataProblem, line: Int, column: Int)

  static let refusals: [Refusal] = [
    // Between records.
    ("x", .unexpected(.character("x"), expected: .records), 1, 1),
    ("42", .unexpected(.character("4"), expected: .records), 1, 1),
    ("\n \"a\"", .unexpected(.character("\""), expected: .records), 2, 2),
    ("{}{}", .unexpected(.character("{"), expected: .endOfLine), 1, 3),
    ("{},\n{}", .unexpected(.character(","), expected: .endOfLine), 1, 3),
    ("{}\n7", .unexpected(.character("7"), expected: .record), 2, 1),
    ("{}\n[{}]", .unexpected(.character("["), expected: .record), 2, 1),
    ("[1]", .unexpected(.character("1"), expected: .recordOrEndOfArray), 1, 2),
    ("[", .unexpected(.endOfData, expected: .recordOrEndOfArray), 1, 2),
    ("[{} {}]", .unexpected(.character("{"), expected: .commaOrEndOfList), 1, 5),
    ("[{}", .unexpected(.endOfData, expected: .commaOrEndOfList), 1, 4),
    ("[{},\n]", .trailingComma, 1, 4),
    ("[{},7]", .unexpected(.character("7"), expected: .record), 1, 5),
    ("[]x", .unexpected(.character("x"), expected: .endOfData), 1, 3),
    ("[{}]\n{}", .unexpected(.character("{"), expected: .endOfData), 2, 1),
    // Objects and lists.
    ("{", .unexpected(.endOfData, expected: .nameOrEndOfObject), 1, 2),
    ("{a:1}", .unexpected(.character("a"), expected: .nameOrEndOfObject), 1, 2),
    ("{'a':1}", .unexpected(.character("'"), expected: .nameOrEndOfObject), 1, 2),
    (#"{"a" 1}"#, .unexpected(.character("1"), expected: .colon), 1, 6),
    (#"{"a"}"#, .unexpected(.character("}"), expected: .colon), 1, 5),
    (#"{"a":}"#, .unexpected(.character("}"), expected: .value), 1, 6),
    (#"{"a":"#, .unexpected(.endOfData, expected: .value), 1, 6),
    ("{\"a\":\n", .unexpected(.endOfData, expected: .value), 2, 1),
    (#"{"a":1"#, .unexpected(.endOfData, expected: .commaOrEndOfObject), 1, 7),
    (#"{"a":1 "b":2}"#, .unexpected(.character("\""), expected: .commaOrEndOfObject), 1, 8),
    (#"{"a":1,}"#, .trailingComma, 1, 7),
    ("{\"a\":1,\n \n}", .trailingComma, 1, 7),
    (#"{"a":1,,"b":2}"#, .unexpected(.character(","), expected: .name), 1, 8),
    (#"{"a":1,"#, .unexpected(.endOfData, expected: .name), 1, 8),
    (#"{"a":[1,2,]}"#, .trailingComma, 1, 10),
    (#"{"a":[1 2]}"#, .unexpected(.character("2"), expected: .commaOrEndOfList), 1, 9),
    (#"{"a":["#, .unexpected(.endOfData, expected: .valueOrEndOfList), 1, 7),
    (#"{"a":[1}"#, .unexpected(.character("}"), expected: .commaOrEndOfList), 1, 8),
    (#"{"a":1,"b":2,"a":3}"#, .duplicateName("a"), 1, 14),
    (#"{"é":1,"\u00e9":3}"#, .duplicateName("é"), 1, 8),
    ("{\"a\":{\"b\":1,\n\"b\":2}}", .duplicateName("b"), 2, 1),
    ("{\"a\": // no\n1}", .unexpected(.character("/"), expected: .value), 1, 7),
    // Words and numbers.
    (#"{"a":True}"#, .unknownWord("True"), 1, 6), (#"{"a":nul}"#, .unknownWord("nul"), 1, 6),
    (#"{"a":[null, NaN]}"#, .unknownWord("NaN"), 1, 13),
    (#"{"a":truefalse}"#, .unknownWord("truefalse"), 1, 6),
    (#"{"a":01}"#, .leadingZero, 1, 6), (#"{"a":-01.5}"#, .leadingZero, 1, 6),
    (#"{"a":+1}"#, .unexpected(.character("+"), expected: .value), 1, 6),
    (#"{"a":.5}"#, .unexpected(.character("."), expected: .value), 1, 6),
    (#"{"a":-}"#, .unexpected(.character("}"), expected: .digit), 1, 7),
    (#"{"a":-"#, .unexpected(.endOfData, expected: .digit), 1, 7),
    (#"{"a":1.}"#, .unexpected(.character("}"), expected: .digit), 1, 8),
    (#"{"a":1.e5}"#, .unexpected(.character("e"), expected: .digit), 1, 8),
    (#"{"a":1e}"#, .unexpected(.character("}"), expected: .digit), 1, 8),
    (#"{"a":1e+}"#, .unexpected(.character("}"), expected: .digit), 1, 9),
    (#"{"a":1-2}"#, .unexpected(.character("-"), expected: .commaOrEndOfObject), 1, 7),
    (#"{"a":1.5.2}"#, .unexpected(.character("."), expected: .commaOrEndOfObject), 1, 9),
    (#"{"a":0x10}"#, .unexpected(.character("x"), expected: .commaOrEndOfObject), 1, 7),
    // Strings. Columns count characters, not bytes.
    (#"{"a":"x"#, .unclosedString(opened: .init(line: 1, column: 6)), 1, 8),
    ("{\"a\":\"東京\n\"}", .unclosedString(opened: .init(line: 1, column: 6)), 1, 9),
    (#"{"a":"x\"#, .unclosedString(opened: .init(line: 1, column: 6)), 1, 8),
    (#"{"東":"x\"}"#, .unclosedString(opened: .init(line: 1, column: 6)), 1, 11),
    ("{\"a\":\"東\u{1}\"}", .controlCharacter(1), 1, 8),
    ("{\"a\":\"\t\"}", .controlCharacter(9), 1, 7),
    ("{\"a\":\"\0\"}", .controlCharacter(0), 1, 7),
    (#"{"a":"éé\x"}"#, .unknownEscape(.character("x")), 1, 9),
    (#"{"a":"\é"}"#, .unknownEscape(.character("é")), 1, 7),
    ("{\"a\":\"\\\n\"}", .unknownEscape(.character("\n")), 1, 7),
    (#"{"a":"\u12"}"#, .unexpected(.character("\""), expected: .hexadecimalDigit), 1, 11),
    (#"{"a":"\u12g4"}"#, .unexpected(.character("g"), expected: .hexadecimalDigit), 1, 11),
    (#"{"a":"\ud800"}"#, .loneSurrogate, 1, 7), (#"{"a":"\udc00"}"#, .loneSurrogate, 1, 7),
    (#"{"a":"é\ud800x"}"#, .loneSurrogate, 1, 8),
    (#"{"a":"\ud800\u0041"}"#, .loneSurrogate, 1, 7),
    (#"{"a":"\ud800\ud800"}"#, .loneSurrogate, 1, 7),
    ("{\"東京\": \"é\", \"b\": x}", .unknownWord("x"), 1, 18),
  ]

  @Test(arguments: refusals)
  func refuses(_ refusal: Refusal) {
    for chunkByteCount in Self.chunkByteCounts {
      let error = importError { () throws(ImportError) in
        _ = try readJSON(refusal.text, chunkByteCount: chunkByteCount)
      }
      #expect(
        error == dataError(refusal.problem, refusal.line, refusal.column),
        "in chunks of \(chunkByteCount)")
    }
  }

  @Test(
    arguments: [
      ([0xFF], 1), ([0x61, 0xC3], 2), ([0xC3, 0xA9, 0xC0, 0x80], 2), ([0xED, 0xA0, 0x80], 1),
      ([0xF4, 0x90, 0x80, 0x80], 1), ([0x61, 0x80, 0x61], 2), ([0xE6, 0x9D, 0xB1, 0xE6, 0x9D], 2),
    ] as [([UInt8], Int)])
  func refusesBytesThatAreNotUTF8(bytes: [UInt8], character: Int) {
    let text = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
    for chunkByteCount in Self.chunkByteCounts {
      let error = importError { () throws(ImportError) in
        _ = try readJSON(text, chunkByteCount: chunkByteCount)
      }
      #expect(error == dataError(.invalidUTF8, 1, 6 + character))
    }
  }

  @Test func namesAByteThatBeginsNoCharacter() {
    let error = importError { () throws(ImportError) in _ = try readJSON([0xFE, 0xFF, 0, 0x7B]) }
    #expect(error == dataError(.unexpected(.byte(0xFE), expected: .records), 1, 1))
  }

  @Test func limitsTheDepth() throws {
    func nested(_ depth: Int) -> String {
      #"{"a":"# + String(repeating: "[", count: depth - 1)
        + String(repeating: "]", count: depth - 1) + "}"
    }
    let limit = JSONReader.depthLimit
    #expect(try readJSON(nested(limit)).count == 1)
    let error = importError { () throws(ImportError) in _ = try readJSON(nested(limit + 1)) }
    #expect(error == dataError(.tooDeep(limit: limit), 1, 5 + limit))
    let deepest = String(repeating: "[", count: 1_000_000)
    #expect(importError { () throws(ImportError) in _ = try readJSON("{\"a\":" + deepest) } != nil)
  }

  /// é in one scalar and in two: Swift takes them for one text.
  @Test(arguments: [0, 100]) func namesAreToldApartByTheirBytes(otherCount: Int) throws {
    let names = (0..<otherCount).map { "n\($0)" } + ["\u{E9}", "e\u{301}"]
    let text = "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    #expect(
      try readJSON(text).first?.fields.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
  }

  @Test func findsADuplicateAmongManyNames() {
    let fields = (0..<100).map { "\"n\($0)\":0" } + ["\"n50\":1"]
    let text = "{\n" + fields.joined(separator: ",\n") + "}"
    let error = importError { () throws(ImportError) in _ = try readJSON(text) }
    #expect(error == dataError(.duplicateName("n50"), 102, 1))
  }

  /// Every byte of a valid text changed to every other: a value or an error, never a trap.
  @Test func neverTrapsOnOneWrongByte() {
    let text = Array(
      "[{\"é\\u00e9\":[-1.5e3,true,{\"b\":null}]},\n{\"c\":\"\\ud83d\\ude00\"}]".utf8)
    var refusedCount = 0
    for index in text.indices {
      for byte in 0...255 as ClosedRange<UInt8> {
        var wrong = text
        wrong[index] = byte
        if importError({ () throws(ImportError) in _ = try readJSON(wrong, chunkByteCount: 4) })
          != nil
        {
          refusedCount += 1
        }
      }
    }
    #expect(refusedCount > text.count * 128)
  }

  /// Every beginning of a text that ends in the middle of a record.
  @Test func refusesATextThatEndsEarly() {
    let text = Array(#"[{"name":"é\n","list":[1,2.5,true,null],"o":{"x":"\u00e9"}}]"#.utf8)
    for count in 1..<text.count {
      #expect(
        importError { () throws(ImportError) in _ = try readJSON(Array(text.prefix(count))) }
          != nil,
        "the first \(count) bytes")
    }
  }
}
