internal import AtollObjects
public import Foundation

/// What happened to a map.
public enum RealmMapChange<CollectionType: RealmKeyedCollection> {
  /// The map as it is when the observation begins; comes once.
  case initial(CollectionType)

  /// The map changed since the last call: keys that are gone, that are new, and whose value is
  /// another one or an object that was changed, each ascending.
  case update(
    CollectionType, deletions: [CollectionType.Key], insertions: [CollectionType.Key],
    modifications: [CollectionType.Key])

  /// Is never sent.
  case error(any Error)
}

/// Tells a block of the changes of a map.
private final class MapObserver<Key: _MapKey, Value: _MapValue>: RealmObserver {
  let observation: Observation
  private let map: Map<Key, Value>
  private let managed: ManagedMap
  private let objects: ObservedObjects
  /// What was there when it was told last; and whether that is all committed.
  private var last: (snapshot: Snapshot, map: ValueMap, isCommitted: Bool)?
  private let block: (RealmMapChange<Map<Key, Value>>) -> Void

  init(
    _ map: Map<Key, Value>, _ managed: ManagedMap, _ objects: ObservedObjects,
    observation: Observation = Observation(),
    _ block: @escaping (RealmMapChange<Map<Key, Value>>) -> Void
  ) {
    self.map = map
    self.managed = managed
    self.objects = objects
    self.observation = observation
    self.block = block
  }

  /// The entries now; none when the owner was deleted.
  private var entries: ValueMap { managed.row.isValid ? managed.map : ValueMap() }

  var isNew: Bool { last == nil }

  func rebase(_ context: _RealmContext) {
    guard last != nil else { return }
    let failureCount = context.failureCount
    let entries = entries
    if context.isSound(since: failureCount) {
      last = (context.snapshot, entries, !context.hasUncommittedChanges)
    }
  }

  /// Whether the map can have other entries.
  private func isTouched(by difference: VersionDifference) throws -> Bool {
    let row = managed.row
    guard row.isValid else { return true }
    return try difference.table(row.access.table.id)
      .isTouched(row.key, row.access.columns[managed.place.position].id)
  }

  func deliver(_ round: DeliveryRound) {
    guard round.hasVersion, last?.snapshot.version != round.snapshot.version else { return }
    let context = round.context
    let failureCount = context.failureCount
    let isCommitted = !context.hasUncommittedChanges
    guard let last else {
      let entries = context.readingForObservers { self.entries }
      // Told of; it begins when it can be read.
      guard context.failureCount == failureCount else { return }
      self.last = (round.snapshot, entries, isCommitted)
      return block(.initial(map))
    }
    var (new, isTouched) = (last.map, true)
    var insertions: [Key] = []
    var modifications: [Key] = []
    let isRead = context.readingWhatIsTold("the changes of a map cannot be read", or: false) {
      let difference = round.difference(from: last.snapshot)
      isTouched = try !isCommitted || !last.isCommitted || self.isTouched(by: difference)
      if isTouched { new = entries }
      // Values of other types lead to no object that could change.
      if !isTouched, Value._storedType.target == nil, Value._storedType.type != .mixed {
        return true
      }
      let isModified = try objects.test(difference)
      for entry in new.entries {
        guard let old = last.map[entry.key] else {
          insertions.append(Key._loadKey(entry.key))
          continue
        }
        if try !_StoredValue.isIdentical(old, entry.value) || isModified(entry.value) {
          modifications.append(Key._loadKey(entry.key))
        }
      }
      return true
    }
    // Told of; what has changed is told when it can be read.
    guard isRead, context.failureCount == failureCount else { return }
    self.last = (round.snapshot, new, isCommitted)
    let gone = isTouched ? last.map.entries.filter { new[$0.key] == nil } : []
    let deletions = gone.map { Key._loadKey($0.key) }
    if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty { return }
    block(
      .update(map, deletions: deletions, insertions: insertions, modifications: modifications))
  }
}

extension Map {
  /// Calls `block` with the map as it is, and then whenever it has changed.
  ///
  /// Needs a realm of the main actor, another actor, or a queue. The first call comes at the next
  /// turn of the scheduler, or before the realm moves on if that is earlier. Several commits may
  /// come as one change; when nothing has changed in the end, none comes.
  ///
  /// `keyPaths`: the properties whose changes count as modifications of an object; nil: all of
  /// them, and those of objects that it links to, four links deep.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    let managed = observableMap()
    let context = managed.row.context
    let objects = ObservedObjects(managed.place.targetClass, context, keyPaths)
    context.checkScheduler("a map")
    return context.notifier.add(MapObserver(self, managed, objects, block))
  }

  /// Calls `block` on a queue with the map as it is, and then whenever it has changed, where the
  /// map is one of a realm of that queue.
  ///
  /// `queue`: a serial queue; nil: where the realm of this map belongs.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  @preconcurrency public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(keyPaths: keyPaths, block) }
    return observationElsewhere(keyPaths, block).begin(on: queue)
  }

  /// Calls `block` on an actor with the map as it is, and then whenever it has changed, where the map
  /// is one of a realm of that actor.
  ///
  /// - Parameters:
  ///   - keyPaths: As in `observe(keyPaths:_:)`.
  ///   - actor: Where the block is called.
  ///   - _isolation: Where the caller runs.
  ///   - block: Called on the actor.
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken {
    let start = observationElsewhere(keyPaths, ObservationElsewhere.calling(actor, block))
    return await start.begin(on: actor)
  }

  /// The map, if it can be observed now.
  private func observableMap() -> ManagedMap {
    guard let managed else {
      Misuse.trap("observe needs a map of a realm; add the object that holds this one first")
    }
    managed.row.context.checkObservable("a map")
    managed.row.checkAlive()
    return managed
  }

  private func observationElsewhere(
    _ keyPaths: [String]?, _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> ObservationElsewhere {
    let managed = observableMap()
    let (descriptor, key, place) = (managed.row.access.descriptor, managed.row.key, managed.place)
    let isUnreadable = managed.row.isUnreadable
    return ObservationElsewhere("a map", managed.row.context) { context, observation in
      guard context.access(descriptor) != nil else { return nil }
      let row =
        isUnreadable
        ? _ManagedRow(unreadable: descriptor, context: context) : context.row(descriptor, key)
      guard row.isValid else { return nil }
      let place = place.of(row)
      let objects = ObservedObjects(place.targetClass, context, keyPaths)
      return MapObserver(Map(place), ManagedMap(place), objects, observation: observation, block)
    }
  }
}
