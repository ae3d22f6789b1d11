internal import AtollObjects
internal import AtollQuery

/// The trial of one text of a query: parsed, printed, and run on a small database.
struct QueryTrial {
  let className: String
  let text: String
  /// What `$0`, `$1` and so on stand for.
  let arguments: [Value]

  /// What came of it.
  struct Outcome {
    var isParsed = false
    var isBound = false
    var isAnswered = false

    /// In the order of `TextCommand.kind`.
    var flags: [Bool] { [isParsed, isBound, isAnswered] }
  }

  func run(on database: Database) throws -> Outcome {
    weak var remaining: Snapshot?
    let outcome = try run(on: database, &remaining)
    guard remaining == nil else {
      throw CaseViolation("keeps the version that it was asked of: \(excerpt)")
    }
    return outcome
  }

  private func run(on database: Database, _ asked: inout Snapshot?) throws -> Outcome {
    let snapshot = try database.snapshot()
    asked = snapshot
    var outcome = Outcome()
    guard try verifySyntax() else { return outcome }
    outcome.isParsed = true
    let bound: Query
    do throws(QueryError) {
      bound = try Query(text, on: className, in: snapshot.schema, arguments: arguments)
    } catch { return outcome }
    outcome.isBound = true
    // The database is sound, so a query that could be bound has an answer.
    do { try answer(bound, snapshot) } catch let violation as CaseViolation {
      throw violation
    } catch {
      throw CaseViolation("throws \(type(of: error)) \(error): \(excerpt)")
    }
    outcome.isAnswered = true
    return outcome
  }

  /// Asks in several ways, which must come to the same.
  private func answer(_ query: Query, _ snapshot: Snapshot) throws {
    let explainedCount = try explain(query, snapshot)
    if query.isGrouped {
      _ = try query.groups(in: snapshot)
      return
    }
    let keys = try query.results(in: snapshot).keys
    try compare("objects", keys.count, "counted", query.count(in: snapshot))
    try compare("objects", keys.count, "explained", explainedCount)
    let scanned = try query.answer(
      in: snapshot, by: PlanForce(access: 0, usesIndexOrder: false))
    try compare("objects", keys.count, "scanned and counted", scanned.count)
    guard scanned.keys == keys else {
      throw CaseViolation("gives other objects than a scan: \(excerpt)")
    }
    if let column = snapshot.schema[className]?.properties.first(where: {
      $0.type == .int && $0.collection == .none
    }) {
      _ = try query.aggregate(.average, of: column.name, in: snapshot)
    }
  }

  /// - Returns: how many objects the plan says that there are; the plan itself may be large.
  private func explain(_ query: Query, _ snapshot: Snapshot) throws -> Int {
    let plan = try query.explain(in: snapshot)
    _ = plan.description
    return plan.resultCount
  }

  private func compare(_ first: String, _ a: Int, _ second: String, _ b: Int) throws {
    guard a != b else { return }
    throw CaseViolation("gives \(a) \(first), but \(b) \(second): \(excerpt)")
  }

  /// The text gives an error with a place within it, or a tree whose print parses to the same tree,
  /// and prints the same.
  ///
  /// - Returns: whether it has a tree, which is not kept: this memory is not the query's.
  private func verifySyntax() throws -> Bool {
    let request: QuerySyntax.Request
    do throws(QuerySyntaxError) { request = try QuerySyntax.parse(text) } catch {
      let isInside = error.byteOffset >= 0 && error.byteOffset <= text.utf8.count
      guard isInside, error.line >= 1, error.column >= 1, error.description.utf8.count < 4000
      else { throw CaseViolation("has an error at no place: \(excerpt)") }
      return false
    }
    let again = try? QuerySyntax.parse(request.description)
    guard let again, again == request, again.description == request.description else {
      throw CaseViolation("is printed as another query: \(excerpt)")
    }
    return true
  }

  private var excerpt: String { String(reflecting: String(text.prefix(300))) }
}
