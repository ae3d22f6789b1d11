import AtollQuery
import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Results follow their realm, in the order that they were asked for.
@Suite(.waiting) struct ResultsTests {
  private let realm: Realm
  private let dogs: Results<Dog>
  private let people: Results<Person>

  init() throws {
    realm = try Shelter.realm()
    dogs = realm.objects(Dog.self)
    people = realm.objects(Person.self)
  }

  // MARK: Live

  @Test func aWriteShowsInResultsAtOnceAndInsideOfItAlready() throws {
    let young = dogs.where { $0.age < 5 }
    #expect(young.count == 2)
    let fido = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 2))
    try realm.write {
      fido.age = 1
      #expect(young.map(\.id) == [1, 2, 3])
      realm.delete(fido)
      #expect(young.count == 2)
      #expect(dogs.count == 2)
    }
    #expect(young.map(\.id) == [1, 3])
  }

  @Test func aCancelledWriteLeavesResultsAsTheyWere() throws {
    realm.beginWrite()
    realm.delete(dogs)
    #expect(dogs.isEmpty)
    realm.cancelWrite()
    #expect(dogs.count == 3)
    #expect(dogs.first?.id == 1)
  }

  @Test func aLoopGoesOverTheElementsOfItsBeginning() throws {
    var seen = 0
    try realm.write {
      for dog in dogs.where({ $0.age == 3 }) {
        seen += 1
        dog.age = 4
      }
      for dog in dogs {
        seen += 1
        if !dog.isInvalidated { realm.delete(dogs) }
      }
    }
    #expect(seen == 5)
    #expect(dogs.isEmpty)
    #expect(dogs.first == nil)
    #expect(dogs.last == nil)
  }

  /// What is found by index stays known while values are set: a loop over places would otherwise
  /// ask for everything again at each step.
  @Test func settingValuesLeavesWhatDoesNotDependOnThemKnown() throws {
    let people = people
    let ada = try #require(people.where { $0.name == "Ada" }.first)
    let sorted = dogs.sorted(byKeyPath: "age")
    func places(_ list: _ResultList) -> Int {
      list.elements.keys.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }
    try realm.write {
      let (held, places0) = (dogs.list.elements, places(dogs.list))
      let owned = ada.dogs.count
      for index in dogs.indices { dogs[index].age = 20 - index }
      for dog in dogs.prefix(2) { dog.name += "!" }
      #expect(places(dogs.list) == places0 && held.count == dogs.count)
      #expect(sorted.map(\.id) == [3, 2, 1] && dogs.map(\.age) == [20, 19, 18])
      #expect(dogs[0].name == "Rex!" && dogs[2].name == "Luna")
      // Links and members count.
      ada.dogs.removeLast()
      #expect(ada.dogs.count == owned - 1)
      let first = ada.dogs[0]
      realm.delete(first)
      #expect(dogs.count == 2 && ada.dogs.count == owned - 2)
      let new = Dog()
      new.id = 9
      realm.add(new)
      #expect(dogs.count == 3 && dogs.last?.id == 9)
      new.owner = ada
      #expect(new.owner?.name == "Ada")
    }
  }

  // MARK: Text

  @Test func filtersAreTakenTogetherEachWithItsOwnArguments() {
    let found = dogs.filter("age == $0", 3).filter("name BEGINSWITH %@ AND id > %d", "L", 1)
      .where { $0.isGood }
    #expect(found.map(\.id) == [3])
    #expect(dogs.filter("age IN %@", [9, 10]).map(\.id) == [2])
    #expect(dogs.filter("%K == %@", "name", "Rex").map(\.id) == [1])
    #expect(dogs.filter("age BETWEEN {$0, $1}", 1, 4).count == 2)
    #expect(dogs.filter("chip == $0", UUID?.none as Any).map(\.id) == [2])
    #expect(dogs.filter("born > $0", Date(timeIntervalSince1970: 2500)).map(\.id) == [3])
  }

  @Test func aPropertyHasItsNameInSwiftAndItsNameInTheFile() throws {
    #expect(dogs.filter("weight > 12").map(\.id) == [1, 3])
    #expect(dogs.filter("weight_kg > 12").map(\.id) == [1, 3])
    #expect(people.filter("dogs.weight < 10").map(\.name) == ["Ada"])
    #expect(people.filter("dogs.@sum.weight > 38").map(\.name) == ["Ada"])
    #expect(
      people.filter("SUBQUERY(dogs, $d, $d.weight > 10 AND $d.age == 3).@count == 1").count == 2)
    #expect(try dogs.query("TRUEPREDICATE SORT(weight DESC) LIMIT(2)").map(\.id) == [1, 3])
  }

  @Test func aTextThatIsWrongThrowsWithItsPlace() {
    #expect(throws: QueryError.self) { try dogs.query("age >") }
    let error = #expect(throws: QueryError.self) {
      try dogs.filter("isGood == TRUE").query("age > 3 AND nmae == 'x'")
    }
    #expect(error?.description.contains("did you mean 'name'") == true)
    #expect(throws: Realm.Error.self) { try dogs.query("age == $0", dogs.self as Any, Locale.self) }
    #expect(throws: QueryError.self) { try dogs.query("age == $1", 3) }
  }

  @Test func filterEndsTheProcessForATextThatIsWrong() async {
    await #expect(processExitsWith: .failure) {
      _ = try Shelter.realm().objects(Dog.self).filter("age >")
    }
    await #expect(processExitsWith: .failure) {
      _ = try Shelter.realm().objects(Dog.self).sorted(byKeyPath: "nope")
    }
    await #expect(processExitsWith: .failure) {
      _ = try Shelter.realm().objects(Person.self).sorted(byKeyPath: "dogs.age")
    }
  }

  @Test func whatALimitCutOffDoesNotComeBack() throws {
    let two = try dogs.query("TRUEPREDICATE SORT(id ASC) LIMIT(2)")
    #expect(two.filter("id > 1").map(\.id) == [2])
    #expect(two.sorted(byKeyPath: "id", ascending: false).map(\.id) == [2, 1])
    #expect(two.count == 2)
  }

  // MARK: Order

  @Test func sortingTakesNamesPathsAndSeveralKeys() {
    #expect(dogs.sorted(byKeyPath: "weight").map(\.id) == [2, 3, 1])
    #expect(dogs.sorted(by: \.weight, ascending: false).map(\.id) == [1, 3, 2])
    #expect(
      dogs.sorted(by: [SortDescriptor(keyPath: "age"), .init(keyPath: "id", ascending: false)])
        .map(\.id) == [3, 1, 2])
    #expect(dogs.sorted(by: ["age", "weight"]).map(\.id) == [3, 1, 2])
    #expect(dogs.sorted(byKeyPath: "owner.name").map(\.id) == [1, 3, 2])
    #expect(dogs.sorted(byKeyPath: "grade").map(\.id) == [2, 1, 3])
    let descriptor = SortDescriptor(keyPath: \Dog.weight)
    #expect(dogs.sorted(by: [descriptor.reversed()]).first?.id == 1)
  }

  @Test func theLastSortCountsMostAndDistinctKeepsTheFirst() {
    #expect(
      dogs.sorted(byKeyPath: "id", ascending: false).sorted(byKeyPath: "age").map(\.id) == [
        3, 1, 2,
      ])
    let oldest = dogs.sorted(byKeyPath: "id", ascending: false).distinct(by: ["age"])
    #expect(oldest.map(\.id) == [3, 2])
    #expect(dogs.distinct(by: [\.age, \.isGood]).count == 2)
    #expect(oldest.filter("id == 1").isEmpty)
  }

  // MARK: Elements

  @Test func elementsHavePlaces() throws {
    let sorted = dogs.sorted(byKeyPath: "name")
    let fido = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 2))
    #expect(sorted.map(\.name) == ["Luna", "Rex", "fido"])
    #expect(sorted.index(of: fido) == 2)
    #expect(sorted.index(matching: "age == 3") == 0)
    #expect(sorted.index(matching: { $0.name == "Rex" }) == 1)
    #expect(sorted.index(matching: "age == 100") == nil)
    #expect(sorted.first?.id == 3)
    #expect(sorted.last?.id == 2)
    #expect(sorted[1].name == "Rex")
    #expect(sorted.objects(at: IndexSet([0, 2])).map(\.id) == [3, 2])
    #expect(dogs.where { $0.age > 5 }.index(of: sorted[1]) == nil)
    #expect(sorted.index(of: Dog()) == nil)
  }

  @Test func aPlaceBeyondTheEndEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = try Shelter.realm().objects(Dog.self)[3]
    }
  }

  @Test func resultsOfTheSameQueryAreEqual() {
    #expect(dogs == realm.objects(Dog.self))
    #expect(dogs.filter("age == 3") == dogs.filter("age == 3"))
    #expect(dogs.filter("age == 3") != dogs.filter("age == 4"))
    #expect(dogs.filter("age == $0", 3) != dogs.filter("age == $0", 4))
  }

  @Test func theDescriptionShowsTheElements() {
    let text = dogs.filter("id == 1").description
    #expect(text.hasPrefix("Results<Dog> (\n\t[0] Dog {"))
    #expect(text.contains("name = Rex"))
  }

  @Test func valuesOfAllObjectsAreReadAndSetByName() throws {
    #expect(dogs.value(forKey: "age") as? [Int] == [3, 9, 3])
    try realm.write { dogs.setValue(5, forKey: "age") }
    #expect(dogs.map(\.age) == [5, 5, 5])
  }

  @Test func aPathGivesValuesOrWhatAnOperatorComputes() {
    #expect(dogs.value(forKeyPath: "age") as? [Int] == [3, 9, 3])
    #expect(dogs.value(forKeyPath: "@count") as? Int == 3)
    #expect(dogs.value(forKeyPath: "@min.age") as? Int == 3)
    #expect(dogs.value(forKeyPath: "@max.age") as? Int == 9)
    #expect(dogs.value(forKeyPath: "@sum.age") as? Int == 15)
    #expect(dogs.value(forKeyPath: "@avg.age") as? Double == 5)
    #expect(dogs.value(forKeyPath: "@unionOfObjects.age") as? [Int] == [3, 9, 3])
    #expect(dogs.value(forKeyPath: "@distinctUnionOfObjects.age") as? [Int] == [3, 9])
    let none = dogs.filter("age > 100")
    #expect(none.value(forKeyPath: "@sum.age") as? Int == 0)
    #expect(none.value(forKeyPath: "@max.age") == nil)
    let numbers = List<Int>()
    numbers.append(objectsIn: [4, 1, 4])
    #expect(numbers.value(forKeyPath: "@max.self") as? Int == 4)
    #expect(numbers.value(forKeyPath: "@sum.self") as? Int == 9)
    #expect(numbers.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Int] == [4, 1])
    #expect(numbers.value(forKeyPath: "self") as? [Int] == [4, 1, 4])
  }

  @Test func anOperatorPassesOverNil() {
    #expect(dogs.value(forKeyPath: "grade") as? [Int?] == [4, nil, 7])
    #expect(dogs.value(forKeyPath: "@unionOfObjects.grade") as? [Int] == [4, 7])
    #expect(dogs.value(forKeyPath: "@avg.grade") as? Double == 5.5)
  }

  @Test func aRealmFreezesACollection() throws {
    let frozen: Results<Dog> = realm.freeze(dogs)
    try realm.write { realm.delete(dogs) }
    #expect(frozen.isFrozen && frozen.count == 3)
  }

  // MARK: Versions

  @Test func frozenResultsStayAsTheyWere() throws {
    let young = dogs.where { $0.age < 5 }
    let frozen = young.freeze()
    try realm.write { realm.delete(young) }
    #expect(young.isEmpty)
    #expect(frozen.isFrozen)
    #expect(frozen.map(\.id) == [1, 3])
    #expect(frozen[0].name == "Rex")
    #expect(frozen.thaw()?.isEmpty == true)
    #expect(frozen.sorted(byKeyPath: "id", ascending: false).map(\.id) == [3, 1])
  }
}
