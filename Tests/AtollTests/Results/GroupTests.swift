import AtollQuery
import Foundation
import TestThreads
import Testing

@testable import Atoll

private enum Kind: String, PersistableEnum {
  case cat, dog
}

private final class Pet: Object {
  @Persisted var kind: Kind
  @Persisted var city: String?
  @Persisted var age: Int8
  @Persisted var weight: Double?
  @Persisted var price: Decimal128
  @Persisted var born: Date
  @Persisted var parent: Pet?
  @Persisted var young: List<Pet>

  override class func propertiesMapping() -> [String: String] { ["age": "years"] }
}

/// Groups of objects with their aggregates.
@Suite(.waiting) struct GroupTests {
  private let realm: Realm
  private let pets: Results<Pet>

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Pet.self]))
    pets = realm.objects(Pet.self)
    try realm.write {
      let tom = add(.cat, "Oslo", 120, 4.5, "10.5")
      let rex = add(.dog, "Oslo", 3, nil, "20")
      let kit = add(.cat, nil, 100, 1.5, "0.5")
      kit.parent = tom
      rex.young.append(objectsIn: [kit, tom, kit])
    }
  }

  private func add(
    _ kind: Kind, _ city: String?, _ age: Int8, _ weight: Double?, _ price: Decimal128
  ) -> Pet {
    let pet = Pet()
    pet.kind = kind
    pet.city = city
    pet.age = age
    pet.weight = weight
    pet.price = price
    pet.born = Date(timeIntervalSince1970: Double(age))
    realm.add(pet)
    return pet
  }

  @Test func groupsAreTypedByTheirKeyAndCounted() throws {
    let kinds = try pets.grouped(by: \.kind)
    #expect(kinds.map(\.key) == [.cat, .dog])
    #expect(kinds.map(\.count) == [2, 1])
  }

  @Test func severalKeysAreATuple() throws {
    let groups = try pets.grouped(by: \.kind, \.city)
    #expect(groups.count == 3)
    #expect(groups[0].key == (.cat, "Oslo"))
    #expect(groups[1].key == (.dog, "Oslo"))
    #expect(groups[2].key == (.cat, nil))
  }

  @Test func aggregatesHaveTheTypesOfTheirProperties() throws {
    let groups = try pets.grouped(
      by: \.kind,
      computing: .min(of: \.weight), .max(of: \.born), .sum(of: \.price), .average(of: \.age))
    let (weight, born, price, age) = groups[0].values
    #expect(weight == Optional(1.5))
    #expect(born == Date(timeIntervalSince1970: 120))
    #expect(price == "11")
    #expect(age == 110)
    let (none, _, _, _) = groups[1].values
    #expect(none == nil)
  }

  /// 120 + 100 is more than an `Int8` holds.
  @Test func aSumThatANarrowIntegerCannotHoldIsTheNearest() throws {
    let groups = try pets.grouped(by: \.kind, computing: .sum(of: \.age))
    #expect(groups.map(\.values) == [127, 3])
  }

  @Test func ofNoValuesTheSumIsZero() throws {
    let groups = try pets.where { $0.kind == .dog }.grouped(
      by: \.city, computing: .sum(of: \.weight), .average(of: \.weight))
    #expect(groups.count == 1)
    #expect(groups[0].values == (0, nil))
  }

  @Test func keysAndValuesMayLieBehindLinks() throws {
    let sorted = pets.sorted(by: \.age)
    let groups = try sorted.grouped(
      by: \.parent?.city, computing: .max(of: \Pet.parent?.age))
    #expect(groups.map(\.key) == [nil, "Oslo"])
    #expect(groups.map(\.count) == [2, 1])
    #expect(groups.map(\.values) == [nil, 120])
  }

  /// A default instead would be a second group of that key.
  @Test func aKeyThatIsNeverNilIsNotSoughtBehindANilLink() throws {
    let error = #expect(throws: Realm.Error.self) { try pets.grouped(by: \.parent!.kind) }
    #expect(error?.code == .invalidInput)
    #expect(error?.message.contains("'parent.kind'") == true, "\(String(describing: error))")
    let groups = try pets.where { $0.parent != nil }.grouped(by: \.parent!.kind)
    #expect(groups.map(\.key) == [.cat])
  }

  @Test func aPathThroughAListHasNoGroups() {
    #expect(throws: QueryError.self) { try pets.grouped(by: \.young[0].city) }
    #expect(throws: QueryError.self) {
      try pets.grouped(by: \.kind, computing: .sum(of: \Pet.young[0].age))
    }
  }

  @Test func withoutKeysThereIsOneGroup() throws {
    let groups = try pets.grouped(computing: .sum(of: \.price), .max(of: \.weight))
    #expect(groups.map(\.count) == [3])
    #expect(groups[0].values == ("31", 4.5))
    #expect(try pets.where { $0.age > 126 }.grouped().map(\.count) == [0])
    // Of a class that the file does not have yet, and after the realm was invalidated.
    let other = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let none = try other.objects(Pet.self).grouped(computing: .sum(of: \.age), .max(of: \.age))
    #expect(none.map(\.count) == [0])
    #expect(none[0].values == (0, nil))
    realm.invalidate()
    let gone = try pets.grouped(computing: .sum(of: \.age))
    #expect(gone.map(\.values) == [0])
  }

  @Test func groupsComeInTheOrderOfTheObjects() throws {
    let kinds = try pets.sorted(by: \.age).grouped(by: \.kind)
    #expect(kinds.map(\.key) == [.dog, .cat])
  }

  @Test func aFilterLeavesObjectsOut() throws {
    let kinds = try pets.filter("age > $0", 100).grouped(by: \.kind)
    #expect(kinds.map(\.key) == [.cat])
    #expect(kinds.map(\.count) == [1])
  }

  @Test func anElementThatAListHoldsTwiceCountsTwice() throws {
    let rex = try #require(pets.where { $0.kind == .dog }.first)
    let cities = try rex.young.grouped(by: \.city, computing: .sum(of: \.weight))
    #expect(cities.map(\.key) == [nil, "Oslo"])
    #expect(cities.map(\.count) == [2, 1])
    #expect(cities.map(\.values) == [3, 4.5])
    let light = try rex.young.where { $0.weight < 2 }.grouped(by: \.city)
    #expect(light.map(\.count) == [2])
    let sorted = try rex.young.sorted(by: \.age, ascending: false).grouped(by: \.city)
    #expect(sorted.map(\.key) == ["Oslo", nil])
  }

  @Test func anOpenWriteIsSeenAndACancelledOneIsNot() throws {
    realm.beginWrite()
    _ = add(.dog, "Rom", 1, 2, "3")
    realm.delete(pets.where { $0.kind == .cat })
    let open = try pets.grouped(by: \.kind)
    #expect(open.map(\.count) == [2])
    realm.cancelWrite()
    #expect(try pets.grouped(by: \.kind).map(\.count) == [2, 1])
  }

  @Test func groupsGoToAnotherThreadAndStayAsTheyAre() throws {
    let kinds = try pets.grouped(by: \.kind, computing: .sum(of: \.price))
    try realm.write { realm.deleteAll() }
    try onAnotherThread {
      #expect(kinds.map(\.count) == [2, 1])
      #expect(kinds.map(\.values) == ["11", "20"])
    }
    #expect(try pets.grouped(by: \.kind).isEmpty)
  }

  @Test func aFrozenCollectionHasGroups() throws {
    let frozen = pets.freeze()
    try realm.write { realm.deleteAll() }
    #expect(try frozen.grouped(by: \.kind).map(\.count) == [2, 1])
  }

  @Test func aClassThatTheFileDoesNotHaveGivesNoGroups() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    #expect(try realm.objects(Pet.self).grouped(by: \.kind).isEmpty)
  }

  @Test func whatWasReadInATrackedBlockIsToldOf() throws {
    let change = Tracked {
      _ = try? pets.grouped(by: \.kind, computing: .max(of: \Pet.parent?.age))
    }
    try realm.write { pets.where { $0.age == 120 }.first?.age = 5 }
    #expect(change.isTold)
  }
}
