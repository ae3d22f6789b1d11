internal import AtollObjects

/// Passes rows whose value in a plain column passes a predicate.
final class ColumnTest: RowTest {
  let column: Column
  let compiled: CompiledPredicate
  /// The part of the rows that pass, when an index or zone maps tell.
  var knownSelectivity: Double?
  private let execution: Execution

  init(_ column: Column, _ predicate: ValuePredicate, _ execution: Execution) {
    self.column = column
    compiled = CompiledPredicate(predicate, column.layout)
    self.execution = execution
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    if !compiled.isVectorised {
      let view = try leaf.column(column)
      try rows.filter { try execution.matches(compiled, view.value($0)) }
      return
    }
    let passed = execution.selections.take()
    defer { execution.selections.give(passed) }
    try select(leaf, active: rows, passed)
    rows.formIntersection(passed)
  }

  override func count(in leaf: Leaf, _ scratch: Selection) throws -> Int {
    guard compiled.isVectorised else { return try super.count(in: leaf, scratch) }
    switch compiled.form {
    case .ints(let set) where set.ranges.count == 1:
      if let ints = try leaf.ints(column.id), ints.validity == nil {
        return IntScan.count(ints.values, set.ranges[0])
      }
    case .dates where wholeSeconds.ranges.count == 1:
      if let seconds = try leaf.ints(column.id), seconds.validity == nil,
        try hasWholeSeconds(leaf)
      {
        return IntScan.count(seconds.values, wholeSeconds.ranges[0])
      }
    case .doubles(let ranges, false) where ranges.count == 1:
      if let doubles = try leaf.doubles(column.id), doubles.validity == nil {
        return FloatScan.count(doubles.values, ranges[0])
      }
    default: break
    }
    try select(leaf, active: nil, scratch)
    return scratch.trueCount
  }

  /// The whole seconds among the moments that pass, for a column of dates.
  private lazy var wholeSeconds: IntervalSet<Int64> =
    if case .dates(let set) = compiled.form { DateCode.wholeSeconds(set) } else { .empty }

  private func hasWholeSeconds(_ leaf: Leaf) throws -> Bool {
    guard let nanoseconds = try leaf.nanoseconds(column.id)?.values else { return true }
    return nanoseconds.width == 0 && nanoseconds.base == 0 && nanoseconds.stride == 0
  }

  /// Sets the bits of the rows that pass.
  private func select(_ leaf: Leaf, active: Selection?, _ out: Selection) throws {
    // The vectors alone where they tell everything.
    switch compiled.form {
    case .ints(let set):
      if let ints = try leaf.ints(column.id) {
        IntScan.select(ints.values, set, out)
        if let validity = ints.validity { out.setNulls(validity, compiled.passesNull) }
        return
      }
    case .bits(let passesFalse, let passesTrue):
      if let bits = try leaf.bits(column.id) {
        CompiledPredicate.select(bits.values, passesFalse, passesTrue, out)
        if let validity = bits.validity { out.setNulls(validity, compiled.passesNull) }
        return
      }
    case .dates:
      if let seconds = try leaf.ints(column.id), try hasWholeSeconds(leaf) {
        IntScan.select(seconds.values, wholeSeconds, out)
        if let validity = seconds.validity { out.setNulls(validity, compiled.passesNull) }
        return
      }
    case .doubles(let ranges, let isComplement):
      if let doubles = try leaf.doubles(column.id) {
        FloatScan.select(doubles.values, ranges, out)
        if isComplement { out.invert() }
        if let validity = doubles.validity { out.setNulls(validity, compiled.passesNull) }
        return
      }
    case .bytes(let predicate):
      if let bytes = try leaf.bytes(column.id) {
        try BytesScan.select(
          bytes.values, predicate, active: active, out, execution.selections)
        if let validity = bytes.validity { out.setNulls(validity, compiled.passesNull) }
        return
      }
    default: break
    }
    let view = try leaf.column(column)
    try compiled.select(view.values, active: active, out, execution.selections)
    if let external = view.values.external {
      for record in 0..<external.count {
        let row = external.index(record)
        if active?[row] ?? true { out[row] = try execution.matches(compiled, view.value(row)) }
      }
    }
  }

  override var needsRowGroup: Bool { false }

  // MARK: Zone maps

  override func verdict(_ zones: Zones) -> ZoneVerdict {
    guard compiled.isVectorised, let zone = zones.zone(column.id) else { return .some }
    let ofValues: ZoneVerdict
    switch (zone.bounds, compiled.form) {
    case (.unknown, _): return .some
    case (.empty, _): return compiled.passesNull ? .all : .none
    case (.ints(let least, let greatest), .ints(let set)):
      guard least <= greatest else { return .some }
      ofValues = Self.verdict(set, least...greatest)
    case (.ints(let least, let greatest), .bits(let passesFalse, let passesTrue)):
      let passesLeast = least == 0 ? passesFalse : passesTrue
      let passesGreatest = greatest == 0 ? passesFalse : passesTrue
      ofValues = passesLeast == passesGreatest ? (passesLeast ? .all : .none) : .some
    case (.ints(let least, let greatest), .dates(let set)):
      guard least <= greatest else { return .some }
      ofValues = Self.verdict(
        set, DateCode.code(least, -999_999_999)...DateCode.code(greatest, 999_999_999))
    case (.doubles(let least, let greatest, let hasNaN), .doubles(let ranges, let isComplement)):
      guard least <= greatest else { return .some }
      let isDisjoint = ranges.allSatisfy { greatest < $0.low || least > $0.high }
      let isInside = ranges.contains { least >= $0.low && greatest <= $0.high }
      let verdict: ZoneVerdict = isDisjoint ? .none : isInside && !hasNaN ? .all : .some
      ofValues = isComplement ? verdict.inverted : verdict
    case (.prefixes(let least, let greatest), .bytes(let predicate)):
      ofValues = predicate.bounds.mayHold(least: least, greatest: greatest) ? .some : .none
    default: return .some
    }
    guard zone.nullCount > 0 else { return ofValues }
    switch ofValues {
    case .all: return compiled.passesNull ? .all : .some
    case .none: return compiled.passesNull ? .some : .none
    case .some: return .some
    }
  }

  private static func verdict<Code>(
    _ set: IntervalSet<Code>, _ bounds: ClosedRange<Code>
  ) -> ZoneVerdict {
    if set.ranges.contains(where: {
      $0.lowerBound <= bounds.lowerBound && $0.upperBound >= bounds.upperBound
    }) {
      return .all
    }
    return set.ranges.contains { $0.overlaps(bounds) } ? .some : .none
  }

  // MARK: The plan

  override var cost: Double {
    switch compiled.form {
    case .ints(let set): 1 + Double(set.ranges.count) * 0.5
    case .bits: 0.5
    case .dates: 4
    case .doubles, .floats: 3
    case .bytes(let predicate): predicate.cost
    case .values: 1000
    }
  }

  override var selectivity: Double { knownSelectivity ?? compiled.predicate.selectivity }

  override func learn(from statistics: TableStatistics) {
    if knownSelectivity == nil, compiled.isVectorised {
      knownSelectivity = statistics.mean { selectivity(in: $0) }
    }
  }

  override var summary: String { "'\(column.name)' \(compiled.predicate.summary)" }
}

/// Passes rows of which two plain columns compare, value by value.
///
/// For strings, dates and other values that are no numbers (`NumberComparisonTest`).
final class ColumnPairTest: RowTest {
  private let left: Column
  private let comparator: QuerySyntax.Comparator
  private let right: Column
  private let folding: QuerySyntax.Folding
  private let isNegated: Bool

  init(
    _ left: Column, _ comparator: QuerySyntax.Comparator, _ right: Column,
    _ folding: QuerySyntax.Folding, isNegated: Bool
  ) {
    (self.left, self.comparator, self.right) = (left, comparator, right)
    self.folding = folding
    self.isNegated = isNegated
  }

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let left = try leaf.column(left)
    let right = try leaf.column(right)
    if bytesTell, left.values.type == right.values.type, let a = left.bytes,
      let b = right.bytes, left.values.external == nil, right.values.external == nil
    {
      let (a, b) = (try a.open(), try b.open())
      defer { withExtendedLifetime((a.decoded, b.decoded)) {} }
      try rows.filter { row in
        let order: Ordering? =
          switch (left.values.isNull(row), right.values.isNull(row)) {
          case (false, false):
            // SAFETY: both check the row and are kept (above), as `leaf` is.
            Ordering(unsafe BytesPredicate.compare(try a.bytes(row), try b.bytes(row)), 0)
          case (true, true): .equal
          default: nil
          }
        return ValueComparison.holds(comparator, order) != isNegated
      }
      return
    }
    try rows.filter { row in
      ValueComparison.holds(
        comparator, try left.value(row), try right.value(row), folding: folding) != isNegated
    }
  }

  /// Whether the order of the bytes of two strings, or of two values of data, tells how they
  /// compare; it does not where values may be of any type.
  private var bytesTell: Bool {
    folding == .exact && !comparator.comparesStrings
      && (left.layout.value == .string || left.layout.value == .data)
  }

  override var cost: Double { 1500 }
  override var selectivity: Double { comparator == .notEqual ? 0.9 : 0.3 }
  override var summary: String {
    let text = "'\(left.name)' \(comparator.rawValue)\(folding.rawValue) '\(right.name)'"
    return isNegated ? "not (\(text))" : text
  }
}

extension BytesPredicate {
  /// What a row costs, in about a tenth of a nanosecond.
  var cost: Double {
    switch form {
    case .constant: 0
    case .equal, .isIn, .range, .begins: 20
    case .ends: 40
    case .contains: 60
    case .like: 150
    case .folded: 100
    case .reversed: 1000
    case .all, .any, .not: 100
    }
  }
}

extension ValuePredicate {
  /// The part of values that pass, as a guess.
  var selectivity: Double {
    switch self {
    case .compare(let comparator, _, _), .compareReversed(let comparator, _, _):
      switch comparator {
      case .equal, .in: 0.02
      case .notEqual: 0.98
      case .less, .lessOrEqual, .greater, .greaterOrEqual: 0.33
      case .beginsWith, .endsWith, .like: 0.05
      case .contains: 0.1
      }
    case .between: 0.2
    case .isIn(let list): min(0.5, 0.02 * Double(list.values.count))
    case .all(let terms): terms.reduce(1) { $0 * $1.selectivity }
    case .any(let terms): 1 - terms.reduce(1) { $0 * (1 - $1.selectivity) }
    case .not(let inner): 1 - inner.selectivity
    }
  }

  /// The predicate in a plan.
  var summary: String {
    switch self {
    case .compare(let comparator, let constant, let folding):
      "\(comparator.rawValue)\(folding.rawValue) \(constant.planText)"
    case .compareReversed(let comparator, let constant, let folding):
      "so that \(constant.planText) \(comparator.rawValue)\(folding.rawValue) it"
    case .between(let low, let high): "BETWEEN {\(low.planText), \(high.planText)}"
    case .isIn(let list):
      "IN\(list.folding.rawValue) {"
        + list.values.prefix(5).map(\.planText).joined(separator: ", ")
        + (list.values.count > 5 ? ", … \(list.values.count) values}" : "}")
    case .all(let terms): Self.summary(terms, " and ")
    case .any(let terms): Self.summary(terms, " or ")
    case .not(let inner): "not (\(inner.summary))"
    }
  }

  private static func summary(_ terms: [ValuePredicate], _ separator: String) -> String {
    let shown = terms.prefix(4).map(\.summary).joined(separator: separator)
    return terms.count > 4 ? "(\(shown)\(separator)… \(terms.count) terms)" : "(\(shown))"
  }
}

extension Value {
  /// The value in a plan, cut short.
  var planText: String {
    switch self {
    case .null: "NULL"
    case .string(let text): "'\(QuerySyntaxError.shortened(text))'"
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .float(let number): "\(number)"
    case .bool(let flag): flag ? "TRUE" : "FALSE"
    case .decimal(let number): "\(number)"
    case .date(let date): "T\(date.seconds):\(date.nanoseconds)"
    case .link(let link): "object #\(link.key)"
    default: typeName
    }
  }
}

extension ColumnTest {
  /// The part of a leaf's rows that pass, if its zone is known and its values are spread evenly.
  func selectivity(in sample: TableStatistics.Sample) -> Double? {
    guard sample.rowCount > 0, let zone = sample.zones.zone(column.id) else { return nil }
    let nullPart = min(1, Double(zone.nullCount) / Double(sample.rowCount))
    guard let ofValues = Self.part(of: zone.bounds, compiled) else { return nil }
    return (1 - nullPart) * ofValues + (compiled.passesNull ? nullPart : 0)
  }

  private static func part(of bounds: Zone.Bounds, _ compiled: CompiledPredicate) -> Double? {
    switch (bounds, compiled.form) {
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
      return part(least, greatest, predicate, compiled)
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
    _ least: UInt64, _ greatest: UInt64, _ predicate: BytesPredicate, _ compiled: CompiledPredicate
  ) -> Double? {
    guard predicate.bounds.mayHold(least: least, greatest: greatest) else { return 0 }
    let guess = compiled.predicate.selectivity
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
