internal import Synchronization
internal import TestSupport

/// Single cases, run by separate processes, and their results.
struct CaseSimulation: Sendable {
  /// What kind of cases there are.
  struct Kind: Sendable {
    /// The subcommand.
    let name: String
    /// What may come of a case, in the order of the flags that its worker writes.
    let columns: [String]
  }

  /// A process ended before it could begin with its cases.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let kind: Kind
  var numbers: Range<UInt64>
  var processCount: Int
  var planted: PlantedCaseBug?
  /// Whether to look for each planted bug of the kind afterwards.
  var findsPlantedBugs = false
  /// Called with the count of cases done, now and then, on any thread.
  var progress: @Sendable (UInt64) -> Void = { _ in }

  /// Cases that one process takes at a time.
  private static let batch: UInt64 = 1000
  /// So many violations are enough to stop.
  private static let violationLimit = 200
  /// How many cases are run at once where one violation is looked for, and how many a planted bug
  /// may hide in.
  private static let searchStep: UInt64 = 200
  private static let searchLimit: UInt64 = 4000

  func run() throws -> CaseReport {
    ProcessLimits.leaveOutBacktraces()
    let report = Mutex(CaseReport(kind: kind, numbers: numbers, planted: planted))
    let next = Atomic(numbers.lowerBound)
    let done = Atomic<UInt64>(0)
    let stride = max(2000, UInt64(numbers.count) / 20)
    let failure = Mutex<Failure?>(nil)
    onThreads(processCount) { _ in
      while report.withLock({ $0.violations.count }) < Self.violationLimit {
        let first = next.add(Self.batch, ordering: .relaxed).oldValue
        guard first < numbers.upperBound else { return }
        do {
          try run(first..<min(first + Self.batch, numbers.upperBound)) { result in
            report.withLock { $0.add(result) }
            let count = done.add(1, ordering: .relaxed).newValue
            if count % stride == 0 { progress(count) }
          }
        } catch {
          failure.withLock { $0 = Failure(description: "\(error)") }
          return
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    guard findsPlantedBugs else { return report.withLock { $0 } }
    onThreads(processCount, each: PlantedCaseBug.bugs(of: kind.name)) { bug in
      guard failure.withLock({ $0 == nil }) else { return }
      do {
        let found = try Self.find(bug, kind)
        report.withLock { $0.plantedBugs[bug] = .some(found) }
      } catch { failure.withLock { $0 = Failure(description: "\(error)") } }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return report.withLock { $0 }
  }

  /// The first case that a planted bug violates, and that is sound without it; nil when there is
  /// none.
  static func find(_ bug: PlantedCaseBug, _ kind: Kind) throws -> UInt64? {
    for first in stride(from: 0, to: searchLimit, by: Int(searchStep)) {
      let found = try CaseSimulation(
        kind: kind, numbers: first..<first + searchStep, processCount: 1, planted: bug
      ).run().violations
      for (number, _) in found {
        let sound = try CaseSimulation(
          kind: kind, numbers: number..<number + 1, processCount: 1
        ).run()
        if sound.isSound { return number }
      }
    }
    return nil
  }

  /// Runs a batch, in another process after each that ends before its time.
  private func run(_ batch: Range<UInt64>, _ add: (CaseReport.Result) -> Void) throws {
    var rest = batch
    while !rest.isEmpty {
      var arguments = [
        kind.name, "--worker", "--seed", "\(rest.lowerBound)", "--count", "\(rest.count)",
      ]
      if let planted { arguments += ["--planted", planted.rawValue] }
      let child = try ChildProcess(ChildProcess.path(ofProgram: "simulate"), arguments)
      var running: UInt64?
      var last: UInt64?
      while let line = try? child.receive() {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, let number = UInt64(words[1]) else { continue }
        switch words[0] {
        case "begin": running = number
        case "end":
          add(.init(number: number, flags: (words.last ?? "").map { $0 == "1" }))
          (running, last) = (nil, number)
        default:
          // A case that took too much memory was counted when it ended.
          let isNew = number != last
          add(.init(number: number, violation: String(words.last ?? ""), isNew: isNew))
          (running, last) = (nil, number)
        }
      }
      let ending = child.waitForEnd()
      if let number = running {
        add(.init(number: number, violation: Self.sentence(ending)))
        last = number
      }
      guard let last else {
        throw Failure(
          description: "the process for case \(rest.lowerBound) \(Self.sentence(ending))")
      }
      rest = min(last + 1, rest.upperBound)..<rest.upperBound
    }
  }

  private static func sentence(_ ending: ChildProcess.Ending) -> String {
    switch ending {
    case .status(let status): "ends with status \(status)"
    case .signal(let signal) where ProcessLimits.isTimeout(signal: signal):
      "hangs: takes more than \(CaseWorker.secondLimit) seconds"
    case .signal(let signal): "traps: ends with signal \(signal)"
    }
  }
}
