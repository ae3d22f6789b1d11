public import Foundation

/// A value of the binary JSON that servers of the MongoDB family speak; names partitions here.
public enum AnyBSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case string(String)
  case binary(Data)
  case datetime(Date)
  case objectId(ObjectId)
  case decimal128(Decimal128)
  case uuid(UUID)

  /// Takes over a value; nil becomes `null`.
  public init<T: BSON>(_ value: T) { self = value.anyBSON }
}

/// A type with values that `AnyBSON` has.
public protocol BSON: Hashable, Sendable {
  /// The value as an `AnyBSON`.
  var anyBSON: AnyBSON { get }
}

extension AnyBSON: BSON {
  public var anyBSON: AnyBSON { self }
}

extension Bool: BSON {
  public var anyBSON: AnyBSON { .bool(self) }
}

extension Int: BSON {
  /// The integer as `int64`.
  public var anyBSON: AnyBSON { .int64(Int64(self)) }
}

extension Int32: BSON {
  public var anyBSON: AnyBSON { .int32(self) }
}

extension Int64: BSON {
  public var anyBSON: AnyBSON { .int64(self) }
}

extension Double: BSON {
  public var anyBSON: AnyBSON { .double(self) }
}

extension String: BSON {
  public var anyBSON: AnyBSON { .string(self) }
}

extension Data: BSON {
  public var anyBSON: AnyBSON { .binary(self) }
}

extension Date: BSON {
  public var anyBSON: AnyBSON { .datetime(self) }
}

extension ObjectId: BSON {
  public var anyBSON: AnyBSON { .objectId(self) }
}

extension Decimal128: BSON {
  public var anyBSON: AnyBSON { .decimal128(self) }
}

extension UUID: BSON {
  public var anyBSON: AnyBSON { .uuid(self) }
}

extension Optional: BSON where Wrapped: BSON {
  /// The value; `null` for nil.
  public var anyBSON: AnyBSON { self?.anyBSON ?? .null }
}
