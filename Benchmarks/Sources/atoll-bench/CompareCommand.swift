internal import ArgumentParser

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `atoll-bench compare`: the results of one or more runs side by side.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Print the results of runs side by side, with ratios.",
    discussion: "The fastest of several results for the same engine and workload counts.")

  @Argument(help: "Files of result lines.")
  var files: [String]

  @Option(help: "The engine to compare with the others (default: the first in the files).")
  var subject: String?

  func run() throws {
    var lines: [ResultLine] = []
    for file in files {
      for line in try Self.text(of: file).split(separator: "\n") {
        do {
          lines.append(try ResultLine(parsing: line))
        } catch {
          throw ValidationError("\(file) has a line that is no result: \(line.prefix(60))")
        }
      }
    }
    guard let first = lines.first else { throw ValidationError("the files hold no results") }
    guard lines.allSatisfy({ $0.rows == first.rows }) else {
      throw ValidationError("the files hold results for different numbers of rows")
    }
    let subject = subject ?? (lines.contains { $0.engine == "atoll" } ? "atoll" : first.engine)
    guard lines.contains(where: { $0.engine == subject }) else {
      throw ValidationError("the files hold no results of '\(subject)'")
    }
    let results = Results(lines)
    print(TimeTable(results: results, subject: subject).text)
    print(ResourceTable(results: results).text)
  }

  private static func text(of file: String) throws -> String {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw ValidationError("\(file) is no file that can be read; 'run' writes one: run > \(file)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
