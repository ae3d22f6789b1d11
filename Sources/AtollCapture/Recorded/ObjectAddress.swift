package import AtollObjects

/// An object by what all devices and the server know of it: its class and its primary key.
package struct ObjectAddress: Hashable, Sendable {
  package var className: String
  /// An integer, a string, an object id, a UUID, or null.
  package var primaryKey: Value

  package init(className: String, primaryKey: Value) {
    self.className = className
    self.primaryKey = primaryKey
  }
}

extension ObjectAddress: CustomStringConvertible {
  package var description: String { "\(className) \(primaryKey)" }
}

/// An element of a list, for its whole life.
///
/// Made of a random number that no other opening of the file or of a copy has, the version of the
/// transaction that inserted it, and a counter within that. Ids that earlier builds have made name
/// the client and number of the outbox entry instead.
package struct ElementID: Hashable, Comparable, Sendable {
  package var client: UInt64
  package var number: UInt64
  package var index: UInt32

  package init(client: UInt64, number: UInt64, index: UInt32) {
    self.client = client
    self.number = number
    self.index = index
  }

  init(_ entry: EntryName, index: UInt32) {
    self.init(client: entry.client, number: entry.number, index: index)
  }

  package static func < (a: ElementID, b: ElementID) -> Bool {
    (a.client, a.number, a.index) < (b.client, b.number, b.index)
  }
}

/// Names of classes are told apart by their bytes, as everywhere in a file.
extension ObjectAddress {
  package static func == (a: ObjectAddress, b: ObjectAddress) -> Bool {
    a.primaryKey == b.primaryKey && a.className.hasSameBytes(as: b.className)
  }
}

/// A version of a server's store: the incarnation that made it, and its number there.
package struct Cursor: Hashable, Sendable {
  package var incarnation: UInt64
  package var version: UInt64

  package init(incarnation: UInt64, version: UInt64) {
    self.incarnation = incarnation
    self.version = version
  }
}

/// Which life of an object is meant: a deletion and a later creation are two.
package enum Generation: Hashable, Sendable {
  /// The version that made it.
  case confirmed(Cursor)
  /// The device's own creation that is not answered: the entry and the operation in it.
  case pending(number: UInt64, index: UInt32)
}

/// A part of an object that changes as one.
package enum UnitPath: Hashable, Sendable {
  /// Whether the object is there.
  case existence
  case property(String)
  /// An element of a list.
  case element(property: String, ElementID)
  /// An entry of a map, by its key, or a member of a set: that is the value.
  case entry(property: String, RecordedValue)

  /// The property that the unit is, or belongs to; nil for the existence of an object.
  package var property: String? {
    switch self {
    case .existence: nil
    case .property(let name), .element(let name, _), .entry(let name, _): name
    }
  }
}

/// Names of properties are told apart by their bytes.
extension UnitPath {
  package static func == (a: UnitPath, b: UnitPath) -> Bool {
    switch (a, b) {
    case (.existence, .existence): true
    case (.property(let x), .property(let y)): x.hasSameBytes(as: y)
    case (.element(let x, let first), .element(let y, let second)):
      first == second && x.hasSameBytes(as: y)
    case (.entry(let x, let first), .entry(let y, let second)):
      first == second && x.hasSameBytes(as: y)
    default: false
    }
  }
}

/// A part of one object.
package struct Unit: Hashable, Sendable {
  package var object: ObjectAddress
  package var path: UnitPath

  package init(object: ObjectAddress, path: UnitPath) {
    self.object = object
    self.path = path
  }
}

/// What a unit holds.
package enum UnitValue: Hashable, Sendable {
  /// Of a property, or of a map's entry.
  case value(RecordedValue)
  /// Of a list's element.
  case element(ListPosition, RecordedValue)
  /// Of an object's existence, or of a set's member.
  case exists
}

extension UnitValue {
  /// The value in it; nil for what only is there.
  package var content: RecordedValue? {
    switch self {
    case .value(let value), .element(_, let value): value
    case .exists: nil
    }
  }
}
