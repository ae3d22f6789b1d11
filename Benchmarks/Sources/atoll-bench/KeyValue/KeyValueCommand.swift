internal import ArgumentParser
internal import Workloads

/// `atoll-bench kv`: the workloads of key-value stores.
struct KeyValueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kv",
    abstract: "Run the workloads of LevelDB's db_bench on maps from integers to bytes.",
    discussion: """
      fillseq, readseq and readrandom share one database; fillrandom, fillsync, overwrite and \
      deleterandom another. Every transaction is durable: of 1000 entries, for fillsync of one. \
      The output is that of `run`, with the bytes of the files as result of the writing workloads, \
      and `compare` reads it. Exit status 1 when a value that was read is wrong.
      """)

  @OptionGroup var options: KeyValueOptions

  @Option(help: "Report only these workloads, separated by commas.")
  var only: String?

  private static let names = KeyValueWorkload.allCases.map(\.rawValue)

  func validate() throws {
    for name in selection ?? [] where !Self.names.contains(name) {
      throw ValidationError(
        "no workload '\(name)'; there are \(Self.names.joined(separator: ", "))")
    }
  }

  private var selection: Set<String>? {
    only.map { Set($0.split(separator: ",").map(String.init)) }
  }

  func run() throws {
    let values = options.values
    var failureCount = 0
    try options.withDirectory { parent in
      for entry in options.engines { failureCount += try run(entry, values, in: parent) }
    }
    if failureCount > 0 { throw ExitCode.failure }
  }

  /// Runs the workloads on one engine, which is closed and opened again before each.
  private func run(
    _ entry: KeyValueEngineEntry, _ values: ValueSource, in parent: String
  ) throws -> Int {
    var failureCount = 0
    var model: [Int: Int] = [:]
    var engine = entry.make(try DatabaseDirectory(emptying: entry.name, in: parent))
    for workload in KeyValueWorkload.allCases {
      progress("\(entry.name) \(workload.rawValue)")
      if workload.needsEmptyDatabase {
        engine = entry.make(try DatabaseDirectory(emptying: entry.name, in: parent))
        model = [:]
      }
      try engine.open()
      var samples: [Sample] = []
      for _ in 0..<workload.runCount {
        samples.append(
          try workload.run(
            count: options.count, values: values, engine: engine, model: &model))
      }
      failureCount += try check(samples, of: workload, entry.name, engine, values, model)
      try engine.close()
      var line = ResultLine(
        engine: entry.name, workload: workload.rawValue, rows: options.count, samples: samples)
      if !workload.isReading { line.closedFileByteCount = try engine.fileByteCount() }
      if selection?.contains(workload.rawValue) ?? true { report(line) }
      releaseFreedMemory()
    }
    return failureCount
  }

  /// Compares the values read, or after a writing workload all values, with the model.
  private func check(
    _ samples: [Sample], of workload: KeyValueWorkload, _ name: String,
    _ engine: any KeyValueEngine, _ values: ValueSource, _ model: [Int: Int]
  ) throws -> Int {
    var found = samples.map(\.result)
    var reading = workload
    if !workload.isReading {
      reading = .readSequential
      var copy = model
      found = [
        try reading.run(count: options.count, values: values, engine: engine, model: &copy).result
      ]
    }
    let expected = reading.expectedChecksum(count: options.count, values: values, model: model)
    let wrong = found.filter { $0 != expected }
    for checksum in wrong {
      progress("WRONG \(name) \(workload.rawValue): \(checksum), expected \(expected ?? 0)")
    }
    return wrong.count
  }
}
