import Foundation
import TestSupport
import TestThreads
import Testing

/// The tables of `Compatibility.md` follow the sources and README.
///
/// A row names parts of RealmSwift's interface in backticks, and says *yes*, *no*, *no need* or *not
/// on Linux*.
@Suite(.computing) struct CompatibilityTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let part: String
    let mark: String

    var testDescription: String { part }

    /// What stands in backticks.
    var codes: [Substring] {
      part.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    var names: [String] { codes.flatMap { CompatibilityTableTests.names(in: $0) } }
  }

  static let rows: [Row] = {
    let page = (try? GoldenFiles.text("Sources/Atoll/Atoll.docc/Compatibility.md")) ?? ""
    return rows(of: page)
  }()

  static func rows(of page: String) -> [Row] {
    page.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 3, cells[0] != "Part", !cells[0].hasPrefix("---") else { return nil }
      return Row(part: cells[0], mark: cells[1])
    }
  }

  /// The words of a piece of code, without what only an example has.
  static func names(in code: Substring) -> [String] {
    code.split { !($0.isLetter || $0 == "_" || $0.isNumber) }.map(String.init)
      .filter { $0 != "_" && $0.first?.isNumber == false }
  }

  /// What Swift, Foundation and the variables of the examples are called.
  private static let given: Set = [
    "Bool", "Codable", "Data", "Date", "Double", "Float", "NSCompoundPredicate", "NSPredicate",
    "String", "UUID", "collection", "condition", "migration", "object", "results", "session",
  ]

  /// The names that declarations of the module have, with their labels.
  private static let declared: Set<String> = {
    let keywords: Set = [
      "actor", "associatedtype", "case", "class", "enum", "func", "init", "let", "protocol",
      "struct", "subscript", "typealias", "var",
    ]
    var names: Set = ["init"]
    for text in (try? SourceTree.texts("Sources/Atoll")) ?? [] where text.path.hasSuffix(".swift") {
      for line in text.lines {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//") else { continue }
        let words = code.split { !($0.isLetter || $0 == "_" || $0.isNumber || $0 == ":") }
        for (word, next) in zip(words, words.dropFirst()) where keywords.contains(String(word)) {
          names.insert(String(next.filter { $0 != ":" }))
        }
        // Labels, alone or before the name inside.
        for (index, word) in words.enumerated() where word.hasSuffix(":") {
          names.insert(String(word.dropLast()))
          if index > 0 { names.insert(String(words[index - 1])) }
        }
      }
    }
    return names
  }()

  @Test func theTablesAreFound() {
    #expect(Self.rows.count > 70)
    #expect(Self.rows.filter { $0.mark != "yes" }.count > 3)
  }

  @Test(arguments: rows)
  func aRowSaysWhatThereIs(row: Row) throws {
    switch row.mark {
    case "yes":
      let unknown = row.names.filter { !Self.given.contains($0) && !Self.declared.contains($0) }
      #expect(unknown == [])
    case "no":
      // In the words of the row, so that who reads README knows which.
      let readme = try GoldenFiles.text("README.md")
      let begin = try #require(readme.range(of: "## Not there yet"))
      let end = try #require(readme[begin.upperBound...].range(of: "\n## "))
      let section = readme[begin.upperBound..<end.lowerBound].replacing("\n  ", with: " ")
      let name = try #require(row.codes.first)
      #expect(section.contains("`\(name)`"))
    default:
      #expect(["no need", "not on Linux"].contains(row.mark))
    }
  }

  @Test func aNameThatNothingDeclaresIsFound() {
    let rows = Self.rows(
      of: """
        | Part | There | Notes |
        | --- | --- | --- |
        | `Realm.write`, `nothingOfThisName(_:)` | yes | A note. |
        | Combine | not on Linux | |
        """)
    #expect(rows.map(\.mark) == ["yes", "not on Linux"])
    #expect(rows[0].names == ["Realm", "write", "nothingOfThisName"])
    #expect(rows[0].names.filter { !Self.declared.contains($0) } == ["nothingOfThisName"])
  }
}
