import TestThreads
import Testing

// Page begins here
import RealmSwift

class Dog: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var age: Int
}

@MainActor func meetDogs(in realm: Realm) throws -> NotificationToken {
  try realm.write {
    realm.create(Dog.self, value: ["name": "Rex", "age": 3])
  }
  let puppies = realm.objects(Dog.self).where { $0.age < 2 }.sorted(by: \.name)
  return puppies.observe { _ in print("there are \(puppies.count) puppies") }
}
// Page ends here

@MainActor @Suite(.waiting, .hangLimit) struct AtollPage {
  @Test func theFirstExampleRuns() throws {
    let realm = try Manual.realm()
    try meetDogs(in: realm).invalidate()
    #expect(realm.objects(Dog.self).count == 1)
  }
}
