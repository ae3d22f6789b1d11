internal import AtollStorage
internal import Synchronization

/// What was found out of the difference of two versions, by all who have asked.
final class SharedDifference: Sendable {
  private let old: Version
  private let new: Version
  private let changes: KnownChanges
  private let tables = Mutex<[UInt32: Cell]>([:])
  private let reachedObjects = Mutex<[VersionDifference.Reach: Set<ObjectKey>]>([:])
  private let objectCount = Atomic(0)

  /// The difference of one class, once it was found.
  private final class Cell: Sendable {
    let difference = Mutex<TableDifference?>(nil)
  }

  /// A version without its snapshot, which would keep it.
  private struct Version: Equatable {
    let number: UInt64
    let catalogue: TreeRoot

    init(_ snapshot: Snapshot) {
      number = snapshot.version
      catalogue = snapshot.catalogueRoot
    }
  }

  init(from old: Snapshot, to new: Snapshot, _ changes: KnownChanges) {
    self.old = Version(old)
    self.new = Version(new)
    self.changes = changes
  }

  /// Whether these are the versions that are compared.
  func leads(from old: Snapshot, to new: Snapshot) -> Bool {
    self.old == Version(old) && self.new == Version(new)
  }

  /// How many objects and events it holds.
  var size: Int { objectCount.load(ordering: .relaxed) + changes.eventCount }

  /// The difference of a class, found on first use.
  ///
  /// `compare` is called at most once for a class that can be read, and not where the transactions
  /// tell all; else with what they tell. Who asks for the same class meanwhile waits.
  func table(
    _ schema: TableSchema, _ compare: (ChangeLog?) throws(ObjectError) -> TableDifference
  ) throws(ObjectError) -> TableDifference {
    let cell = tables.withLock { tables in
      if let known = tables[schema.id] { return known }
      let cell = Cell()
      tables[schema.id] = cell
      return cell
    }
    return try cell.difference.withLock { difference throws(ObjectError) in
      if let difference { return difference }
      let log = changes.log(schema.id)
      let found =
        changes.areAll
        ? log.map { TableDifference($0, schema) } ?? TableDifference() : try compare(log)
      difference = found
      objectCount.wrappingAdd(found.count, ordering: .relaxed)
      return found
    }
  }

  /// The objects that are reached in a way, if they were looked for.
  func reached(_ reach: VersionDifference.Reach) -> Set<ObjectKey>? {
    reachedObjects.withLock { $0[reach] }
  }

  func keep(_ keys: Set<ObjectKey>, for reach: VersionDifference.Reach) {
    let isNew = reachedObjects.withLock { $0.updateValue(keys, forKey: reach) == nil }
    if isNew { objectCount.wrappingAdd(keys.count, ordering: .relaxed) }
  }
}
