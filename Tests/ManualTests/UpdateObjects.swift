import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct UpdateObjectsPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var walks: Int
  }

  func rename(_ dog: Dog, to name: String, in realm: Realm) throws {
    try realm.write { dog.name = name }
  }

  func celebrate(in realm: Realm) throws {
    try realm.write {
      for dog in realm.objects(Dog.self) { dog.age += 1 }
    }
  }

  func nameAllPuppies(in realm: Realm) throws {
    try realm.write {
      realm.objects(Dog.self).where { $0.age == 0 }.setValue("Puppy", forKey: "name")
    }
  }
  // Page ends here

  // Page begins here
  struct TooOld: Error {}

  func growOlder(_ dog: Dog, by years: Int, in realm: Realm) throws {
    try realm.write {
      dog.age += years
      if dog.age > 30 { throw TooOld() }
    }
  }
  // Page ends here

  // Page begins here
  func walk(_ dog: Dog, in realm: Realm) throws {
    try realm.write { dog.increment(\.walks, by: 1) }
  }
  // Page ends here

  @Test func changesAreMadeInWrites() throws {
    let realm = try Manual.realm()
    let rex = try realm.write { realm.create(Dog.self, value: [1, "Rex", 3]) }
    let small = try realm.write { realm.create(Dog.self, value: [2, "Tiny", 0]) }
    try rename(rex, to: "Luna", in: realm)
    try nameAllPuppies(in: realm)
    try celebrate(in: realm)
    #expect(rex.name == "Luna" && rex.age == 4 && small.name == "Puppy" && small.age == 1)
    #expect(throws: TooOld.self) { try growOlder(rex, by: 90, in: realm) }
    #expect(rex.age == 4)
    try growOlder(rex, by: 2, in: realm)
    try walk(rex, in: realm)
    #expect(rex.age == 6 && rex.walks == 1)
  }
}
