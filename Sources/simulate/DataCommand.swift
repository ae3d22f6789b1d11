internal import ArgumentParser

/// `simulate data`: data to import, right and wrong, read and imported.
struct DataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "data",
    abstract: "Import data that is random.",
    discussion: """
      Records in JSON, in CSV and as a dump, with every type; half of the texts have bytes \
      changed. Each is read in one piece and in parts of five bytes, which must come to the same, \
      and imported into new databases and into some that have its classes: whole, or not at all \
      when it was checked first. Every database must be sound afterwards.

      No data may end the process, take 20 seconds or much memory. Then every planted bug is run \
      until it is found. Exit status: 0 when all is well, 1 for a violation or a planted bug that \
      was not found, 64 for a command line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(name: "data", columns: ["read", "imported", "merged"])

  @OptionGroup var options: CaseOptions

  func validate() throws { try options.validate(for: Self.kind) }

  func run() throws {
    try options.run(Self.kind) { worker in
      worker.run { number in
        var data = RandomData(seed: number)
        let notations = ImportTrial.Notation.allCases
        let notation = notations[Int(number % UInt64(notations.count))]
        let trial = ImportTrial(
          notation: notation, bytes: data.make(notation), planted: worker.planted)
        return CaseOutcome(
          flags: try trial.run().flags, inputByteCount: trial.bytes.count)
      }
    }
  }
}
