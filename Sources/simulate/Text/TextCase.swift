internal import AtollObjects
internal import AtollQuery
internal import TestSupport

/// One text of a query: made, parsed, printed, and asked of a small database.
struct TextCase {
  let number: UInt64
  let planted: PlantedCaseBug?

  /// What no text may do.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  /// - Returns: whether the text was parsed, bound and answered.
  func run(on snapshot: Snapshot) throws -> [Bool] {
    var text = RandomText(seed: number)
    let (className, query) = text.make()
    let request: QuerySyntax.Request
    do throws(QuerySyntaxError) { request = try QuerySyntax.parse(query) } catch {
      let isInside = error.byteOffset >= 0 && error.byteOffset <= query.utf8.count
      guard isInside, error.line >= 1, error.column >= 1, error.description.utf8.count < 4000
      else { throw Violation(description: "has an error at no place: \(excerpt(query))") }
      return [false, false, false]
    }
    try verifyPrint(of: request, query)
    let bound: Query
    do throws(QueryError) {
      bound = try Query(query, on: className, in: snapshot.schema, arguments: text.arguments())
    } catch { return [true, false, false] }
    do {
      let results = try bound.results(in: snapshot)
      let count = try bound.count(in: snapshot)
      guard results.count == count else {
        throw Violation(
          description: "gives \(results.count) objects and counts \(count): \(excerpt(query))")
      }
      _ = try bound.explain(in: snapshot).description
    } catch let error as Violation { throw error } catch {
      guard error is QueryError || error is ObjectError else {
        throw Violation(description: "throws \(type(of: error)): \(excerpt(query))")
      }
      return [true, true, false]
    }
    return [true, true, true]
  }

  /// The print of a tree parses to the same tree, and prints the same.
  private func verifyPrint(of request: QuerySyntax.Request, _ query: String) throws {
    var print = request.description
    if planted == .misprint, print.count > 24 {
      print.remove(at: print.index(print.startIndex, offsetBy: 20))
    }
    let again = try? QuerySyntax.parse(print)
    guard let again, again == request, again.description == request.description else {
      throw Violation(description: "is printed as another query: \(excerpt(query))")
    }
  }

  private func excerpt(_ text: String) -> String { String(reflecting: String(text.prefix(300))) }
}
