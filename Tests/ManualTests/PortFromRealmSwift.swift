import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct PortFromRealmSwiftPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var tricks: List<String>

    required init() {
      super.init()
      tricks.append("sit")
    }
  }
  // Page ends here

  @Test func aModelMayHaveAnInitialiser() throws {
    let realm = try Manual.realm()
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    #expect(realm.objects(Dog.self).first.map { Array($0.tricks) } == ["sit"])
  }
}
