package import AtollObjects

/// The answer of a query in one version, brought to later versions by what is different in them.
///
/// Three ways, the first that serves:
///
/// - Nothing that the query reads has changed: nothing is done.
/// - A query that sorts and cuts at most: the objects that may have changed their place are tested,
///   and put in by a binary search. Values to sort by are read when a search meets them and kept
///   for the next one; of most objects none is kept. Behind a LIMIT some objects more are kept, so
///   that one which leaves makes room for the next.
/// - DISTINCT, a sort of what was cut, too many changed objects, a LIMIT whose reserve is used up:
///   the query runs again, and the two answers are compared.
///
/// Used by one thread.
package final class LiveQuery {
  private let query: Query
  private let scope: QueryScope
  /// Nil for a query that runs again for each change.
  private let shape: LiveShape?
  /// The test of objects by their own values, if that is all; nil outside before the first use.
  private var knownTest: OwnValuesTest??
  /// The objects in the order of the query; those within the limit and some behind it.
  private var kept: KeyList
  /// Whether those are all objects that pass.
  private var isComplete: Bool
  /// What is kept of values to sort by.
  private var sortValues = KnownSortValues()
  /// How often the query ran.
  private(set) var runCount = 0

  /// Begins with an answer that is known.
  ///
  /// - Parameters:
  ///   - query: A query for objects.
  ///   - keys: What it found in the version that the first difference begins at.
  package init(_ query: Query, keys: KeyList) {
    self.query = query
    scope = QueryScope(query.dependencies, table: query.bound.table.id)
    let shape = LiveShape(query.bound.descriptors)
    self.shape = shape
    kept = KeyList(chunking: keys.array)
    isComplete = shape?.limit.map { keys.count < $0 } ?? true
  }

  /// Runs the query.
  ///
  /// - Throws: `QueryError` if the query groups; `ObjectError` if the file is damaged.
  package convenience init(_ query: Query, in snapshot: Snapshot) throws {
    self.init(query, keys: KeyList())
    try run(in: snapshot)
  }

  /// The objects that pass, in the order of the query.
  package var keys: KeyList {
    guard let limit = shape?.limit, limit < kept.count else { return kept }
    return KeyList(Array(kept.prefix(limit)))
  }

  /// Brings the answer to the new version.
  ///
  /// - Parameters:
  ///   - reading: What is different since the version of the answer, and where it is read.
  ///   - modified: The objects that count as modified where they are in both answers.
  /// - Returns: What is different in the answer.
  /// - Throws: `ObjectError` if the file is damaged; the answer stays as it was then.
  /// - Complexity: A test of each object that is affected, a binary search for each that moves, and
  ///   a place in each list of chunks; or a run of the query, see above.
  package func advance(
    by reading: VersionReading, modified: Set<ObjectKey>
  ) throws -> ResultDifference {
    defer { sortValues.trim() }
    return try QueryFailure.translated {
      let difference = reading.difference
      guard difference.isOfOneSchema, let affected = try affected(reading),
        affected.isEmpty || shape != nil
      else { return try runAgain(in: difference.new, modified: modified) }
      if affected.isEmpty && modified.isEmpty { return ResultDifference() }
      let splicing = Splicing(query: query, shape: shape, reading: reading, affected: affected)
      let change = try self.change(affected, splicing, ownTest(reading))
      let modifications = try places(of: modified, splicing)
      guard let change else { return ResultDifference(modifications: modifications) }
      return try apply(change, modifications, modified, difference)
    }
  }

  /// The objects that may have changed their place; nil when there are too many.
  private func affected(_ reading: VersionReading) throws -> Set<ObjectKey>? {
    // More are tested sooner by a pass over the class; the place of one costs two searches where
    // the values of others have to be read for them.
    let count = try reading.new.table(query.bound.table.id).count
    let isSearched = shape?.order.isEmpty == false
    return try scope.affected(
      by: reading.difference, limit: isSearched ? 16 + count / 1024 : 64 + count / 256)
  }

  /// The test of objects by their own values, if that is all.
  private func ownTest(_ reading: VersionReading) throws -> OwnValuesTest? {
    if let knownTest { return knownTest }
    let execution = Execution(source: reading.difference.new, arguments: query.arguments)
    let test = try OwnValuesTest(query.bound.predicate, Compiler(execution: execution))
    knownTest = .some(test)
    return test
  }

  /// What affected objects do to the list, and the list without those that leave it or are put
  /// elsewhere.
  private typealias Change = (splice: ListSplice, base: KeyList)

  private func apply(
    _ change: Change, _ modifications: [Int], _ modified: Set<ObjectKey>,
    _ difference: VersionDifference
  ) throws -> ResultDifference {
    let insertions = change.splice.insertions
    if !isComplete, let limit = shape?.limit, change.base.count + insertions.count < limit {
      return try runAgain(in: difference.new, modified: modified)
    }
    let found = change.splice.difference(modified: modifications)
    kept = change.base
    kept.insert(insertions)
    if let limit = shape?.limit, kept.count / 2 > Self.reserve(limit) {
      kept.keepFirst(Self.reserve(limit))
      isComplete = false
    }
    return found
  }

  // MARK: Runs

  /// How many objects are looked for where so many are wanted.
  private static func reserve(_ limit: Int) -> Int {
    let (sum, isTooLarge) = limit.addingReportingOverflow(64 + limit / 4)
    return isTooLarge ? .max : sum
  }

  private func run(in snapshot: Snapshot) throws {
    try query.requireObjects()
    runCount += 1
    sortValues = KnownSortValues()
    guard let limit = shape?.limit else {
      kept = KeyList(chunking: try query.results(in: snapshot).keys)
      return isComplete = true
    }
    let reserve = limit == 0 ? 0 : Self.reserve(limit)
    kept = KeyList(
      chunking: try QueryRun(
        query.bound.limited(to: reserve), query.arguments, in: snapshot, for: .keys
      ).keys())
    isComplete = kept.count < reserve
  }

  private func runAgain(
    in snapshot: Snapshot, modified: Set<ObjectKey>
  ) throws -> ResultDifference {
    let old = keys.array
    try run(in: snapshot)
    let new = keys.array
    // Without an order the lists are in that of the keys.
    return shape?.order.isEmpty == true
      ? ResultDifference(fromAscending: old, to: new, modified: modified)
      : ResultDifference(from: old, to: new, modified: modified)
  }

  // MARK: Places

  /// What the affected objects do to the list; nil when that is nothing.
  private func change(
    _ affected: Set<ObjectKey>, _ splicing: Splicing, _ test: OwnValuesTest?
  ) throws -> Change? {
    guard !affected.isEmpty, let shape else { return nil }
    let passing = try splicing.passing(test)
    var removed: [Int] = []
    var coming: [(key: ObjectKey, values: [SortValue], oldPlace: Int?)] = []
    for key in affected {
      let oldPlace = try place(of: key, splicing)
      guard passing.contains(key), let values = try splicing.newValues(of: key) else {
        if let oldPlace { removed.append(oldPlace) }
        continue
      }
      if oldPlace != nil, let oldValues = try splicing.oldValues(of: key),
        shape.compare(oldValues, key, values, key) == .equal
      {
        continue
      }
      coming.append((key, values, oldPlace))
    }
    for key in affected { sortValues[key] = nil }
    if removed.isEmpty && coming.isEmpty { return nil }
    coming.sort { shape.compare($0.values, $0.key, $1.values, $1.key) == .less }
    removed.sort()
    // The base: what is neither removed nor put elsewhere.
    var base = kept
    base.remove(at: (removed + coming.compactMap(\.oldPlace)).sorted())
    var items: [ListSplice.Item] = []
    for element in coming {
      let rank = try base.partitioningIndex { other in
        let values = try splicing.unaffectedValues(of: other, &sortValues)
        return shape.compare(values, other, element.values, element.key) == .less
      }
      // Others may come between the last object that is kept and this one.
      if rank == base.count, !isComplete {
        if let place = element.oldPlace { removed.append(place) }
        continue
      }
      items.append(ListSplice.Item(key: element.key, rank: rank, oldPlace: element.oldPlace))
    }
    if removed.isEmpty && items.isEmpty { return nil }
    let splice = ListSplice(
      oldCount: kept.count, limit: shape.limit, removed: removed.sorted(), items: items)
    return (splice, base)
  }

  /// The place of an object among those that are kept; nil when it is not one of them.
  private func place(of key: ObjectKey, _ splicing: Splicing) throws -> Int? {
    guard let shape else { return nil }
    let place: Int
    if shape.order.isEmpty {
      place = kept.partitioningIndex { $0 < key }
    } else {
      guard let values = try splicing.oldValues(of: key) else { return nil }
      place = try kept.partitioningIndex { other in
        let otherValues =
          try splicing.isAffected(other)
          ? splicing.oldValues(of: other) ?? [] : splicing.unaffectedValues(of: other, &sortValues)
        return shape.compare(otherValues, other, values, key) == .less
      }
    }
    return place < kept.count && kept[place] == key ? place : nil
  }

  /// The places of the objects that were modified, as far as they are within the limit, ascending.
  private func places(of modified: Set<ObjectKey>, _ splicing: Splicing) throws -> [Int] {
    guard !modified.isEmpty, !kept.isEmpty else { return [] }
    // A search costs about as much as so many objects in a pass.
    let searchCost = shape.map { $0.order.isEmpty ? 8 : 1024 } ?? .max
    if kept.count / searchCost < modified.count {
      return keys.array.enumerated().filter { modified.contains($0.element) }.map(\.offset)
    }
    let limit = shape?.limit ?? .max
    return try modified.compactMap { try place(of: $0, splicing) }.filter { $0 < limit }.sorted()
  }
}
