/// How a query was run, and what it cost.
public struct QueryPlan: Sendable {
  /// One step, and those it is made of.
  public struct Step: Sendable {
    public var text: String
    public var parts: [Step]
  }

  /// The index that led to the objects; nil when the table was scanned.
  public var index: String?
  /// How many objects the index was expected to give, or the table has.
  public var estimatedRowCount: Int
  /// How many objects passed, before SORT, DISTINCT and LIMIT.
  public var matchingRowCount: Int
  /// How many objects the query gives.
  public var resultCount: Int
  /// Objects that were tested.
  public var testedRowCount: Int
  /// Leaves of tables that were looked into, those of linked classes included.
  public var leavesRead: Int
  /// Leaves left out, or answered, by what their parents know of them.
  public var leavesSkipped: Int
  /// The tests of an object.
  public var test: Step
  /// SORT, DISTINCT and LIMIT in their order.
  public var descriptors: [String]
}

extension QueryPlan: CustomStringConvertible {
  public var description: String {
    var lines: [String] = []
    if let index {
      lines.append("index \(index): about \(estimatedRowCount) objects")
    } else {
      lines.append("scan of \(estimatedRowCount) objects")
    }
    // A stack instead of recursion: tests nest as deep as queries do.
    var stack: [(Step, Int)] = [(test, 1)]
    while let (step, depth) = stack.popLast() {
      lines.append(String(repeating: "  ", count: depth) + step.text)
      for part in step.parts.reversed() { stack.append((part, depth + 1)) }
    }
    lines += descriptors
    lines.append(
      "\(resultCount) objects (\(matchingRowCount) passed); \(testedRowCount) tested; "
        + "\(leavesRead) leaves read, \(leavesSkipped) skipped")
    return lines.joined(separator: "\n")
  }
}
