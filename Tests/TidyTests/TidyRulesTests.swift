import TestThreads
import Testing

/// The rules find what they are for: a rule that finds nothing anywhere proves nothing.
@Suite(.computing) struct TidyRulesTests {
  @Test(arguments: [
    "  let bytes = unsafe load(address)", "  @unsafe func lend() {}",
    "  nonisolated(unsafe) let address: Int", "  func read(_ bytes: UnsafeRawBufferPointer) {}",
  ])
  func unsafeIsFoundOutsideItsFolders(line: String) {
    let here = SourceTree.Text(path: "Sources/AtollStorage/Tree/Tree.swift", "\n" + line)
    #expect(TidyRules.unsafeOutsideItsFolders(here) == ["Sources/AtollStorage/Tree/Tree.swift:2"])
    let there = SourceTree.Text(path: "Sources/AtollStorage/Page/Page.swift", line)
    #expect(TidyRules.unsafeOutsideItsFolders(there) == [])
    let comment = SourceTree.Text(path: here.path, "// unsafe here")
    #expect(TidyRules.unsafeOutsideItsFolders(comment) == [])
  }

  @Test(arguments: [
    "let now = Date()", "f(Date.now)", "let x = Int.random(in: 0..<9)",
    "var r = SystemRandomNumberGenerator()",
  ])
  func clockAndRandomnessAreFound(line: String) {
    #expect(TidyRules.clockOrRandomness(SourceTree.Text(path: "a.swift", line)) == ["a.swift:1"])
  }

  @Test func aFunctionThatEndsInDateIsNoClock() {
    let text = SourceTree.Text(path: "a.swift", "let date = scanner.takeDate()")
    #expect(TidyRules.clockOrRandomness(text) == [])
  }

  @Test func randomnessOfTheCallerIsAllowed() {
    let text = SourceTree.Text(path: "a.swift", "let x = Int.random(in: 0..<9, using: &random)")
    #expect(TidyRules.clockOrRandomness(text) == [])
  }

  @Test func aFunctionWhoseErrorMayArriveElsewhereIsFound() {
    let broken = [
      "nonisolated(nonsending) func wait() async throws {",
      "nonisolated(nonsending) func wait(\n  _ count: Int\n) async throws {",
    ]
    for function in broken {
      let text = SourceTree.Text(path: "a.swift", "\n" + function)
      #expect(TidyRules.errorsThatMayArriveElsewhere(text) == ["a.swift:2"])
    }
    let sound = [
      "nonisolated(nonsending) func wait() async {\n  try! f() // throws",
      "func wait(_isolation: isolated (any Actor)? = #isolation) async throws {",
    ]
    for function in sound {
      let text = SourceTree.Text(path: "a.swift", function)
      #expect(TidyRules.errorsThatMayArriveElsewhere(text) == [])
    }
  }

  @Test func leftoversAreFoundAsWords() {
    let mark = "TO" + "DO"
    let text = SourceTree.Text(path: "a.swift", "// \(mark): later\nlet \(mark)s = 1")
    #expect(TidyRules.leftovers(text) == ["a.swift:1"])
  }

  @Test func unfinishedMergesAreFound() {
    let text = SourceTree.Text(
      path: "a.md", "a\n" + "<<<<" + "<<< HEAD\nb\n=======\nc\n" + ">>>>" + ">>> other\n")
    #expect(TidyRules.conflicts(text) == ["a.md:2", "a.md:6"])
  }

  @Test func uncheckedSendableNeedsAReasonNearby() {
    let bare = SourceTree.Text(
      path: "a.swift", "/// A class.\nfinal class A: @unchecked Sendable {}")
    #expect(TidyRules.uncheckedSendableWithoutReason(bare) == ["a.swift:2"])
    let explained = SourceTree.Text(
      path: "a.swift", "// SAFETY: nothing changes.\nextension A: @unchecked Sendable {}")
    #expect(TidyRules.uncheckedSendableWithoutReason(explained) == [])
  }

  @Test func suitesThatDoNotSayOnceWhichThreadsTheyTakeAreFound() {
    let text = SourceTree.Text(
      path: "a.swift",
      """
      @Suite struct A {}
      @Suite(.serialized, .waiting) struct B {}
      @MainActor @Suite(.hangLimit) struct C {}
      @Suite(
        .computing,
        .enabled(if: isPossible)) struct D {}
      @Suite(
        .enabled(if: isPossible)) struct E {}
      @Suite(
        .computing,
        .computing
      )
      struct F {}
      @Suite(.computing, .waiting) struct G {}
      """)
    #expect(
      TidyRules.suitesWithoutThreads(text)
        == ["a.swift:1", "a.swift:3", "a.swift:7", "a.swift:9", "a.swift:14"])
  }

  @Test(arguments: TidyRules.forbiddenWords)
  func forbiddenWordsAreFound(word: String) {
    let text = SourceTree.Text(path: "a.md", "see \(word.uppercased()) there")
    #expect(TidyRules.forbidden(text) == ["a.md:1"])
  }

  @Test func deadLinksAndPathsAreFound() {
    let text = SourceTree.Text(
      path: "a.md",
      """
      # A title, here
      [a](b.md) [b](#a-title-here) [c](#another) [d](c.md) [e](https://example.org)
      `Sources/b` `Sources/c` `Tests/*/Golden` `other`
      ```
      [f](d.md)
      ```
      """)
    let dead = TidyRules.deadLinks(
      text, exists: { ["a.md", "b.md", "Sources/b"].contains($0) },
      headings: { _ in TidyRules.anchors(text) })
    #expect(dead == ["a.md:2: #another", "a.md:2: c.md", "a.md:3: Sources/c"])
  }
}
