import Foundation
import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct TestAnAppPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var isHome: Bool
  }

  /// What is tested: it gets its realm, and opens none itself.
  struct Kennel {
    let realm: Realm

    func callHome() throws {
      try realm.write { realm.objects(Dog.self).setValue(true, forKey: "isHome") }
    }
  }

  @Test func dogsComeWhenTheyAreCalled() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    try realm.write { for id in 1...3 { realm.create(Dog.self, value: [id]) } }

    try Kennel(realm: realm).callHome()

    #expect(realm.objects(Dog.self).where { $0.isHome }.count == 3)
  }
  // Page ends here
}
