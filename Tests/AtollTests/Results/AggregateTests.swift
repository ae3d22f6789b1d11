import Foundation
import TestThreads
import Testing

@testable import Atoll

private final class Count: Object {
  @Persisted var wide = 0
  @Persisted var narrow: Int8 = 0
  @Persisted var optional: Int16?
  @Persisted var list: List<Int8>
}

/// Aggregates of results and lists, by name and by key path.
@Suite(.waiting) struct AggregateTests {
  private let realm: Realm
  private let dogs: Results<Dog>

  init() throws {
    realm = try Shelter.realm()
    dogs = realm.objects(Dog.self)
  }

  @Test func aPropertyHasALeastAGreatestASumAndAnAverage() {
    #expect(dogs.min(of: \.age) == 3)
    #expect(dogs.max(of: \.age) == 9)
    #expect(dogs.sum(of: \.age) == 15)
    #expect(dogs.average(of: \.age) == 5)
    #expect(dogs.min(ofProperty: "weight") == 8.0)
    #expect(dogs.sum(ofProperty: "weight_kg") == 50.75)
    #expect(dogs.average(ofProperty: "age") == 5.0)
    #expect(dogs.max(of: \.height) == Float(15.25))
    #expect(dogs.sum(of: \.height) == Float(25.375))
    #expect(dogs.max(of: \.price) == Decimal128(value: 30.5))
    #expect(dogs.sum(of: \.price) == Decimal128(value: 61.5))
    #expect(dogs.min(of: \.born) == Date(timeIntervalSince1970: 1000))
  }

  @Test func nullsAreLeftOutAndNothingHasOnlyASum() {
    #expect(dogs.sum(of: \.grade) == 11)
    #expect(dogs.min(of: \.grade) == 4)
    let none = dogs.where { $0.age > 100 }
    #expect(none.sum(of: \.age) == 0)
    #expect(none.max(of: \.age) == nil)
    #expect(none.average(of: \.age) == nil)
  }

  @Test func aListHasAggregatesOfItsOwnElements() throws {
    let ada = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada"))
    #expect(ada.dogs.max(of: \.age) == 9)
    #expect(ada.dogs.sum(of: \.weight) == 38.5)
    #expect(ada.marks.sum() == 6)
    #expect(ada.marks.max() == 3)
    #expect(ada.marks.average() == 2.0)
    #expect(ada.marks.sorted().map { $0 } == [1, 2, 3])
    #expect(ada.marks.sorted(ascending: false).first == 3)
  }

  @Test func theAverageOfTheLargestIntegersIsTheLargest() throws {
    let realm = try makeRealm([Count.self])
    try realm.write {
      for _ in 0..<2 { realm.create(Count.self, value: ["wide": Int.max]) }
    }
    let counts = realm.objects(Count.self)
    #expect(counts.average(of: \.wide) == Int.max)
    #expect(counts.average(ofProperty: "wide") == Double(Int.max))
    try realm.write { for count in counts { count.wide = .min } }
    #expect(counts.average(of: \.wide) == Int.min)
  }

  @Test func aSumThatANarrowIntegerCannotHoldIsTheNearest() throws {
    let realm = try makeRealm([Count.self])
    try realm.write {
      for _ in 0..<2 {
        realm.create(
          Count.self, value: ["narrow": 100, "optional": Int16.min, "list": [-100, -100]])
      }
    }
    let counts = realm.objects(Count.self)
    #expect(counts.sum(of: \.narrow) == Int8.max)
    #expect(counts.sum(ofProperty: "narrow") == 200)
    #expect(counts.sum(of: \.optional) == Int16.min)
    #expect(counts[0].list.sum() == Int8.min)
    let list = List<Int8>()
    list.append(objectsIn: [100, 100])
    #expect(list.sum() == Int8.max)
  }

  @Test func anAggregateThatAPropertyHasNotEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let sum: Int = try Shelter.realm().objects(Dog.self).sum(ofProperty: "name")
      _ = sum
    }
  }
}
