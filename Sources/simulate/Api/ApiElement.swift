internal import Atoll
internal import Foundation

/// A Swift type that a property or a collection of `simulate api` has, and the model's form of it.
protocol ApiElement {
  /// Values that programs use.
  static var samples: [ApiValue] { get }
  /// The Swift value; `objects` gives the object of a number.
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Self
  var plain: ApiValue { get }
  /// The value, where it is an object.
  var object: ObjectBase? { get }
}

extension ApiElement {
  var object: ObjectBase? { nil }
}

/// An object that has a number by which the model knows it.
protocol ApiObject: ObjectBase, ApiElement {
  var number: Int { get set }
}

extension ApiObject {
  static var samples: [ApiValue] { [] }

  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Self {
    guard case .object(let number) = value, let object = objects(number) as? Self else {
      preconditionFailure("\(value) is no object of \(Self.self)")
    }
    return object
  }

  var plain: ApiValue { .object(number) }
  var object: ObjectBase? { self }
}

extension Optional: ApiElement where Wrapped: ApiElement {
  static var samples: [ApiValue] { [.null] + Wrapped.samples }

  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Wrapped? {
    value == .null ? nil : Wrapped.make(value, objects)
  }

  var plain: ApiValue { map(\.plain) ?? .null }
  var object: ObjectBase? { flatMap(\.object) }
}

// MARK: Scalars

extension FixedWidthInteger {
  static var integerSamples: [ApiValue] {
    [0, 1, 2, -3, 7, 100, Int64(Self.max), Int64(Self.min)].map { .int($0) }
  }

  static func integer(_ value: ApiValue) -> Self {
    guard case .int(let value) = value else { preconditionFailure("\(value) is no integer") }
    return Self(truncatingIfNeeded: value)
  }
}

extension Int: ApiElement {
  // Sums must not overflow: that is for other tests.
  static var samples: [ApiValue] { [0, 1, 2, -3, 7, 1 << 40].map { .int($0) } }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Int { integer(value) }
  var plain: ApiValue { .int(Int64(self)) }
}

extension Int8: ApiElement {
  static var samples: [ApiValue] { integerSamples }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Int8 { integer(value) }
  var plain: ApiValue { .int(Int64(self)) }
}

extension Int16: ApiElement {
  static var samples: [ApiValue] { integerSamples }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Int16 { integer(value) }
  var plain: ApiValue { .int(Int64(self)) }
}

extension Int32: ApiElement {
  static var samples: [ApiValue] { integerSamples }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Int32 { integer(value) }
  var plain: ApiValue { .int(Int64(self)) }
}

extension Int64: ApiElement {
  static var samples: [ApiValue] { integerSamples }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Int64 { integer(value) }
  var plain: ApiValue { .int(self) }
}

extension Bool: ApiElement {
  static var samples: [ApiValue] { [.bool(false), .bool(true)] }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Bool {
    value == .bool(true)
  }
  var plain: ApiValue { .bool(self) }
}

extension Float: ApiElement {
  static var samples: [ApiValue] { [0, 1.5, -2.25, 1e10].map { .float($0) } }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Float {
    if case .float(let value) = value { value } else { 0 }
  }
  var plain: ApiValue { .float(self) }
}

extension Double: ApiElement {
  static var samples: [ApiValue] { [0, 0.1, -2.5, 1e300, 1e-300].map { .double($0) } }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Double {
    if case .double(let value) = value { value } else { 0 }
  }
  var plain: ApiValue { .double(self) }
}

extension String: ApiElement {
  static var samples: [ApiValue] {
    ["", "a", "b", "A", "Zoë", "a longer text of more than 16 bytes"].map { .string($0) }
  }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> String {
    if case .string(let value) = value { value } else { "" }
  }
  var plain: ApiValue { .string(self) }
}

extension Data: ApiElement {
  static var samples: [ApiValue] { [[], [0], [1, 2, 255]].map { .data($0) } }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Data {
    if case .data(let bytes) = value { Data(bytes) } else { Data() }
  }
  var plain: ApiValue { .data(Array(self)) }
}

extension Date: ApiElement {
  static var samples: [ApiValue] { [0, -1.5, 1_700_000_000.25].map { .date($0) } }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Date {
    if case .date(let seconds) = value {
      Date(timeIntervalSince1970: seconds)
    } else {
      Date.distantPast
    }
  }
  var plain: ApiValue { .date(timeIntervalSince1970) }
}

extension Decimal128: ApiElement {
  static var samples: [ApiValue] { ["0", "1.5", "-7", "1234567890.0987"].map { .decimal($0) } }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> Decimal128 {
    if case .decimal(let text) = value { Decimal128(stringLiteral: text) } else { 0 }
  }
  var plain: ApiValue { .decimal("\(self)") }
}

extension ObjectId: ApiElement {
  static var samples: [ApiValue] {
    ["000000000000000000000000", "0123456789abcdef01234567", "ffffffffffffffffffffffff"]
      .map { .objectId($0) }
  }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> ObjectId {
    if case .objectId(let text) = value, let id = try? ObjectId(string: text) {
      id
    } else {
      ObjectId()
    }
  }
  var plain: ApiValue { .objectId(stringValue) }
}

extension UUID: ApiElement {
  static var samples: [ApiValue] {
    ["00000000-0000-0000-0000-000000000000", "01234567-89AB-CDEF-0123-456789ABCDEF"]
      .map { .uuid($0) }
  }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> UUID {
    if case .uuid(let text) = value, let id = UUID(uuidString: text) { id } else { UUID() }
  }
  var plain: ApiValue { .uuid(uuidString) }
}

enum ApiColor: String, PersistableEnum, ApiElement {
  case red, green, blue

  static var samples: [ApiValue] { allCases.map(\.plain) }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> ApiColor {
    if case .string(let text) = value { ApiColor(rawValue: text) ?? .red } else { .red }
  }
  var plain: ApiValue { .string(rawValue) }
}

enum ApiLevel: Int, PersistableEnum, ApiElement {
  case low = 10
  case high = 20

  static var samples: [ApiValue] { allCases.map(\.plain) }
  static func make(_ value: ApiValue, _ objects: (Int) -> ObjectBase) -> ApiLevel {
    if case .int(let number) = value { ApiLevel(rawValue: Int(number)) ?? .low } else { .low }
  }
  var plain: ApiValue { .int(Int64(rawValue)) }
}
