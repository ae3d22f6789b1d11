import TestSupport
import TestThreads
import Testing

/// What sync promises has tests, and the table of the promises names them.
@Suite(.computing) struct PromiseTableTests {
  @Test func everyPromiseNamesTheTestsThatProveIt() throws {
    var claims = PromiseTable.Claims()
    for text in try PromiseTable.folders.flatMap(SourceTree.texts) { claims.read(text) }
    let written = try GoldenFiles.text(PromiseTable.path)
    let filled = PromiseTable.filled(written, with: claims)
    if GoldenFiles.isWriting { try GoldenFiles.write(Array(filled.utf8), to: PromiseTable.path) }
    let table = GoldenFiles.isWriting ? filled : written

    let ids = PromiseTable.ids(of: table)
    let known = Set(ids)
    #expect(known.count == ids.count && ids.count > 50)
    #expect(ids.filter { claims.tests[$0] == nil } == [], "no test proves these")
    #expect(claims.tests.keys.filter { !known.contains($0) }.sorted() == [], "none is promised")
    #expect(claims.strays == [], "these belong to no test")
    let stale = zip(PromiseTable.lines(table), PromiseTable.lines(filled)).filter { $0 != $1 }
    #expect(
      stale.map(\.0) == [],
      "ATOLL_WRITE_GOLDEN=1 swift test --filter PromiseTableTests rewrites the column")
  }

  private func claims(_ text: String) -> PromiseTable.Claims {
    var claims = PromiseTable.Claims()
    claims.read(SourceTree.Text(path: "a.swift", text))
    return claims
  }

  @Test func promisesBelongToTheTestBelowThem() {
    let claims = claims(
      """
      @Suite(.serialized) struct FirstTests {
        /// Promise: a.one, b.two.
        @Test func first() { func inner() {} }
        @Test func unnamed() {}
        /// Why it is there.
        ///
        /// Promise: a.one,
        /// a.three.
        @MainActor
        @Test(arguments: [
          "///",
        ])
        func second(text: String) {}
      }
      @Suite struct OtherTests {
        /// Promise: b.two.
        @Test func first() {}
      }
      """)
    #expect(
      claims.tests == [
        "a.one": ["FirstTests/first", "FirstTests/second"], "a.three": ["FirstTests/second"],
        "b.two": ["FirstTests/first", "OtherTests/first"],
      ])
    #expect(claims.strays == [])
  }

  @Test func promisesWithoutATestOrAnEndAreStrays() {
    let claims = claims(
      """
      @Suite struct FirstTests {
        /// Promise: a.one.
        func helper() {}
        /// Promise: a.two
        @Test func first() {}
      }
      /// Promise: a.three.
      """)
    #expect(claims.tests.isEmpty)
    #expect(claims.strays == ["a.swift:2", "a.swift:4", "a.swift:7"])
  }

  @Test func theThirdColumnIsFilledIn() {
    let table = """
      # Promises

      | id | promise | tests |
      | --- | --- | --- |
      | `a.one` | It is so. | old |
      | `a.two` | It is not. |  |
      """
    #expect(PromiseTable.ids(of: table) == ["a.one", "a.two"])
    let claims = PromiseTable.Claims(tests: ["a.one": ["B/b", "A/a"]])
    let filled = PromiseTable.filled(table, with: claims)
    #expect(
      Array(PromiseTable.lines(filled).suffix(2)) == [
        "| `a.one` | It is so. | A/a, B/b |", "| `a.two` | It is not. |  |",
      ])
  }
}
