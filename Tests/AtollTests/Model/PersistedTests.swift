import Atoll
import Foundation
import TestThreads
import Testing

/// Keys and indexes of types that are kept as a value of another type.
private class Parcel: Object {
  @Persisted(primaryKey: true) var size: Size
  @Persisted(indexed: true) var level: Level
  @Persisted(indexed: true) var lowest = Level.high
  @Persisted(indexed: true) var optional: Size?
  @Persisted(indexed: true) var preset: Size? = .large
  @Persisted(indexed: .general) var general: Level
  @Persisted(indexed: .general) var optionalGeneral: Level?
  @Persisted(indexed: true) var code: Code
  @Persisted(indexed: true) var optionalCode: Code?
}

private class Drawer: Object {
  @Persisted(primaryKey: true) var level: Level?
}

private class Stamp: Object {
  @Persisted(primaryKey: true) var code: Code
}

@Suite(.computing) struct PersistedTests {
  @Test func unmanagedObjectsHaveTheDefaultsOfTheirTypes() {
    let object = Everything()
    #expect(!object.bool)
    #expect(object.int == 0 && object.int8 == 0 && object.double == 0)
    #expect(object.string == "" && object.data == Data())
    #expect(abs(object.date.timeIntervalSinceNow) < 5)
    #expect(object.decimal == 0)
    #expect(object.size == .small && object.level == .low && object.code.text == "")
    #expect(object.optInt == nil && object.optSize == nil && object.optCode == nil)
    #expect(object.ints.isEmpty)
    #expect(object.realm == nil && !object.isInvalidated)
    #expect(Keeper().age == 18)
  }

  @Test func enumsAndCustomTypesHaveIndexesAndAreKeys() throws {
    let realm = try makeRealm([Parcel.self, Drawer.self, Stamp.self])
    let schema = try #require(realm.schema["Parcel"])
    #expect(schema.primaryKeyProperty?.name == "size")
    #expect(schema.properties.count { $0.isIndexed } == 9)
    try realm.write {
      realm.create(Parcel.self, value: ["size": "medium", "level": 9])
      realm.create(Drawer.self, value: ["level": Level.high])
      realm.create(Drawer.self)
      realm.create(Stamp.self, value: ["code": "x"])
    }
    let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: Size.medium))
    #expect(parcel.level == .high && parcel.lowest == .high && parcel.preset == .large)
    #expect(parcel.optional == nil && parcel.general == .low && parcel.optionalGeneral == nil)
    #expect(
      realm.objects(Parcel.self).where { $0.level == .high && $0.preset == .large }.count == 1)
    #expect(realm.object(ofType: Parcel.self, forPrimaryKey: "medium") != nil)
    #expect(realm.object(ofType: Drawer.self, forPrimaryKey: Level.high) != nil)
    #expect(realm.object(ofType: Drawer.self, forPrimaryKey: Level?.none) != nil)
    #expect(realm.object(ofType: Stamp.self, forPrimaryKey: Code(persistedValue: "x")) != nil)
  }

  @Test func idsThatNobodySetAreNewForEachObjectAndStay() {
    let (a, b) = (Everything(), Everything())
    #expect(a._id != b._id && a.uuid != b.uuid)
    #expect(a._id == a._id && a.uuid == a.uuid)
  }

  @Test func everyTypeComesBackAsItWasSet() throws {
    let realm = try makeRealm()
    let object = Everything()
    let id = object._id
    let uuid = UUID()
    let date = Date(timeIntervalSince1970: -12.5)
    object.bool = true
    object.int = .min
    object.int8 = -8
    object.int16 = 16
    object.int32 = -32
    object.int64 = .max
    object.float = 1.5
    object.double = -2.25
    object.string = "Größe"
    object.data = Data([1, 2, 3])
    object.date = date
    object.decimal = 12
    object.uuid = uuid
    object.size = .large
    object.level = .high
    object.code = Code(persistedValue: "x1")
    object.ints.append(objectsIn: [3, 1, 2])
    object.strings.append(objectsIn: ["a", nil])
    object.sizes.append(.medium)
    try realm.write { realm.add(object) }
    let read = try #require(realm.object(ofType: Everything.self, forPrimaryKey: id))
    for one in [object, read] {
      #expect(one.realm == realm)
      #expect(one.bool && one.int == .min && one.int8 == -8 && one.int16 == 16)
      #expect(one.int32 == -32 && one.int64 == .max && one.float == 1.5 && one.double == -2.25)
      #expect(one.string == "Größe" && one.data == Data([1, 2, 3]) && one.date == date)
      #expect(one.decimal == 12 && one.uuid == uuid && one.size == .large && one.level == .high)
      #expect(one.code.text == "x1")
      #expect(Array(one.ints) == [3, 1, 2] && Array(one.strings) == ["a", nil])
      #expect(Array(one.sizes) == [.medium])
      #expect(one.optBool == nil && one.optInt == nil && one.optInt8 == nil && one.optDate == nil)
      #expect(one.optString == nil && one.optData == nil && one.optDecimal == nil)
      #expect(one.optUuid == nil && one.optObjectId == nil && one.optSize == nil)
    }
  }

  @Test func optionalsOfAManagedObjectAreSetAndUnset() throws {
    let realm = try makeRealm()
    let object = Everything()
    try realm.write { realm.add(object) }
    let (uuid, id, date) = (UUID(), ObjectId.generate(), Date(timeIntervalSince1970: 1_700_000_000))
    try realm.write {
      object.optBool = false
      object.optInt = 7
      object.optInt8 = 8
      object.optFloat = 0.5
      object.optDouble = 0.25
      object.optString = ""
      object.optData = Data()
      object.optDate = date
      object.optDecimal = 5
      object.optUuid = uuid
      object.optObjectId = id
      object.optSize = .medium
      object.optCode = Code(persistedValue: "c")
      #expect(object.optInt == 7 && object.optString == "")
    }
    #expect(object.optBool == false && object.optInt == 7 && object.optInt8 == 8)
    #expect(object.optFloat == 0.5 && object.optDouble == 0.25 && object.optString == "")
    #expect(object.optData == Data() && object.optDate == date && object.optDecimal == 5)
    #expect(object.optUuid == uuid && object.optObjectId == id && object.optSize == .medium)
    #expect(object.optCode?.text == "c")
    try realm.write {
      object.optInt = nil
      object.optSize = nil
      object.optDate = nil
    }
    #expect(object.optInt == nil && object.optSize == nil && object.optDate == nil)
  }

  @Test func inheritedPropertiesAreThoseOfTheSubclassUnderTheirNamesInTheFile() throws {
    let realm = try makeRealm()
    let bird = Bird()
    bird.legs = 2
    bird.wings = 2
    try realm.write { realm.add(bird) }
    #expect(bird.legs == 2 && bird.wings == 2)
    #expect(Bird.className() == "bird" && Animal.className() == "Animal")
    #expect(realm.objects(Bird.self).count == 1)
    #expect(realm.objects(Animal.self).count == 0)
  }

  @Test func keyPathsTellTheNamesOfTheirProperties() {
    #expect(_name(for: \Keeper.name) == "name")
    #expect(_name(for: \Keeper.address?.city) == "address.city")
    #expect(_name(for: \Keeper.friend?.friend?.age) == "friend.friend.age")
    #expect(_name(for: \Keeper.dogs) == "dogs")
    #expect(_name(for: \Bird.legs) == "legs")
    #expect(_name(for: \Everything.optSize) == "optSize")
    #expect(_name(for: \Keeper.name) == "name")
  }

  @Test func ignoredPropertiesLiveInTheirInstance() throws {
    let realm = try makeRealm()
    let dog = Hound()
    dog.name = "Rex"
    dog.nickname = "R"
    try realm.write { realm.add(dog) }
    #expect(dog.nickname == "R")
    #expect(realm.objects(Hound.self).first?.nickname == "none")
  }

  @Test func objectsOfARowAreEqualWhereTheyHaveAPrimaryKey() throws {
    let realm = try makeRealm()
    try realm.write {
      realm.create(Hound.self, value: ["name": "Rex"])
      realm.create(Note.self, value: ["text": "a"])
    }
    let (dog, same) = (realm.objects(Hound.self)[0], realm.objects(Hound.self)[0])
    #expect(dog == same && dog !== same && Set([dog, same]).count == 1)
    let (note, other) = (realm.objects(Note.self)[0], realm.objects(Note.self)[0])
    #expect(note != other)
    #expect(note.isSameObject(as: other) && !note.isSameObject(as: nil))
    #expect(note.freeze() == other.freeze())
    #expect(Hound() != Hound())
  }
}
