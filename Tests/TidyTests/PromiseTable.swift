/// What sync promises, as `Tests/Promises.md` lists it, and the tests that say what they prove.
///
/// A test says so in its documentation comment, in a sentence that ends its line:
///
///     /// Promise: sets.order, sets.version.
enum PromiseTable {
  static let path = "Tests/Promises.md"

  /// Where tests of sync lie.
  static let folders = [
    "Tests/AtollSyncTests", "Tests/AtollTests", "Tests/EndToEndTests", "Tests/AtollServerTests",
    "Tests/AtollCaptureTests", "Tests/AtollObjectsTests", "Tests/AtollQueryTests",
    "Tests/AtollTransportTests",
  ]

  /// The promises that tests prove.
  struct Claims: Equatable {
    /// Each as `Suite/test`, by the id of the promise.
    var tests: [String: Set<String>] = [:]
    /// Where a promise stands that belongs to no test, or whose sentence has no end.
    var strays: [String] = []

    /// Adds what the tests of a file say.
    mutating func read(_ text: SourceTree.Text) {
      var suite = ""
      var isTest = false
      var pending: (ids: [String], place: String)?
      var open: (sentence: String, place: String)?
      for (index, line) in text.lines.enumerated() {
        let line = line.drop { $0 == " " }
        let place = "\(text.path):\(index + 1)"
        if let comment = PromiseTable.comment(line) {
          if let sentence = PromiseTable.sentence(comment) {
            open = (sentence, place)
          } else if let begun = open {
            open = ("\(begun.sentence) \(comment)", begun.place)
          }
          guard let begun = open, begun.sentence.hasSuffix(".") else { continue }
          pending = (PromiseTable.ids(in: begun.sentence), begun.place)
          open = nil
          continue
        }
        if let begun = open { strays.append(begun.place) }
        open = nil
        if line.hasPrefix("@Suite"), let name = line.firstMatch(of: /struct (\w+)/) {
          suite = String(name.1)
        }
        if line.hasPrefix("@"), line.contains("@Test") { isTest = true }
        guard isTest || pending != nil, let name = line.firstMatch(of: /\bfunc (\w+)/) else {
          continue
        }
        if let proven = pending {
          if isTest {
            for id in proven.ids { tests[id, default: []].insert("\(suite)/\(name.1)") }
          } else {
            strays.append(proven.place)
          }
        }
        pending = nil
        isTest = false
      }
      if let left = open?.place ?? pending?.place { strays.append(left) }
    }
  }

  /// The text of a line of a documentation comment; nil for other lines.
  private static func comment(_ line: Substring) -> Substring? {
    guard line.hasPrefix("///") else { return nil }
    return line.dropFirst(3).drop { $0 == " " }
  }

  /// What follows the word that promises begin with; nil where none does.
  private static func sentence(_ comment: Substring) -> String? {
    let word = "Promise: "
    return comment.hasPrefix(word) ? String(comment.dropFirst(word.count)) : nil
  }

  /// The ids of a sentence, which are separated by commas and have full stops inside.
  private static func ids(in sentence: String) -> [String] {
    sentence.dropLast().split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  // MARK: The table

  /// The ids of the table's rows, in their order.
  static func ids(of table: String) -> [String] { lines(table).compactMap { rowID(of: $0) } }

  /// The table with the tests that prove each promise in its third column.
  static func filled(_ table: String, with claims: Claims) -> String {
    lines(table).map { line in
      guard let id = rowID(of: line) else { return String(line) }
      var cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      cells[3] = " \(claims.tests[id, default: []].sorted().joined(separator: ", ")) "
      return cells.joined(separator: "|")
    }.joined(separator: "\n")
  }

  static func lines(_ table: String) -> [Substring] {
    table.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The id of a row, which stands in backticks; nil for other lines.
  private static func rowID(of line: Substring) -> String? {
    line.wholeMatch(of: /\| `([a-zA-Z.]+)` \|[^|]*\|[^|]*\|/).map { String($0.1) }
  }
}
