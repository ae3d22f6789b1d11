internal import AtollObjects
internal import AtollStorage

/// Ways in through the backlink indexes: from the objects at the end of a path of links to the few
/// that lead there.
///
/// The far objects are named by the query, given by an index, or found by a scan of a table that is
/// far smaller. Each step back looks each object reached up in the backlink index of a link.
extension Planner {
  /// A backlink index is asked for this many objects, and one more for so many rows: finding the
  /// places costs a fraction of a scan.
  private static let targetLimit = 8
  private static let rowsPerTarget = 2048

  var targetLimit: Int { Self.targetLimit + table.count / Self.rowsPerTarget }

  /// The objects whose link `column` passes, which is a plain one; nil when null passes, or more
  /// links than are asked for one by one.
  func access(link column: Column, _ predicate: ValuePredicate) throws -> AccessPath? {
    guard let targets = linkedKeys(predicate, column.layout.linkTable, targetLimit) else {
      return nil
    }
    return try sources(of: targets, through: .link(column), targetLimit)
  }

  /// The objects from which links lead to a value that passes; nil when no backlinks tell, or an
  /// object from which no links lead there could pass.
  ///
  /// `targetLimit`: for no more objects the backlink index is asked.
  func access(
    _ path: BoundPath, _ quantifier: QuerySyntax.Quantifier?, _ predicate: ValuePredicate,
    _ targetLimit: Int
  ) throws -> AccessPath? {
    guard let nearest = path.hops.first, quantifier ?? .any == .any || !path.isMultiValued,
      quantifier != QuerySyntax.Quantifier.none, !predicate.matches(.null),
      path.hops.allSatisfy({ $0.isForward }),
      var keys = try endKeys(path, predicate, targetLimit)
    else { return nil }
    for hop in path.hops.dropFirst().reversed() {
      guard let path = try sources(of: keys, through: hop, targetLimit),
        path.estimate(.max) <= Double(targetLimit)
      else { return nil }
      keys = try path.keys(try execution.table(hop.column.table), nil)
    }
    return try sources(of: keys, through: nearest, targetLimit)
  }

  /// The keys of the objects at the end of a path that pass; nil when they are many, or many have
  /// to be looked at to find them.
  private func endKeys(
    _ path: BoundPath, _ predicate: ValuePredicate, _ targetLimit: Int
  ) throws -> [UInt64]? {
    let far = try execution.table(path.lastTable)
    let column: Column
    switch path.terminal {
    case .object: return linkedKeys(predicate, path.lastTable, targetLimit)
    case .value(let property, let steps):
      guard steps.isEmpty, property.layout.collection == .none else { return nil }
      column = property
    case .keys, .elementLengths: return nil
    }
    if let (path, isExact) = try Planner(far, compiler).access(column, predicate), path.listsKeys {
      if path.estimate(far.count) <= Double(targetLimit) {
        let keys = try path.keys(far, nil)
        if isExact { return keys }
        let passing = ObjectSet(far, ColumnTest(column, predicate, execution), execution)
        return try keys.filter { try passing.test($0) }
      }
      if isExact { return nil }
    }
    guard far.count <= Self.scannedRows + table.count / Self.scannedPart,
      execution.planningScansLeft > 0
    else { return nil }
    execution.planningScansLeft -= 1
    var keys: [UInt64] = []
    try execution.scan(far, ColumnTest(column, predicate, execution), opensLeaves: false) {
      leaf, rows in
      let leafKeys = try leaf.keys()
      rows.forEach { keys.append(leafKeys.key($0)) }
      return keys.count <= targetLimit
    }
    return keys.count <= targetLimit ? keys : nil
  }

  /// The far table may be scanned when it is small, or has so small a part of the rows.
  private static let scannedRows = 64
  private static let scannedPart = 256

  /// The keys that links to objects of a table have to be among; nil when these are many, or null.
  private func linkedKeys(
    _ predicate: ValuePredicate, _ target: UInt32, _ targetLimit: Int
  ) -> [UInt64]? {
    let compiled = CompiledPredicate(predicate, ColumnLayout(.link, linkTable: target))
    guard !compiled.passesNull, case .ints(let set) = compiled.form,
      set.ranges.count <= targetLimit
    else { return nil }
    var keys: [UInt64] = []
    for range in set.ranges {
      // Keys that follow each other are one range.
      guard range.upperBound &- range.lowerBound < Int64(targetLimit),
        range.upperBound &- range.lowerBound >= 0
      else { return nil }
      for key in range { keys.append(UInt64(bitPattern: key)) }
      if keys.count > targetLimit { return nil }
    }
    return keys
  }

  /// The objects that a hop leads from to any of `targets`; each once.
  private func sources(
    of targets: [UInt64], through hop: BoundPath.Hop, _ targetLimit: Int
  ) throws -> AccessPath? {
    guard targets.count <= targetLimit, let index = try execution.source.backlinks(hop.column)
    else {
      return nil
    }
    var ranges: [IndexRange] = []
    var count = 0
    for key in targets {
      guard let bytes = Index.bytes(of: Index.target(key)) else { return nil }
      let range = IndexRange.equal(to: bytes)
      ranges.append(range)
      count += try index.count(range)
    }
    let path = AccessPath.index(
      IndexAccess(
        listing: .column(hop.column), index: index, ranges: ranges, count: count))
    // A collection may hold several of the links; of the union each object comes once.
    return hop.isToMany ? .any([path]) : path
  }
}

extension BoundPath.Hop {
  /// Whether the step follows one link, or each of several, of the object.
  fileprivate var isForward: Bool {
    switch self {
    case .link, .links: true
    case .mapEntry, .element, .backlinks: false
    }
  }
}
