import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct ReadObjectsPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var breed: String
    @Persisted var age: Int
  }

  func read(_ realm: Realm) -> [String] {
    let dogs = realm.objects(Dog.self)
    let oldestFirst = dogs.sorted(by: \.age, ascending: false)
    return oldestFirst.map { "\($0.name), \($0.age)" }
  }

  func find(_ id: Int, in realm: Realm) -> Dog? {
    realm.object(ofType: Dog.self, forPrimaryKey: id)
  }
  // Page ends here

  // Page begins here
  func byBreed(_ realm: Realm) -> Results<Dog> {
    realm.objects(Dog.self).sorted(by: [
      SortDescriptor(keyPath: "breed"), SortDescriptor(keyPath: "age", ascending: false),
    ])
  }

  func oldestOfEachBreed(_ realm: Realm) -> Results<Dog> {
    byBreed(realm).distinct(by: ["breed"])
  }

  func statistics(_ realm: Realm) -> (oldest: Int?, sum: Int, average: Double?) {
    let dogs = realm.objects(Dog.self)
    return (dogs.max(of: \.age), dogs.sum(of: \.age), dogs.average(ofProperty: "age"))
  }
  // Page ends here

  // Page begins here
  struct Breed: Sendable {
    let name: String
    let count: Int
    let averageAge: Double?
  }

  func breeds(_ realm: Realm) throws -> [Breed] {
    try realm.objects(Dog.self).sorted(by: \.breed)
      .grouped(by: \.breed, computing: .average(of: \.age), .max(of: \.age))
      .map { Breed(name: $0.key, count: $0.count, averageAge: $0.values.0) }
  }
  // Page ends here

  @Test func resultsAreSortedAndCounted() throws {
    let realm = try Manual.realm()
    #expect(statistics(realm).oldest == nil && statistics(realm).sum == 0)
    try realm.write {
      realm.create(Dog.self, value: [1, "Rex", "pug", 3])
      realm.create(Dog.self, value: [2, "Fido", "collie", 9])
      realm.create(Dog.self, value: [3, "Luna", "pug", 6])
    }
    #expect(read(realm) == ["Fido, 9", "Luna, 6", "Rex, 3"])
    #expect(find(2, in: realm)?.name == "Fido" && find(4, in: realm) == nil)
    #expect(byBreed(realm).map(\.name) == ["Fido", "Luna", "Rex"])
    #expect(oldestOfEachBreed(realm).map(\.name) == ["Fido", "Luna"])
    #expect(statistics(realm) == (9, 18, 6))
    let groups = try breeds(realm)
    #expect(groups.map(\.name) == ["collie", "pug"] && groups.map(\.count) == [1, 2])
    #expect(groups.map(\.averageAge) == [9, 4.5])
  }
}
