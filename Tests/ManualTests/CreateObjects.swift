import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct CreateObjectsPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var age = 1
  }

  class Person: Object {
    @Persisted(primaryKey: true) var email: String
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
  }

  func addRex(to realm: Realm) throws -> Dog {
    let rex = Dog()
    rex.name = "Rex"
    try realm.write { realm.add(rex) }
    return rex
  }

  func createAda(in realm: Realm) throws -> Person {
    try realm.write {
      realm.create(
        Person.self,
        value: [
          "email": "ada@example.com", "name": "Ada",
          "dogs": [["name": "Luna"], ["name": "Fido", "age": 7]],
        ])
    }
  }
  // Page ends here

  // Page begins here
  func rename(_ email: String, to name: String, in realm: Realm) throws {
    try realm.write {
      realm.create(Person.self, value: ["email": email, "name": name], update: .modified)
    }
  }
  // Page ends here

  @Test func objectsAreAddedAndCreated() throws {
    let realm = try Manual.realm()
    let rex = try addRex(to: realm)
    #expect(rex.realm == realm && rex.age == 1)
    let ada = try createAda(in: realm)
    #expect(ada.dogs.map(\.name) == ["Luna", "Fido"] && ada.dogs.map(\.age) == [1, 7])
    #expect(realm.objects(Dog.self).count == 3)
  }

  @Test func anUpdateLeavesOtherPropertiesAlone() throws {
    let realm = try Manual.realm()
    let ada = try createAda(in: realm)
    try rename("ada@example.com", to: "Ada L.", in: realm)
    #expect(ada.name == "Ada L." && ada.dogs.count == 2)
    try rename("bob@example.com", to: "Bob", in: realm)
    #expect(realm.objects(Person.self).count == 2)
  }
}
