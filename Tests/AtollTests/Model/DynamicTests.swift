import Atoll
import Foundation
import TestThreads
import Testing

private class Card: Object, Codable {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var title: String
  @Persisted var note: String?
  @Persisted var marks: List<Int>
}

private class Item: Object {
  @Persisted var any: AnyRealmValue
  @Persisted var numbers: List<Int>
}

@Suite(.waiting) struct DynamicTests {
  @Test func propertiesAreReadAndSetByName() throws {
    let realm = try makeRealm()
    let keeper = Keeper(value: ["_id": 1, "name": "Ann"])
    keeper["age"] = 30
    keeper.setValue(["street": "Main"], forKey: "address")
    #expect(keeper.value(forKey: "age") as? Int == 30)
    try realm.write {
      realm.add(keeper)
      keeper["name"] = "Anna"
      keeper["friend"] = Keeper(value: [2, "Bob"])
    }
    #expect(keeper["name"] as? String == "Anna")
    #expect(keeper.value(forKeyPath: "friend.name") as? String == "Bob")
    #expect(keeper.value(forKeyPath: "friend.friend.name") == nil)
    #expect(keeper.value(forKeyPath: "address.street") as? String == "Main")
    let bird = Bird()
    bird["wing_count"] = 2
    #expect(bird.wings == 2)
  }

  @Test func valuesByNameHaveThePlainestType() throws {
    let value = Everything()
    value.int8 = -3
    value.optInt8 = 4
    value.size = .large
    value.level = .high
    value.optSize = .medium
    let item = Item(value: ["any": 5, "numbers": [1, 2]])
    func check() {
      #expect(value["int8"] as? Int == -3 && value["optInt8"] as? Int == 4)
      #expect(value["size"] as? String == "large" && value["level"] as? Int == 9)
      #expect(value.value(forKey: "optSize") as? String == "medium")
      #expect(value["optInt"] == nil && value["float"] as? Float == 0)
      #expect(item["any"] as? Int == 5 && item["numbers"] is List<Int>)
    }
    check()
    let realm = try makeRealm()
    try realm.write {
      realm.add(value)
      realm.add(item)
    }
    check()
    #expect(realm.objects(Everything.self).value(forKey: "size") as? [String] == ["large"])
    try realm.write { item["any"] = Hound(value: ["name": "Rex"]) }
    #expect(item.value(forKeyPath: "any.name") as? String == "Rex")
  }

  @Test func namesThatDoNotExistEndTheProcess() async {
    await #expect(processExitsWith: .failure) { Hound()["nam"] = "a" }
    await #expect(processExitsWith: .failure) { Hound()["weight"] = "a" }
  }

  @Test func theSchemaTellsWhatAClassPersists() throws {
    let schema = Keeper().objectSchema
    #expect(schema.className == "Keeper" && schema.primaryKeyProperty?.name == "_id")
    #expect(schema.properties.map(\.name) == ["_id", "name", "age", "dogs", "address", "friend"])
    let dogs = try #require(schema["dogs"])
    #expect(dogs.isArray && dogs.type == .object && dogs.objectClassName == "Hound")
    #expect(!dogs.isOptional && schema["friend"]?.isOptional == true)
    #expect(Hound().objectSchema["owners"]?.isOptional == false)
    #expect(Bird().objectSchema["wings"]?.columnName == "wing_count")
    #expect(Hound().objectSchema["weight"]?.isIndexed == true)
    #expect(Address().objectSchema.isEmbedded)
    #expect(try makeRealm([Keeper.self]).schema.objectSchema.count == 4)
  }

  @Test func modelsAreCodedAsTheirValues() throws {
    let json = Data(#"{"number": 7, "title": "a", "marks": [1, 2]}"#.utf8)
    let card = try JSONDecoder().decode(Card.self, from: json)
    #expect(card.number == 7 && card.note == nil && Array(card.marks) == [1, 2])
    card.note = "n"
    let coded = try JSONEncoder().encode(card)
    let again = try JSONDecoder().decode(Card.self, from: coded)
    #expect(again.title == "a" && again.note == "n" && Array(again.marks) == [1, 2])
    let realm = try makeRealm()
    try realm.write { realm.add(card) }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(card) }
    #expect(card.note == "n")
  }

  @Test func aDescriptionShowsTheValues() throws {
    let keeper = Keeper(value: ["_id": 1, "name": "Ann", "friend": [2, "Bob"]])
    keeper.friend?.friend = keeper
    #expect(keeper.description.contains("name = Ann;"))
    #expect(keeper.description.contains("\tname = Bob;"))
    let realm = try makeRealm()
    try realm.write { realm.add(keeper) }
    try realm.write { realm.delete(keeper) }
    #expect(keeper.description.contains("invalidated"))
  }

  @Test func decimalsReadAndPrintTheirDigits() throws {
    #expect(try Decimal128(string: "12.50").description == "12.50")
    #expect(throws: Realm.Error.self) { try Decimal128(string: "twelve") }
    let sum: Decimal128 = 1.5 + 2
    #expect(sum == 3.5 && sum > 3 && -sum < 0 && sum * 2 == 7 && sum.doubleValue == 3.5)
    #expect(Decimal128.nan.isNaN && Decimal128(value: 7) == 7)
    let values: [Any] = [7, Int8(7), 7.0, "7", NSNumber(value: 7), Decimal(7)]
    #expect(values.allSatisfy { Decimal128(value: $0) == 7 })
    #expect(Decimal128.max.description == "9.999999999999999999999999999999999E+6144")
    #expect(Decimal128.min == -Decimal128.max && [sum, sum].reduce(0, +) == 7)
    #expect(Decimal128(exactly: -70) == -70)
    let large = Decimal128(exactly: UInt128(10) << 100)
    #expect(large?.description == "12676506002282294014967032053760")
    #expect(Decimal128(exactly: UInt128.max) == nil)
  }

  @Test func objectIdsAreReadAndPrinted() throws {
    let id = try ObjectId(string: "507f1f77bcf86cd799439011")
    #expect(id.stringValue == "507f1f77bcf86cd799439011" && "\(id)" == id.stringValue)
    #expect(id == ObjectId("507f1f77bcf86cd799439011"))
    #expect(throws: Realm.Error.self) { try ObjectId(string: "507f") }
    #expect(abs(ObjectId.generate().timestamp.timeIntervalSinceNow) < 5)
  }
}
