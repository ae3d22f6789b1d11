import AtollImport
import TestThreads
import Testing

@testable import AtollCommand

@Suite(.computing) struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("Zürich", 6), ("Zu\u{308}rich", 6), ("東京", 4), ("서울", 4), ("ｱ", 1), ("Ａ", 2),
    ("😀", 2), ("👨‍👩‍👧", 2), ("🇨🇭", 2), ("❤️", 2), ("❤", 1), ("नमस्ते", 4), ("القاهرة", 7),
    ("กรุงเทพ", 6), ("\u{200B}a", 1), ("a\u{AD}b", 2), ("👍🏽", 2), ("ᄀ\u{1161}\u{11A8}", 2),
  ])
  func countsColumnsOfATerminal(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"),
    ("東京", 1, "…"), ("abc", 0, ""), ("Zu\u{308}rich", 3, "Zu\u{308}…"),
  ])
  func cutsBetweenCharacters(text: String, columnCount: Int, cut: String) {
    #expect(DisplayWidth.truncated(text, to: columnCount) == cut)
  }

  @Test func showsTerminalCommandsAsText() {
    #expect(
      printable("a\u{1B}[2Jb\nc\td\u{202E}e\u{7F}") == "a\\u{1B}[2Jb\\nc\\td\\u{202E}e\\u{7F}")
    #expect(printable("Zürich 東京") == "Zürich 東京")
  }
}

@Suite(.computing) struct TableRendererTests {
  static func table(_ rows: [[String]], width: Int?) -> String {
    var table = TableRenderer(
      names: ["name", "population"], isNumber: [false, true], terminalWidth: width)
    return rows.map { table.add($0) }.joined() + table.finish()
  }

  @Test func alignsColumnsByWidthOnScreen() {
    #expect(
      Self.table([["東京", "8336599"], ["Zürich", "341730"], ["", ""]], width: nil) == """
        name    population
        ──────  ──────────
        東京       8336599
        Zürich      341730


        """)
  }

  @Test func showsTheHeaderOfAnEmptyTable() {
    #expect(Self.table([], width: 80) == "name  population\n────  ──────────\n")
  }

  @Test(arguments: 1...60)
  func fitsTheTerminal(width: Int) {
    let text = Self.table([["東京都のとても長い名前です", "123456789"], ["x", "1"]], width: width)
    for line in text.split(separator: "\n") {
      #expect(DisplayWidth.of(String(line)) <= width, "\(line)")
    }
  }

  @Test func leavesOutColumnsThatDoNotFitAndSaysSo() {
    let names = (0..<10).map { "column\($0)" }
    var table = TableRenderer(
      names: names, isNumber: Array(repeating: false, count: 10), terminalWidth: 40)
    var text = table.add(names)
    text += table.finish()
    #expect(
      text == """
        column0  colum…  colum…  colum…  +6 more
        ───────  ──────  ──────  ──────
        column0  colum…  colum…  colum…

        """)
  }

  @Test func laterRowsAreCutToTheWidthsOfTheFirst() {
    var table = TableRenderer(names: ["a"], isNumber: [false], terminalWidth: nil)
    var text = ""
    for _ in 0..<TableRenderer.sampleRowCount { text += table.add(["xy"]) }
    #expect(!text.isEmpty)
    #expect(table.add(["xyz"]) == "x…\n")
    #expect(table.finish() == "")
  }
}

@Suite(.computing) struct JSONWriterTests {
  @Test(arguments: [
    (OutputValue.null, "null"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"),
    (.double(468), "468.0"), (.double(0.1), "0.1"), (.double(1e300), "1e+300"),
    (.double(-0.0), "-0.0"), (.float(0.1), "0.1"), (.double(.infinity), "\"inf\""),
    (.double(-.infinity), "\"-inf\""), (.double(.nan), "\"nan\""),
    (.string("a\"b\\c\n\r\t\u{1}\u{1F}é東/"), #""a\"b\\c\n\r\t\u0001\u001fé東/""#),
    (.data([]), "\"\""), (.data([0xFF]), "\"/w==\""), (.data([1, 2]), "\"AQI=\""),
    (.data(Array("Atoll!".utf8)), "\"QXRvbGwh\""),
    (.list([.int(1), .null, .list([])]), "[1,null,[]]"),
    (
      .map([.init("a\n", .int(1)), .init("b", .map([]))]),
      #"{"a\n":1,"b":{}}"#
    ),
  ])
  func writesValues(value: OutputValue, text: String) {
    #expect(json(value) == text)
  }

  @Test func whatIsWrittenReadsBack() throws {
    var writer = JSONWriter()
    writer.object(
      ["n", "text", "list"], [.double(1e22), .string("\u{0}\u{7F}\u{2028}😀"), .list([])])
    writer.endLine()
    let record = try #require(try readJSON(String(decoding: writer.bytes, as: UTF8.self)).first)
    #expect(
      record.fields.map(\.value) == [
        .double(1e22, digits: "1e+22"), .string("\u{0}\u{7F}\u{2028}😀"), .list([]),
      ])
  }
}

@Suite(.computing) struct QuantityTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (12_161_380, "12.2 MB"),
    (99_949, "99.9 kB"), (99_950, "100 kB"), (999_949, "1000 kB"), (999_950, "1.0 MB"),
    (1_500_000_000_000, "1.5 TB"), (.max, "9.2 EB"),
  ])
  func namesByteCounts(value: Int, text: String) {
    #expect(Quantity.bytes(value) == text)
  }

  @Test(arguments: [
    (0, "0 µs"), (0.000_84, "840 µs"), (0.0125, "12.5 ms"), (0.25, "250 ms"), (0.9996, "1.00 s"),
    (1.925, "1.93 s"), (12.34, "12.3 s"), (59.99, "1 min 00 s"), (185, "3 min 05 s"),
    (7800, "2 h 10 min"), (.infinity, "for ever"),
  ])
  func namesDurations(seconds: Double, text: String) {
    #expect(Quantity.duration(seconds: seconds) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1 000"), (-1_234_567, "-1 234 567")])
  func groupsDigits(value: Int, text: String) {
    #expect(Quantity.count(value) == text)
  }
}

@Suite(.computing) struct ProgressBarTests {
  @Test func saysWhatIsDoneAndWhatIsLeft() {
    let start = ContinuousClock.now
    let bar = ProgressBar(
      label: "importing City", unit: .bytes, total: 12_000_000, width: 100, start: start)
    #expect(
      bar.line(done: 3_000_000, elapsed: .seconds(2))
        == "importing City  \(String(repeating: "█", count: 7))"
        + "\(String(repeating: "░", count: 23))   25%  3.0 MB of 12.0 MB  1.5 MB/s  6.00 s left")
  }

  @Test func ofSharesItShowsNoAmounts() {
    let bar = ProgressBar(label: "checking f", unit: .shares, total: 100, width: 80, start: .now)
    #expect(
      bar.line(done: 50, elapsed: .seconds(2))
        == "checking f  \(String(repeating: "█", count: 15))"
        + "\(String(repeating: "░", count: 15))   50%  2.00 s left")
  }

  @Test func waitsBeforeItShowsAndBetweenDrawings() {
    let start = ContinuousClock.now
    var bar = ProgressBar(label: "x", unit: .objects, total: nil, width: 80, start: start)
    #expect(bar.update(done: 1, now: start + .milliseconds(299)) == nil)
    #expect(bar.update(done: 1, now: start + .milliseconds(500)) == "\r\u{1B}[Kx  1  2/s")
    #expect(bar.update(done: 2, now: start + .milliseconds(599)) == nil)
    #expect(bar.update(done: 2, now: start + .milliseconds(600)) != nil)
    #expect(bar.finish() == "\r\u{1B}[K")
    #expect(bar.finish() == nil)
  }

  @Test(arguments: 1...120)
  func neverFillsTheLastColumn(width: Int) {
    let bar = ProgressBar(
      label: "importing City", unit: .bytes, total: 10, width: width, start: .now)
    for done in [0, 5, 10, 20] {
      #expect(DisplayWidth.of(bar.line(done: done, elapsed: .seconds(1))) < max(width, 1))
    }
  }
}
