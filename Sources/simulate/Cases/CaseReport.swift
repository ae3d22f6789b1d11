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
  private(set) var caseCount = 0
  /// How many cases have each flag, in the order of the kind's columns.
  private(set) var flagCounts: [Int]
  /// In order of their numbers.
  private(set) var violations: [(number: UInt64, message: String)] = []

  init(kind: CaseSimulation.Kind, numbers: Range<UInt64>) {
    self.kind = kind
    self.numbers = numbers
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

  /// Whether every case was run, and nothing was wrong.
  var isSound: Bool { violations.isEmpty && caseCount == numbers.count }

  /// What people want to know beside the summary.
  var details: [String] {
    var lines: [String] = []
    for (number, message) in violations.prefix(20) {
      lines.append("violation: case \(number) \(message)")
      lines.append("  replay: swift run simulate \(kind.name) --count 1 --seed \(number)")
    }
    if violations.count > 20 { lines.append("and \(violations.count - 20) more") }
    if caseCount < numbers.count { lines.append("stopped after \(caseCount) cases") }
    return lines
  }

  /// One line for people.
  var summary: String {
    let flags = zip(kind.columns, flagCounts).map { "\($0) \($1)" }.joined(separator: ", ")
    return "\(kind.name) \(caseCount), \(flags), traps \(count("traps")), "
      + "hangs \(count("hangs")), violations \(violations.count)"
  }

  /// One line for programs.
  var json: String {
    let flags = zip(kind.columns, flagCounts).map { "\"\($0)\":\($1)," }.joined()
    let violations = violations.map {
      "{\"seed\":\($0.number),\"message\":\(jsonQuoted($0.message))}"
    }
    return "{\"firstSeed\":\(numbers.lowerBound),\"count\":\(caseCount),\(flags)"
      + "\"violations\":[\(violations.joined(separator: ","))]}"
  }

  private func count(_ word: String) -> Int {
    violations.count { $0.message.hasPrefix(word) }
  }
}
