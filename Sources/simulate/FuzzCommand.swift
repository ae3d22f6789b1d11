internal import ArgumentParser
internal import AtollObjects
internal import TestSupport

/// `simulate fuzz`: inputs that libFuzzer makes, or that it once found.
struct FuzzCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz",
    abstract: "Try inputs that a fuzzer has found, or make new ones.",
    discussion: """
      An input may give right data or an error. It may not end the process, take 20 seconds or \
      much memory, or give a wrong answer where that can be detected. Two kinds are no inputs of \
      Atoll but bugs that a fuzzer must find: canary and abyss.

      The input is: for json, csv and dump the data itself; for query the name of a class \
      (\(SampleClasses.classes.map(\.name).joined(separator: ", "))), a line feed and the query; \
      for file changes to a sample file, one on each line, as in FileEdits.swift; for message \
      changes to the frames of a device or a server, as in MessageEdits.swift.

      Without --seconds the given inputs are tried, each once, and those counted as right that are \
      imported, answered or read as a whole. With it libFuzzer makes inputs from \
      those in the folder of --corpus, guided by the code that they reach, and keeps what reaches \
      new code there. It stops at the first input that is a finding, and keeps that one as well. \
      This takes a program that is built for it: .ci/fuzz builds and runs it.

      Exit status: 0 when all is well, 1 for a violation, 64 for a command line that makes no \
      sense; libFuzzer ends with a status of its own when it has found something.
      """)

  @Argument(
    help: "What the inputs are: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")).")
  var target: FuzzTarget

  @Argument(help: "The inputs to try: files, and folders of them.", completion: .file())
  var inputs: [String] = []

  @Option(help: "Make inputs for so long.")
  var seconds: Int?

  @Option(
    help: "Where inputs are kept that reach something new; begun with seeds when it is empty.",
    completion: .directory)
  var corpus: String?

  @Option(help: "Where findings are kept; by default here.", completion: .directory)
  var findings: String?

  func validate() throws {
    guard (seconds == nil) == (corpus == nil), seconds != nil || findings == nil else {
      throw ValidationError("--seconds and --corpus go together, and --findings with them")
    }
    guard seconds.map({ $0 > 0 }) ?? true else {
      throw ValidationError("--seconds must be at least 1")
    }
    guard seconds == nil || FuzzDriver.isLinked else {
      throw ValidationError("this program is built without libFuzzer; .ci/fuzz builds it with it")
    }
    guard seconds != nil || !inputs.isEmpty else {
      throw ValidationError("name inputs to try, or --seconds and --corpus")
    }
  }

  func run() throws {
    ProcessLimits.limitMemory(byteCount: CaseWorker.processByteLimit)
    let body = try target.makeTrial()
    var meter = MemoryMeter()
    let trial: FuzzTarget.Trial = { input in
      meter.begin()
      let outcome = try body(input)
      if let excess = meter.excess(inputByteCount: outcome.givenByteCount) { throw excess }
      return outcome
    }
    guard let seconds, let corpus else { return try tryInputs(trial) }
    let findings = findings ?? "."
    try FuzzInputs.makeFolder(corpus)
    try FuzzInputs.makeFolder(findings)
    if FuzzInputs.paths(in: [corpus]).isEmpty {
      for (number, seed) in try target.makeSeeds().enumerated() {
        try FuzzInputs.write(seed, to: "\(corpus)/seed-\(number)")
      }
    }
    var options = [
      "-max_total_time=\(seconds)", "-max_len=\(target.byteLimit)", "-print_final_stats=1",
      "-timeout=\(CaseWorker.secondLimit)", "-rss_limit_mb=0", "-reload=0",
      "-artifact_prefix=\(findings)/\(target.rawValue)-",
    ]
    if !target.dictionary.isEmpty {
      let path = "\(corpus).dictionary"
      try FuzzInputs.write(FuzzInputs.dictionary(target.dictionary), to: path)
      options.append("-dict=\(path)")
    }
    let status = FuzzDriver.run(options + [corpus] + inputs) { _ = try trial($0) }
    guard status == 0 else { throw ExitCode(status) }
  }

  private func tryInputs(_ trial: FuzzTarget.Trial) throws {
    let tried = try FuzzInputs.paths(in: inputs).map { (path: $0, input: try FuzzInputs.read($0)) }
    guard !tried.isEmpty else { throw ValidationError("there is no input in \(inputs[0])") }
    var rightCount = 0
    var violationCount = 0
    for (path, input) in tried {
      // If the input ends the process, this was the one.
      writeToStandardError("simulate: \(path)")
      ProcessLimits.endProcess(inSeconds: CaseWorker.secondLimit)
      do { if try trial(input).isRight { rightCount += 1 } } catch {
        writeToStandardError("violation: \(path) \(error)")
        violationCount += 1
      }
    }
    print(
      "fuzz \(target.rawValue) \(tried.count), right \(rightCount), violations \(violationCount)")
    guard violationCount == 0 else { throw ExitCode.failure }
  }
}

extension FuzzTarget: ExpressibleByArgument {}
