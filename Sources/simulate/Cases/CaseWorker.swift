internal import TestSupport

/// What came of a case.
struct CaseOutcome {
  /// For each column of the report.
  let flags: [Bool]
  /// The size of the input of the case.
  let inputByteCount: Int
}

/// Runs cases one after the other in this process and says on standard output which.
///
/// A trap ends the process, so does a case that takes longer than `secondLimit` (by a signal); its
/// last line tells the parent which case that was.
struct CaseWorker {
  static let secondLimit = 20 * UInt32(ProcessLimits.scale)
  /// How much memory a process may reserve, even if untouched.
  static let processByteLimit = 4 << 30

  let numbers: Range<UInt64>

  /// `body` runs a case.
  func run(_ body: (_ number: UInt64) throws -> CaseOutcome) {
    // Memory that is never touched does not count below, but is not to be had without end either.
    ProcessLimits.limitMemory(byteCount: Self.processByteLimit)
    var meter = MemoryMeter()
    for number in numbers {
      writeToStandardOutput("begin \(number)")
      ProcessLimits.endProcess(inSeconds: Self.secondLimit)
      meter.begin()
      do {
        let outcome = try body(number)
        writeToStandardOutput("end \(number) \(outcome.flags.map { $0 ? "1" : "0" }.joined())")
        if let excess = meter.excess(inputByteCount: outcome.inputByteCount) { throw excess }
      } catch {
        writeToStandardOutput("violation \(number) \("\(error)".replacing("\n", with: " "))")
        // Memory that is kept is kept by this process: the next cases are for another one.
        if error is MemoryMeter.Excess { return }
      }
    }
  }
}
