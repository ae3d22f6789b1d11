internal import TestSupport

/// Runs cases one after the other in this process and says on standard output which.
///
/// A trap ends the process, so does a case that takes longer than `secondLimit` (by a signal); its
/// last line tells the parent which case that was.
struct CaseWorker {
  static let secondLimit = 20 * UInt32(ProcessLimits.scale)
  /// How much memory a process may have, be it never touched.
  static let processByteLimit = 4 << 30

  let numbers: Range<UInt64>
  let planted: PlantedCaseBug?

  /// `body` runs a case and returns what came of it, a flag for each column of the report.
  func run(_ body: (_ number: UInt64) throws -> [Bool]) {
    // Memory that is never touched does not count below, but is not to be had without end either.
    ProcessLimits.limitMemory(byteCount: Self.processByteLimit)
    var meter = MemoryMeter()
    for number in numbers {
      writeToStandardOutput("begin \(number)")
      ProcessLimits.endProcess(inSeconds: Self.secondLimit)
      if number % 5 == 3 { misbehave(number) }
      do {
        let flags = try body(number)
        writeToStandardOutput("end \(number) \(flags.map { $0 ? "1" : "0" }.joined())")
      } catch {
        writeToStandardOutput("violation \(number) \("\(error)".replacing("\n", with: " "))")
      }
      if let excess = meter.excess() {
        writeToStandardOutput("violation \(number) \(excess)")
        return
      }
    }
  }

  private func misbehave(_ number: UInt64) {
    switch planted {
    case .trap: preconditionFailure("planted: case \(number) traps")
    case .hang: ProcessLimits.waitForSignal()
    case .hoard:
      let hoard = [UInt8](repeating: UInt8(number % 256), count: 2 * MemoryMeter.byteLimit)
      precondition(hoard.contains(UInt8(number % 256)), "memory keeps its bytes")
    case .unverifiedPage, .misprint, .partialImport, .lostRecord, nil: break
    }
  }
}
