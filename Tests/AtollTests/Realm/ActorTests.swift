import Atoll
import Foundation
import TestThreads
import Testing

private actor Store {
  private var realm: Realm?

  func open(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func add(_ name: String) async throws {
    guard let realm else { return }
    try await realm.asyncWrite { realm.create(Hound.self, value: ["name": name]) }
  }

  func addLater(_ name: String) {
    guard let realm else { return }
    realm.writeAsync { realm.create(Hound.self, value: ["name": name]) }
  }

  func count() -> Int { realm?.objects(Hound.self).count ?? -1 }

  func hounds() -> RealmSnapshot<Results<Hound>>? { realm?.objects(Hound.self).snapshot() }

  func isThawedHere(_ hounds: RealmSnapshot<Results<Hound>>) -> Bool {
    realm != nil && hounds.value.thaw()?.realm == realm
  }

  func openHere(_ configuration: Realm.Configuration) async throws -> Bool {
    try await Realm.open(configuration: configuration) == realm
  }
}

@globalActor actor CustomGlobalActor {
  static let shared = CustomGlobalActor()
}

/// An actor whose initializer opens its realm, and writes.
private actor Kennel {
  private var realm: Realm?
  private(set) var count = -1

  /// All properties are set before the realm is opened.
  init(_ configuration: Realm.Configuration) async throws {
    let realm = try await Realm.open(configuration: configuration)
    self.realm = realm
    try await realm.asyncWrite { realm.create(Hound.self, value: ["name": "Rex"]) }
    await realm.asyncRefresh()
    count = realm.objects(Hound.self).count
  }

  func isOpen(_ configuration: Realm.Configuration) async throws -> Bool {
    try await Realm.open(configuration: configuration) == realm
  }
}

/// An actor whose initializer opens its realm before `realm` is set.
private actor EarlyKennel {
  private let realm: Realm

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm.open(configuration: configuration)
  }
}

@Suite(.waiting) struct ActorTests {
  @Test func manyTasksWriteThroughTheirActors() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let stores = [Store(), Store(), Store()]
    for store in stores { try await store.open(configuration) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in stores.enumerated() {
        for index in 0..<10 { group.addTask { try await store.add("\(number)-\(index)") } }
      }
      try await group.waitForAll()
    }
    #expect(try await stores[0].openHere(configuration))
    for store in stores { try await eventually { await store.count() == 30 } }
  }

  @MainActor @Test func whatAnActorFrozeIsThawedOnTheMainActorToo() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let store = Store()
    try await store.open(configuration)
    try await store.add("Rex")
    let frozen = try #require(await store.hounds())
    let mine = try #require(frozen.value.thaw())
    let here = try await Realm(configuration: configuration)
    #expect(mine.realm == here)
    #expect(await store.isThawedHere(frozen))
    try await store.add("Ace")
    mine.realm?.refresh()
    #expect(mine.count == 2 && frozen.value.count == 1)
  }

  @Test func anActorThatKeepsItsRealmIsFreedWithIt() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    weak var gone: Store?
    do {
      let store = Store()
      try await store.open(configuration)
      try await store.add("Rex")
      gone = store
    }
    try await eventually { gone == nil }
    // A realm in memory lasts as long as it is open anywhere.
    let next = Store()
    try await next.open(configuration)
    #expect(await next.count() == 0)
  }

  @Test func aWriteThatWasAskedForIsDoneThoughNobodyKeepsTheActor() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let reader = Store()
    try await reader.open(configuration)
    do {
      let store = Store()
      try await store.open(configuration)
      await store.addLater("Rex")
    }
    try await eventually { await reader.count() == 1 }
  }

  /// Promise: shape.actors.
  @MainActor
  @Test func theMainActorHasARealm() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let realm = try await Realm(configuration: configuration)
    let same = try await Realm(configuration: configuration, actor: MainActor.shared)
    #expect(realm == same)
    try await realm.asyncWrite { realm.create(Hound.self, value: ["name": "Rex"]) }
    #expect(realm.objects(Hound.self).count == 1)
    // Others' commits arrive by themselves.
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      try other.write { other.create(Hound.self, value: ["name": "Tim"]) }
    }
    try await eventually { realm.objects(Hound.self).count == 2 }
  }

  /// Promise: shape.actors.
  @CustomGlobalActor
  @Test func aGlobalActorHasARealm() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let realm = try await Realm(configuration: configuration, actor: CustomGlobalActor.shared)
    try await realm.asyncWrite { realm.create(Hound.self, value: ["name": "Rex"]) }
    await #expect(throws: CancellationError.self) {
      try await realm.asyncWrite { throw CancellationError() }
    }
    #expect(realm.objects(Hound.self).count == 1)
  }

  @Test func anActorOpensItsRealmInItsInitializer() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let kennel = try await Kennel(configuration)
    #expect(await kennel.count == 1)
    #expect(try await kennel.isOpen(configuration))
  }

  /// The compiler gives `#isolation` the value nil there, whatever its type is.
  @Test func noRealmIsOpenedForAnActorThatIsNotThereYet() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    do {
      _ = try await EarlyKennel(configuration)
      Issue.record("a realm was opened for no actor")
    } catch Realm.Error.invalidInput {}
  }

  @MainActor
  @Test func aReadOnlyRealmIsOpenedForActorsToo() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Realm.Configuration(fileURL: folder.appending(path: "a.realm"))
    try onAnotherThread { [configuration] in
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
    }
    configuration.readOnly = true
    let realm = try await Realm(configuration: configuration)
    let same = try await Realm(configuration: configuration, actor: MainActor.shared)
    let again = try await Realm.open(configuration: configuration)
    #expect(realm == same && realm == again && realm.objects(Hound.self).count == 1)
  }

  @MainActor
  @Test func writesAreDoneLaterInTheirOrder() async throws {
    let realm = try await Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    var names: [String] = []
    realm.writeAsync {
      realm.create(Hound.self, value: ["name": "a"])
      names.append("a")
    } onComplete: { error in
      #expect(error == nil)
      names.append("a done")
    }
    let dropped = realm.writeAsync { names.append("dropped") }
    realm.writeAsync {
      names.append("b")
    } onComplete: { _ in
      names.append("b done")
    }
    realm.beginAsyncWrite { realm.create(Hound.self, value: ["name": "undone"]) }
    try realm.cancelAsyncWrite(dropped)
    #expect(names.isEmpty && realm.isPerformingAsynchronousWriteOperations)
    try await eventually { !realm.isPerformingAsynchronousWriteOperations }
    #expect(names.filter { !$0.hasSuffix("done") } == ["a", "b"])
    #expect(names.contains("a done") && names.contains("b done"))
    #expect(realm.objects(Hound.self).count == 1)
  }
}

/// Waits until `isTrue`; fails when it must be a hang.
func eventually(
  _isolation: isolated (any Actor)? = #isolation, _ isTrue: () async throws -> Bool
) async throws {
  for _ in 0..<180_000 {
    if try await isTrue() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record("it did not come true in half an hour")
}
