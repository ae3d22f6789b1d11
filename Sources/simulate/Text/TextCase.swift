internal import AtollObjects

/// One text of a query, which its number decides.
struct TextCase {
  let number: UInt64
  let planted: PlantedCaseBug?

  /// - Returns: a flag for each column of `TextCommand.kind`.
  func run(on database: Database) throws -> [Bool] {
    var text = RandomText(seed: number)
    let (className, query) = text.make()
    let trial = QueryTrial(
      className: className, text: query, arguments: text.arguments(), planted: planted)
    return try trial.run(on: database).flags
  }
}
