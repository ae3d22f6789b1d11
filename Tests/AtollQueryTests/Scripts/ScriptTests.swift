import AtollObjects
import AtollQuery
import Foundation
import TestSupport
import TestThreads
import Testing

/// One line of a script: a query, its arguments, and what it gives.
///
///     @world boats
///     @class Boat
///     berths > $0 :: 3 ==> 1 3
///     title CONTAINS 'x' ==> -
///     titl == 'x' ==> error: no property 'titl'
///
/// Objects are named by their primary keys, or by the initial of their class and their place. Rows
/// of a GROUP are written as values with `|` between, and `;` between rows.
struct ScriptCase: Sendable {
  let file: String
  let line: Int
  let className: String
  let query: String
  let arguments: String
  let expected: String
}

/// The scripts beside this file.
enum Script {
  /// The names of all scripts and the worlds they are about.
  static let all: [(name: String, isIndexed: Bool)] = {
    let folder = "\(GoldenFiles.packageFolder)/\(ScriptWorld.folder)"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".rql-test") }.sorted()
      .flatMap { [($0, false), ($0, true)] }
  }()

  static func cases(_ file: String) throws -> (world: String, cases: [ScriptCase]) {
    var world = "boats"
    var className = "Boat"
    var cases: [ScriptCase] = []
    let text = try GoldenFiles.text("\(ScriptWorld.folder)/\(file)")
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("@world ") {
        world = String(line.dropFirst(7))
        continue
      }
      if line.hasPrefix("@class ") {
        className = String(line.dropFirst(7))
        continue
      }
      guard let arrow = line.range(of: " ==> ", options: .backwards) else {
        throw ScriptValue.Malformed(description: "\(file):\(index + 1): no ==> in the line")
      }
      let question = line[..<arrow.lowerBound].components(separatedBy: " :: ")
      cases.append(
        ScriptCase(
          file: file, line: index + 1, className: className, query: question[0],
          arguments: question.count > 1 ? question[1] : "",
          expected: String(line[arrow.upperBound...])))
    }
    return (world, cases)
  }
}

@Suite(.computing) struct ScriptTests {
  @Test func thereAreScripts() throws {
    var count = 0
    for script in Script.all where !script.isIndexed {
      count += try Script.cases(script.name).cases.count
    }
    #expect(count > 4000)
  }

  @Test(arguments: Script.all.indices)
  func everyLineHolds(index: Int) throws {
    let script = Script.all[index]
    let (world, cases) = try Script.cases(script.name)
    let snapshot = try ScriptWorld.make(world, isIndexed: script.isIndexed).snapshot()
    for script in cases {
      let found = Self.answer(script, snapshot)
      let part = script.expected.dropFirst(6).drop { $0 == " " }
      let isRight =
        script.expected.hasPrefix("error:")
        ? found.hasPrefix("error:") && (part.isEmpty || found.contains(part))
        : found == script.expected
      if isRight { continue }
      Issue.record(
        "\(script.file):\(script.line): \(script.query) gives \(found), not \(script.expected)",
        sourceLocation: SourceLocation(
          fileID: "AtollQueryTests/\(script.file)",
          filePath: "\(GoldenFiles.packageFolder)/\(ScriptWorld.folder)/\(script.file)",
          line: script.line, column: 1))
    }
  }

  /// What the engine says, in the words of a script.
  static func answer(_ script: ScriptCase, _ snapshot: Snapshot) -> String {
    do {
      let table = try snapshot.table(script.className)
      let arguments = try ScriptValue.values(script.arguments) { target in
        let parts = target.split(separator: ":")
        let target = try snapshot.table(String(parts[0]))
        var links: [ObjectLink] = []
        try target.forEach { links.append($0.link) }
        return .link(links[(Int(parts[1]) ?? 0) - 1])
      }
      let query = try Query(
        script.query, on: script.className, in: snapshot.schema, arguments: arguments)
      let found = try names(query, table, snapshot)
      // The text that the tree prints asks the same.
      let request = try QuerySyntax.parse(script.query)
      let again = try Query(
        request.description, on: script.className, in: snapshot.schema, arguments: arguments)
      let foundAgain = try names(again, table, snapshot)
      guard found == foundAgain else { return "\(found), but printed and read \(foundAgain)" }
      return found
    } catch {
      return "error: \(error)"
    }
  }

  private static func names(_ query: Query, _ table: Table, _ snapshot: Snapshot) throws -> String {
    if query.isGrouped {
      let groups = try query.groups(in: snapshot)
      let rows = groups.rows.map { $0.map(\.scriptText).joined(separator: " | ") }
      return rows.isEmpty ? "-" : rows.joined(separator: " ; ")
    }
    let results = try query.results(in: snapshot)
    let count = try query.count(in: snapshot)
    guard count == results.count else { return "\(results.count) objects, but counts \(count)" }
    let names = try results.keys.map { key -> String in
      guard let primaryKey = table.schema.primaryKey else {
        return "\(table.name.prefix(1))\(key.rawValue)"
      }
      switch try table.object(key)?.value(primaryKey) {
      case .int(let number)?: return "\(number)"
      case .string(let text)?: return text
      default: return "?"
      }
    }
    return names.isEmpty ? "-" : names.joined(separator: " ")
  }
}

extension Value {
  /// The value in the answer of a GROUP.
  fileprivate var scriptText: String {
    switch self {
    case .null: "NULL"
    case .bool(let flag): flag ? "TRUE" : "FALSE"
    case .int(let number): "\(number)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text): text
    case .date(let date): "T\(date.seconds):\(date.nanoseconds)"
    default: "?"
    }
  }
}
