internal import Workloads

/// Runs the selected workloads on one engine after another and checks their results.
struct Runner {
  let rows: Int
  /// Names of the workloads to report; nil for all.
  let selection: Set<String>?
  let parentDirectory: String

  /// The reference's result of a workload.
  private struct Expectation {
    let answer: Int?
    let contents: Contents
  }

  /// The workloads that run: the selected ones, and the load before them.
  private var workloads: [Workload] {
    Workload.all.filter { isReported($0) || $0.name == Workload.load.name }
  }

  private func isReported(_ workload: Workload) -> Bool {
    selection?.contains(workload.name) ?? true
  }

  /// Runs everything, one line of standard output for each engine and workload.
  ///
  /// - Returns: how many results were wrong.
  func run(engines: [EngineEntry]) throws -> Int {
    let (expectations, referenceFailureCount) = try expectations()
    releaseFreedMemory()
    var failureCount = referenceFailureCount
    for entry in engines {
      let directory = try DatabaseDirectory(emptying: entry.name, in: parentDirectory)
      failureCount += try run(
        name: entry.name, engine: entry.make(directory), expecting: expectations)
    }
    return failureCount
  }

  /// Lets the reference run the workloads, and compares it with the published answers.
  private func expectations() throws -> ([String: Expectation], failureCount: Int) {
    let reference = ReferenceEngine()
    var expectations: [String: Expectation] = [:]
    var failureCount = 0
    for workload in workloads {
      progress("reference \(workload.name)")
      guard let sample = try workload.run(rows: rows, engine: reference) else { continue }
      let answer = workload.resultKind == .answer ? sample.result : nil
      expectations[workload.name] = Expectation(answer: answer, contents: reference.contents())
      if rows == standardRowCount, let published = publishedAnswers[workload.name],
        published != answer
      {
        progress("WRONG reference \(workload.name): \(sample.result), published \(published)")
        failureCount += 1
      }
    }
    return (expectations, failureCount)
  }

  /// Runs the workloads on one engine, which is closed and opened again before each of them.
  private func run(
    name: String, engine: any Engine, expecting expectations: [String: Expectation]
  ) throws -> Int {
    var failureCount = 0
    try engine.open()
    for workload in workloads {
      progress("\(name) \(workload.name)")
      let samples = try (0..<workload.runCount).compactMap { _ in
        try workload.run(rows: rows, engine: engine)
      }
      if samples.count < workload.runCount {
        progress("\(name) cannot do \(workload.name)")
        continue
      }
      if let expectation = expectations[workload.name] {
        let failures = try check(samples, of: workload, on: engine, expecting: expectation)
        failures.forEach { progress("WRONG \(name) \(workload.name): \($0)") }
        failureCount += failures.count
      }
      try engine.close()
      var line = ResultLine(
        engine: name, workload: workload.name, rows: rows, samples: samples)
      if workload.resultKind == .fileBytes {
        line.closedFileByteCount = try engine.fileByteCount()
      }
      if isReported(workload) { report(line) }
      releaseFreedMemory()
      try engine.open()
    }
    try engine.close()
    return failureCount
  }

  /// Describes each difference between the runs and the reference's results.
  private func check(
    _ samples: [Sample], of workload: Workload, on engine: any Engine,
    expecting expectation: Expectation
  ) throws -> [String] {
    if let answer = expectation.answer {
      return samples.map(\.result).filter { $0 != answer }.map { "\($0), expected \(answer)" }
    }
    let contents = try engine.contents()
    return contents.agrees(with: expectation.contents)
      ? [] : ["\(contents), expected \(expectation.contents)"]
  }
}
