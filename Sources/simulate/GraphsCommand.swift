internal import ArgumentParser
internal import TestSupport

/// `simulate graphs`: objects made of random graphs of objects, dictionaries and arrays.
struct GraphsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graphs",
    abstract: "Make objects of random graphs, and compare them with a model.",
    discussion: """
      A number decides a case: a realm in memory, in which objects are made by `create` and `add` \
      of up to four graphs, with cycles and diamonds, embedded objects, lists, sets, maps and \
      mixed values with collections in them. A graph consists of unmanaged objects, dictionaries, \
      live or frozen objects of another realm or of the same one, and of several of these; keys \
      that are there are updated by all policies. After each step the realm must hold what a \
      model of plain Swift objects does: the same values, and one copy of each object. Then enums \
      read raw values of a newer program, and conditions must find what is read.

      No graph may end the process, take 20 seconds or much memory. Exit status: 0 when all is \
      well, 1 for a violation, 64 for a command line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(
    name: "graphs", columns: ["created", "of another file", "of its own file", "without key"])

  @OptionGroup var options: CaseOptions

  @Flag(help: "Run the first case in this process and print what its objects are made of.")
  var show = false

  func run() throws {
    if show {
      var trial = try GraphTrial(number: options.seed)
      trial.trace = { print($0) }
      return try trial.run()
    }
    try options.run(Self.kind) { worker in
      worker.run { number in
        var trial = try GraphTrial(number: number)
        try trial.run()
        var kinds = KindTrial(number: number)
        try kinds.run()
        return CaseOutcome(flags: trial.flags, inputByteCount: trial.stepCount * 1000)
      }
    }
  }
}
