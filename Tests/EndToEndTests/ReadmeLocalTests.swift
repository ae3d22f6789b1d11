import Foundation
import TestThreads
import Testing

import Atoll

/// The local example of README.md, which TidyTests compares with it.
@MainActor @Suite(.waiting) struct ReadmeLocalTests {
  /// `Realm()` opens the default file, which is one for the process: no other test uses it.
  @Test func itRuns() throws {
    let configuration = Realm.Configuration.defaultConfiguration
    defer { Realm.Configuration.defaultConfiguration = configuration }
    Realm.Configuration.defaultConfiguration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString)

    // Page begins here
    class Dog: Object {
      @Persisted(primaryKey: true) var _id: ObjectId
      @Persisted(indexed: true) var name: String
      @Persisted var age: Int
    }

    let realm = try Realm()
    try realm.write {
      realm.create(Dog.self, value: ["name": "Rex", "age": 3])
    }
    let puppies = realm.objects(Dog.self).where { $0.age < 2 }.sorted(by: \.name)
    let token = puppies.observe { changes in print(changes) }
    // Page ends here

    #expect(puppies.isEmpty && realm.objects(Dog.self).map(\.name) == ["Rex"])
    token.invalidate()
  }
}
