package import AtollObjects

/// What a file knows of itself as a client: one record, changed in the same commits as the data.
package struct SyncState: Hashable, Sendable {
  /// Random, made with the first synced class or the first open for sync.
  package var clientID: UInt64
  /// What the server gave when it last welcomed this file.
  package var token: UInt64?
  /// The number of the next outbox entry.
  package var nextNumber: UInt64 = 1
  /// The number of the last entry whose answers were taken in.
  package var answered: UInt64 = 0
  /// The digest of the last entry; each one is made from the one before.
  package var lastDigest: UInt64 = 0
  /// The version up to which head is confirmed.
  package var cursor: Cursor?
  /// The newest cursor ever applied, also through resets and new ids.
  package var seen: Cursor?
  /// The newest cursor applied under this id.
  package var proof: Cursor?
  package var clock = HybridClock(rawValue: 0)
  /// The number of the last subscription set that was answered.
  package var answeredSet: UInt64 = 0
  /// A bootstrap that is under way, as the client writes it.
  package var boot: [UInt8]?

  package init(clientID: UInt64) { self.clientID = clientID }

  var encoded: [UInt8] {
    var writer = RecordedWriter()
    writer.append(fixed: clientID)
    writer.append(byte: token == nil ? 0 : 1)
    if let token { writer.append(fixed: token) }
    writer.append(varint: nextNumber)
    writer.append(varint: answered)
    writer.append(fixed: lastDigest)
    writer.append(cursor)
    writer.append(seen)
    writer.append(proof)
    writer.append(fixed: clock.rawValue)
    writer.append(varint: answeredSet)
    writer.append(byte: boot == nil ? 0 : 1)
    if let boot { writer.append(bytes: boot) }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ValueCodingError) {
    var reader = RecordedReader(bytes)
    clientID = try reader.readFixed()
    token = try reader.readFlag() ? try reader.readFixed() : nil
    nextNumber = try reader.readVarint()
    answered = try reader.readVarint()
    lastDigest = try reader.readFixed()
    cursor = try reader.readOptionalCursor()
    seen = try reader.readOptionalCursor()
    proof = try reader.readOptionalCursor()
    clock = HybridClock(rawValue: try reader.readFixed())
    answeredSet = try reader.readVarint()
    boot = try reader.readFlag() ? try reader.readBytes() : nil
    try reader.finish()
    // The limit leaves room to count on from.
    guard nextNumber > answered, nextNumber < 1 << 62 else {
      throw .invalidContents(byteOffset: 0)
    }
  }
}

/// The lives of one object on a device, and the key that it keeps.
package struct ObjectGenerations: Hashable, Sendable {
  /// What the server confirmed; nil when it has not.
  package var confirmed: Cursor?
  /// What new operations name; nil when the object is not in head.
  package var head: Generation?
  /// The local key, which stays while the object is in head or confirmed.
  ///
  /// Nil when the primary key tells it, and where it is not known.
  package var localKey: ObjectKey?

  package init(confirmed: Cursor?, head: Generation?, localKey: ObjectKey? = nil) {
    self.confirmed = confirmed
    self.head = head
    self.localKey = localKey
  }

  var isEmpty: Bool { confirmed == nil && head == nil }

  var encoded: [UInt8] {
    var writer = RecordedWriter()
    writer.append(confirmed)
    writer.append(head)
    writer.append(varint: localKey.map { $0.rawValue &+ 1 } ?? 0)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ValueCodingError) {
    var reader = RecordedReader(bytes)
    confirmed = try reader.readOptionalCursor()
    head = try reader.readGeneration()
    let key = try reader.readVarint()
    localKey = key == 0 ? nil : ObjectKey(rawValue: key - 1)
    try reader.finish()
  }
}

/// The pending operations of one outbox entry that concern one object: they lie side by side.
package struct PendingOperations: Hashable, Sendable {
  package var number: UInt64
  /// Index of the first one in the entry.
  package var first: UInt32
  package var count: UInt32

  package init(number: UInt64, first: UInt32, count: UInt32) {
    self.number = number
    self.first = first
    self.count = count
  }
}

/// The confirmed values of what pending operations touched first in one object.
///
/// Once there is an image of the existence, all others are there too: a unit without one was
/// absent.
package struct ObjectImages: Hashable, Sendable {
  /// Whether the object was there; nil when no operation created or deleted it.
  package var existence: Bool?
  /// By property, element and part; nil for an absent element or part.
  package var units: [UnitPath: UnitValue?] = [:]

  package init() {}

  package var isEmpty: Bool { existence == nil && units.isEmpty }

  /// The image of a unit; `.some(nil)` when it was absent, nil when it has none.
  package subscript(path: UnitPath) -> UnitValue?? {
    if path == .existence { return existence.map { $0 ? .exists : nil } }
    if let image = units[path] { return .some(image) }
    return existence == nil ? nil : .some(nil)
  }
}
