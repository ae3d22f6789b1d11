import TestThreads
import Testing

/// Diffs are read as git writes them, and one that does not fit its files is found.
@Suite(.computing) struct UnifiedDiffTests {
  private static func diff(_ text: String) -> UnifiedDiff {
    UnifiedDiff(text.split(separator: "\n", omittingEmptySubsequences: false))
  }

  /// The problems of a diff with files of these lines, each a letter.
  private static func problems(_ text: String, _ files: [String: String]) -> [String] {
    diff(text).problems { path in files[path].map(lines) }
  }

  private static func lines(_ letters: String) -> [Substring] {
    letters.map { Substring(String($0)) }
  }

  private static let twoHunks = """
    diff --git a/A.swift b/A.swift
    index 1111111..2222222 100644
    --- a/A.swift
    +++ b/A.swift
    @@ -2,3 +2,2 @@ struct A {
     b
    -c
     d
    @@ -6,2 +5,3 @@
     f
    +-- x
     g
    """

  @Test func filesAndHunksAreRead() throws {
    let diff = Self.diff(
      Self.twoHunks + """

        diff --git a/B.swift b/B.swift
        --- a/B.swift
        +++ b/B.swift
        @@ -1 +1 @@
        --- a
        +++ b
        \\ No newline at end of file
        """)
    #expect(diff.files.map(\.path) == ["A.swift", "B.swift"])
    let first = try #require(diff.files.first?.hunks)
    #expect(first.map(\.line) == [2, 6])
    #expect(first.map(\.old) == [["b", "c", "d"], ["f", "g"]])
    #expect(first.map(\.new) == [["b", "d"], ["f", "-- x", "g"]])
    let second = try #require(diff.files.last?.hunks)
    #expect(second.map(\.old) == [["-- a"]])
    #expect(second.map(\.new) == [["++ b"]])
    let hunks = first + second
    #expect(hunks.allSatisfy { $0.isWhole })
  }

  @Test func whatFitsHasNoProblems() {
    #expect(Self.problems(Self.twoHunks, ["A.swift": "abcdefg"]) == [])
  }

  @Test func linesThatMovedAreFoundWhereTheyAreOnce() {
    #expect(Self.problems(Self.twoHunks, ["A.swift": "xxxabcdxfg"]) == [])
    // At its line, it does not matter where else they are.
    #expect(Self.problems(Self.twoHunks, ["A.swift": "abcdefgbcd"]) == [])
    #expect(
      Self.problems(Self.twoHunks, ["A.swift": "xabcdbcdfg"])
        == ["A.swift, hunk 1: its lines are in 2 places, and not at line 2"])
  }

  @Test func aHunkThatDoesNotFitIsNamed() {
    #expect(
      Self.problems(Self.twoHunks, ["A.swift": "abcdefx"])
        == ["A.swift, hunk 2: its lines are not in the file"])
    #expect(
      Self.problems(Self.twoHunks, ["A.swift": "abd"])
        == [
          "A.swift, hunk 1: its lines are not in the file",
          "A.swift, hunk 2: its lines are not in the file",
        ])
    #expect(Self.problems(Self.twoHunks, [:]) == ["A.swift is not there"])
  }

  @Test(arguments: ["@@ -2,3 +2,3 @@", "@@ -2,4 +2,2 @@", "@@ -2,2 +2,2 @@"])
  func aHunkWithOtherLinesThanItSaysIsNamed(header: String) {
    let text = Self.twoHunks.replacing("@@ -2,3 +2,2 @@", with: header)
    #expect(
      Self.problems(text, ["A.swift": "abcdefg"])
        == ["A.swift, hunk 1: it has more or fewer lines than it says"])
  }

  @Test func aDiffWithoutAChangeIsNamed() {
    #expect(Self.problems("Rule: R1\n", [:]) == ["it changes nothing"])
    let context = "--- a/A.swift\n+++ b/A.swift\n@@ -1,2 +1,2 @@\n a\n b"
    #expect(
      Self.problems(context, ["A.swift": "ab"]) == ["A.swift, hunk 1: it changes nothing"])
  }
}
