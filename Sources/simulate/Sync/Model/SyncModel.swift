internal import AtollCapture
internal import AtollObjects

/// What one file holds, by the full model of the merge rules: plain copies, and everything
/// replayed.
///
/// `confirmed` is what the server said. What the app reads is `confirmed` with the outbox replayed
/// on it. Answers and batches change `confirmed`, and nothing else does; commits of the app change
/// the outbox, and nothing else does. There are no images, no index and no local keys here, and
/// nothing of the implementation's merge: only the words for addresses, units and operations are
/// shared.
struct SyncModel: Equatable {
  /// An object that is there: the values of its properties, and the elements of its lists.
  struct Object: Equatable {
    var generation: Generation
    var units: [UnitPath: UnitValue]
  }

  /// One entry of the outbox.
  struct Entry: Equatable {
    var number: UInt64
    /// Under which it was recorded; it keeps that when the file takes another id (R3).
    var name: EntryName
    var digest: UInt64
    /// Of a transaction; none for a subscription set or a schema.
    var operations: [Operation]
  }

  /// The change of one object in a batch.
  enum Change: Equatable {
    case leave
    case full(Cursor, [UnitPath: UnitValue])
    /// Nil: the element is gone.
    case update([UnitPath: UnitValue?])
  }

  enum Verdict: Equatable {
    /// For a creation with the generation that it made or met.
    case applied(Cursor?)
    /// Applied under another name: the values come in batches.
    case known(Cursor?)
    case newerClock
    case deletion
    case refused
    /// Refused, as the id of the element is that of another one.
    case duplicate

    var isRefusal: Bool { self == .refused || self == .duplicate }

    /// Whether it must be reported to the app.
    var makesInboxEntry: Bool { self == .deletion || isRefusal }

    /// Whether it says that the entry was judged before, under another number.
    var isKnown: Bool { if case .known = self { true } else { false } }

    /// What is answered the second time.
    var again: Self { if case .applied(let generation) = self { .known(generation) } else { self } }

    /// What was answered the first time.
    var firstHand: Self {
      if case .known(let generation) = self { .applied(generation) } else { self }
    }
  }

  /// An operation by the first name of its entry and its place in it.
  struct OperationName: Hashable {
    var entry: EntryName
    var index: UInt32
  }

  /// What a part of a catch-up brought, until its last part.
  struct Part: Equatable {
    var run: UInt64
    var position: [UInt8]
    var changes: [ObjectAddress: Change]
  }

  /// An object of the local class.
  struct Note: Equatable {
    var one: ObjectAddress?
    var many: Set<ObjectAddress> = []
  }

  var confirmed: [ObjectAddress: Object] = [:]
  var outbox: [Entry] = []
  var cursor: Cursor?
  /// The objects that were confirmed when the cursor moved there.
  ///
  /// Those that a catch-up brings until its end are here, and not yet held as the server counts
  /// (R20).
  var heldAtCursor: Set<ObjectAddress> = []
  /// The newest number whose answer was taken in.
  var answered: UInt64 = 0
  /// What became of each operation that was answered.
  var verdicts: [OperationName: Verdict] = [:]
  /// The parts of a catch-up that is under way.
  var parts: [Part] = []
  /// The number of the subscription set whose view is confirmed; nil before the first, and during a
  /// client reset for a set that was not complete.
  var viewNumber: UInt64?
  /// The versions of the subscription sets that were committed, by their numbers.
  var setVersions: [UInt64: Int64] = [:]
  /// The subscriptions of each, by their numbers.
  var sets: [UInt64: Set<SyncSubscription>] = [:]
  /// Objects of the local class, with what they link to, be it here or not.
  var notes: [Int64: Note] = [:]

  /// What the app had committed last where an entry stands.
  func subscriptions(at number: UInt64) -> Set<SyncSubscription> {
    sets.filter { $0.key < number }.max { $0.key < $1.key }?.value ?? []
  }

  /// What the app reads.
  var head: [ObjectAddress: Object] {
    var replay = Replay(confirmed)
    for entry in outbox { replay.apply(entry) }
    return replay.contents
  }
}

extension SyncModel {
  /// Objects while operations are applied to them, one by one.
  struct Replay {
    private struct Place {
      var object: Object?
      /// The creations that made or met the object here, which operations may name.
      var creations: Set<Generation> = []
    }

    private var places: [ObjectAddress: Place]

    init(_ contents: [ObjectAddress: Object]) {
      places = contents.mapValues { Place(object: $0) }
    }

    var contents: [ObjectAddress: Object] { places.compactMapValues(\.object) }

    mutating func apply(_ entry: Entry) {
      for (index, operation) in entry.operations.enumerated() {
        apply(operation, named: .pending(number: entry.number, index: UInt32(index)))
      }
    }

    /// Applies one operation; nothing happens if it means another life of the object or element.
    ///
    /// `pending`: what other operations call it, if it is a creation. `generation`: of a creation
    /// that was answered.
    mutating func apply(
      _ operation: Operation, named pending: Generation, generation: Cursor? = nil
    ) {
      if SyncSchema.isEvent(operation.object) { return }
      var place = places[operation.object] ?? Place()
      defer { places[operation.object] = place }
      if case .create = operation.action {
        if place.object == nil {
          place.creations = []
          place.object = Object(
            generation: generation.map { .confirmed($0) } ?? pending,
            units: SyncSchema.defaults(of: operation.object.className))
        }
        place.creations.insert(pending)
        return
      }
      guard var object = place.object, let meant = operation.generation,
        meant == object.generation || place.creations.contains(meant)
      else { return }
      switch operation.action {
      case .create: break
      case .delete:
        place.object = nil
        return
      case .set(let property, let value):
        object.units[.property(property)] = .value(value)
      case .increment(let property, let delta):
        if case .value(.int(let number)) = object.units[.property(property)] {
          object.units[.property(property)] = .value(.int(number &+ delta))
        }
      case .insert(let property, let id, let position, let value):
        object.units[.element(property: property, id)] = .element(position, value)
      case .setElement(let property, let id, let value):
        let path = UnitPath.element(property: property, id)
        if case .element(let position, _) = object.units[path] {
          object.units[path] = .element(position, value)
        }
      case .moveElement(let property, let id, let position):
        let path = UnitPath.element(property: property, id)
        if case .element(_, let value) = object.units[path] {
          object.units[path] = .element(position, value)
        }
      case .removeElement(let property, let id):
        object.units[.element(property: property, id)] = nil
      case .setEntry(let property, let key, let value):
        object.units[.entry(property: property, key)] = .value(value)
      case .addMember(let property, let member):
        object.units[.entry(property: property, member)] = .exists
      case .removeEntry(let property, let key):
        object.units[.entry(property: property, key)] = nil
      case .edit(let path, let inner, let change):
        if let unit = object.units[path], let new = SyncInside.changed(unit, inner, change) {
          object.units[path] = new
        }
      }
      place.object = object
    }
  }
}
