#if Sync
/// A run, and what came of it.
struct DevicesSimulation {
  var options: DevicesRun.Options
  /// Called with the count of kills so far.
  var progress: (Int) -> Void = { _ in }

  func run() -> DevicesReport {
    var report = DevicesReport(options)
    do {
      let run = try DevicesRun(options, progress: progress)
      defer { report.tally = run.tally }
      try run.run()
    } catch let violation as DevicesViolation {
      report.violation = violation
    } catch {
      report.violation = DevicesViolation(kind: .unclean, message: "\(error)", history: [])
    }
    return report
  }
}
#endif
