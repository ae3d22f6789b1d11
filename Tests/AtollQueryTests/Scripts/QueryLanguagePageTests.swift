import AtollObjects
import AtollQuery
import Foundation
import TestSupport
import TestThreads
import Testing

/// Every example on the page about the language gives what the page says.
@Suite(.computing) struct QueryLanguagePageTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let line: Int
    let script: ScriptCase

    var testDescription: String { "\(script.query) → \(script.expected)" }
  }

  static let examples: [Example] = {
    let page = "Sources/AtollQuery/AtollQuery.docc/QueryLanguage.md"
    guard let text = try? GoldenFiles.text(page) else { return [] }
    var className: String?
    var examples: [Example] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```rql") {
        className = line == "```rql" ? "Boat" : String(line.dropFirst(7))
      } else if line == "```" {
        className = nil
      } else if let className {
        let parts = line.components(separatedBy: " → ")
        let question = parts[0].components(separatedBy: ", with ")
        let answers = ["none": "-", "error": "error:"]
        examples.append(
          Example(
            line: index + 1,
            script: ScriptCase(
              file: page, line: index + 1, className: className, query: question[0],
              arguments: question.count > 1 ? question[1] : "",
              expected: parts.count == 2 ? answers[parts[1]] ?? parts[1] : "no arrow")))
      }
    }
    return examples
  }()

  @Test func thePageHasExamples() {
    #expect(Self.examples.count > 70)
  }

  @Test(arguments: examples)
  func exampleGivesWhatThePageSays(example: Example) throws {
    let snapshot = try ScriptWorld.boats.get().snapshot()
    let found = ScriptTests.answer(example.script, snapshot)
    if example.script.expected == "error:" {
      #expect(found.hasPrefix("error:"))
    } else {
      #expect(found == example.script.expected)
    }
  }
}
