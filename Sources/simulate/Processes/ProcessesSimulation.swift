/// Runs of several files, one after the other, and what came of them.
struct ProcessesSimulation {
  var killCount: Int
  var seed: UInt64
  /// A bug that every process has.
  var planted: PlantedProcessBug?
  /// Whether to look for each planted bug afterwards.
  var findsPlantedBugs: Bool
  /// Called with the count of kills so far, after each file.
  var progress: (Int) -> Void = { _ in }

  /// So many in one run: files of both kinds, and none so old that it is unlike those of users.
  private static let killsOfRun = 25
  /// How many kills a planted bug may hide from.
  private static let plantedKillLimit = 100

  func run() -> ProcessesReport {
    var report = ProcessesReport(planted: planted)
    var next = seed
    while report.tally.killCount < killCount {
      let limit = min(Self.killsOfRun, killCount - report.tally.killCount)
      let found = Self.run(next, killLimit: limit, planted, &report.tally)
      next += 1
      if let found {
        report.violations.append(found)
        // A run that ends early may have killed no process; and one violation is enough.
        if report.violations.count >= 3 { break }
      }
      progress(report.tally.killCount)
    }
    if findsPlantedBugs {
      for bug in PlantedProcessBug.allCases {
        report.plantedBugs[bug.rawValue] = .some(Self.find(bug, seed: seed))
      }
    }
    return report
  }

  /// The first violation that a planted bug leads to.
  static func find(_ bug: PlantedProcessBug, seed: UInt64 = 0) -> ProcessesViolation? {
    var tally = ProcessesTally()
    var next = seed
    while tally.killCount < plantedKillLimit {
      if let violation = run(next, killLimit: killsOfRun, bug, &tally) { return violation }
      next += 1
    }
    return nil
  }

  private static func run(
    _ seed: UInt64, killLimit: Int, _ planted: PlantedProcessBug?, _ tally: inout ProcessesTally
  ) -> ProcessesViolation? {
    do {
      let run = try ProcessesRun(seed: seed, killLimit: killLimit, planted: planted)
      defer { tally += run.tally }
      try run.run()
      return nil
    } catch let violation as ProcessesViolation {
      return violation
    } catch {
      return ProcessesViolation(kind: .unclean, seed: seed, message: "\(error)", history: [])
    }
  }
}

/// The report of a simulation of processes.
struct ProcessesReport {
  let planted: PlantedProcessBug?
  var tally = ProcessesTally()
  var violations: [ProcessesViolation] = []
  /// The violation that each planted bug led to, by the bug's name; nil where there was none.
  var plantedBugs: [String: ProcessesViolation?] = [:]

  init(planted: PlantedProcessBug?) { self.planted = planted }

  /// Whether nothing was wrong, and every bug that was planted was found.
  var isSound: Bool { violations.isEmpty && foundCount == plantedBugs.count }

  private var foundCount: Int { plantedBugs.values.count { $0 != nil } }

  private func count(_ kind: ProcessesViolation.Kind) -> Int {
    violations.count { $0.kind == kind }
  }

  /// What people want to know beside the summary.
  var details: [String] {
    var lines: [String] = []
    for violation in violations {
      let bug = planted.map { " --planted \($0.rawValue)" } ?? ""
      lines.append("violation: \(violation)")
      lines += violation.history.map { "  \($0)" }
      lines.append(
        "  again: swift run simulate processes --kills 25 --seed \(violation.seed)\(bug)"
      )
    }
    for bug in PlantedProcessBug.allCases {
      guard let found = plantedBugs[bug.rawValue] else { continue }
      lines.append(
        "planted bug \(bug.rawValue) \(found.map { "found: \($0)" } ?? "NOT FOUND")")
    }
    return lines
  }

  /// One line for people.
  var summary: String {
    let wakeUps = tally.wakeUps.sorted()
    var line =
      "kills \(tally.killCount), stops \(tally.stopCount), commits \(tally.commitCount), "
      + "versions verified \(tally.verifiedVersionCount), "
      + "commits that outlived their writer \(tally.survivorCount), "
      + "pins of suspended readers listed \(tally.listedPinCount), lost \(count(.lost)), "
      + "unclean \(count(.unclean)), stuck \(count(.stuck))"
    if let longest = wakeUps.last {
      line +=
        ", wake-up median \(Self.milliseconds(wakeUps[wakeUps.count / 2])) ms, "
        + "longest \(Self.milliseconds(longest)) ms of \(wakeUps.count)"
    }
    if !plantedBugs.isEmpty {
      line += ", planted bugs found \(foundCount) of \(plantedBugs.count)"
    }
    return line
  }

  /// Milliseconds with two digits behind the point.
  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    let hundredths = (nanoseconds + 5_000) / 10_000
    let digits = hundredths % 100
    return "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
  }

  /// One line for programs.
  var json: String {
    let wakeUps = tally.wakeUps.sorted()
    var entries = [
      "\"kills\":\(tally.killCount)", "\"stops\":\(tally.stopCount)",
      "\"commits\":\(tally.commitCount)", "\"verifiedVersions\":\(tally.verifiedVersionCount)",
      "\"survivors\":\(tally.survivorCount)", "\"listedPins\":\(tally.listedPinCount)",
    ]
    entries += ProcessesViolation.Kind.allCases.map { "\"\($0.rawValue)\":\(count($0))" }
    if let longest = wakeUps.last {
      entries.append("\"wakeUpMedianNanoseconds\":\(wakeUps[wakeUps.count / 2])")
      entries.append("\"wakeUpLongestNanoseconds\":\(longest)")
    }
    let bugs = PlantedProcessBug.allCases.compactMap { bug in
      plantedBugs[bug.rawValue].map { "\"\(bug.rawValue)\":\($0 != nil)" }
    }
    entries.append("\"plantedBugsFound\":{\(bugs.joined(separator: ","))}")
    return "{\(entries.joined(separator: ","))}"
  }
}
