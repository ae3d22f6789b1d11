internal import AtollObjects
internal import Foundation

/// Which of the server's objects a file holds.
enum SyncScope: Hashable, Sendable {
  /// Those that its subscriptions ask for.
  case flexible
  /// All of the classes that it has.
  case everything
  /// Those of one partition: of the classes with the property `_partition` the objects in which it
  /// has this value, of the others all.
  case partition(AnyBSON)

  /// The property that tells the partition of an object.
  static let partitionProperty = "_partition"

  /// The name of the user's file.
  var fileName: String {
    switch self {
    case .flexible: "flexible.atoll"
    case .everything: "full.atoll"
    case .partition(let value): "partition-\(ProgramDirectory.fileName(value.partitionText)).atoll"
    }
  }
}

extension AnyBSON {
  /// Tells values apart, of other types too.
  var partitionText: String {
    switch self {
    case .null: "null"
    case .bool(let value): "bool=\(value)"
    case .int32(let value): "int=\(value)"
    case .int64(let value): "int=\(value)"
    case .double(let value): "double=\(value)"
    case .string(let value): "string=\(value)"
    case .binary(let value): "binary=\(value.base64EncodedString())"
    case .datetime(let value): "date=\(value.timeIntervalSince1970)"
    case .objectId(let value): "objectId=\(value.stringValue)"
    case .decimal128(let value): "decimal=\(value)"
    case .uuid(let value): "uuid=\(value.uuidString)"
    }
  }

  /// As a property of a class holds it.
  var stored: _StoredValue {
    switch self {
    case .null: .null
    case .bool(let value): value._store(nil)
    case .int32(let value): value._store(nil)
    case .int64(let value): value._store(nil)
    case .double(let value): value._store(nil)
    case .string(let value): value._store(nil)
    case .binary(let value): value._store(nil)
    case .datetime(let value): value._store(nil)
    case .objectId(let value): value._store(nil)
    case .decimal128(let value): value._store(nil)
    case .uuid(let value): value._store(nil)
    }
  }
}
