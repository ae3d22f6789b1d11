import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// What a snapshot shows on other threads.
@Suite(.waiting) struct RealmSnapshotTests {
  @Test func aRealmIsReadAnywhereInTheVersionThatItHad() async throws {
    let snapshot = try await onOwnThread {
      let realm = try Shelter.realm()
      let snapshot = realm.snapshot()
      try realm.write { realm.deleteAll() }
      return snapshot
    }
    let names = await _Concurrency.Task.detached {
      snapshot.value.objects(Dog.self).sorted(by: \.id).map(\.name)
    }.value
    #expect(Array(names) == ["Rex", "fido", "Luna"])
    #expect(snapshot.value.isFrozen)
  }

  @Test func resultsListsMapsAndObjectsHaveSnapshots() throws {
    let realm = try Shelter.realm()
    let ada = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada"))
    let old = realm.objects(Dog.self).where { $0.age > 5 }.snapshot()
    let dogs = ada.dogs.snapshot()
    let marks = ada.marks.snapshot()
    let person = ada.snapshot()
    let sections = realm.objects(Dog.self).sectioned(by: \.age).snapshot()
    try realm.write {
      ada.marks.removeAll()
      ada.age = 31
      realm.delete(ada.dogs)
    }
    try onAnotherThread {
      #expect(old.value.map(\.name) == ["fido"])
      #expect(dogs.value.map(\.name) == ["Rex", "fido"])
      #expect(Array(marks.value) == [3, 1, 2])
      #expect(person.value.age == 30)
      #expect(person.value.dogs.first?.owner?.name == "Ada")
      #expect(Array(sections.value.allKeys) == [3, 9])
    }
    #expect(ada.age == 31)
  }

  /// An instance may keep what was read through it.
  @Test func eachReaderHasAnInstanceOfItsOwn() throws {
    let realm = try Shelter.realm()
    let snapshot = try #require(realm.objects(Dog.self).first).snapshot()
    #expect(snapshot.value !== snapshot.value)
    #expect(snapshot.value == snapshot.value)
  }

  @Test func manyThreadsReadOneSnapshot() async throws {
    let snapshot = try await onOwnThread { try Shelter.realm().snapshot() }
    onThreads(4) { _ in
      for _ in 0..<50 {
        let dogs = snapshot.value.objects(Dog.self)
        #expect(dogs.where { $0.owner.name == "Ada" }.count == 1)
        #expect(dogs.sum(of: \.age) == 15)
      }
    }
  }

  @Test func aSnapshotTakenInAWriteIsOfTheVersionBefore() throws {
    let realm = try Shelter.realm()
    realm.beginWrite()
    realm.deleteAll()
    let snapshot = realm.snapshot()
    try realm.commitWrite()
    #expect(snapshot.value.objects(Dog.self).count == 3)
    #expect(realm.snapshot().value.objects(Dog.self).isEmpty)
  }

  /// Until then the file cannot be deleted.
  @Test func theVersionIsHeldUntilTheSnapshotAndWhatWasReadAreGone() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = Realm.Configuration(fileURL: folder.appending(path: "a.realm"))
    var snapshot: RealmSnapshot<Realm>? = try await onOwnThread {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Dog.self, value: ["id": 1]) }
      return realm.snapshot()
    }
    var dogs: Results<Dog>? = snapshot?.value.objects(Dog.self)
    snapshot = nil
    #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
    #expect(dogs?.count == 1)
    dogs = nil
    // The thread that made it may still let go of its realm.
    try await eventually { (try? Realm.deleteFiles(for: configuration)) == true }
  }

  @Test func whatNoRealmManagesHasNoSnapshot() async {
    await #expect(processExitsWith: .failure) { _ = Dog().snapshot() }
  }
}
