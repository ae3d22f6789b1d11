import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct RelateObjectsPage {
  // Page begins here
  class Address: EmbeddedObject {
    @Persisted var city: String
  }

  class Person: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var home: Address?
    @Persisted var favourite: Dog?
    @Persisted var dogs: List<Dog>
  }

  class Dog: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
  }

  func adopt(_ names: [String], by person: Person, in realm: Realm) throws {
    try realm.write {
      for name in names {
        let dog = realm.create(Dog.self, value: ["name": name], update: .modified)
        person.dogs.append(dog)
      }
      person.favourite = person.dogs.first
    }
  }

  func move(_ person: Person, to city: String, in realm: Realm) throws {
    try realm.write {
      if let home = person.home {
        home.city = city
      } else {
        person.home = Address(value: ["city": city])
      }
    }
  }

  func ownersOf(_ dog: Dog) -> [String] {
    dog.owners.sorted(by: \.name).map(\.name)
  }
  // Page ends here

  @Test func linksAreFollowedBothWays() throws {
    let realm = try Manual.realm()
    let people = try realm.write {
      ["Ada", "Bob"].map { realm.create(Person.self, value: ["name": $0]) }
    }
    try adopt(["Rex", "Luna"], by: people[0], in: realm)
    try adopt(["Rex"], by: people[1], in: realm)
    let rex = try #require(realm.object(ofType: Dog.self, forPrimaryKey: "Rex"))
    #expect(ownersOf(rex) == ["Ada", "Bob"] && people[1].favourite == rex)
    try move(people[0], to: "Oslo", in: realm)
    let home = try #require(people[0].home)
    try move(people[0], to: "Bergen", in: realm)
    #expect(home.city == "Bergen" && home.isSameObject(as: people[0].home))
  }
}
