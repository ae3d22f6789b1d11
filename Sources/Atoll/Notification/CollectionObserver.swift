internal import AtollObjects
internal import AtollQuery

/// Finds out how a collection has changed since it was asked last.
final class CollectionChanges {
  let list: _ResultList
  private let objects: ObservedObjects
  private var last: Known?

  /// What was there when it was asked last.
  private struct Known {
    let snapshot: Snapshot
    let elements: Elements
    /// Whether these are the elements in that version: not with changes of an open write.
    let areCommitted: Bool
    /// Follows the query from version to version; nil for what is not all of a class.
    let live: LiveQuery?
  }

  init(_ list: _ResultList, _ keyPaths: [String]?) {
    self.list = list
    objects = ObservedObjects(list.descriptor, list.context, keyPaths)
  }

  /// Goes on from what there was in a version, with any change of an element.
  convenience init(_ list: _ResultList, since snapshot: Snapshot, _ elements: Elements) {
    self.init(list, nil)
    last = Known(snapshot: snapshot, elements: elements, areCommitted: false, live: nil)
  }

  /// The elements that it found last.
  var elements: Elements? { last?.elements }

  /// Whether the initial state was not delivered.
  var isNew: Bool { last == nil }

  enum Change {
    case initial
    case update(ResultDifference)
  }

  /// Takes the present state for known.
  ///
  /// - Returns: The change that is not told; nil when there is none, and when the file fails.
  @discardableResult
  func rebase(_ context: _RealmContext) -> ResultDifference? {
    guard let last, !context.isUnsettled, last.snapshot.version != context.snapshot.version else {
      return nil
    }
    return difference(since: last) {
      VersionReading(context.file.database.difference(from: last.snapshot, to: context.snapshot))
    }
  }

  /// The change since the last call; nil when there is none, and when the file fails: it is told
  /// when it can be read.
  func next(_ round: DeliveryRound) -> Change? {
    list.context.readingForObservers { found(round) }
  }

  private func found(_ round: DeliveryRound) -> Change? {
    guard round.hasVersion, last?.snapshot.version != round.snapshot.version else { return nil }
    guard let last else {
      let failureCount = list.context.failureCount
      let elements = list.elements
      guard list.context.failureCount == failureCount else { return nil }
      self.last = known(elements, in: round.snapshot)
      return .initial
    }
    let difference = difference(since: last) { round.reading(from: last.snapshot) }
    return difference.flatMap { $0.isEmpty ? nil : .update($0) }
  }

  /// Finds what is different since the last time, and takes it for known.
  ///
  /// - Returns: Nil when the file fails: what was known stays so, and a later call finds more.
  private func difference(
    since last: Known, _ reading: () -> VersionReading
  ) -> ResultDifference? {
    let failureCount = list.context.failureCount
    let found = list.context.reading(
      "the changes of a collection cannot be read", or: nil
    ) { () throws -> (difference: ResultDifference, known: Known)? in
      try difference(last, reading())
    }
    guard let found, list.context.failureCount == failureCount else { return nil }
    self.last = found.known
    return found.difference
  }

  private func difference(
    _ last: Known, _ reading: VersionReading
  ) throws -> (difference: ResultDifference, known: Known) {
    let versions = reading.difference
    if !list.isOutdated, !list.context.hasUncommittedChanges, last.areCommitted {
      if let live = last.live, versions.isOfOneSchema {
        return try follow(live, last.elements, reading)
      }
      if try !list.mayHaveOtherElements(versions) {
        let difference = ResultDifference(
          modifications: try modifications(of: last.elements, versions))
        return (difference, known(last.elements, in: versions.new))
      }
    }
    let elements = list.elements
    let difference: ResultDifference
    switch (last.elements, elements) {
    case (.values(let old), .values(let new)):
      let modified = Set(try modifications(of: last.elements, versions))
      difference =
        list.isOfSet
        ? ResultDifference(fromSet: old, to: new, modified: modified)
        : ResultDifference(from: old, to: new, modified: modified)
    case (.objects(_, let old), .objects(_, let new)):
      difference = ResultDifference(
        from: old.array, to: new.array, modified: try objects.changed(versions))
    default: difference = ResultDifference()
    }
    return (difference, known(elements, in: versions.new))
  }

  /// The last step that can fail brings the query to the new version.
  private func follow(
    _ live: LiveQuery, _ old: Elements, _ reading: VersionReading
  ) throws -> (difference: ResultDifference, known: Known) {
    let versions = reading.difference
    let difference = try live.advance(by: reading, modified: objects.changed(versions))
    let elements = old.withKeys(live.keys)
    list.adopt(elements)
    let known = Known(snapshot: versions.new, elements: elements, areCommitted: true, live: live)
    return (difference, known)
  }

  /// The places of elements that are, or lead to, objects that were changed.
  private func modifications(of elements: Elements, _ versions: VersionDifference) throws -> [Int] {
    guard list.mayLeadToObjects else { return [] }
    switch elements {
    case .objects(_, let keys):
      let changed = try objects.changed(versions)
      if changed.isEmpty { return [] }
      return keys.array.enumerated().filter { changed.contains($0.element) }.map(\.offset)
    case .values(let values):
      let isModified = try objects.test(versions)
      return try values.indices.filter { try isModified(values[$0]) }
    }
  }

  /// What is there now, with what follows it from here on if it is a query.
  private func known(_ elements: Elements, in snapshot: Snapshot) -> Known {
    let areCommitted = !list.context.hasUncommittedChanges
    guard areCommitted, list.isOfWholeClass, !list.isOutdated,
      case .objects(_, let keys) = elements, let query = try? list.query(),
      query.schema === snapshot.schema
    else {
      return Known(
        snapshot: snapshot, elements: elements, areCommitted: areCommitted, live: nil)
    }
    let live = LiveQuery(query, keys: keys)
    let followed = elements.withKeys(live.keys)
    list.adopt(followed)
    return Known(snapshot: snapshot, elements: followed, areCommitted: true, live: live)
  }
}

extension Elements {
  /// Other objects of the same class.
  fileprivate func withKeys(_ keys: KeyList) -> Elements {
    if case .objects(let table, _) = self { .objects(table: table, keys) } else { self }
  }
}

/// Tells a block of the changes of a collection.
final class CollectionObserver<C>: RealmObserver {
  let observation: Observation
  private let collection: C
  private let changes: CollectionChanges
  private let block: (RealmCollectionChange<C>) -> Void

  init(
    _ collection: C, _ changes: CollectionChanges, observation: Observation = Observation(),
    _ block: @escaping (RealmCollectionChange<C>) -> Void
  ) {
    self.collection = collection
    self.changes = changes
    self.observation = observation
    self.block = block
  }

  var isNew: Bool { changes.isNew }

  func deliver(_ round: DeliveryRound) {
    switch changes.next(round) {
    case nil: break
    case .initial: block(.initial(collection))
    case .update(let difference):
      block(
        .update(
          collection, deletions: difference.deletions, insertions: difference.insertions,
          modifications: difference.modifications))
    }
  }

  func rebase(_ context: _RealmContext) { changes.rebase(context) }
}
