import AtollQuery
import Foundation
import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct FilterObjectsPage {
  // Page begins here
  class Person: Object {
    @Persisted var name: String
    @Persisted var city: String?
    @Persisted var dogs: List<Dog>
  }

  class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var tags: MutableSet<String>
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
  }

  func inSwift(_ realm: Realm) -> [Results<Dog>] {
    let dogs = realm.objects(Dog.self)
    return [
      dogs.where { $0.age < 2 },
      dogs.where { $0.age.contains(2..<9) && !$0.tags.contains("guide") },
      dogs.where { $0.name.starts(with: "l", options: .caseInsensitive) || $0.age.in([1, 9]) },
      dogs.where { $0.owners.city == "Oslo" },
    ]
  }

  func asText(_ realm: Realm) -> [Results<Dog>] {
    let dogs = realm.objects(Dog.self)
    return [
      dogs.filter("age < 2"),
      dogs.filter("age BETWEEN {$0, $1} AND NOT 'guide' IN tags", 2, 8),
      dogs.filter("name BEGINSWITH[c] %@ OR age IN {1, 9}", "l"),
      dogs.filter("ANY owners.city == 'Oslo'"),
    ]
  }
  // Page ends here

  // Page begins here
  func ownersOfOldRexes(_ realm: Realm) -> Results<Person> {
    realm.objects(Person.self)
      .where { ($0.dogs.name == "Rex" && $0.dogs.age > 5).count > 0 }
  }

  func withoutCity(_ realm: Realm) -> Results<Person> {
    realm.objects(Person.self).where { $0.city == nil && $0.dogs.count == 0 }
  }
  // Page ends here

  // Page begins here
  func tagsWithG(_ dog: Dog) -> Results<String> {
    dog.tags.where { $0.starts(with: "g") && $0 != "guide" }
  }

  func tagsWithGAsText(_ dog: Dog) -> Results<String> {
    dog.tags.filter("SELF BEGINSWITH 'g' AND SELF != $0", "guide")
  }
  // Page ends here

  // Page begins here
  func search(_ text: String, in realm: Realm) -> [String] {
    do {
      return try realm.objects(Dog.self).query("\(text) SORT(age DESC) LIMIT(10)").map(\.name)
    } catch {
      return ["\(error)"]
    }
  }
  // Page ends here

  // Page begins here
  func plan(_ realm: Realm) throws -> QueryPlan {
    let plan = try realm.objects(Dog.self).where { $0.name == "Rex" && $0.age > 5 }.explain()
    print(plan)
    return plan
  }
  // Page ends here

  @Test func conditionsAndTextsFindTheSame() throws {
    let realm = try Manual.realm()
    try realm.write {
      realm.create(
        Person.self,
        value: [
          "name": "Ada", "city": "Oslo",
          "dogs": [
            ["name": "Rex", "age": 9, "tags": ["guide"]] as [String: Any],
            ["name": "Luna", "age": 3],
          ],
        ])
      realm.create(
        Person.self, value: ["name": "Bob", "dogs": [["name": "Rex", "age": 1] as [String: Any]]])
      realm.create(Person.self, value: ["name": "Cora"])
    }
    let found = inSwift(realm).map { $0.map { "\($0.name) \($0.age)" }.sorted() }
    #expect(found == asText(realm).map { $0.map { "\($0.name) \($0.age)" }.sorted() })
    #expect(found == [["Rex 1"], ["Luna 3"], ["Luna 3", "Rex 1", "Rex 9"], ["Luna 3", "Rex 9"]])
    #expect(ownersOfOldRexes(realm).map(\.name) == ["Ada"])
    #expect(withoutCity(realm).map(\.name) == ["Cora"])
    #expect(search("age > 1", in: realm) == ["Rex", "Luna"])
    #expect(try plan(realm).resultCount == 1)
    let rex = try #require(realm.objects(Dog.self).where { $0.age == 9 }.first)
    try realm.write { rex.tags.insert(objectsIn: ["good", "tall"]) }
    #expect(Array(tagsWithG(rex)) == ["good"] && Array(tagsWithGAsText(rex)) == ["good"])
    #expect(search("aeg > 1", in: realm).first?.contains("age") == true)
  }
}
