import Atoll
import Foundation
import TestThreads
import Testing

private final class Reading: Object {
  @Persisted var name = ""
  @Persisted var i = 0
  @Persisted var optional: Int?
  @Persisted var small: Int8 = 0
  @Persisted var flag = false
  @Persisted var d = 0.0
  @Persisted var f: Float = 0
  @Persisted var dec: Decimal128
  @Persisted var mixed: AnyRealmValue
  @Persisted var ints: List<Int>
  @Persisted var anys: List<AnyRealmValue>
}

private final class Numbered: Object {
  @Persisted(primaryKey: true) var id = 0
}

private func json(_ text: String) throws -> Any {
  try JSONSerialization.jsonObject(with: Data(text.utf8))
}

/// `NSNumber`, as `JSONSerialization` makes it of numbers, as a value and as an argument.
@Suite(.waiting) struct FoundationNumberTests {
  private let realm: Realm

  init() throws { realm = try makeRealm([Reading.self, Numbered.self]) }

  private func reading(_ value: Any) throws -> Reading {
    try realm.write { realm.create(Reading.self, value: value) }
  }

  /// Sources and what a mixed value holds of each.
  private static var kinds: [(Any, AnyRealmValue)] {
    [
      (NSNumber(value: 1), .int(1)), (NSNumber(value: 0), .int(0)), (NSNumber(value: -1), .int(-1)),
      (NSNumber(value: Int8(1)), .int(1)), (NSNumber(value: Int8(100)), .int(100)),
      (NSNumber(value: Int8.min), .int(-128)), (NSNumber(value: UInt8(200)), .int(200)),
      (NSNumber(value: UInt32.max), .int(4_294_967_295)), (NSNumber(value: UInt64(7)), .int(7)),
      (NSNumber(value: Int64.max), .int(Int.max)), (NSNumber(value: Int64.min), .int(Int.min)),
      (NSNumber(value: true), .bool(true)), (NSNumber(value: false), .bool(false)),
      (NSNumber(value: 2.5), .double(2.5)), (NSNumber(value: 1.0), .double(1)),
      (NSNumber(value: Float(0.1)), .float(0.1)),
      (NSDecimalNumber(string: "0.1"), .decimal128("0.1")),
      (Decimal(3), .decimal128(3)), (NSNull(), .none),
      (1, .int(1)), (true, .bool(true)), (1.5, .double(1.5)), (Float(1.5), .float(1.5)),
      (1.0, .double(1)), (UInt8(1), .int(1)),
    ]
  }

  @Test func aMixedValueHoldsANumberAsItsKind() throws {
    for (source, expected) in Self.kinds {
      #expect(try reading(["mixed": source]).mixed == expected, "\(source)")
      #expect(Reading(value: ["mixed": source]).mixed == expected, "\(source), unmanaged")
      try realm.write {
        let object = realm.create(Reading.self)
        object["mixed"] = source
        #expect(object.mixed == expected, "\(source), by name")
        object.setValue(Optional(source), forKey: "mixed")
        #expect(object.mixed == expected, "\(source), in an optional")
        object["anys"] = NSArray(array: [source])
        #expect(Array(object.anys) == [expected], "\(source), in an array")
        object["mixed"] = NSDictionary(dictionary: ["k": [source]])
        let inner = object.mixed.dictionaryValue?["k"]?.listValue?.first
        #expect(inner == expected, "\(source), in a dictionary")
      }
    }
  }

  @Test func aMixedValueHoldsAValueOfJSONAsItIsWritten() throws {
    let source = try json(
      """
      {"anys": [1, 0, true, false, 2.5, 12345678901, 9223372036854775807, -1, null],
       "mixed": {"count": 1, "flag": true}}
      """)
    let reading = try reading(source)
    #expect(
      Array(reading.anys) == [
        .int(1), .int(0), .bool(true), .bool(false), .double(2.5), .int(12_345_678_901),
        .int(.max), .int(-1), AnyRealmValue.none,
      ])
    let map = reading.mixed.dictionaryValue
    #expect(map?["count"] == .int(1) && map?["flag"] == .bool(true))
  }

  @Test func anIntegerThatDoesNotFitIsRefused() async {
    await #expect(processExitsWith: .failure) {
      _ = Reading(value: try json(#"{"i": 18446744073709551615}"#))
    }
    await #expect(processExitsWith: .failure) {
      _ = Reading(value: try json(#"{"optional": 18446744073709551615}"#))
    }
    await #expect(processExitsWith: .failure) {
      _ = Reading(value: try json(#"{"ints": [18446744073709551615]}"#))
    }
    await #expect(processExitsWith: .failure) {
      _ = Reading(value: try json(#"{"mixed": 18446744073709551615}"#))
    }
    await #expect(processExitsWith: .failure) { _ = Reading(value: try json(#"{"i": 2.5}"#)) }
    await #expect(processExitsWith: .failure) {
      _ = Reading(value: ["small": NSNumber(value: 300)])
    }
  }

  @Test func anIntegerThatFitsIsKeptExactly() throws {
    let source = try json(
      """
      {"i": 9007199254740993, "optional": 3.0, "small": -128, "flag": 1, "ints": [1, true],
       "d": 9007199254740993, "f": 7}
      """)
    let reading = try reading(source)
    #expect(reading.i == 9_007_199_254_740_993 && reading.optional == 3 && reading.small == -128)
    #expect(reading.flag && Array(reading.ints) == [1, 1])
    #expect(reading.d == 9_007_199_254_740_992 && reading.f == 7)
    #expect(try self.reading(["i": NSDecimalNumber(string: "9007199254740993")]).i == reading.i)
    #expect(try self.reading(["d": NSDecimalNumber(string: "0.1")]).d == 0.1)
  }

  @Test func aDecimalIsMadeOfANumberExactly() throws {
    func decimal(_ text: String) throws -> String {
      try reading(try json("{\"dec\": \(text)}")).dec.description
    }
    for text in [
      "12345", "9007199254740993", "123456789012345678", "18446744073709551615",
      "18446744073709551616", "-1", "2.5", "0.1234567890123456789",
    ] {
      #expect(try decimal(text) == text)
    }
    #expect(try reading(["dec": UInt64.max]).dec.description == "18446744073709551615")
    #expect(try reading(["dec": NSNumber(value: Float(0.1))]).dec.description == "0.1")
  }

  @Test func anArgumentIsComparedAsItsKind() throws {
    for (name, number) in [("a", 9_007_199_254_740_992), ("b", 9_007_199_254_740_993), ("c", 1)] {
      _ = try reading(
        ["name": name, "i": number, "flag": name == "c", "d": 0.1, "mixed": number] as [String: Any]
      )
    }
    func names(_ text: String, _ arguments: Any...) throws -> String {
      let all = realm.objects(Reading.self).sorted(byKeyPath: "name")
      let predicate = NSPredicate(format: text, argumentArray: arguments)
      let found: [String] = try all.query(predicate).map(\.name)
      #expect(all.filter(predicate).map(\.name) == found)
      return found.joined()
    }
    let large = NSNumber(value: 9_007_199_254_740_993)
    #expect(try names("i == %@", large) == "b")
    #expect(realm.objects(Reading.self).filter("i == %@", large).map(\.name) == ["b"])
    #expect(try names("mixed == %@", large) == "b")
    #expect(try names("i IN %@", [large]) == "b")
    #expect(try names("i IN %@", NSArray(array: [large, NSNumber(value: 1)])) == "bc")
    #expect(try names("i BETWEEN {%@, %@}", large, large) == "b")
    #expect(try names("i == %@", NSDecimalNumber(string: "9007199254740993")) == "b")
    #expect(try names("flag == %@", NSNumber(value: true)) == "c")
    #expect(try names("flag == %@", NSNumber(value: false)) == "ab")
    #expect(try names("d == %@", NSNumber(value: 0.1)) == "abc")
    #expect(try names("d == %@", NSDecimalNumber(string: "0.1")) == "abc")
    #expect(try names("i == %@", NSNumber(value: 1.0)) == "c")
    #expect(try names("i < %@", NSNumber(value: 2.5)) == "c")
    #expect(throws: (any Error).self) { try names("i < %@", NSNumber(value: UInt64.max)) }
  }

  @Test func anObjectIsFoundByANumberAsItsKey() throws {
    try realm.write {
      for id in [-1, 9_007_199_254_740_993] { realm.create(Numbered.self, value: ["id": id]) }
    }
    func found(_ key: NSNumber) -> Int? {
      realm.object(ofType: Numbered.self, forPrimaryKey: key)?.id
    }
    #expect(found(9_007_199_254_740_993) == 9_007_199_254_740_993 && found(-1) == -1)
    #expect(found(NSNumber(value: UInt64.max)) == nil && found(2.5) == nil)
  }
}
