/// What a transaction did to the objects of one class.
public struct ClassChanges: Equatable, Sendable {
  /// Objects that did not exist before, in ascending order.
  public var inserted: [ObjectKey] = []
  /// Objects that exist no more, in ascending order.
  public var deleted: [ObjectKey] = []
  /// Objects that existed before and after, and their properties that were set.
  public var modified: [ObjectKey: Set<ExactText>] = [:]

  public var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
}

/// What a transaction did, by class name.
///
/// Classes that it did not touch are absent.
public struct ChangeSet: Equatable, Sendable {
  public var classes: [ExactText: ClassChanges] = [:]

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

  /// The net changes.
  ///
  /// An object that was inserted and deleted again is in none of the lists; one that was deleted
  /// and made again with the same key is modified in all properties.
  func summary(_ schema: TableSchema) -> ClassChanges {
    struct State {
      var existedBefore: Bool
      var exists: Bool
      var columns: Set<UInt32> = []
    }
    var states: [UInt64: State] = [:]
    for event in events {
      switch event.what {
      case Self.insertion:
        if states[event.key] == nil {
          states[event.key] = State(existedBefore: false, exists: true)
        } else {
          states[event.key]?.exists = true
          states[event.key]?.columns = Set(schema.columns.map(\.id))
        }
      case Self.deletion:
        if states[event.key] == nil {
          states[event.key] = State(existedBefore: true, exists: false)
        } else {
          states[event.key]?.exists = false
        }
      default:
        states[event.key, default: State(existedBefore: true, exists: true)]
          .columns.insert(event.what)
      }
    }
    let names = Dictionary(uniqueKeysWithValues: schema.columns.map { ($0.id, ExactText($0.name)) })
    var changes = ClassChanges()
    for (key, state) in states {
      let key = ObjectKey(rawValue: key)
      switch (state.existedBefore, state.exists) {
      case (false, true): changes.inserted.append(key)
      case (true, false): changes.deleted.append(key)
      case (true, true): changes.modified[key] = Set(state.columns.compactMap { names[$0] })
      case (false, false): break
      }
    }
    changes.inserted.sort()
    changes.deleted.sort()
    return changes
  }
}
