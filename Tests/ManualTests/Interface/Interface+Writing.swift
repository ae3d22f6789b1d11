import Foundation
import RealmSwift
import Testing

extension Interface {
  @MainActor static func changing(_ rows: InterfaceRows) throws {
    let realm = try ownRealm()

    rows.done("realm.add(_:update:)", "realm.add(objects, update:)") {
      try realm.write {
        let dog = Dog(value: [1, "Rex", 3])
        realm.add(dog)
        #expect(dog.realm == realm)
        realm.add(Dog(value: [1, "Max", 3]), update: .modified)
        realm.add([Dog(value: [2]), Dog(value: [3])], update: .error)
        realm.add([Dog(value: [3])] as Set, update: .all)
      }
      #expect(realm.rex.name == "Max" && realm.objects(Dog.self).count == 3)
    }
    rows.no(
      "realm.add(_:update: Bool)", "realm.create(_:value:update: Bool)",
      why: "RealmSwift marks them as unavailable, too; write `update: .modified`.")
    rows.done("realm.create(_:value:update:)") {
      try realm.write {
        let dog: Dog = realm.create(
          Dog.self, value: ["id": 4, "home": ["city": "Bern"]] as [String: Any])
        realm.create(Dog.self, value: ["id": 4, "name": "Rex"], update: .modified)
        realm.create(Dog.self, value: Dog(value: [5]))
        realm.create(Person.self)
        #expect(dog.name == "Rex" && dog.home?.city == "Bern")
      }
    }
    rows.done("realm.create(asymmetricType, value:)", note: "In synced realms.") {
      compiles {
        realm.create(Reading.self, value: ["celsius": 2.5])
        realm.create(Reading.self)
      }
    }
    rows.differs(
      "realm.dynamicCreate(_:value:update:)",
      how: "What it is not given has the default of the program's class of that name."
    ) {
      try realm.write {
        let dog: DynamicObject = realm.dynamicCreate("Dog", value: ["id": 6], update: .error)
        #expect(dog["id"] as? Int == 6)
        realm.dynamicCreate("Dog", value: ["id": 6], update: .modified)
      }
    }
    rows.done("Realm.UpdatePolicy: .error = 1, .all = 2, .modified = 3") {
      #expect(Realm.UpdatePolicy.error.rawValue == 1 && Realm.UpdatePolicy.all.rawValue == 2)
      #expect(Realm.UpdatePolicy(rawValue: 3) == .modified)
    }
    rows.done("realm.object(ofType:forPrimaryKey:)") {
      let dog: Dog? = realm.object(ofType: Dog.self, forPrimaryKey: 77)
      #expect(dog == nil && realm.object(ofType: Dog.self, forPrimaryKey: 4)?.name == "Rex")
    }
    rows.done("realm.dynamicObject(ofType:forPrimaryKey:)", "realm.dynamicObjects(_:)") {
      let dog: DynamicObject? = realm.dynamicObject(ofType: "Dog", forPrimaryKey: 4)
      #expect(dog?["name"] as? String == "Rex")
      takes(Results<DynamicObject>.self, realm.dynamicObjects("Dog"))
    }
    rows.done("realm.objects(_:)") { takes(Results<Dog>.self, realm.objects(Dog.self)) }
    rows.done("realm.delete(object)") {
      try realm.write {
        let dog = realm.create(Dog.self, value: [10])
        realm.delete(dog as ObjectBase)
        #expect(dog.isInvalidated)
      }
    }
    rows.done("realm.delete(sequence)", "realm.delete(results)") {
      try realm.write {
        let dogs = (20..<24).map { realm.create(Dog.self, value: [$0]) }
        realm.delete(dogs[..<2])
        realm.delete(realm.objects(Dog.self).where { $0.id >= 20 })
        #expect(realm.objects(Dog.self).where { $0.id >= 20 }.isEmpty)
      }
    }
    rows.done("realm.delete(list)", "realm.delete(map)") {
      try realm.write {
        let person = realm.create(Person.self)
        person.dogs.append(Dog(value: [30]))
        person.byName["Rex"] = Dog(value: [31])
        realm.delete(person.dogs)
        realm.delete(person.byName)
        #expect(person.dogs.isEmpty)
        #expect(realm.objects(Dog.self).where { $0.id >= 30 }.isEmpty)
      }
    }
    rows.done("realm.deleteAll()") {
      try realm.write { realm.deleteAll() }
      #expect(realm.isEmpty)
    }
  }

  @MainActor static func writing(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let token = realm.objects(Dog.self).observe { _ in }

    rows.done("realm.write(withoutNotifying:_:)") {
      let count: Int = try realm.write(withoutNotifying: [token]) {
        realm.create(Dog.self, value: [5])
        return realm.objects(Dog.self).count
      }
      #expect(count == 3)
      try realm.write { realm.delete(realm.objects(Dog.self).where { $0.id == 5 }) }
      #expect(throws: CancellationError.self) { try realm.write { throw CancellationError() } }
    }
    rows.done(
      "realm.beginWrite()", "realm.commitWrite(withoutNotifying:)", "realm.cancelWrite()",
      "realm.isInWriteTransaction"
    ) {
      realm.beginWrite()
      #expect(realm.isInWriteTransaction)
      realm.cancelWrite()
      realm.beginWrite()
      try realm.commitWrite()
      realm.beginWrite()
      try realm.commitWrite(withoutNotifying: [token])
      #expect(!realm.isInWriteTransaction)
    }
    rows.done("realm.asyncWrite(_isolation:_:) async throws") {
      let age: Int = try await realm.asyncWrite {
        realm.rex.age += 1
        return realm.rex.age
      }
      #expect(age == 4)
      try await realm.asyncWrite { realm.rex.age = 3 }
    }
    rows.done("realm.writeAsync(_:onComplete:)") {
      let error: (any Error)? = await withCheckedContinuation { continuation in
        realm.writeAsync({ realm.rex.age = 5 }, onComplete: { continuation.resume(returning: $0) })
      }
      #expect(error == nil && realm.rex.age == 5)
      compiles {
        let id: AsyncTransactionId = realm.writeAsync { realm.rex.age = 6 }
        takes(UInt.self, id)
      }
    }
    rows.done(
      "realm.beginAsyncWrite(_:)", "realm.commitAsyncWrite(allowGrouping:_:)",
      "realm.isPerformingAsynchronousWriteOperations"
    ) {
      let error: (any Error)? = await withCheckedContinuation { continuation in
        realm.beginAsyncWrite {
          realm.rex.age = 7
          realm.commitAsyncWrite(allowGrouping: true) { continuation.resume(returning: $0) }
        }
        #expect(realm.isPerformingAsynchronousWriteOperations)
      }
      #expect(error == nil && realm.rex.age == 7)
      compiles { _ = realm.commitAsyncWrite() }
    }
    rows.done("realm.cancelAsyncWrite(_:)") {
      let id = realm.beginAsyncWrite { Issue.record("it was cancelled") }
      try realm.cancelAsyncWrite(id)
    }
  }

  @MainActor static func versions(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.done("realm.refresh()") {
      let isMoved: Bool = realm.refresh()
      #expect(!isMoved)
      realm.refresh()
    }
    rows.done("realm.asyncRefresh(_isolation:) async") {
      let isMoved: Bool = await realm.asyncRefresh()
      #expect(!isMoved)
    }
    rows.done("realm.autorefresh") {
      #expect(realm.autorefresh)
      realm.autorefresh = false
      realm.autorefresh = true
    }
    rows.done("realm.freeze()", "realm.thaw()", "realm.isFrozen") {
      let frozen: Realm = realm.freeze()
      #expect(frozen.isFrozen && frozen.thaw() == realm)
    }
    rows.done("realm.freeze(object)", "realm.thaw(object)", "realm.freeze(collection)") {
      let frozen: Dog = realm.freeze(realm.rex)
      let thawed: Dog? = realm.thaw(frozen)
      #expect(frozen.isFrozen && thawed == realm.rex)
      let dogs: Results<Dog> = realm.freeze(realm.objects(Dog.self))
      #expect(dogs.isFrozen)
    }
    rows.done("object.freeze()", "collection.freeze()", "thaw()") {
      let dogs: Results<Dog> = realm.objects(Dog.self).freeze()
      let live: Results<Dog>? = dogs.thaw()
      #expect(dogs.isFrozen && live?.count == 2)
      #expect(realm.rex.friends.freeze().isFrozen && realm.rex.freeze().thaw() != nil)
    }
    rows.done("realm.invalidate()") {
      let own = try kennel()
      let rex = own.rex
      own.invalidate()
      #expect(rex.isInvalidated)
    }
  }
}
