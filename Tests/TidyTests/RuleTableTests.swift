import Foundation
import TestSupport
import TestThreads
import Testing

/// Each rule of sync that a comment names is written down, with its tests and its mutants.
@Suite(.computing) struct RuleTableTests {
  private static func rules() throws -> [RuleTable.Rule] {
    try SourceTree.texts(RuleTable.path).flatMap(RuleTable.rules)
  }

  private static func mutants() throws -> [RuleTable.Mutant] {
    let folder = "\(GoldenFiles.packageFolder)/\(RuleTable.mutantFolder)"
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(RuleTable.mutantEnding) }.sorted()
      .flatMap { try SourceTree.texts("\(RuleTable.mutantFolder)/\($0)") }
      .map(RuleTable.Mutant.init)
  }

  // MARK: The project

  @Test func rulesAreNumberedInTheirOrder() throws {
    let rules = try Self.rules()
    #expect(rules.count > 20)
    #expect(rules.map(\.number) == Array(1...max(1, rules.count)))
    let incomplete = rules.filter { $0.tests?.isEmpty ?? true || $0.mutants == nil }
    #expect(incomplete.map(\.id) == [], "these name no tests, or do not tell their mutants")
  }

  @Test func rulesThatCommentsNameExist() throws {
    let known = Set(try Self.rules().map(\.number))
    let named = try ["Sources", "Tests"].flatMap(SourceTree.texts)
      .flatMap(RuleTable.rulesInComments)
    #expect(named.count > 50)
    #expect(named.filter { !known.contains($0.number) }.map(\.place) == [])
  }

  @Test func testsThatRulesNameExist() throws {
    let tests = Set(try SourceTree.texts("Tests").flatMap(RuleTable.tests))
    #expect(tests.count > 1_000)
    for rule in try Self.rules() {
      let missing = (rule.tests ?? []).filter { !tests.contains($0) }
      #expect(missing == [], "\(rule.id)")
    }
  }

  @Test func rulesAndMutantsNameEachOther() throws {
    let mutants = try Self.mutants()
    #expect(mutants.count > 50)
    #expect(RuleTable.mismatches(try Self.rules(), mutants) == [])
    #expect(RuleTable.headProblems(mutants) == [])
  }

  @Test func everyMutantCanBeApplied() throws {
    for mutant in try Self.mutants() {
      let problems = try mutant.diff.problems { try SourceTree.texts($0).first?.lines }
      #expect(
        problems == [],
        "\(mutant.name): apply it by hand, and write `git diff` under its head")
    }
  }

  // MARK: What the checks find

  private static let document = SourceTree.Text(
    path: "Rules.md",
    """
    # Rules

    Tests: Nothing/here.

    ## Terms

    ## R1 Numbers

    Text. Tests: none of this.

    Tests: A/b,
    C/d.
    Mutants: r1-one, r1-two.

    ## R3 Others

    Tests: A/b

    Mutants: none.
    """)

  @Test func rulesAreRead() {
    #expect(
      RuleTable.rules(of: Self.document) == [
        RuleTable.Rule(
          number: 1, title: "Numbers", tests: ["A/b", "C/d"], mutants: ["r1-one", "r1-two"]),
        RuleTable.Rule(number: 3, title: "Others", tests: nil, mutants: []),
      ])
  }

  @Test func rulesInCommentsAreFound() {
    // Not written as one text: the lines would be comments of this file.
    let lines = [
      "let r = 1  // (R" + "1, R" + "22)", "/// R" + "3: of a rule", "let R" + "4 = 2",
      "// r19-leak, FR" + "5, R, R6x, R" + "7-x, XR",
    ]
    let text = SourceTree.Text(path: "a.swift", lines.joined(separator: "\n"))
    let found = RuleTable.rulesInComments(of: text)
    #expect(found.map(\.number) == [1, 22, 3])
    #expect(found.map(\.place) == ["a.swift:1", "a.swift:1", "a.swift:2"])
    let other = SourceTree.Text(path: "a.md", lines.joined(separator: "\n"))
    #expect(RuleTable.rulesInComments(of: other).isEmpty)
  }

  @Test func testsAreFoundInTheirSuites() {
    let text = SourceTree.Text(
      path: "a.swift",
      """
      @Suite(.computing) struct FirstTests {
        @Test func first() { func inner() {} }
        func helper() {}
        // @Test func unused() {}
        @MainActor
        @Test(arguments: [
          1,
        ])
        func second(number: Int) {}
      }
      private struct World {
        func run() {}
      }
      extension FirstTests {
        @Test(arguments: [1]) func third(number: Int) {}
      }
      """)
    #expect(
      RuleTable.tests(in: text) == ["FirstTests/first", "FirstTests/second", "FirstTests/third"])
  }

  private static func mutant(
    _ name: String, _ rule: String, of file: String = "One.swift"
  ) -> RuleTable.Mutant {
    RuleTable.Mutant(
      SourceTree.Text(
        path: "Tests/Mutants/\(name).patch",
        """
        \(rule.isEmpty ? "" : "Rule: \(rule)")
        Bug: Numbers are used twice.
        Found by: simulate sync --seeds 9

        diff --git a/\(file) b/\(file)
        --- a/\(file)
        +++ b/\(file)
        @@ -1 +1 @@
        -one
        +two
        """))
  }

  @Test func mutantsAreRead() {
    let mutant = Self.mutant("r1-one", "R1")
    #expect(mutant.name == "r1-one" && mutant.rule == "R1")
    #expect(mutant.bug == "Numbers are used twice.")
    #expect(mutant.finder == "simulate sync --seeds 9")
    #expect(mutant.diff.files.map(\.path) == ["One.swift"])
    #expect(mutant.diff.files.first?.hunks.first?.new == ["two"])
    #expect(RuleTable.headProblems([mutant]) == [])
  }

  @Test func headsThatSayTooLittleAreFound() {
    var mutant = Self.mutant("r1-one", "R1")
    mutant.bug = "no sentence"
    mutant.finder = "simulate "
    #expect(
      RuleTable.headProblems([mutant]) == [
        "r1-one: the bug is no sentence", "r1-one: it is found by no simulation and no test",
      ])
    mutant.bug = ""
    mutant.finder = "swift test --filter JudgeTests"
    #expect(RuleTable.headProblems([mutant]) == ["r1-one: the bug is no sentence"])
  }

  @Test func rulesAndMutantsThatDoNotFitAreFound() {
    let rules = RuleTable.rules(of: Self.document)
    let one = Self.mutant("r1-one", "R1")
    let two = Self.mutant("r1-two", "R1")
    #expect(RuleTable.mismatches(rules, [one, two]) == [])
    #expect(RuleTable.mismatches(rules, [one]) == ["R1: there is no mutant r1-two"])
    #expect(
      RuleTable.mismatches(rules, [one, Self.mutant("r1-two", "R3")])
        == ["r1-two breaks R3 and is named by R1"])
    #expect(
      RuleTable.mismatches(rules, [one, two, Self.mutant("three", "R3")])
        == ["three breaks R3 and is named by no rule"])
    #expect(
      RuleTable.mismatches(rules, [one, two, Self.mutant("four", "R2")])
        == ["four breaks 'R2', which is no rule"])
    // Bugs that are none of sync break none of its rules.
    let storage = Self.mutant("five", "", of: "Sources/AtollStorage/One.swift")
    #expect(storage.rule.isEmpty && RuleTable.mismatches(rules, [one, two, storage]) == [])
    #expect(
      RuleTable.mismatches(rules, [one, two, Self.mutant("r1-six", "", of: "Sources/AtollSync/A")])
        == ["r1-six breaks '', which is no rule"])
    #expect(
      RuleTable.mismatches(rules + rules, [one, two])
        == [
          "r1-one breaks R1 and is named by R1, R1", "r1-two breaks R1 and is named by R1, R1",
        ])
  }
}
