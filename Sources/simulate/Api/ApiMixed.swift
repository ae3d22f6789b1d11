internal import Atoll
internal import Foundation

extension AnyRealmValue: ApiElement {
  static var samples: [ApiValue] {
    [
      .null, .bool(true), .int(5), .double(2.5), .string("m"), .data([9]), .date(3),
      .decimal("4.5"), .list([]), .list([.int(1), .string("x")]),
      .map(["k": .int(1), "l": .list([.null, .int(2)])]), .list([.map([:]), .list([.int(3)])]),
    ]
  }

  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> AnyRealmValue {
    switch value {
    case .null, .set: .none
    case .bool(let value): .bool(value)
    case .int(let value): .int(Int(value))
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .data(let bytes): .data(Data(bytes))
    case .date: .date(Date.make(value, objects))
    case .decimal: .decimal128(Decimal128.make(value, objects))
    case .objectId: .objectId(ObjectId.make(value, objects))
    case .uuid: .uuid(UUID.make(value, objects))
    case .object(let number): (objects(number) as? Object).map { .object($0) } ?? .none
    case .list(let elements): .fromArray(elements.map { make($0, objects) })
    case .map(let entries): .fromDictionary(entries.mapValues { make($0, objects) })
    }
  }

  var plain: ApiValue {
    switch self {
    case .none: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(Int64(value))
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .data(let value): .data(Array(value))
    case .date(let value): value.plain
    case .decimal128(let value): value.plain
    case .objectId(let value): value.plain
    case .uuid(let value): value.plain
    case .object(let object): (object as? any ApiObject).map { .object($0.number) } ?? .null
    case .list(let list): .list(list.map(\.plain))
    case .dictionary(let map):
      .map(Dictionary(uniqueKeysWithValues: map.keys.map { ($0, map[$0]?.plain ?? .null) }))
    }
  }
}
