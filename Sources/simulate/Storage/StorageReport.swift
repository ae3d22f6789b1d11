internal import TestSupport

/// What is told of a simulation.
struct StorageReport: Equatable, Sendable {
  let seeds: Range<UInt64>
  let planted: PlantedBug?
  private(set) var tally = StorageTally()
  /// Equal for equal runs of equal seeds, whatever the threads.
  private(set) var digest: UInt64 = 0
  /// In order of their seeds.
  private(set) var violations: [StorageViolation] = []
  /// The violation that each planted bug led to, by the bug's name; nil where there was none.
  var plantedBugs: [String: StorageViolation?] = [:]

  init(seeds: Range<UInt64>, planted: PlantedBug?) {
    self.seeds = seeds
    self.planted = planted
  }

  mutating func add(_ outcome: StorageOutcome) {
    tally += outcome.tally
    digest ^= outcome.digest
    if let violation = outcome.violation {
      violations.append(violation)
      violations.sort { $0.seed < $1.seed }
    }
  }

  /// Whether nothing was wrong, and every bug that was planted was found.
  var isSound: Bool { violations.isEmpty && foundCount == plantedBugs.count }

  private var foundCount: Int { plantedBugs.values.count { $0 != nil } }

  /// What people want to know beside the summary.
  var details: [String] {
    var lines: [String] = []
    for violation in violations.prefix(10) {
      let bug = planted.map { " --planted \($0.rawValue)" } ?? ""
      lines.append("violation: \(violation)")
      lines += violation.history.map { "  \($0)" }
      lines.append(
        "  replay: swift run -c release simulate storage --seeds 1 --seed \(violation.seed)\(bug)")
    }
    if violations.count > 10 { lines.append("and \(violations.count - 10) more") }
    for bug in PlantedBug.allCases {
      guard let found = plantedBugs[bug.rawValue] else { continue }
      let place = found.map { "found: \($0)" } ?? "NOT FOUND"
      lines.append("planted bug \(bug.rawValue) \(place)")
    }
    let missed = StorageEvent.allCases.filter { tally[$0] == 0 }.map(\.rawValue)
    if violations.isEmpty, seeds.count >= 200, !missed.isEmpty {
      lines.append("never happened: \(missed.joined(separator: ", "))")
    }
    return lines
  }

  /// One line for people.
  var summary: String {
    let faults = StorageEvent.faults.map { "\($0.rawValue) \(tally[$0])" }.joined(separator: ", ")
    var line =
      "seeds \(seeds.count), transactions \(tally[.transactions]), "
      + "power cuts \(tally[.powerCuts]), double crashes \(tally[.doubleCrashes]), \(faults), "
      + "violations \(violations.count)"
    if !plantedBugs.isEmpty {
      line += ", planted bugs found \(foundCount) of \(plantedBugs.count)"
    }
    return line + ", digest \(hexadecimal(digest))"
  }

  /// One line for programs.
  var json: String {
    var entries = [
      "\"firstSeed\":\(seeds.lowerBound)", "\"seeds\":\(seeds.count)",
      "\"digest\":\"\(hexadecimal(digest))\"",
    ]
    entries += StorageEvent.allCases.map { "\"\($0.rawValue)\":\(tally[$0])" }
    let violations = violations.map {
      "{\"seed\":\($0.seed),\"step\":\($0.step),\"message\":\(Self.quoted("\($0)"))}"
    }
    entries.append("\"violations\":[\(violations.joined(separator: ","))]")
    let bugs = PlantedBug.allCases.compactMap { bug in
      plantedBugs[bug.rawValue].map { "\"\(bug.rawValue)\":\($0 != nil)" }
    }
    entries.append("\"plantedBugsFound\":{\(bugs.joined(separator: ","))}")
    return "{\(entries.joined(separator: ","))}"
  }

  static func quoted(_ text: String) -> String {
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
}
