internal import AtollObjects

/// One text of a query, which its number decides.
struct TextCase {
  let number: UInt64

  /// The flags are for the columns of `TextCommand.kind`.
  func run(on database: Database) throws -> CaseOutcome {
    var text = RandomText(seed: number)
    let (className, query) = text.make()
    let trial = QueryTrial(className: className, text: query, arguments: text.arguments())
    return CaseOutcome(
      flags: try trial.run(on: database).flags, inputByteCount: query.utf8.count)
  }
}
