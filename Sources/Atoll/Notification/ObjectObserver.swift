internal import AtollObjects
public import Foundation

/// Tells a block of the changes of one object.
final class ObjectObserver<T: ObjectBase>: RealmObserver {
  let observation: Observation
  private var object: T
  private let row: _ManagedRow
  /// By the names that the file has; nil: all properties.
  private let keyPaths: [[String]]?
  /// The version that was told last; nil where none could be read.
  private var last: Snapshot?
  private var isDeleted = false
  private let block: (ObjectChange<T>) -> Void

  init(
    _ object: T, _ row: _ManagedRow, _ keyPaths: [String]?,
    observation: Observation = Observation(), _ block: @escaping (ObjectChange<T>) -> Void
  ) {
    self.object = object
    self.row = row
    // The block may be one for objects of any class.
    let descriptor = row.access.descriptor
    self.keyPaths = keyPaths.map { $0.map { ObservedPath.columns($0, on: descriptor) } }
    self.observation = observation
    self.block = block
    rebase(row.context)
  }

  func rebase(_ context: _RealmContext) {
    let snapshot = context.snapshot
    if !context.isUnsettled { last = snapshot }
  }

  func deliver(_ round: DeliveryRound) {
    guard !isDeleted, round.hasVersion, last?.version != round.snapshot.version else { return }
    // One that cannot be read has nothing that changes.
    guard let last, !row.isUnreadable else { return self.last = round.snapshot }
    let failureCount = round.context.failureCount
    guard row.isValid else {
      isDeleted = true
      block(.deleted)
      return
    }
    // The instance may have been given to `delete` in a write that was cancelled.
    if object._row !== row { object = Freezing.instance(row) }
    let changes = round.context.readingWhatIsTold(
      "the changes of an object cannot be read", or: []
    ) { try self.changes(from: last, round) }
    // Told of; what has changed is told when it can be read.
    guard round.context.failureCount == failureCount else { return }
    self.last = round.snapshot
    if !changes.isEmpty { block(.change(object, changes)) }
  }

  private func changes(from old: Snapshot, _ round: DeliveryRound) throws -> [PropertyChange] {
    let difference = round.difference(from: old)
    let table = row.access.table
    let own = round.isOwn(since: old)
    let changed = try changedColumns(difference, table)
    let before = own ? nil : try old.table(id: table.id)?.object(row.key)
    return try row.access.descriptor.properties.compactMap { property in
      guard !property.isComputed, let column = table.column(property.columnName),
        changed.contains(column.id)
      else { return nil }
      if property.isCollection {
        return PropertyChange(name: property.name, oldValue: nil, newValue: nil)
      }
      return PropertyChange(
        name: property.name,
        oldValue: try before.flatMap { property.swiftValue(try $0.value(column), row.context) },
        newValue: AnyBridge.unwrapped(
          property.storage.value(of: object, position: property.position)))
    }
  }

  /// The columns of the object that changed, or from which a path leads to a change.
  private func changedColumns(
    _ difference: VersionDifference, _ table: TableSchema
  ) throws -> Set<UInt32> {
    guard let keyPaths else { return try difference.table(table.id).modified[row.key] ?? [] }
    var columns: Set<UInt32> = []
    for path in keyPaths {
      guard let name = path.first, let column = table.column(name),
        try difference.reached(table.id, path: path[...]).contains(row.key)
      else { continue }
      columns.insert(column.id)
    }
    return columns
  }
}

extension ObjectBase {
  /// Calls `block` whenever properties of the object have changed, and once when it was deleted.
  ///
  /// `keyPaths`: the properties that count; nil: all.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    let (object, row) = observable(as: T.self)
    guard row.context.confinement.hasScheduler else {
      Misuse.trap(
        "an object was observed on a thread that nothing can be delivered to; observe it on the "
          + "main actor, in an actor's realm, or with a queue")
    }
    return row.context.notifier.add(ObjectObserver(object, row, keyPaths, block))
  }

  /// Calls `block` on a queue whenever properties of the object have changed, and once when it was
  /// deleted, where the object is one of a realm of that queue.
  ///
  /// `queue`: a serial queue; nil: where the object's realm belongs.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe<T: ObjectBase>(
    keyPaths: [String]? = nil, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observe(keyPaths: keyPaths, block) }
    let (object, row) = observable(as: T.self)
    return Self.observe(object, row, keyPaths, on: queue, block)
  }

  /// Calls `block` whenever one of these properties has changed, and once when the object was
  /// deleted.
  public func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], _ block: @escaping (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, block)
  }

  /// Calls `block` on a queue whenever one of these properties has changed, and once when the
  /// object was deleted.
  public func observe<T: ObjectBase>(
    keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue?,
    _ block: @escaping @Sendable (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// The object and its row, if it can be observed now.
  private func observable<T: ObjectBase>(as type: T.Type) -> (object: T, row: _ManagedRow) {
    guard let row = _row, let object = self as? T else {
      Misuse.trap("an object that no realm manages cannot be observed; add it first")
    }
    row.context.checkConfinement()
    row.checkAlive()
    if row.context.isFrozen {
      Misuse.trap("a frozen object never changes, so it cannot be observed")
    }
    return (object, row)
  }

  private static func observe<T: ObjectBase>(
    _ object: T, _ row: _ManagedRow, _ keyPaths: [String]?, on queue: DispatchQueue,
    _ block: @escaping @Sendable (ObjectChange<T>) -> Void
  ) -> NotificationToken {
    let observation = Observation()
    // One that cannot be read has nothing that changes.
    if row.isUnreadable { return NotificationToken(observation) }
    let configuration = row.context.configuration
    let (descriptor, key) = (row.access.descriptor, row.key)
    // SAFETY: the class and the key never change, and are used only on the queue.
    nonisolated(unsafe) let start = {
      guard observation.isActive else { return }
      let opened = configuration.opening("an object cannot be observed") {
        try Realm(configuration: configuration, queue: queue)
      }
      guard let realm = opened else { return }
      // The queue's realm may have been open, in a version that does not know the object.
      realm.context.refresh()
      guard realm.context.access(descriptor) != nil else { return block(.deleted) }
      let row = realm.context.row(descriptor, key)
      guard row.isValid else { return block(.deleted) }
      let object: T = Freezing.instance(row)
      realm.context.notifier.attach(
        ObjectObserver(object, row, keyPaths, observation: observation, block))
    }
    queue.async { unsafe start() }
    return NotificationToken(observation)
  }
}
