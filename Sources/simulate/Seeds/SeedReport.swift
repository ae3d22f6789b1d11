internal import TestSupport

/// The report of a simulation.
struct SeedReport<Work: SeedWork>: Equatable, Sendable {
  let seeds: Range<UInt64>
  /// What decides the work beside the seed, as a command says it.
  let arguments: String
  private(set) var tally = SeedTally<Work.Event>()
  /// Equal for equal runs of equal seeds, whatever the threads.
  private(set) var digest: UInt64 = 0
  /// In order of their seeds.
  private(set) var violations: [SeedViolation] = []

  init(seeds: Range<UInt64>, arguments: String = "") {
    self.seeds = seeds
    self.arguments = arguments
  }

  mutating func add(_ outcome: SeedOutcome<Work.Event>) {
    tally += outcome.tally
    digest ^= outcome.digest
    if let violation = outcome.violation {
      violations.append(violation)
      violations.sort { $0.seed < $1.seed }
    }
  }

  /// Whether nothing was wrong.
  var isSound: Bool { violations.isEmpty }

  /// What people want to know beside the summary.
  var details: [String] {
    var lines: [String] = []
    for violation in violations.prefix(10) {
      lines.append("violation: \(violation)")
      lines += violation.history.map { "  \($0)" }
      lines.append(
        "  replay: swift run simulate \(Work.commandName) --\(Work.countOption) 1 "
          + "--seed \(violation.seed)\(arguments)")
    }
    if violations.count > 10 { lines.append("and \(violations.count - 10) more") }
    let missed = Work.Event.allCases.filter { tally[$0] == 0 }.map(\.rawValue)
    if violations.isEmpty, seeds.count >= 200, !missed.isEmpty {
      lines.append("never happened: \(missed.joined(separator: ", "))")
    }
    return lines
  }

  /// One line for people.
  var summary: String {
    "seeds \(seeds.count), \(Work.headline(tally)), violations \(violations.count), "
      + "digest \(hexadecimal(digest))"
  }

  /// One line for programs.
  var json: String {
    var entries = [
      "\"firstSeed\":\(seeds.lowerBound)", "\"seeds\":\(seeds.count)",
      "\"digest\":\"\(hexadecimal(digest))\"",
    ]
    entries += Work.Event.allCases.map { "\"\($0.rawValue)\":\(tally[$0])" }
    let violations = violations.map {
      "{\"seed\":\($0.seed),\"step\":\($0.step),\"message\":\(jsonQuoted("\($0)"))}"
    }
    entries.append("\"violations\":[\(violations.joined(separator: ","))]")
    return "{\(entries.joined(separator: ","))}"
  }
}

/// A text as a JSON string; control characters become spaces.
func jsonQuoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": quoted += "\\\(scalar)"
    case _ where scalar.value < 0x20: quoted += " "
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}
