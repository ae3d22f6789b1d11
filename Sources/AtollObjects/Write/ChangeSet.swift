/// What a transaction did to the objects of one class.
public struct ClassChanges: Equatable, Sendable {
  /// Objects that did not exist before, in ascending order.
  public var inserted: [ObjectKey] = []
  /// Objects that exist no more, in ascending order.
  public var deleted: [ObjectKey] = []
  /// Objects that existed before and after, and their properties that were set.
  public var modified: [ObjectKey: Set<ExactText>] = [:]

  /// Whether no object was inserted, deleted or modified.
  public var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
}

/// What a transaction did, by class name.
///
/// Classes that it did not touch are absent.
public struct ChangeSet: Equatable, Sendable {
  /// What was done to the objects of each class, by the name of the class.
  public var classes: [ExactText: ClassChanges] = [:]

  /// Whether no class is listed.
  public var isEmpty: Bool { classes.isEmpty }
}

/// The events of one class in the order in which they happened, 16 bytes each; a link that a
/// deletion clears, when the deletion is settled.
///
/// Cheap to append to; `summary` nets the events out on demand.
struct ChangeLog {
  private struct Event {
    var key: UInt64
    /// A column id, or one of the two below.
    var what: UInt32
  }

  private static let insertion: UInt32 = 0
  private static let deletion = UInt32.max
  private var events: [Event] = []
  /// The keys that the first events tell to be deleted.
  private var deletedKeys: Set<UInt64> = []
  /// How many events that are.
  private var knownEventCount = 0

  var isEmpty: Bool { events.isEmpty }

  mutating func recordInsertion(_ key: UInt64) {
    events.append(Event(key: key, what: Self.insertion))
  }

  mutating func recordDeletion(_ key: UInt64) {
    events.append(Event(key: key, what: Self.deletion))
  }

  mutating func recordChange(_ key: UInt64, column: UInt32) {
    if let last = events.last, last.key == key, last.what == column || last.what == Self.insertion {
      return
    }
    events.append(Event(key: key, what: column))
  }

  /// Whether an object with this key was deleted, be it that there is one again.
  mutating func hasDeleted(_ key: UInt64) -> Bool {
    for event in events[knownEventCount...] where event.what == Self.deletion {
      deletedKeys.insert(event.key)
    }
    knownEventCount = events.count
    return deletedKeys.contains(key)
  }

  /// How many events there are.
  var eventCount: Int { events.count }

  /// Goes on with the events of a later transaction.
  mutating func append(_ later: ChangeLog) { events += later.events }

  /// What becomes of one object.
  struct Fate {
    var existedBefore: Bool
    var exists: Bool
    /// The ids of the columns that were set, of an object that exists before and after.
    var columns: Set<UInt32> = []
  }

  /// Nets out the events of each object.
  ///
  /// One that was deleted and made again with the same key counts as set in `allColumns`.
  func fates(allColumns: Set<UInt32>) -> [UInt64: Fate] {
    var fates: [UInt64: Fate] = [:]
    for event in events {
      switch event.what {
      case Self.insertion:
        if fates[event.key] == nil {
          fates[event.key] = Fate(existedBefore: false, exists: true)
        } else {
          fates[event.key]?.exists = true
          fates[event.key]?.columns = allColumns
        }
      case Self.deletion:
        fates[event.key, default: Fate(existedBefore: true, exists: false)].exists = false
      default:
        fates[event.key, default: Fate(existedBefore: true, exists: true)]
          .columns.insert(event.what)
      }
    }
    return fates
  }

  /// The net changes.
  ///
  /// An object that was inserted and deleted again is in none of the lists; one that was deleted
  /// and made again with the same key is modified in all properties.
  func summary(_ schema: TableSchema) -> ClassChanges {
    let names = Dictionary(uniqueKeysWithValues: schema.columns.map { ($0.id, ExactText($0.name)) })
    var changes = ClassChanges()
    for (key, fate) in fates(allColumns: Set(names.keys)) {
      let key = ObjectKey(rawValue: key)
      switch (fate.existedBefore, fate.exists) {
      case (false, true): changes.inserted.append(key)
      case (true, false): changes.deleted.append(key)
      case (true, true):
        // A property may be gone since.
        let properties = Set(fate.columns.compactMap { names[$0] })
        if !properties.isEmpty { changes.modified[key] = properties }
      case (false, false): break
      }
    }
    changes.inserted.sort()
    changes.deleted.sort()
    return changes
  }
}
