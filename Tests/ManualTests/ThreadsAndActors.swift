import Dispatch
import Foundation
import RealmSwift
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct ThreadsAndActorsPage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
  }

  actor Kennel {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm.open(configuration: configuration)
    }

    func add(_ name: String) async throws {
      guard let realm else { return }
      try await realm.asyncWrite {
        realm.create(Dog.self, value: ["name": name])
      }
    }

    func names() -> [String] {
      guard let realm else { return [] }
      return realm.objects(Dog.self).map(\.name)
    }
  }
  // Page ends here

  // Page begins here
  func rename(_ dog: Dog, on queue: DispatchQueue, in configuration: Realm.Configuration) {
    let reference = ThreadSafeReference(to: dog)
    queue.async {
      do {
        let realm = try Realm(configuration: configuration, queue: queue)
        guard let dog = realm.resolve(reference) else { return }  // It was deleted.
        try realm.write { dog.name = "Luna" }
      } catch {
        print("the dog keeps its name: \(error)")
      }
    }
  }
  // Page ends here

  // Page begins here
  @MainActor func names(_ dogs: Results<Dog>) async -> [String] {
    let snapshot = dogs.snapshot()
    return await Task.detached { snapshot.value.map(\.name) }.value
  }
  // Page ends here

  // Page begins here
  @MainActor func addInTheBackground(_ name: String, to realm: Realm) {
    realm.writeAsync {
      realm.create(Dog.self, value: ["name": name])
    } onComplete: { error in
      print(error.map { "not written: \($0)" } ?? "written")
    }
  }
  // Page ends here

  @Test func anActorWritesInItsRealm() async throws {
    let kennel = Kennel()
    try await kennel.open(Manual.configuration())
    try await kennel.add("Rex")
    #expect(await kennel.names() == ["Rex"])
  }

  @Test func aReferenceGoesToAQueue() throws {
    let configuration = Manual.configuration()
    let realm = try Realm(configuration: configuration)
    let queue = DispatchQueue(label: "kennel")
    let dog = try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    rename(dog, on: queue, in: configuration)
    queue.sync {}
    realm.refresh()
    #expect(dog.name == "Luna")
  }

  @MainActor @Test func aSnapshotGoesToATask() async throws {
    let realm = try await Realm(configuration: Manual.configuration())
    try realm.write { _ = realm.create(Dog.self, value: ["name": "Rex"]) }
    #expect(await names(realm.objects(Dog.self)) == ["Rex"])
  }

  @MainActor @Test func aWriteOfTheMainActorIsDoneLater() async throws {
    let realm = try await Realm(configuration: Manual.configuration())
    addInTheBackground("Rex", to: realm)
    while realm.objects(Dog.self).isEmpty { await _Concurrency.Task.yield() }
    #expect(realm.objects(Dog.self).first?.name == "Rex")
  }
}
