internal import ArgumentParser
internal import AtollObjects
internal import AtollStorage
internal import TestSupport

/// `simulate text`: texts of queries, right and wrong, parsed, printed, bound and answered.
struct TextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "text",
    abstract: "Ask queries whose text is random.",
    discussion: """
      Half of the texts are made by the grammar of the query language, the others are such texts \
      with bytes changed, random words, or random bytes; some are very long. Each gives a syntax \
      tree or an error with a place. A tree is printed, and the print must parse to the same \
      tree. Then it is asked of a small database: the answer has as many objects as are counted.

      No text may end the process, take 20 seconds or much memory. Exit status: 0 when all is \
      well, 1 for a violation, 64 for a command line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(name: "text", columns: ["parsed", "bound", "answered"])

  @OptionGroup var options: CaseOptions

  func run() throws {
    try options.run(Self.kind) { worker in
      let sample = try SampleFile(number: 0)
      let database = try SampleFile.open(
        MemoryFile(path: "sample", holding: sample.bytes), key: sample.key)
      worker.run { try TextCase(number: $0).run(on: database) }
    }
  }
}
