import TestThreads
import Testing

@testable import AtollImport

@Suite(.computing) struct CSVReaderTests {
  static let chunkByteCounts = [1, 2, 3, 5, 1 << 16]

  @Test(arguments: chunkByteCounts)
  func readsTheSameWhateverTheChunks(chunkByteCount: Int) throws {
    let text = """
      \u{FEFF}id,name,note\r
      1,Zürich,"a ""quoted"", field\r
      over lines é"\r
      \r
      2,,""\n3,"東京", x \n
      """
    let records = try readCSV(text, chunkByteCount: chunkByteCount)
    #expect(
      records.map { $0.fields.map(\.value) } == [
        [.text("1"), .text("Zürich"), .text("a \"quoted\", field\r\nover lines é")],
        [.text("2"), .null, .text("")], [.text("3"), .text("東京"), .text(" x ")],
      ])
    #expect(
      records.map { $0.fields.map(\.name) } == Array(repeating: ["id", "name", "note"], count: 3))
    #expect(
      records.map { $0.fields.map(\.position.description) } == [
        ["2:1", "2:3", "2:10"], ["5:1", "5:3", "5:4"], ["6:1", "6:3", "6:8"],
      ])
  }

  @Test(arguments: [";", "\t"])
  func theFirstNameTellsTheSeparator(separator: String) throws {
    let text = "a|\"b;,\"|c\n1,5|\"x|y\"|,\n".replacing("|", with: separator)
    for chunkByteCount in Self.chunkByteCounts {
      let record = try #require(try readCSV(text, chunkByteCount: chunkByteCount).first)
      #expect(record.fields.map(\.name) == ["a", "b;,", "c"])
      #expect(
        record.fields.map(\.value) == [.text("1,5"), .text("x\(separator)y"), .text(",")])
    }
    // With one column, or a comma, all others are characters.
    #expect(try readCSV("a\n1\(separator)2\n", chunkByteCount: 3).first?.fields.count == 1)
    #expect(
      try readCSV("a,b\n1\(separator)2,3\n", chunkByteCount: 3).first?.fields.first?.value
        == .text("1\(separator)2"))
  }

  @Test(arguments: [
    ("price; EUR,name\n2.5,x\n3,y\n", ["price; EUR", "name"]),
    ("name,price; EUR\nx,2.5\n", ["name", "price; EUR"]),
    ("price, EUR;name\n2,5;x\n3;y\n", ["price, EUR", "name"]),
    ("a\tb; c, d\n1\t2\n", ["a", "b; c, d"]),
    ("a; b,c\n\"1;\n2\",\"x;\"\"\"\n", ["a; b", "c"]),
    // Nothing decides between the two.
    ("a;b,c\n1;2,3\n", ["a", "b,c"]), ("price; EUR,name\n", []),
  ])
  func theLinesTogetherTellTheSeparator(text: String, names: [String]) throws {
    for chunkByteCount in Self.chunkByteCounts {
      let records = try readCSV(text, chunkByteCount: chunkByteCount)
      #expect((records.first?.fields.map(\.name) ?? []) == names)
    }
  }

  /// By tabs the first records have two columns each.
  ///
  /// One behind the first 64 KiB has not, which is an error of its own and may not make the
  /// semicolon in the header the separator.
  @Test(arguments: [5, 1000, 1 << 16, 1 << 18], [-1, 0, 1])
  func onlyTheFirstRecordsTellTheSeparator(chunkByteCount: Int, distance: Int) {
    let header = "a;b\tc\n"
    // The last of these ends at the end of the trial, or beside it.
    let rows = String(repeating: "1\t2\n", count: ((1 << 16) - header.utf8.count) / 4 + distance)
    let error = importError { () throws(ImportError) in
      _ = try readCSV(header + rows + "x\n", chunkByteCount: chunkByteCount)
    }
    let isBehind = header.utf8.count + rows.utf8.count + 2 > 1 << 16
    let line = isBehind ? rows.utf8.count / 4 + 2 : 2
    #expect(error == dataError(.fieldCount(1, expected: 2), line, isBehind ? 2 : 4))
  }

  @Test(arguments: [
    "price, EUR;name\n3;\"" + String(repeating: "a\n", count: 25) + "\"\n4;y\n",
    "price, EUR;name\n" + String(repeating: "2,5;x\n", count: 25) + "3;y\n",
  ])
  func laterRecordsTellTheSeparatorToo(text: String) throws {
    for chunkByteCount in Self.chunkByteCounts {
      let record = try #require(try readCSV(text, chunkByteCount: chunkByteCount).last)
      #expect(record.fields.map(\.name) == ["price, EUR", "name"])
    }
  }

  @Test(
    arguments: [
      ("id,label;x\n1,a;b\n2,c,d;e\n", "';'"), ("a\tb; c\n1; 2\n", "';'"),
      ("price; EUR,name\n2.5,x\n", "','"), ("a;b\tc\n1\t2\n", "tabs"), ("a,b\n1,2\n", nil),
      ("\"a;b\",c\n1,2\n", nil), ("a;b,c\n1;2,3\n", nil),
    ] as [(String, String?)])
  func saysWhenTheLinesOverruleTheFirstName(text: String, separator: String?) throws {
    for chunkByteCount in Self.chunkByteCounts {
      var reader = CSVReader(MemorySource(text), chunkByteCount: max(4, chunkByteCount))
      _ = try reader.next()
      let remark = reader.remark
      #expect((remark != nil) == (separator != nil))
      if let separator { #expect(remark?.contains("separated by \(separator),") == true) }
    }
  }

  @Test(arguments: [
    ("", 0), ("a", 0), ("a\n", 0), ("a,b\r\n", 0), ("a,b\n1,2", 1), ("a,b\n,", 1),
    ("a,b\n\n\n1,2\n\n", 1), ("a\n\n\n", 2), ("a\n1\n\n2\n", 3), ("a\n\"\"\n", 1),
    ("\"a\",\"b\"\n\"1\",\"2\"\r", 1),
  ])
  func countsRecords(text: String, count: Int) throws {
    for chunkByteCount in Self.chunkByteCounts {
      #expect(try readCSV(text, chunkByteCount: chunkByteCount).count == count)
    }
  }

  typealias Refusal = (text: String, problem: DataProblem, line: Int, column: Int)

  @Test(
    arguments: [
      ("a,b\n1\n", .fieldCount(1, expected: 2), 2, 2),
      ("a,b\n1,2,3\n", .fieldCount(3, expected: 2), 2, 5),
      ("a,b\né,2\n\"x\ny\"", .fieldCount(1, expected: 2), 4, 3),
      ("a,b\0\n", .zeroByteInColumnName, 1, 3), ("i\0d\0,\0n\0", .zeroByteInColumnName, 1, 1),
      ("a,,c\n", .emptyColumnName, 1, 3), ("a,\"\"\n", .emptyColumnName, 1, 3),
      ("a,b,\"a\"\n", .duplicateName("a"), 1, 5),
      ("a\nx\"y\n", .unexpected(.character("\""), expected: .unquotedField), 2, 2),
      ("a\n\"x\"y\n", .unexpected(.character("y"), expected: .commaOrEndOfLine), 2, 4),
      ("a\n\"x\n\n", .unclosedString(opened: .init(line: 2, column: 1)), 4, 1),
      ("a\n\"x\"\"", .unclosedString(opened: .init(line: 2, column: 1)), 2, 5),
      ("a\nx\ry", .unexpected(.character("y"), expected: .lineFeed), 2, 3),
    ] as [Refusal])
  func refuses(_ refusal: Refusal) {
    for chunkByteCount in Self.chunkByteCounts {
      let error = importError { () throws(ImportError) in
        _ = try readCSV(refusal.text, chunkByteCount: chunkByteCount)
      }
      #expect(
        error == dataError(refusal.problem, refusal.line, refusal.column),
        "in chunks of \(chunkByteCount)")
    }
  }

  @Test func namesTheFirstByteThatIsNotUTF8() {
    let bytes = Array("a,b\n1,\"é\né".utf8) + [0xFF] + Array("\"\n".utf8)
    let error = importError { () throws(ImportError) in
      var reader = CSVReader(MemorySource(bytes))
      while try reader.next() != nil {}
    }
    #expect(error == dataError(.invalidUTF8, 3, 2))
  }
}
