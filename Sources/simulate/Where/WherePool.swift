internal import Atoll
internal import Foundation
internal import TestSupport

/// Values of one type, few enough that equal ones are common, and what they are in a plain reading.
struct WherePool<Value> {
  let values: [Value]
  let plain: (Value) -> WhereValue

  init(_ values: [Value], _ plain: @escaping (Value) -> WhereValue) {
    self.values = values
    self.plain = plain
  }

  func any(_ random: inout SplitMix64) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  /// The same values, and null.
  var orNull: WherePool<Value?> {
    WherePool<Value?>(values.map { .some($0) } + [nil]) { [plain] in $0.map(plain) ?? .null }
  }
}

extension WherePool where Value == Bool {
  static var bools: Self { Self([false, true]) { .bool($0) } }
}

extension WherePool where Value == Int {
  static var ints: Self { Self([-3, 0, 1, 2, 3, 7, 300, 70_000, .max]) { .int($0) } }
}

extension WherePool where Value == Double {
  static var doubles: Self { Self([0, 1, 1.5, 2, -3.25, .nan, .infinity]) { .number($0) } }
}

extension WherePool where Value == Float {
  static var floats: Self { Self([0, 1.5, 2, -3.25, .nan]) { .number(Double($0)) } }
}

extension WherePool where Value == Decimal128 {
  static var decimals: Self {
    Self([0, 1, "1.5", "1.50", 2, "-3.25"]) { .number($0.doubleValue) }
  }
}

extension WherePool where Value == String {
  static var strings: Self {
    Self(["", "a", "A", "ab", "Ab", "b", "\u{e9}", "e\u{301}", "\u{c9}a", "longer than eight"]) {
      .string($0)
    }
  }

  static var keys: Self { Self(["k", "j", "\u{e9}"]) { .string($0) } }
  static var patterns: Self { Self(["*", "?", "a*", "*a*", "?b", "*e", ""]) { .string($0) } }
}

extension WherePool where Value == Date {
  static var dates: Self {
    Self([-1, 0, 0.5, 1, 86_400].map { Date(timeIntervalSinceReferenceDate: $0) }) {
      .date($0.timeIntervalSinceReferenceDate)
    }
  }
}

extension WherePool where Value == Data {
  static var datas: Self {
    Self([[], [1], [1, 2], [2]].map { Data($0 as [UInt8]) }) { .data([UInt8]($0)) }
  }
}

extension WherePool where Value == UUID {
  static var uuids: Self {
    Self(
      (1...3).compactMap { UUID(uuidString: "00000000-0000-0000-0000-00000000000\($0)") }
    ) { .uuid($0.uuidString) }
  }
}

extension WherePool where Value == WhereKind {
  static var kinds: Self { Self(WhereKind.allCases) { .string($0.rawValue) } }
}

extension WherePool where Value == WhereLevel {
  static var levels: Self { Self(WhereLevel.allCases) { .int($0.rawValue) } }
}

extension WherePool where Value == WhereCode {
  static var codes: Self { Self(["", "a", "Ab", "b"].map { WhereCode($0) }) { .string($0.text) } }
}

extension WherePool where Value == AnyRealmValue {
  static var mixed: Self {
    Self(
      [
        .none, .bool(true), .int(1), .int(2), .double(1), .double(1.5), .float(2), .string("a"),
        .string("Ab"), .date(Date(timeIntervalSinceReferenceDate: 0)), .decimal128("1.5"),
        .data(Data([1])), .fromArray([.int(1), .string("a")]), .fromArray([.int(1)]),
        .fromArray([]), .fromArray([.fromArray([.int(1)]), .none]),
        .fromDictionary(["k": .int(1), "j": .fromArray([.int(2)])]), .fromDictionary([:]),
      ], Self.plain)
  }

  /// The mixed values that strings are tested with.
  static var mixedTexts: Self { Self([.string("a"), .string("b"), .data(Data([1]))], Self.plain) }

  static func plain(_ value: AnyRealmValue) -> WhereValue {
    switch value {
    case .none, .object, .objectId: .null
    case .int(let value): .int(value)
    case .bool(let value): .bool(value)
    case .float(let value): .number(Double(value))
    case .double(let value): .number(value)
    case .string(let value): .string(value)
    case .data(let value): .data([UInt8](value))
    case .date(let value): .date(value.timeIntervalSinceReferenceDate)
    case .decimal128(let value): .number(value.doubleValue)
    case .uuid(let value): .uuid(value.uuidString)
    case .list(let list): .list(list.map(plain))
    case .dictionary(let map):
      .map(
        Dictionary(
          map.asKeyValueSequence().map { ($0.key, plain($0.value)) }, uniquingKeysWith: { $1 }))
    }
  }
}
