import Foundation

@testable import Atoll

class Person: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int
  @Persisted var nick: String?
  @Persisted var boss: Person?
  @Persisted var dogs: List<Dog>
  @Persisted var marks: List<Int>
  @Persisted var tags: List<String>
}

class Dog: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var weight: Double
  @Persisted var height: Float
  @Persisted var price: Decimal128
  @Persisted var isGood: Bool
  @Persisted var born: Date
  @Persisted var chip: UUID?
  @Persisted var code: ObjectId
  @Persisted var picture: Data
  @Persisted var grade: Int?
  @Persisted var owner: Person?

  override class func propertiesMapping() -> [String: String] { ["weight": "weight_kg"] }
}

/// Dogs and people, the same for every test.
///
/// Ada (30) has Rex and Fido and no nick; Bob (41), "bo", works for Ada and has Luna; Åse (25)
/// works for Bob and has no dog.
enum Shelter {
  static func realm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self]))
    try realm.write {
      let ada = person("Ada", 30, nick: nil, marks: [3, 1, 2], tags: ["red", "old"])
      let bob = person("Bob", 41, nick: "bo", marks: [], tags: ["Red"])
      let ase = person("Åse", 25, nick: "", marks: [5], tags: [])
      for person in [ada, bob, ase] { realm.add(person) }
      bob.boss = ada
      ase.boss = bob
      let rex = dog(1, "Rex", 3, 30.5, good: true, grade: 4)
      let fido = dog(2, "fido", 9, 8, good: false, grade: nil)
      let luna = dog(3, "Luna", 3, 12.25, good: true, grade: 7)
      for dog in [rex, fido, luna] { realm.add(dog) }
      rex.owner = ada
      luna.owner = bob
      ada.dogs.append(rex)
      ada.dogs.append(fido)
      bob.dogs.append(luna)
    }
    return realm
  }

  private static func person(
    _ name: String, _ age: Int, nick: String?, marks: [Int], tags: [String]
  ) -> Person {
    let person = Person()
    person.name = name
    person.age = age
    person.nick = nick
    person.marks.append(objectsIn: marks)
    person.tags.append(objectsIn: tags)
    return person
  }

  private static func dog(
    _ id: Int, _ name: String, _ age: Int, _ weight: Double, good: Bool, grade: Int?
  ) -> Dog {
    let dog = Dog()
    dog.id = id
    dog.name = name
    dog.age = age
    dog.weight = weight
    dog.height = Float(weight) / 2
    dog.price = Decimal128(value: Double(id) * 10 + 0.5)
    dog.isGood = good
    dog.born = Date(timeIntervalSince1970: Double(id) * 1000)
    dog.chip = id == 2 ? nil : UUID(uuidString: "00000000-0000-0000-0000-00000000000\(id)")
    dog.code = (try? ObjectId(string: "00000000000000000000000\(id)")) ?? ObjectId()
    dog.picture = Data([UInt8(id), 2, 3])
    dog.grade = grade
    return dog
  }
}
