/// Runs of several files, one after the other until something is wrong, and what came of them.
struct ProcessesSimulation {
  var killCount: Int
  var seed: UInt64
  /// Called with the count of kills so far, after each file.
  var progress: (Int) -> Void = { _ in }

  /// So many in one run: files of both kinds, and none so old that it is unlike those of users.
  private static let killsOfRun = 25

  func run() -> ProcessesReport {
    var report = ProcessesReport()
    var next = seed
    while report.tally.killCount < killCount, report.violation == nil {
      let limit = min(Self.killsOfRun, killCount - report.tally.killCount)
      report.violation = Self.run(next, killLimit: limit, &report.tally)
      next += 1
      progress(report.tally.killCount)
    }
    return report
  }

  private static func run(
    _ seed: UInt64, killLimit: Int, _ tally: inout ProcessesTally
  ) -> ProcessesViolation? {
    do {
      let run = try ProcessesRun(seed: seed, killLimit: killLimit)
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
  var tally = ProcessesTally()
  /// The first, which ends the simulation.
  var violation: ProcessesViolation?

  /// Whether nothing was wrong.
  var isSound: Bool { violation == nil }

  private func count(_ kind: ProcessesViolation.Kind) -> Int { violation?.kind == kind ? 1 : 0 }

  /// What people want to know beside the summary.
  var details: [String] {
    guard let violation else { return [] }
    return ["violation: \(violation)"] + violation.history.map { "  \($0)" } + [
      "  again: swift run simulate processes --kills 25 --seed \(violation.seed)"
    ]
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
    return "{\(entries.joined(separator: ","))}"
  }
}
