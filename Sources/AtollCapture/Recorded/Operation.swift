/// One change that an app made to one object, as the outbox and the messages carry it.
package struct Operation: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case create
    case delete
    case set(property: String, RecordedValue)
    /// Adds to an integer; the sum wraps around.
    case increment(property: String, by: Int64)
    case insert(property: String, ElementID, ListPosition, RecordedValue)
    case setElement(property: String, ElementID, RecordedValue)
    case removeElement(property: String, ElementID)
    /// An element gets another place and keeps its id and its value.
    case moveElement(property: String, ElementID, ListPosition)
    /// An entry of a map; its key is a string.
    case setEntry(property: String, key: RecordedValue, RecordedValue)
    /// A member of a set.
    case addMember(property: String, RecordedValue)
    /// An entry of a map by its key, or a member of a set.
    case removeEntry(property: String, key: RecordedValue)
    /// A change inside the value of a unit.
    case edit(UnitPath, InnerPlace, InnerChange)
  }

  package var object: ObjectAddress
  /// The life of the object that is meant; nil for a creation.
  package var generation: Generation?
  package var action: Action

  package init(object: ObjectAddress, generation: Generation?, action: Action) {
    self.object = object
    self.generation = generation
    self.action = action
  }

  /// The unit that the operation names; existence for a creation and a deletion, which touch all.
  package var unit: Unit {
    let path: UnitPath =
      switch action {
      case .create, .delete: .existence
      case .set(let property, _), .increment(let property, _): .property(property)
      case .insert(let property, let id, _, _), .setElement(let property, let id, _),
        .removeElement(let property, let id), .moveElement(let property, let id, _):
        .element(property: property, id)
      case .setEntry(let property, let key, _), .addMember(let property, let key),
        .removeEntry(let property, let key):
        .entry(property: property, key)
      case .edit(let owner, _, _): owner
      }
    return Unit(object: object, path: path)
  }
}

/// A hybrid logical clock: milliseconds since 1970 shifted left by 16, and a counter.
package struct HybridClock: Hashable, Comparable, Sendable {
  package static let counterBitCount: UInt64 = 16

  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// That of a transaction which sends objects again (`RecordedTransaction.isRetold`).
  package static let retelling = HybridClock(rawValue: 0)

  /// The first reading of a millisecond; that of the last one for what lies beyond.
  package init(milliseconds: UInt64) {
    rawValue = min(milliseconds, UInt64.max >> Self.counterBitCount) << Self.counterBitCount
  }

  package var milliseconds: UInt64 { rawValue >> Self.counterBitCount }

  /// A later reading, that of the wall clock if it is ahead; the end of time has none later.
  package func next(milliseconds: UInt64) -> HybridClock {
    let (next, isOver) = rawValue.addingReportingOverflow(1)
    return max(HybridClock(rawValue: isOver ? rawValue : next), .init(milliseconds: milliseconds))
  }

  package static func < (a: HybridClock, b: HybridClock) -> Bool { a.rawValue < b.rawValue }
}

/// What one transaction of an app changed, or a part of it.
package struct RecordedTransaction: Hashable, Sendable {
  package var clock: HybridClock
  /// The newest cursor that the device had ever applied; nil before the first.
  package var seen: Cursor?
  package var operations: [Operation]

  /// Whether it sends objects again that a repaired file has and whose creations are in no entry:
  /// the clock says so, which is that of no other transaction.
  package var isRetold: Bool { clock == .retelling }

  package init(clock: HybridClock, seen: Cursor?, operations: [Operation]) {
    self.clock = clock
    self.seen = seen
    self.operations = operations
  }
}

/// The first name of an outbox entry, which stays when a copied file renumbers its outbox.
package struct EntryName: Hashable, Sendable {
  package var client: UInt64
  package var number: UInt64

  package init(client: UInt64, number: UInt64) {
    self.client = client
    self.number = number
  }
}

/// A commit, or a part of one, that waits for the server's answer.
package struct OutboxEntry: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case push(RecordedTransaction)
    /// The version of a subscription set.
    case sets(version: Int64)
    /// The schema as it is when the entry is sent.
    case schema
  }

  /// Counts from 1; never given out twice.
  package var number: UInt64
  package var firstName: EntryName
  /// Of the contents of all entries up to this one.
  package var digest: UInt64
  package var content: Content

  package init(number: UInt64, firstName: EntryName, digest: UInt64, content: Content) {
    self.number = number
    self.firstName = firstName
    self.digest = digest
    self.content = content
  }
}
