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
  /// Whether no batch is begun after a violation.
  var stopsAtFirst = false
  /// Called with the count of cases done, now and then, on any thread.
  var progress: @Sendable (UInt64) -> Void = { _ in }

  /// Cases that one process takes at a time.
  private var batch: UInt64 { stopsAtFirst ? 200 : 1000 }
  /// So many violations are enough to stop.
  private static let violationLimit = 200

  func run() throws -> CaseReport {
    ProcessLimits.leaveOutBacktraces()
    let report = Mutex(CaseReport(kind: kind, numbers: numbers))
    let next = Atomic(numbers.lowerBound)
    let done = Atomic<UInt64>(0)
    let stride = max(2000, UInt64(numbers.count) / 20)
    let failure = Mutex<Failure?>(nil)
    onThreads(processCount) { _ in
      while report.withLock({ $0.violations.count }) < (stopsAtFirst ? 1 : Self.violationLimit) {
        let first = next.add(batch, ordering: .relaxed).oldValue
        guard first < numbers.upperBound else { return }
        do {
          try run(first..<min(first + batch, numbers.upperBound)) { result in
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
    return report.withLock { $0 }
  }

  /// Runs a batch, in another process after each that ends before its time.
  private func run(_ batch: Range<UInt64>, _ add: (CaseReport.Result) -> Void) throws {
    var rest = batch
    while !rest.isEmpty {
      let arguments = [
        kind.name, "--worker", "--seed", "\(rest.lowerBound)", "--count", "\(rest.count)",
      ]
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
