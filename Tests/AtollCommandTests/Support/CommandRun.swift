import Synchronization
import TestSupport
import Testing

@testable import AtollCommand

/// Runs of the command in a folder of its own, and what they wrote.
final class CommandRun {
  let folder = TestSupport.TemporaryFolder()
  /// The time of day.
  var secondsSince1970: UInt64 = 1_700_000_000

  struct Outcome: Equatable {
    var status: AtollCommand.ExitStatus
    var output: String
    var errors: String
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { folder.path(of: name) }

  /// Runs the command; the clocks stand still.
  func callAsFunction(_ arguments: String...) -> Outcome { self(arguments) }

  func callAsFunction(_ arguments: [String]) -> Outcome {
    let (output, errors) = (MemorySink(), MemorySink())
    let (instant, secondsSince1970) = (ContinuousClock.now, secondsSince1970)
    let context = CommandContext(
      output: output, errors: errors, now: { instant }, secondsSince1970: { secondsSince1970 })
    let status = Program.run(arguments, in: context)
    return Outcome(status: status, output: output.text, errors: errors.text)
  }

  /// Runs the command and expects success.
  ///
  /// - Returns: what it wrote on standard output.
  @discardableResult
  func expect(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    let outcome = self(arguments)
    #expect(
      outcome.status == .success, "\(arguments.joined(separator: " ")): \(outcome.errors)",
      sourceLocation: sourceLocation)
    return outcome.output
  }

  /// Writes a data file and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let path = path(name)
    try writeFile(path, Array(text.utf8))
    return path
  }

  // MARK: The demo's data

  enum Geography: String, CaseIterable {
    case continent = "Continent"
    case country = "Country"
    case city = "City"

    var data: String {
      switch self {
      case .continent: DemoData.continents
      case .country: DemoData.countries
      case .city: DemoData.cities
      }
    }

    var options: [String] {
      switch self {
      case .continent: ["--primary-key", "code"]
      case .country:
        [
          "--primary-key", "iso", "--link", "continent=Continent", "--list-link",
          "neighbours=Country", "--index", "name",
        ]
      case .city:
        [
          "--primary-key", "id", "--link", "country=Country", "--index", "name", "--index",
          "population",
        ]
      }
    }
  }

  /// Imports a class of the demo's data into the file `geo`.
  @discardableResult
  func importGeography(_ part: Geography, _ more: String...) throws -> Outcome {
    let data = try file("\(part.rawValue).jsonl", part.data)
    return self(["import", path("geo"), part.rawValue, data] + part.options + more)
  }

  func importAll() throws {
    for part in Geography.allCases {
      let outcome = try importGeography(part)
      #expect(outcome.status == .success, "\(outcome.errors)")
    }
  }
}
