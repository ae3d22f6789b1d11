internal import AtollObjects

extension Compiler {
  /// The test of a `TEXT` search; of several texts at the end of a path any will do, unless the
  /// query says otherwise.
  func compile(_ search: BoundTextSearch, on table: TableAccess) throws -> RowTest {
    let execution = execution
    let isAll = search.quantifier == .all
    // ALL and NONE: no text that fails, or passes.
    let found = try reach(
      search.path.hops[...], from: table,
      end: { table in
        let test = TextTest(try TextLookup(search, table, in: execution.source), execution)
        return isAll ? NotTest(test, execution) : test
      }, passesNull: false)
    return search.quantifier ?? .any == .any ? found : NotTest(found, execution)
  }
}
