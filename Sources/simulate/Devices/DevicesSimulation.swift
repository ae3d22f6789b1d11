#if Sync
/// A run, and runs with bugs planted.
struct DevicesSimulation {
  var options: DevicesRun.Options
  /// Whether to look for each planted bug afterwards.
  var findsPlantedBugs: Bool
  /// Called with the count of kills so far.
  var progress: (Int) -> Void = { _ in }

  /// How many runs a planted bug may hide from, and how many kills each has.
  private static let plantedRunLimit: UInt64 = 4
  private static let plantedKillCount = 18

  func run() -> DevicesReport {
    var report = DevicesReport(options)
    if let found = Self.run(options, progress, &report.tally) { report.violations.append(found) }
    if findsPlantedBugs, report.violations.isEmpty {
      for bug in PlantedDeviceBug.allCases {
        report.plantedBugs[bug.rawValue] = .some(Self.find(bug, seed: options.seed))
      }
    }
    return report
  }

  /// The first violation that a planted bug leads to.
  static func find(_ bug: PlantedDeviceBug, seed: UInt64 = 0) -> DevicesViolation? {
    for number in 0..<plantedRunLimit {
      var tally = DevicesTally()
      let options = DevicesRun.Options(
        seed: seed &+ number, killCount: plantedKillCount, deviceCount: 3,
        transactionCount: 40 * plantedKillCount, planted: bug)
      if let violation = run(options, { _ in }, &tally) { return violation }
    }
    return nil
  }

  private static func run(
    _ options: DevicesRun.Options, _ progress: @escaping (Int) -> Void,
    _ tally: inout DevicesTally
  ) -> DevicesViolation? {
    do {
      let run = try DevicesRun(options, progress: progress)
      defer { tally = run.tally }
      try run.run()
      return nil
    } catch let violation as DevicesViolation {
      return violation
    } catch {
      return DevicesViolation(kind: .unclean, message: "\(error)", history: [])
    }
  }
}
#endif
