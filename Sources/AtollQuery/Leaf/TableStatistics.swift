internal import AtollObjects
internal import AtollStorage

/// What the branches of a table's tree tell of its objects: the zone maps of some of its leaves.
///
/// A few dozen leaves are taken, evenly spread; no leaf is opened. Cost: some microseconds.
struct TableStatistics {
  /// A leaf that stands for its neighbours.
  struct Sample {
    let rowCount: Int
    let zones: Zones
  }

  /// Empty when the table has one leaf, of which no branch tells.
  let samples: [Sample]
  let rowCount: Int
  /// The leaves of the table, about.
  let leafCount: Double
  /// The samples lie in these.
  private let branches: [BranchPage]

  private static let sampleLimit = 32
  private static let branchLimit = 8

  /// - Throws: `.corrupted` when a branch is damaged.
  init(_ table: Table) throws(StorageError) {
    let tree = table.tree
    rowCount = table.count
    var branches: [BranchPage] = []
    var samples: [Sample] = []
    let height = Int(tree.root.height)
    if height > 0, !tree.root.reference.isNone {
      let root = try tree.branch(tree.root.reference, level: height)
      if height == 1 {
        branches = [root]
      } else {
        for index in Self.spread(Self.branchLimit, over: root.count) {
          var branch = root
          var child = index
          while branch.level > 1 {
            branch = try tree.branch(branch.reference(child), level: branch.level - 1)
            child = branch.count / 2
          }
          branches.append(branch)
        }
      }
      for branch in branches {
        for index in Self.spread(Self.sampleLimit / branches.count, over: branch.count) {
          let summary = branch.summary(index)
          guard !summary.isEmpty else { continue }
          samples.append(
            Sample(rowCount: Int(clamping: branch.entryCount(index)), zones: Zones(summary)))
        }
      }
    }
    self.branches = branches
    self.samples = samples
    let sampled = samples.reduce(0) { $0 + $1.rowCount }
    leafCount =
      sampled > 0
      ? max(1, Double(rowCount) * Double(samples.count) / Double(sampled)) : 1
  }

  var rowsPerLeaf: Double { Double(rowCount) / leafCount }

  /// At most `limit` numbers below `count`, evenly spread.
  private static func spread(_ limit: Int, over count: Int) -> [Int] {
    let number = min(limit, count)
    return (0..<number).map { ($0 * 2 + 1) * count / (number * 2) }
  }

  /// The mean of an estimate over the sampled leaves, each weighed by its rows.
  ///
  /// Nil when there are no samples, or one of them has no answer.
  func mean(_ estimate: (Sample) -> Double?) -> Double? {
    var sum = 0.0
    var rows = 0.0
    for sample in samples {
      guard let value = estimate(sample) else { return nil }
      sum += value * Double(sample.rowCount)
      rows += Double(sample.rowCount)
    }
    return rows > 0 ? sum / rows : nil
  }
}
