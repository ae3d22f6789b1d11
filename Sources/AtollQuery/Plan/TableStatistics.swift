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

  /// The part of the leaves that a scan has to open for `test`.
  func openedPart(_ test: RowTest) -> Double {
    guard !samples.isEmpty else { return 1 }
    let opened = samples.count { test.verdict($0.zones) == .some }
    return Double(opened) / Double(samples.count)
  }
}

extension ColumnTest {
  /// The part of a leaf's rows that pass, if its zone is known and its values are spread evenly.
  func selectivity(in sample: TableStatistics.Sample) -> Double? {
    guard sample.rowCount > 0, let zone = sample.zones.zone(column.id) else { return nil }
    let nullPart = min(1, Double(zone.nullCount) / Double(sample.rowCount))
    guard let ofValues = Self.part(of: zone.bounds, kernel) else { return nil }
    return (1 - nullPart) * ofValues + (kernel.passesNull ? nullPart : 0)
  }

  private static func part(of bounds: Zone.Bounds, _ kernel: ValueKernel) -> Double? {
    switch (bounds, kernel.form) {
    case (.empty, _): return 0
    case (.ints(let least, let greatest), .ints(let set)):
      return part(
        Double(least), Double(greatest), step: 1,
        set.ranges.lazy.map { (Double($0.lowerBound), Double($0.upperBound)) })
    case (.ints(let least, let greatest), .bits(let passesFalse, let passesTrue)):
      if least == greatest { return (least == 0 ? passesFalse : passesTrue) ? 1 : 0 }
      return (passesFalse ? 0.5 : 0) + (passesTrue ? 0.5 : 0)
    case (.ints(let least, let greatest), .dates(let set)):
      return part(
        Double(least), Double(greatest), step: 1,
        set.ranges.lazy.map { (Double($0.lowerBound) / 1e9, Double($0.upperBound) / 1e9) })
    case (.doubles(let least, let greatest, _), .doubles(let ranges, let isComplement)):
      let inside = part(least, greatest, step: 0, ranges.lazy.map { ($0.low, $0.high) })
      return inside.map { isComplement ? 1 - $0 : $0 }
    case (.doubles(let least, let greatest, _), .floats(let ranges, let isComplement)):
      let inside = part(
        least, greatest, step: 0, ranges.lazy.map { (Double($0.low), Double($0.high)) })
      return inside.map { isComplement ? 1 - $0 : $0 }
    case (.prefixes(let least, let greatest), .bytes(let predicate)):
      return part(least, greatest, predicate, kernel)
    default: return nil
    }
  }

  /// The part of the numbers from `least` to `greatest` that lie in ranges, numbers being `step`
  /// apart.
  private static func part(
    _ least: Double, _ greatest: Double, step: Double, _ ranges: some Sequence<(Double, Double)>
  ) -> Double? {
    let span = greatest - least + step
    guard span.isFinite, span >= 0 else { return nil }
    if span == 0 { return ranges.contains { $0.0 <= least && $0.1 >= least } ? 1 : 0 }
    var covered = 0.0
    for (low, high) in ranges {
      let width = min(high, greatest) - max(low, least)
      guard width >= 0 else { continue }
      // Equality with a double: few rows, not none.
      covered += max(width + step, span * 1e-4)
    }
    return min(1, covered / span)
  }

  private static func part(
    _ least: UInt64, _ greatest: UInt64, _ predicate: BytesPredicate, _ kernel: ValueKernel
  ) -> Double? {
    guard predicate.bounds.mayHold(least: least, greatest: greatest) else { return 0 }
    let guess = kernel.predicate.selectivity
    // Of a damaged page they need not be in order.
    guard least < greatest, predicate.isExactlyBounds, predicate.bounds.intervals.count == 1,
      let interval = predicate.bounds.intervals.first, interval.only == nil
    else { return guess }
    let span = Double(greatest - least)
    // Strings that share their first bytes cannot be told apart by these.
    func place(_ bytes: [UInt8]) -> Double {
      Double(min(max(ByteIntervals.prefix(bytes), least), greatest) - least) / span
    }
    return max(0.01, (interval.high.map(place) ?? 1) - place(interval.low))
  }
}
