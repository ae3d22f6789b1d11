import TestThreads
import Testing

@testable import Atoll

/// Queries on the list of an object keep its order and its duplicates.
@Suite(.computing) struct ListResultsTests {
  private let realm: Realm
  private let ada: Person

  init() throws {
    realm = try Shelter.realm()
    ada = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada"))
    let luna = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 3))
    try realm.write {
      ada.dogs.append(luna)
      ada.dogs.append(ada.dogs[0])
    }
  }

  @Test func aFilterKeepsTheOrderOfTheList() {
    #expect(ada.dogs.map(\.id) == [1, 2, 3, 1])
    #expect(ada.dogs.filter("age == 3").map(\.id) == [1, 3, 1])
    #expect(ada.dogs.where { $0.age == 3 }.map(\.id) == [1, 3, 1])
    #expect(ada.dogs.where { $0.age == 9 }.count == 1)
  }

  @Test func aSortLeavesEqualElementsInTheOrderOfTheList() throws {
    #expect(ada.dogs.sorted(byKeyPath: "weight").map(\.id) == [2, 3, 1, 1])
    #expect(ada.dogs.sorted(byKeyPath: "age").map(\.id) == [1, 3, 1, 2])
    #expect(ada.dogs.sorted(byKeyPath: "owner.name", ascending: false).map(\.id) == [2, 3, 1, 1])
    #expect(ada.dogs.distinct(by: ["age"]).map(\.id) == [1, 2])
    #expect(try ada.dogs.query("TRUEPREDICATE SORT(id DESC) LIMIT(2)").map(\.id) == [3, 2])
  }

  @Test func resultsOfAListFollowIt() throws {
    let young = ada.dogs.filter("age == 3")
    try realm.write { ada.dogs.removeAll() }
    #expect(young.isEmpty)
    try realm.write { realm.delete(ada) }
    #expect(young.isEmpty)
    #expect(young.isInvalidated)
  }

  @Test func theListOfAFrozenObjectIsQueriedInItsVersion() throws {
    let frozen = ada.dogs.freeze()
    try realm.write { ada.dogs.removeAll() }
    #expect(frozen.filter("age == 9").map(\.id) == [2])
    #expect(frozen.count == 4)
    #expect(frozen.thaw()?.count == 0)
  }
}
