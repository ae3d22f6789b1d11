/// The rules of sync, as `Sources/AtollSync/Rules.md` lists them, their tests and their mutants.
///
/// A rule has a heading and, in its section, two sentences that begin a line and end one:
///
///     ## R12 Batches carry values
///
///     Tests: ClientBatchTests/readAtNeverDecreases.
///     Mutants: r12-any-from, r12-wrong-from.
///
/// A mutant is a file of `Tests/Mutants`, which says what it breaks: see README.md there.
enum RuleTable {
  static let path = "Sources/AtollSync/Rules.md"
  static let mutantFolder = "Tests/Mutants"
  static let mutantEnding = ".patch"

  // MARK: Rules

  struct Rule: Equatable {
    let number: Int
    let title: String
    /// Each as `Suite/function`; nil when there is no such sentence, or it has no end.
    var tests: [String]?
    /// Names of files without their ending; nil as for tests.
    var mutants: [String]?

    var id: String { "R\(number)" }
  }

  /// The rules of a document, in its order.
  static func rules(of document: SourceTree.Text) -> [Rule] {
    var rules: [Rule] = []
    var open: String?
    for line in document.lines {
      if line.hasPrefix("#") {
        open = nil
        if let rule = rule(heading: line) { rules.append(rule) }
        continue
      }
      if line.hasPrefix("Tests: ") || line.hasPrefix("Mutants: ") {
        open = String(line)
      } else if let begun = open {
        open = line.isEmpty ? nil : "\(begun) \(line)"
      }
      guard let sentence = open, sentence.hasSuffix("."), !rules.isEmpty else { continue }
      let names = names(in: sentence)
      if sentence.hasPrefix("Tests: ") {
        rules[rules.count - 1].tests = names
      } else {
        rules[rules.count - 1].mutants = names
      }
      open = nil
    }
    return rules
  }

  /// The rule that a heading begins, such as `## R12 Batches carry values`; nil for others.
  private static func rule(heading line: Substring) -> Rule? {
    guard line.hasPrefix("## ") else { return nil }
    let words = line.dropFirst(3).split(separator: " ", maxSplits: 1)
    guard words.count == 2, let number = ruleNumber(words[0]) else { return nil }
    return Rule(number: number, title: String(words[1]))
  }

  /// The names in a sentence such as `Tests: A/b, C/d.`, without names in `Mutants: none.`.
  private static func names(in sentence: String) -> [String] {
    let list = sentence.drop { $0 != ":" }.dropFirst().dropLast()
    let names = list.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    return names == ["none"] ? [] : names
  }

  /// The number in a word like R12; nil for other words.
  private static func ruleNumber(_ word: Substring) -> Int? {
    guard word.first == "R", word.dropFirst().allSatisfy(\.isNumber) else { return nil }
    return Int(word.dropFirst())
  }

  // MARK: Comments

  /// The rules that comments of a Swift file name, each with its place.
  static func rulesInComments(of text: SourceTree.Text) -> [(number: Int, place: String)] {
    guard text.path.hasSuffix(".swift"), text.mentions((1...9).map { "R\($0)" }) else { return [] }
    var found: [(number: Int, place: String)] = []
    for (index, line) in text.lines.enumerated() {
      guard let comment = line.firstRange(of: "//") else { continue }
      let words = line[comment.upperBound...].split {
        !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-"
      }
      for number in words.compactMap(ruleNumber) {
        found.append((number, "\(text.path):\(index + 1)"))
      }
    }
    return found
  }

  // MARK: Tests

  /// The tests of a Swift file, each as `Suite/function`.
  static func tests(in text: SourceTree.Text) -> Set<String> {
    guard text.path.hasSuffix(".swift"), text.mentions(["@Test"]) else { return [] }
    var tests: Set<String> = []
    var suite: Substring = ""
    var isTest = false
    for line in text.lines {
      if let first = line.first, first != " ",
        let declaration = line.firstMatch(of: /\b(?:struct|class|extension) (\w+)/)
      {
        suite = declaration.1
      }
      let code = line.drop { $0 == " " }
      guard !code.hasPrefix("//") else { continue }
      if code.hasPrefix("@"), code.contains("@Test") { isTest = true }
      guard isTest, let function = code.firstMatch(of: /\bfunc (\w+)/) else { continue }
      tests.insert("\(suite)/\(function.1)")
      isTest = false
    }
    return tests
  }

  // MARK: Mutants

  struct Mutant: Equatable {
    /// That of the file, without its ending.
    let name: String
    /// The rule of sync that it breaks; empty for bugs elsewhere.
    var rule = ""
    /// What the head says; empty where it says nothing.
    var bug = ""
    var finder = ""
    let diff: UnifiedDiff

    /// Whether it changes what the rules are about.
    var isOfSync: Bool { diff.files.contains { $0.path.hasPrefix("Sources/AtollSync/") } }

    init(_ text: SourceTree.Text) {
      let file = text.path.split(separator: "/").last ?? ""
      name = String(file.hasSuffix(mutantEnding) ? file.dropLast(mutantEnding.count) : file)
      let lines = text.lines
      let head = lines.prefix { !$0.hasPrefix("diff ") }
      diff = UnifiedDiff(lines.dropFirst(head.count))
      for line in head {
        if line.hasPrefix("Rule: ") { rule = String(line.dropFirst(6)) }
        if line.hasPrefix("Bug: ") { bug = String(line.dropFirst(5)) }
        if line.hasPrefix("Found by: ") { finder = String(line.dropFirst(10)) }
      }
    }
  }

  /// What is wrong with the heads of mutants.
  static func headProblems(_ mutants: [Mutant]) -> [String] {
    var problems: [String] = []
    for mutant in mutants {
      if mutant.bug.first?.isUppercase != true || !mutant.bug.hasSuffix(".") {
        problems.append("\(mutant.name): the bug is no sentence")
      }
      let commands = ["simulate ", "swift test --filter "]
      if !commands.contains(where: { mutant.finder.hasPrefix($0) && mutant.finder != $0 }) {
        problems.append("\(mutant.name): it is found by no simulation and no test")
      }
    }
    return problems
  }

  /// Where rules and mutants do not name each other.
  static func mismatches(_ rules: [Rule], _ mutants: [Mutant]) -> [String] {
    var problems: [String] = []
    var naming: [String: [String]] = [:]
    for rule in rules {
      for name in rule.mutants ?? [] { naming[name, default: []].append(rule.id) }
    }
    let ids = Set(rules.map(\.id))
    for mutant in mutants {
      let named = naming.removeValue(forKey: mutant.name) ?? []
      if mutant.rule.isEmpty, named.isEmpty, !mutant.isOfSync { continue }
      guard ids.contains(mutant.rule) else {
        problems.append("\(mutant.name) breaks '\(mutant.rule)', which is no rule")
        continue
      }
      guard named != [mutant.rule] else { continue }
      let names = named.isEmpty ? "no rule" : named.joined(separator: ", ")
      problems.append("\(mutant.name) breaks \(mutant.rule) and is named by \(names)")
    }
    for (name, named) in naming.sorted(by: { $0.key < $1.key }) {
      problems.append("\(named.joined(separator: ", ")): there is no mutant \(name)")
    }
    return problems
  }
}
