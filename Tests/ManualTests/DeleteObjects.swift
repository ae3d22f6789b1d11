import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct DeleteObjectsPage {
  // Page begins here
  class Collar: EmbeddedObject {
    @Persisted var color: String
  }

  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age: Int
    @Persisted var collar: Collar?
  }

  class Person: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var favourite: Dog?
    @Persisted var dogs: List<Dog>
  }

  func giveAway(_ dog: Dog, in realm: Realm) throws {
    try realm.write { realm.delete(dog) }
  }

  func giveAwayPuppies(in realm: Realm) throws {
    try realm.write {
      realm.delete(realm.objects(Dog.self).where { $0.age < 1 })
    }
  }

  func deleteWithDogs(_ person: Person, in realm: Realm) throws {
    try realm.write {
      realm.delete(person.dogs)
      realm.delete(person)
    }
  }

  func deleteEverything(in realm: Realm) throws {
    try realm.write { realm.deleteAll() }
  }
  // Page ends here

  // Page begins here
  class Garage: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var cars: List<Car>
    @Persisted var manager: Employee?

    override class func deleteRules() -> [DeleteRule] {
      [.cascade(\Garage.cars), .deny(\Garage.manager)]
    }
  }

  class Car: Object {
    @Persisted(primaryKey: true) var plate: String
  }

  class Employee: Object {
    @Persisted(primaryKey: true) var name: String
  }

  func dismiss(_ employee: Employee, in realm: Realm) throws -> Bool {
    do {
      try realm.write { realm.delete(employee) }
      return true
    } catch Realm.Error.deletionDenied {
      return false
    }
  }
  // Page ends here

  @Test func linksToWhatIsDeletedGo() throws {
    let realm = try Manual.realm()
    let ada = try realm.write {
      realm.create(
        Person.self,
        value: ["name": "Ada", "dogs": [[1, 3, ["red"]] as [Any], [2, 0], [3, 7]]])
    }
    let rex = ada.dogs[0]
    try realm.write { ada.favourite = rex }
    let collar = try #require(rex.collar)
    try giveAway(rex, in: realm)
    #expect(rex.isInvalidated && collar.isInvalidated && ada.favourite == nil)
    #expect(ada.dogs.map(\.id) == [2, 3])
    try giveAwayPuppies(in: realm)
    #expect(ada.dogs.map(\.id) == [3])
    try deleteWithDogs(ada, in: realm)
    #expect(realm.objects(Dog.self).isEmpty && realm.objects(Person.self).isEmpty)
    try realm.write { realm.create(Dog.self, value: [1]) }
    try deleteEverything(in: realm)
    #expect(realm.isEmpty)
  }

  @Test func aGarageTakesItsCarsAlongAndKeepsItsManager() throws {
    let realm = try Manual.realm()
    try realm.write {
      realm.create(Garage.self, value: ["id": 1, "cars": [["A"], ["B"]], "manager": ["Ada"]])
      realm.create(Car.self, value: ["C"])
      realm.create(Employee.self, value: ["Bob"])
    }
    let employees = realm.objects(Employee.self).sorted(by: \.name)
    #expect(try !dismiss(employees[0], in: realm))
    #expect(employees.count == 2)
    #expect(try dismiss(employees[1], in: realm))
    try realm.write { realm.delete(realm.objects(Garage.self)) }
    #expect(realm.objects(Car.self).map(\.plate) == ["C"])
    #expect(try dismiss(employees[0], in: realm))
  }
}
