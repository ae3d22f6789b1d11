internal import AtollObjects

/// Finds out how a collection has changed since it was asked last.
final class CollectionChanges {
  let list: _ResultList
  private let objects: ObservedObjects
  private var last: (snapshot: Snapshot, elements: Elements)?

  init(_ list: _ResultList, _ keyPaths: [String]?) {
    self.list = list
    objects = ObservedObjects(list.type, list.context, keyPaths)
  }

  /// Whether the initial state was not delivered.
  var isNew: Bool { last == nil }

  enum Change {
    case initial
    case update(ListDifference)
  }

  /// Takes the present state for known.
  func rebase(_ context: _RealmContext) {
    if last != nil { last = (context.snapshot, list.elements) }
  }

  /// The change since the last call; nil when there is none.
  func next(_ round: DeliveryRound) -> Change? {
    guard let last else {
      self.last = (round.snapshot, list.elements)
      return .initial
    }
    guard last.snapshot.version != round.snapshot.version else { return nil }
    let elements = list.elements
    let difference = list.unwrapped { () throws -> ListDifference in
      switch (last.elements, elements) {
      case (.values(let old), .values(let new)):
        let isModified = try objects.test(round.difference(from: last.snapshot))
        let modified = Set(try old.indices.filter { try isModified(old[$0]) })
        return list.isOfSet
          ? ListDifference(fromSet: old, to: new, modified: modified)
          : ListDifference(from: old, to: new, modified: modified)
      case (.objects(_, let old), .objects(_, let new)):
        let changed = try objects.changed(round.difference(from: last.snapshot))
        return ListDifference(from: old, to: new, isChanged: changed)
      default: return ListDifference(from: [], to: [])
      }
    }
    self.last = (round.snapshot, elements)
    return difference.isEmpty ? nil : .update(difference)
  }
}

/// Tells a block of the changes of a collection.
final class CollectionObserver<C: RealmCollection>: RealmObserver {
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
