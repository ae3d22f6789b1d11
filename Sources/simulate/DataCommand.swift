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

      Databases with every type, odd names and odd values are dumped, and the dump imported: the \
      copy must be the same, digit by digit and byte by byte. Documents in Extended JSON are \
      imported and compared with a model. A quarter of both is damaged: the error names the line, \
      and nothing is imported.

      No data may end the process, take 20 seconds or much memory. Exit status: 0 when all is \
      well, 1 for a violation, 64 for a command line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(name: "data", columns: ["read", "imported", "merged"])

  @OptionGroup var options: CaseOptions

  func run() throws {
    try options.run(Self.kind) { worker in
      worker.run { number in
        let notations = ImportTrial.Notation.allCases
        let kind = Int(number % UInt64(notations.count + 2))
        guard kind < notations.count else {
          if kind == notations.count {
            let outcome = try RoundTripTrial(seed: number).run()
            return CaseOutcome(flags: outcome.flags, inputByteCount: outcome.byteCount)
          }
          let (flags, byteCount) = try ExtendedTrial(seed: number).run()
          return CaseOutcome(flags: flags, inputByteCount: byteCount)
        }
        var data = RandomData(seed: number)
        let notation = notations[kind]
        let trial = ImportTrial(notation: notation, bytes: data.make(notation))
        return CaseOutcome(
          flags: try trial.run().flags, inputByteCount: trial.bytes.count)
      }
    }
  }
}
