public import AtollObjects
public import Foundation
internal import Synchronization

/// A 12-byte identifier that an application makes without asking anyone.
public struct ObjectId: Hashable, Comparable, Sendable {
  let id: ObjectID

  init(_ id: ObjectID) { self.id = id }

  /// The identifier of which all bytes are zero.
  public init() { self.init(ObjectID(seconds: 0, random: 0, counter: 0)) }

  /// Reads 24 hexadecimal digits.
  ///
  /// - Throws: `Realm.Error` with the code `invalidInput` for anything else.
  public init(string: String) throws {
    guard let id = ObjectID(string) else {
      throw Realm.Error(.invalidInput, "'\(string)' is no object id: 24 hexadecimal digits are")
    }
    self.init(id)
  }

  /// Reads 24 hexadecimal digits that stand in the source; anything else is a mistake there.
  public init(_ literal: StaticString) {
    guard let id = ObjectID("\(literal)") else {
      Misuse.trap("'\(literal)' is no object id: 24 hexadecimal digits are")
    }
    self.init(id)
  }

  /// Makes an identifier of a moment and numbers that tell this device and process from others.
  public init(timestamp: Date, machineId: Int = 0, processId: Int = 0) {
    let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
    self.init(
      ObjectID(
        seconds: UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970)),
        random: machine << 16 | UInt64(truncatingIfNeeded: processId) & 0xFFFF,
        counter: ObjectIdSource.nextCounter()))
  }

  /// A new identifier, unlike any other.
  public static func generate() -> ObjectId {
    ObjectId(
      ObjectID(
        seconds: UInt32(truncatingIfNeeded: Int64(Moment.now.timeIntervalSince1970)),
        random: ObjectIdSource.random, counter: ObjectIdSource.nextCounter()))
  }

  /// The moment that the identifier was made, in whole seconds.
  public var timestamp: Date { Date(timeIntervalSince1970: Double(id.seconds)) }

  /// 24 lower-case hexadecimal digits.
  public var stringValue: String { id.description }

  public static func < (a: ObjectId, b: ObjectId) -> Bool { a.id < b.id }
}

/// What the identifiers of one process share.
private enum ObjectIdSource {
  /// One draw for the process.
  static let random: UInt64 = {
    let bytes = UniqueID(UUID())
    return bytes.low
  }()
  private static let counter = Atomic<UInt32>(UInt32(truncatingIfNeeded: UniqueID(UUID()).low))

  static func nextCounter() -> UInt32 {
    counter.wrappingAdd(1, ordering: .relaxed).oldValue & 0xFF_FFFF
  }
}

extension ObjectId: CustomStringConvertible {
  public var description: String { stringValue }
}

extension ObjectId: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(string: decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}

extension ObjectId: _Scalar, _PrimaryKey, _Indexable, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.objectID) }
  public static func _default() -> ObjectId { generate() }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> ObjectId {
    value.objectID.map { ObjectId($0) } ?? ObjectId()
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .objectID(id) }
  public static func _bridge(_ source: Any) -> ObjectId? {
    switch AnyBridge.unwrapped(source) {
    case let value as ObjectId: value
    case let value as String: ObjectID(value).map { ObjectId($0) }
    default: nil
    }
  }
}
