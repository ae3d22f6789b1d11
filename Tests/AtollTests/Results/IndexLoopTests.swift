import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Loops over results by index, which are live: a query runs again only after what it reads was
/// set.
@Suite(.computing) struct IndexLoopTests {
  private let realm: Realm
  private let dogs: Results<Dog>

  init() throws {
    realm = try Shelter.realm()
    dogs = realm.objects(Dog.self)
  }

  /// The loop was quadratic: each setting made the next access run the query.
  @Test func aPropertyThatTheQueryDoesNotReadMayBeSetByIndex() throws {
    let lists = [
      dogs.where { $0.age == 3 }, dogs.sorted(byKeyPath: "age"),
      dogs.where { $0.owner.age > 1 }.sorted(byKeyPath: "name"),
      dogs.sorted(byKeyPath: "age").distinct(by: ["age"]).where { $0.isGood },
    ]
    try realm.write {
      for list in lists {
        #expect(list.count >= 1)
        _ = list[0]
        let before = list.list.searchCount
        for index in 0..<list.count {
          list[index].weight += 1
          list[index].grade = index
        }
        #expect(list.list.searchCount == before)
      }
    }
  }

  @Test func aPropertyThatTheQueryReadsChangesTheElementsAtOnce() throws {
    let young = dogs.where { $0.age < 5 }
    let byAge = dogs.sorted(byKeyPath: "age", ascending: false)
    let heavy = dogs.where { $0.weight > 10 }
    let ofOld = dogs.where { $0.owner.age > 35 }
    let limited = dogs.sorted(byKeyPath: "weight").distinct(by: ["age"]).where { $0.isGood }
    let ada = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada"))
    let adas = ada.dogs.where { $0.age > 5 }
    let fido = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 2))
    func ids(_ results: Results<Dog>) -> [Int] { results.map(\.id) }
    try realm.write {
      #expect(ids(young) == [1, 3] && ids(byAge) == [2, 1, 3] && ids(heavy) == [1, 3])
      #expect(ids(ofOld) == [3] && ids(limited) == [3] && ids(adas) == [2])
      fido.age = 1
      #expect(ids(young) == [1, 2, 3] && ids(byAge) == [1, 3, 2] && ids(adas) == [])
      #expect(ids(heavy) == [1, 3])
      fido.weight = 40
      #expect(ids(heavy) == [1, 2, 3])
      ada.age = 50
      #expect(ids(ofOld) == [1, 3])
      fido.owner = ada
      #expect(ids(ofOld) == [1, 2, 3])
      // Read through the list that this one is made of.
      #expect(ids(limited) == [3])
      fido.isGood = true
      #expect(ids(limited) == [2, 3] || ids(limited) == [3, 2])
      fido.age = 3
      #expect(ids(limited) == [3])
      realm.delete(fido)
      #expect(ids(heavy) == [1, 3] && young.count == 2)
    }
    realm.beginWrite()
    dogs[0].age = 9
    #expect(young.count == 1)
    realm.cancelWrite()
    #expect(ids(young) == [1, 3])
  }
}
