internal import Synchronization
internal import TestSupport

/// One random program, which its number decides.
struct ApiCase {
  let number: UInt64

  private var steps: [UInt64] {
    var random = SplitMix64(seed: number)
    let count = Int.random(in: 10..<120, using: &random)
    return (0..<count).map { _ in random.next() }
  }

  /// The flags are for the columns of `ApiCommand.kind`.
  func run() throws -> CaseOutcome {
    let (result, _, tally) = run(steps)
    try result.get()
    return CaseOutcome(
      flags: [tally.writes > 0, tally.cancelled > 0, tally.firstUses > 0],
      inputByteCount: steps.count * 8)
  }

  /// Runs the program in this process, and prints what it does; one that fails is made shorter.
  ///
  /// - Throws: The violation.
  func show(_ print: @escaping @Sendable (String) -> Void) throws {
    let (result, _, _) = run(steps, trace: print)
    guard case .failure(let violation) = result else { return }
    let words = Self.words(violation)
    print("violation: \(violation)")
    var rest = steps
    var length = rest.count / 2
    while length >= 1 {
      var start = 0
      while start < rest.count {
        var shorter = rest
        shorter.removeSubrange(start..<min(start + length, rest.count))
        if case .failure(let other) = run(shorter).result, Self.words(other) == words {
          rest = shorter
        } else {
          start += length
        }
      }
      length /= 2
    }
    print("the same in short:")
    try run(rest, trace: print).result.get()
  }

  /// What a violation says, whatever the numbers and names are; those are others in a shorter
  /// program.
  private static func words(_ violation: any Error) -> [Substring] {
    "\(violation)".prefix { $0 != ";" && $0 != "[" }.split(separator: " ")
      .filter { word in word.allSatisfy { $0.isLowercase || $0.isPunctuation } }
  }

  private func run(
    _ steps: [UInt64], trace: @escaping @Sendable (String) -> Void = { _ in }
  ) -> (result: Result<Void, any Error>, log: [String], tally: ApiTally) {
    let outcome = Mutex<(Result<Void, any Error>, [String], ApiTally)?>(nil)
    // A thread of its own: the main one is for the main queue.
    onThreads(1) { _ in
      let run = ApiRun(seed: number)
      run.trace = trace
      let result: Result<Void, any Error>
      do {
        try run.run(steps)
        result = .success(())
      } catch {
        let program = run.log.suffix(40).joined(separator: "; ")
        result = .failure(CaseViolation("\(error); the program: \(program)"))
      }
      run.close()
      outcome.withLock { $0 = (result, run.log, run.tally) }
    }
    guard let outcome = outcome.withLock({ $0 }) else {
      preconditionFailure("the thread of case \(number) ended without a result")
    }
    return outcome
  }
}
