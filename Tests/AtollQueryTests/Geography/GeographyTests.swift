import AtollObjects
import AtollQuery
import Foundation
import TestThreads
import Testing

/// A question with its answer, which was computed without this package.
struct ExpectedAnswer: CustomTestStringConvertible, Sendable {
  let className: String
  let query: String
  let arguments: [Value]
  let count: Int
  /// The first fifty.
  let keys: [String]
  let isOrdered: Bool
  let hash: String

  var testDescription: String { "\(className): \(query)" }

  /// Reads the fixture in the file `name`.
  static func all(_ name: String) -> [ExpectedAnswer] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "Fixtures/\(name).jsonl")
    guard let text = try? String(contentsOf: file, encoding: .utf8),
      let lines = try? JSON.lines(text)
    else { return [] }
    return lines.map { line in
      ExpectedAnswer(
        className: line["class"].string, query: line["query"].string,
        arguments: line["arguments"].array.map(\.value), count: line["count"].int,
        keys: line["keys"].array.map {
          if case .int(let number) = $0 { "\(number)" } else { $0.string }
        }, isOrdered: line["ordered"].isTrue, hash: line["sha256"].string)
    }
  }
}

@Suite(.computing) struct GeographyTests {
  @Test func fixturesAreRead() {
    #expect(ExpectedAnswer.all("demo-queries").count > 300)
    #expect(ExpectedAnswer.all("geonames-queries").count > 300)
    #expect(
      SHA256.hexadecimal(Array("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test(arguments: ExpectedAnswer.all("demo-queries"))
  func extractGivesTheExpectedAnswer(_ expected: ExpectedAnswer) throws {
    try check(expected, GeographyDatabase.demo.get())
  }

  @Test(arguments: ExpectedAnswer.all("geonames-queries"))
  func wholeDataGivesTheExpectedAnswer(_ expected: ExpectedAnswer) throws {
    guard let database = try GeographyDatabase.whole.get() else { return }
    try check(expected, database)
  }

  private func check(_ expected: ExpectedAnswer, _ database: Database) throws {
    let snapshot = try database.snapshot()
    let query = try Query(
      expected.query, on: expected.className, in: snapshot.schema, arguments: expected.arguments)
    let results = try query.results(in: snapshot)
    let keys = try GeographyDatabase.keys(results, isOrdered: expected.isOrdered)
    #expect(keys.count == expected.count)
    #expect(Array(keys.prefix(50)) == expected.keys)
    #expect(SHA256.hexadecimal(Array(keys.joined(separator: "\n").utf8)) == expected.hash)
    #expect(try query.count(in: snapshot) == expected.count)
    #expect(try query.explain(in: snapshot).resultCount == expected.count)
  }
}
