internal import AtollObjects
internal import AtollQuery

/// What is done with one text of a query: parsed, printed, and asked of a small database.
struct QueryTrial {
  let className: String
  let text: String
  /// What `$0`, `$1` and so on stand for.
  let arguments: [Value]
  var planted: PlantedCaseBug?

  /// What no text may do.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

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
      throw Violation(description: "keeps the version that it was asked of: \(excerpt)")
    }
    return outcome
  }

  private func run(on database: Database, _ asked: inout Snapshot?) throws -> Outcome {
    let snapshot = try database.snapshot()
    asked = snapshot
    var outcome = Outcome()
    let request: QuerySyntax.Request
    do throws(QuerySyntaxError) { request = try QuerySyntax.parse(text) } catch {
      let isInside = error.byteOffset >= 0 && error.byteOffset <= text.utf8.count
      guard isInside, error.line >= 1, error.column >= 1, error.description.utf8.count < 4000
      else { throw Violation(description: "has an error at no place: \(excerpt)") }
      return outcome
    }
    outcome.isParsed = true
    try verifyPrint(of: request)
    let bound: Query
    do throws(QueryError) {
      bound = try Query(text, on: className, in: snapshot.schema, arguments: arguments)
    } catch { return outcome }
    outcome.isBound = true
    do {
      if bound.isGrouped {
        _ = try bound.groups(in: snapshot)
      } else {
        let results = try bound.results(in: snapshot)
        let count = try bound.count(in: snapshot)
        guard results.count == count else {
          throw Violation(
            description: "gives \(results.count) objects and counts \(count): \(excerpt)")
        }
      }
      _ = try bound.explain(in: snapshot).description
    } catch let error as Violation { throw error } catch {
      guard error is QueryError || error is ObjectError else {
        throw Violation(description: "throws \(type(of: error)): \(excerpt)")
      }
      return outcome
    }
    outcome.isAnswered = true
    return outcome
  }

  /// The print of a tree parses to the same tree, and prints the same.
  private func verifyPrint(of request: QuerySyntax.Request) throws {
    var print = request.description
    if planted == .misprint, print.count > 24 {
      print.remove(at: print.index(print.startIndex, offsetBy: 20))
    }
    let again = try? QuerySyntax.parse(print)
    guard let again, again == request, again.description == request.description else {
      throw Violation(description: "is printed as another query: \(excerpt)")
    }
  }

  private var excerpt: String { String(reflecting: String(text.prefix(300))) }
}
