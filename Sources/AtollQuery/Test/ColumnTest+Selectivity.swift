internal import AtollObjects

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
