/// The report of a simulation of single cases.
struct CaseReport: Sendable {
  /// What came of one case.
  struct Result {
    let number: UInt64
    var flags: [Bool] = []
    var violation: String?
    /// Whether the case was not counted before.
    var isNew = true
  }

  let kind: CaseSimulation.Kind
  let numbers: Range<UInt64>
  let planted: PlantedCaseBug?
  private(set) var caseCount = 0
  /// How many cases have each flag, in the order of the kind's columns.
  private(set) var flagCounts: [Int]
  /// In order of their numbers.
  private(set) var violations: [(number: UInt64, message: String)] = []
  /// The case in which each planted bug was found; nil where it was in none.
  var plantedBugs: [PlantedCaseBug: UInt64?] = [:]

  init(kind: CaseSimulation.Kind, numbers: Range<UInt64>, planted: PlantedCaseBug?) {
    self.kind = kind
    self.numbers = numbers
    self.planted = planted
    flagCounts = Array(repeating: 0, count: kind.columns.count)
  }

  mutating func add(_ result: Result) {
    if result.isNew { caseCount += 1 }
    for (column, flag) in zip(flagCounts.indices, result.flags) where flag {
      flagCounts[column] += 1
    }
    if let message = result.violation {
      violations.append((result.number, message))
      violations.sort { $0.number < $1.number }
    }
  }

  /// Whether nothing was wrong, and every bug that was planted was found.
  var isSound: Bool {
    violations.isEmpty && caseCount == numbers.count && foundCount == plantedBugs.count
  }

  private var foundCount: Int { plantedBugs.values.count { $0 != nil } }

  /// What people want to know beside the summary.
  var details: [String] {
    var lines: [String] = []
    for (number, message) in violations.prefix(20) {
      let bug = planted.map { " --planted \($0.rawValue)" } ?? ""
      lines.append("violation: case \(number) \(message)")
      lines.append(
        "  replay: swift run simulate \(kind.name) --count 1 --seed \(number)\(bug)")
    }
    if violations.count > 20 { lines.append("and \(violations.count - 20) more") }
    if caseCount < numbers.count { lines.append("stopped after \(caseCount) cases") }
    for bug in PlantedCaseBug.allCases {
      guard let found = plantedBugs[bug] else { continue }
      let place = found.map { "found: case \($0)" } ?? "NOT FOUND"
      lines.append("planted bug \(bug.rawValue) \(place)")
    }
    return lines
  }

  /// One line for people.
  var summary: String {
    let flags = zip(kind.columns, flagCounts).map { "\($0) \($1)" }.joined(separator: ", ")
    let line =
      "\(kind.name) \(caseCount), \(flags), traps \(count("traps")), "
      + "hangs \(count("hangs")), violations \(violations.count)"
    guard !plantedBugs.isEmpty else { return line }
    return line + ", planted bugs found \(foundCount) of \(plantedBugs.count)"
  }

  /// One line for programs.
  var json: String {
    let flags = zip(kind.columns, flagCounts).map { "\"\($0)\":\($1)," }.joined()
    let violations = violations.map {
      "{\"seed\":\($0.number),\"message\":\(jsonQuoted($0.message))}"
    }
    let bugs = PlantedCaseBug.allCases.compactMap { bug in
      plantedBugs[bug].map { "\"\(bug.rawValue)\":\($0 != nil)" }
    }
    return "{\"firstSeed\":\(numbers.lowerBound),\"count\":\(caseCount),\(flags)"
      + "\"violations\":[\(violations.joined(separator: ","))],"
      + "\"plantedBugsFound\":{\(bugs.joined(separator: ","))}}"
  }

  private func count(_ word: String) -> Int {
    violations.count { $0.message.hasPrefix(word) }
  }
}
