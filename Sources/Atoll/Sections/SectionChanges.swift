internal import AtollObjects
internal import AtollQuery

/// What happened to sections, as observers are told.
enum SectionChange {
  case initial
  case update(SectionDifference)
}

/// Finds out how sections have changed since it was asked last.
final class SectionChanges<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
  let sections: _SectionedList<Key, Element>
  /// What counts as a modification; any change of an element may give it another key.
  private let reported: ObservedObjects?
  private var changes: CollectionChanges
  private var last: Known?

  /// What was there when it was asked last.
  private struct Known {
    let snapshot: Snapshot
    let state: _SectionedList<Key, Element>.State
    /// Whether these are the sections in that version: not with changes of an open write.
    let areCommitted: Bool
  }

  init(_ sections: _SectionedList<Key, Element>, _ keyPaths: [String]?) {
    self.sections = sections
    let list = sections.list
    reported = keyPaths.map { ObservedObjects(list.descriptor, list.context, $0) }
    changes = CollectionChanges(list, nil)
  }

  /// Whether the initial state was not delivered.
  var isNew: Bool { last == nil }

  private var context: _RealmContext { sections.list.context }

  /// Takes the present state for known.
  func rebase(_ context: _RealmContext) {
    guard let last, !context.isUnsettled, last.snapshot.version != context.snapshot.version else {
      return
    }
    let failureCount = context.failureCount
    let difference = changes.rebase(context) ?? ResultDifference()
    _ = advanced(from: last, to: context.snapshot, difference, since: failureCount)
  }

  /// The change since the last call; nil when there is none, and when the file fails: it is told
  /// when it can be read.
  func next(_ round: DeliveryRound) -> SectionChange? {
    context.readingForObservers { found(round) }
  }

  /// The part of the change since the last call that concerns one section; nil when there is none.
  func next(_ round: DeliveryRound, of key: Key) -> SectionChange? {
    let old = last?.state.layout.section(of: key)
    switch next(round) {
    case nil: return nil
    case .initial: return .initial
    case .update(let difference):
      let part = difference.limited(toOld: old, new: last?.state.layout.section(of: key))
      return part.isEmpty ? nil : .update(part)
    }
  }

  private func found(_ round: DeliveryRound) -> SectionChange? {
    guard round.hasVersion, last?.snapshot.version != round.snapshot.version else { return nil }
    let failureCount = context.failureCount
    let change = changes.next(round)
    guard context.failureCount == failureCount else { return nil }
    guard let last else {
      begin(round, since: failureCount)
      return self.last == nil ? nil : .initial
    }
    var difference = ResultDifference()
    if case .update(let found) = change { difference = found }
    let modified = context.reading("the changes of sections cannot be read", or: []) {
      try reportedPlaces(difference, last, round)
    }
    guard let new = advanced(from: last, to: round.snapshot, difference, since: failureCount)
    else { return nil }
    let found = SectionDifference(
      from: last.state.layout, to: new.state.layout, difference,
      asked: asked(last, new, difference), modified: modified)
    return found.isEmpty ? nil : .update(found)
  }

  private func begin(_ round: DeliveryRound, since failureCount: Int) {
    let state = sections.state
    guard context.failureCount == failureCount else {
      changes = CollectionChanges(sections.list, nil)
      return
    }
    last = Known(
      snapshot: round.snapshot, state: state, areCommitted: !context.hasUncommittedChanges)
  }

  /// Brings what is known to a version.
  ///
  /// - Returns: What is known now; nil when the file fails: what was known stays so, and a later call
  ///   finds more.
  private func advanced(
    from last: Known, to snapshot: Snapshot, _ difference: ResultDifference,
    since failureCount: Int
  ) -> Known? {
    let elements = changes.elements ?? last.state.elements
    let areCommitted = !context.hasUncommittedChanges
    let state =
      areCommitted && last.areCommitted
      ? _SectionedList<Key, Element>.State(
        elements: elements,
        layout: last.state.layout.applying(difference, count: elements.count) {
          sections.key(of: elements, $0)
        })
      : sections.search(elements)
    guard context.failureCount == failureCount else {
      changes = CollectionChanges(sections.list, since: last.snapshot, last.state.elements)
      return nil
    }
    let known = Known(snapshot: snapshot, state: state, areCommitted: areCommitted)
    self.last = known
    sections.adopt(state)
    return known
  }

  /// The places of elements that stay, and may have another key.
  private func asked(_ old: Known, _ new: Known, _ difference: ResultDifference) -> [Int] {
    if old.areCommitted && new.areCommitted { return difference.modifications }
    let deletions = Set(difference.deletions)
    return (0..<old.state.elements.count).filter { !deletions.contains($0) }
  }

  /// The places of elements that count as modified.
  private func reportedPlaces(
    _ difference: ResultDifference, _ last: Known, _ round: DeliveryRound
  ) throws -> Set<Int> {
    guard let reported, case .objects(_, let keys) = last.state.elements,
      !difference.modifications.isEmpty
    else { return Set(difference.modifications) }
    let changed = try reported.changed(round.difference(from: last.snapshot))
    return Set(difference.modifications.filter { changed.contains(keys[$0]) })
  }
}
