/// How a query was run, and what it cost.
///
/// A tree of steps: the last step, which gives the result, is at the top, and below each step are
/// those that it takes its objects from. A step that filters leaves has below it the tests, in the
/// order in which they are made. Printed, it is one line a step:
///
///     SORT by score DESC, the first 20 are kept  20 objects, expected 20; 1.300 ms
///       scan of 'Person'     99 785 objects, expected 100 000; 1 975 leaves read, 14 skipped; …
///         'age' >= 90        99 785 of 1 000 000 objects, expected 100 000; 0.600 ms
///
/// *Expected* is what the planner thought before anything was read, from the counts in the branches
/// of indexes and from zone maps; the first number is what came. Leaves are pages of a table or of
/// an index, those of linked classes included; a leaf is skipped when its zone map says that none,
/// or all, of its objects pass; a sort may read a leaf several times, for the keys that few bits do
/// not tell of. The time of a filter includes that of the tests below it; no other time includes
/// another. Noting all that makes the query slower than it is without.
public struct QueryPlan: Sendable {
  /// One step, and those it is made of.
  public struct Step: Sendable {
    /// What the step does.
    public var text: String
    /// How many objects it was expected to give; nil when that was not estimated.
    public var expectedRowCount: Int?
    /// How many objects it gave.
    public var rowCount: Int?
    /// How many objects a test looked at; nil for steps that are no tests.
    public var testedRowCount: Int?
    /// How many times a leaf was scanned or visited; a filter counts those of its tests too.
    ///
    /// Not counted are the leaves of full-text indexes, and those in which single objects behind
    /// links are looked up.
    public var leavesRead = 0
    /// How many leaves were left out by their zone maps.
    public var leavesSkipped = 0
    /// How long the step took; zero for a step that was not measured.
    public var time = Duration.zero
    /// What the step takes its objects from, or is made of.
    public var parts: [Step] = []

    /// A step that is made of others, or of nothing that is asked.
    package init(text: String, rowCount: Int? = nil, parts: [Step] = []) {
      self.text = text
      self.rowCount = rowCount
      self.parts = parts
    }

    init(
      text: String, expectedRowCount: Int?, rowCount: Int?, testedRowCount: Int? = nil,
      leavesRead: Int = 0, leavesSkipped: Int = 0, time: Duration = .zero, parts: [Step] = []
    ) {
      self.init(text: text, rowCount: rowCount, parts: parts)
      self.expectedRowCount = expectedRowCount
      self.testedRowCount = testedRowCount
      self.leavesRead = leavesRead
      self.leavesSkipped = leavesSkipped
      self.time = time
    }
  }

  /// The step that gives the result.
  public var root: Step
  /// The indexes that led to the objects, as `Class.property`, or `Class.(first, second)` for one of
  /// several; empty when the table was scanned.
  public var indexes: [String]
  /// How many objects the indexes were expected to give, or the table has.
  public var estimatedRowCount: Int
  /// How many objects passed, before SORT, DISTINCT and LIMIT.
  public var matchingRowCount: Int
  /// How many objects the query gives.
  public var resultCount: Int
  /// Objects that were tested.
  public var testedRowCount: Int
  /// Leaves that were looked into, each time; those of indexes and of linked classes included.
  public var leavesRead: Int
  /// Leaves left out, or answered, by what their parents know of them.
  public var leavesSkipped: Int
}

extension QueryPlan {
  /// A plan for objects that no query finds, as those of a list.
  ///
  /// `count`: how many there are.
  package init(_ root: Step, count: Int) {
    self.init(
      root: root, indexes: [], estimatedRowCount: count, matchingRowCount: count,
      resultCount: count, testedRowCount: 0, leavesRead: 0, leavesSkipped: 0)
  }
}

extension QueryPlan: CustomStringConvertible {
  /// The tree, one line a step, and a line of sums.
  public var description: String {
    var lines: [(text: String, figures: String)] = []
    // A stack instead of recursion: tests nest as deep as queries do.
    var stack: [(Step, Int)] = [(root, 0)]
    while let (step, depth) = stack.popLast() {
      lines.append((String(repeating: "  ", count: depth) + step.text, step.figures))
      for part in step.parts.reversed() { stack.append((part, depth + 1)) }
    }
    let width = min(72, lines.map(\.text.count).max() ?? 0)
    var text = ""
    for line in lines {
      let padding = String(repeating: " ", count: max(0, width - line.text.count))
      text += line.figures.isEmpty ? line.text : line.text + padding + "  " + line.figures
      text += "\n"
    }
    return text
      + "\(Step.digits(resultCount)) \(Step.objects(resultCount)); "
      + "\(Step.digits(testedRowCount)) tested; \(Step.leaves(leavesRead, leavesSkipped))"
  }
}

extension QueryPlan.Step {
  /// What is printed behind the text.
  fileprivate var figures: String {
    var parts: [String] = []
    if let rowCount {
      let tested = testedRowCount.map { " of \(Self.digits($0))" } ?? ""
      let expected = expectedRowCount.map { ", expected \(Self.digits($0))" } ?? ""
      let objects = Self.objects(testedRowCount ?? rowCount)
      parts.append("\(Self.digits(rowCount))\(tested) \(objects)\(expected)")
    }
    if leavesRead > 0 || leavesSkipped > 0 {
      parts.append(Self.leaves(leavesRead, leavesSkipped))
    }
    if time > .zero { parts.append(Self.milliseconds(time)) }
    return parts.joined(separator: "; ")
  }

  fileprivate static func objects(_ count: Int) -> String { count == 1 ? "object" : "objects" }

  fileprivate static func leaves(_ read: Int, _ skipped: Int) -> String {
    "\(digits(read)) \(read == 1 ? "leaf" : "leaves") read, \(digits(skipped)) skipped"
  }

  /// A number with its digits in groups: `1 234 567`.
  fileprivate static func digits(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += " " }
      text.append(digit)
    }
    return text
  }

  /// A time in milliseconds: `0.012 ms`.
  private static func milliseconds(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let fraction = String(microseconds % 1000)
    let zeros = String(repeating: "0", count: 3 - fraction.count)
    return "\(microseconds / 1000).\(zeros)\(fraction) ms"
  }
}
