import Atoll
import Foundation
import TestThreads
import Testing

private struct Refusal: Error {}

@Suite(.waiting) struct WriteTests {
  @Test func addingMakesTheSameInstanceManagedWithAllItLeadsTo() throws {
    let realm = try makeRealm()
    let person = Keeper(value: ["_id": 1, "name": "Ann", "dogs": [["name": "Rex", "weight": 9]]])
    let dog = person.dogs[0]
    let dogs = person.dogs
    person.friend = Keeper(value: [2, "Bob"])
    person.address = Address(value: ["street": "Main", "rooms": [["name": "hall"]]])
    try realm.write { realm.add(person) }
    #expect(dog.realm == realm && dog.weight == 9 && dogs.count == 1 && dogs === person.dogs)
    #expect(person.friend?.name == "Bob" && realm.objects(Keeper.self).count == 2)
    #expect(person.address?.street == "Main" && person.address?.rooms.first?.name == "hall")
    #expect(dog.owners.count == 1 && dog.owners.first == person)
    try realm.write { realm.add(person) }
    #expect(realm.objects(Keeper.self).count == 2)
  }

  @Test func incrementsAddToNumbersAndLeaveNil() throws {
    let realm = try makeRealm()
    let value = Everything()
    value.increment(\.int, by: 2)
    value.increment(\.optInt, by: 2)
    #expect(value.int == 2 && value.optInt == nil)
    try realm.write {
      realm.add(value)
      value.increment(\.int, by: 40)
      value.increment(\.optInt)
      value.increment(\.int64, by: .max)
      #expect(value.int == 42 && value.optInt == nil)
      value.optInt = 1
      value.increment(\.optInt)
      value.increment(\.int64)
    }
    #expect(value.int == 42 && value.optInt == 2 && value.int64 == .min)
  }

  @Test func aCycleOfUnmanagedObjectsIsAddedAsACycle() throws {
    let realm = try makeRealm()
    let (a, b) = (Note(), Note())
    a.text = "a"
    b.text = "b"
    a.next = b
    b.next = a
    try realm.write { realm.add(a) }
    #expect(a.next?.text == "b" && b.next?.text == "a" && realm.objects(Note.self).count == 2)
  }

  @Test func aLongChainIsAddedWithoutRecursion() throws {
    let realm = try makeRealm()
    let first = Note()
    var last = first
    var all = [first]
    for _ in 0..<20_000 {
      let note = Note()
      last.next = note
      last = note
      all.append(note)
    }
    try realm.write { realm.add(first) }
    #expect(last.realm == realm && realm.objects(Note.self).count == 20_001)
  }

  @Test func aWriteThatThrowsLeavesNothing() throws {
    let realm = try makeRealm()
    let dog = Hound(value: ["name": "Rex"])
    #expect(throws: Refusal.self) {
      try realm.write {
        realm.add(dog)
        #expect(realm.object(ofType: Hound.self, forPrimaryKey: "Rex") != nil)
        throw Refusal()
      }
    }
    #expect(realm.isEmpty && !realm.isInWriteTransaction)
    #expect(dog.isInvalidated && dog.realm == nil)
  }

  @Test func writesEndInTheirBlockWhenItSaysSo() throws {
    let realm = try makeRealm()
    try realm.write {
      realm.create(Hound.self, value: ["name": "a"])
      realm.cancelWrite()
    }
    #expect(realm.isEmpty)
    try realm.write {
      realm.create(Hound.self, value: ["name": "b"])
      try realm.commitWrite()
    }
    #expect(realm.objects(Hound.self).count == 1)
    realm.beginWrite()
    #expect(realm.isInWriteTransaction)
    realm.deleteAll()
    try realm.commitWrite()
    #expect(realm.isEmpty)
    #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    try realm.write {
      #expect(throws: Realm.Error.self) { try realm.write {} }
    }
  }

  @Test func aWriteThatTheBlockBeginsAfterEndingItsOwnEndsWithTheBlock() throws {
    let realm = try makeRealm()
    try realm.write {
      realm.create(Hound.self, value: ["name": "a"])
      try realm.commitWrite()
      realm.beginWrite()
      realm.create(Hound.self, value: ["name": "b"])
    }
    #expect(!realm.isInWriteTransaction && realm.objects(Hound.self).count == 2)
    try realm.write {
      realm.create(Hound.self, value: ["name": "c"])
      realm.cancelWrite()
      realm.beginWrite()
      realm.create(Hound.self, value: ["name": "d"])
    }
    #expect(!realm.isInWriteTransaction)
    #expect(realm.objects(Hound.self).map(\.name).sorted() == ["a", "b", "d"])
  }

  @Test func aBlockThatThrowsInAnotherWriteThanItsOwnUndoesThatOneOnly() throws {
    let realm = try makeRealm()
    #expect(throws: Refusal.self) {
      try realm.write {
        realm.create(Hound.self, value: ["name": "a"])
        try realm.commitWrite()
        realm.beginWrite()
        realm.create(Hound.self, value: ["name": "b"])
        throw Refusal()
      }
    }
    #expect(!realm.isInWriteTransaction)
    #expect(realm.objects(Hound.self).map(\.name) == ["a"])
  }

  @Test func deletingAllLeavesClassesThatTheRealmDoesNotKnow() throws {
    let name = UUID().uuidString
    let all = try makeRealm([Keeper.self, Hound.self, Note.self], name)
    try all.write {
      let content: [String: Any] = [
        "_id": 1, "address": ["street": "A"], "dogs": [["name": "R"]],
      ]
      all.create(Keeper.self, value: content)
      all.create(Note.self)
    }
    // Opened for a queue, so that it is not the realm of this thread.
    let queue = DispatchQueue(label: "few")
    let configuration = Realm.Configuration(inMemoryIdentifier: name, objectTypes: [Note.self])
    try queue.sync {
      let few = try Realm(configuration: configuration, queue: queue)
      try few.write { few.deleteAll() }
      #expect(few.objects(Note.self).isEmpty)
    }
    all.refresh()
    #expect(all.objects(Keeper.self).first?.address?.street == "A")
    #expect(all.objects(Hound.self).count == 1 && all.objects(Note.self).isEmpty)
    try all.write { all.deleteAll() }
    #expect(all.isEmpty)
  }

  @Test func creatingLeavesTheSourceAsItWas() throws {
    let realm = try makeRealm()
    let source = Keeper(value: [7, "Eve", 33, [["name": "Rex"]]])
    var made: Keeper?
    try realm.write { made = realm.create(Keeper.self, value: source) }
    #expect(source.realm == nil && source.dogs[0].realm == nil)
    #expect(made?.name == "Eve" && made?.age == 33 && made?.dogs.first?.name == "Rex")
  }

  @Test func anUpdateLeavesAloneWhatIsNotGiven() throws {
    let realm = try makeRealm()
    try realm.write { realm.create(Keeper.self, value: ["_id": 1, "name": "Ann", "age": 40]) }
    let person = try #require(realm.object(ofType: Keeper.self, forPrimaryKey: 1))
    try realm.write {
      realm.create(Keeper.self, value: ["_id": 1, "name": "Anna"], update: .modified)
    }
    #expect(person.name == "Anna" && person.age == 40)
    try realm.write {
      realm.create(
        Keeper.self, value: ["_id": 1, "friend": ["_id": 2, "name": "Bob"]] as [String: Any],
        update: .all)
    }
    #expect(person.friend?.name == "Bob" && person.name == "Anna")
    // An object gives all its properties, nil included.
    try realm.write { realm.add(Keeper(value: [1, "Zoe"]), update: .all) }
    #expect(person.name == "Zoe" && person.age == 18 && person.friend == nil)
    #expect(realm.objects(Keeper.self).count == 2)
  }

  @Test func embeddedObjectsAreReplacedOrChangedInPlace() throws {
    let realm = try makeRealm()
    try realm.write {
      realm.create(Keeper.self, value: ["_id": 1, "address": ["street": "A", "city": "B"]])
    }
    let person = try #require(realm.objects(Keeper.self).first)
    let address = try #require(person.address)
    try realm.write {
      realm.create(
        Keeper.self, value: ["_id": 1, "address": ["street": "C"]] as [String: Any],
        update: .modified)
    }
    #expect(!address.isInvalidated && address.street == "C" && address.city == "B")
    try realm.write {
      realm.create(
        Keeper.self, value: ["_id": 1, "address": ["street": "D"]] as [String: Any], update: .all)
    }
    #expect(address.isInvalidated && person.address?.street == "D" && person.address?.city == nil)
    try realm.write { person.address = nil }
    #expect(person.address == nil)
  }

  @Test func deletingTakesLinksAndOwnedObjectsWithIt() throws {
    let realm = try makeRealm()
    let person = Keeper(value: ["_id": 1, "dogs": [["name": "Rex"], ["name": "Tim"]]])
    person.address = Address(value: ["street": "A"])
    person.friend = Keeper(value: [2, "Bob"])
    try realm.write { realm.add(person) }
    let (friend, address, rex) = (person.friend, person.address, person.dogs[0])
    try realm.write {
      realm.delete(rex)
      #expect(person.dogs.count == 1 && rex.isInvalidated && rex.realm == nil)
      person.friend.map(realm.delete)
      #expect(person.friend == nil)
    }
    #expect(friend?.isInvalidated == true && person.dogs.first?.name == "Tim")
    let tim = person.dogs[0]
    try realm.write { realm.delete(person) }
    #expect(address?.isInvalidated == true && person.isInvalidated && !tim.isInvalidated)
    try realm.write { realm.delete(realm.objects(Hound.self)) }
    #expect(realm.isEmpty && tim.isInvalidated)
  }

  @Test func keysThatTheClassDoesNotHaveAreIgnored() throws {
    let json = Data(
      #"{"_id": 1, "name": "Ann", "height": 170, "address": {"street": "A", "zip": "1"}}"#.utf8)
    let source = try #require(
      JSONSerialization.jsonObject(with: json) as? [String: Any])
    let unmanaged = Keeper(value: source)
    #expect(unmanaged.name == "Ann" && unmanaged.age == 18)
    #expect(Hound(value: ["nam": "Rex", "owners": [1]] as [String: Any]).name == "")
    let realm = try makeRealm()
    try realm.write {
      let made = realm.create(Keeper.self, value: source, update: .modified)
      #expect(made.name == "Ann" && made.address?.street == "A")
      // A key of the name in the file names its property; the name in Swift counts more.
      let bird = realm.create(
        Bird.self, value: ["wing_count": 2, "feathers": true] as [String: Any])
      #expect(bird.wings == 2)
      #expect(Bird(value: ["wing_count": 2, "wings": 3]).wings == 3)
    }
  }

  @Test func keysOfAllTypesFindTheirObjects() throws {
    let realm = try makeRealm()
    let everything = Everything()
    try realm.write {
      realm.add(everything)
      realm.create(Hound.self, value: ["name": "Rex"])
      realm.create(Keeper.self, value: ["_id": 5])
    }
    #expect(realm.object(ofType: Everything.self, forPrimaryKey: everything._id) == everything)
    #expect(realm.object(ofType: Hound.self, forPrimaryKey: "Rex") != nil)
    #expect(realm.object(ofType: Hound.self, forPrimaryKey: "rex") == nil)
    #expect(realm.object(ofType: Keeper.self, forPrimaryKey: 5) != nil)
    #expect(realm.object(ofType: Keeper.self, forPrimaryKey: 6) == nil)
  }

  @Test func aLinkToAnUnmanagedObjectAddsIt() throws {
    let realm = try makeRealm()
    let person = Keeper(value: [1, "Ann"])
    try realm.write {
      realm.add(person)
      person.friend = Keeper(value: [2, "Bob"])
      person.dogs.append(Hound(value: ["name": "Rex"]))
      person.address = Address(value: ["street": "S"])
      person.address?.rooms.append(Room(value: ["name": "hall"]))
      person.address?.rooms.insert(Room(value: ["name": "attic"]), at: 0)
    }
    #expect(realm.objects(Keeper.self).count == 2 && realm.objects(Hound.self).count == 1)
    #expect(person.address?.rooms.map(\.name) == ["attic", "hall"])
  }
}

@Suite(.waiting) struct WriteMisuseTests {
  @Test func changesOutsideOfAWriteEndTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      realm.add(Hound())
    }
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      let dog = Hound()
      try realm.write { realm.add(dog) }
      dog.weight = 5
    }
  }

  @Test func aSecondObjectOfAKeyEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      try realm.write {
        realm.add(Hound(value: ["name": "Rex"]))
        realm.add(Hound(value: ["name": "Rex"]))
      }
    }
  }

  @Test func aPrimaryKeyThatIsChangedEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      let dog = Hound(value: ["name": "Rex"])
      try realm.write {
        realm.add(dog)
        dog.name = "Tim"
      }
    }
  }

  @Test func readingADeletedObjectEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      let dog = Hound(value: ["name": "Rex"])
      try realm.write { realm.add(dog) }
      try realm.write { realm.delete(dog) }
      print(dog.name)
    }
  }

  @Test func aRealmOnAnotherThreadEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      nonisolated(unsafe) let realm = try makeRealm()
      try onAnotherThread { print(realm.isEmpty) }
    }
  }

  @Test func valuesOfWrongTypesEndTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = Hound(value: ["name": 5]) }
    await #expect(processExitsWith: .failure) { _ = Hound(value: ["Rex", 1, 2]) }
    await #expect(processExitsWith: .failure) { _ = Hound(value: ["name": nil] as [String: Any?]) }
  }
}
