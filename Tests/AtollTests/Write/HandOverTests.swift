import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Crate: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var label: String
  @Persisted var numbers: List<Int>
  @Persisted var marks: MutableSet<String>
  @Persisted var sizes: Map<String, Int>
  @Persisted var crates: List<Crate>
  @Persisted(originProperty: "crates") var owners: LinkingObjects<Crate>
}

/// Its keys are given out in order, and again after a write that was cancelled.
private class Slip: Object {
  @Persisted var text: String
}

/// What goes from one thread, queue or actor to another.
@Suite(.waiting) struct HandOverTests {
  private let name = UUID().uuidString

  private var configuration: Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: name)
  }

  // MARK: Frozen

  @Test func aCollectionOfAnObjectThatTheWriteMadeIsNotFrozen() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      realm.beginWrite()
      _ = realm.create(Crate.self, value: [1]).numbers.freeze()
    }
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      realm.beginWrite()
      _ = realm.create(Crate.self, value: [1]).marks.freeze()
    }
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      realm.beginWrite()
      _ = realm.create(Crate.self, value: [1]).sizes.freeze()
    }
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      realm.beginWrite()
      _ = realm.create(Crate.self, value: [1]).numbers.sorted().freeze()
    }
  }

  @Test func aCollectionIsFrozenAsItWasBeforeTheWrite() throws {
    let realm = try Realm(configuration: configuration)
    let crate = Crate(value: ["_id": 1, "numbers": [1], "marks": ["a"], "sizes": ["s": 1]])
    try realm.write { realm.add(crate) }
    try realm.write {
      crate.numbers.append(2)
      crate.marks.insert("b")
      crate.sizes["t"] = 2
      let (numbers, marks, sizes) = (
        crate.numbers.freeze(), crate.marks.freeze(), crate.sizes.freeze()
      )
      #expect(numbers.isFrozen && marks.isFrozen && sizes.isFrozen)
      #expect(Array(numbers) == [1] && Array(marks) == ["a"] && sizes.keys == ["s"])
      #expect(Array(crate.numbers) == [1, 2])
    }
  }

  // MARK: References

  @Test func whatAWriteHasMadeIsThereForReferencesAfterTheCommit() throws {
    let configuration = configuration
    let realm = try Realm(configuration: configuration)
    realm.beginWrite()
    let crate = realm.create(Crate.self, value: ["_id": 1, "label": "one", "numbers": [1, 2]])
    crate.crates.append(crate)
    let object = ThreadSafeReference(to: crate)
    let early = ThreadSafeReference(to: crate)
    let here = ThreadSafeReference(to: crate)
    let numbers = ThreadSafeReference(to: crate.numbers)
    let marks = ThreadSafeReference(to: crate.marks)
    let sizes = ThreadSafeReference(to: crate.sizes)
    let owners = ThreadSafeReference(to: crate.owners)
    let found = ThreadSafeReference(to: realm.objects(Crate.self).where { $0.label == "one" })
    #expect(!object.isInvalidated && !numbers.isInvalidated)
    #expect(realm.resolve(here)?.label == "one")
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      #expect(other.resolve(early) == nil)
    }
    try realm.commitWrite()
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      #expect(other.resolve(object)?.label == "one")
      // It came too early, and is good for one use still.
      #expect(other.resolve(early)?.label == "one")
      #expect(other.resolve(numbers).map { Array($0) } == [1, 2])
      #expect(other.resolve(marks)?.count == 0 && other.resolve(sizes)?.count == 0)
      #expect(other.resolve(owners)?.first?._id == 1)
      let results = try #require(other.resolve(found))
      #expect(results.realm == other && results.count == 1)
    }
    #expect(object.isInvalidated && numbers.isInvalidated && found.isInvalidated)
  }

  @Test func aReferenceToWhatIsDeletedAgainIsInvalidated() throws {
    let realm = try open()
    realm.beginWrite()
    let crates = [1, 2, 3].map { realm.create(Crate.self, value: [$0]) }
    let references = crates.map { ThreadSafeReference(to: $0) }
    realm.delete(crates[0])
    try realm.commitWrite()
    #expect(references.map(\.isInvalidated) == [true, false, false])
    try realm.write { realm.delete(crates[1]) }
    #expect(references.map(\.isInvalidated) == [true, true, false])
    #expect(realm.resolve(references[0]) == nil && realm.resolve(references[2]) == crates[2])
  }

  @Test func whatACancelledWriteMadeIsNotThereForReferences() throws {
    let configuration = configuration
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Slip.self, value: ["old"]) }
    realm.beginWrite()
    let reference = ThreadSafeReference(to: realm.create(Slip.self, value: ["new"]))
    realm.cancelWrite()
    #expect(reference.isInvalidated)
    try realm.write { realm.create(Slip.self, value: ["newer"]) }
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      #expect(other.resolve(reference) == nil)
    }
  }

  @Test func whatWasThereBeforeAWriteIsThereWhateverBecomesOfIt() throws {
    let configuration = configuration
    let realm = try open()
    let crate = Crate(value: ["_id": 1, "label": "one", "numbers": [1]])
    try realm.write { realm.add(crate) }
    realm.beginWrite()
    crate.label = "two"
    crate.numbers.append(2)
    let (early, late) = (ThreadSafeReference(to: crate), ThreadSafeReference(to: crate))
    let numbers = ThreadSafeReference(to: crate.numbers)
    let found = ThreadSafeReference(to: realm.objects(Crate.self))
    let held = ThreadSafe(wrappedValue: crate)
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      #expect(other.resolve(early)?.label == "one")
      #expect(held.wrappedValue?.label == "one")
    }
    #expect(held.wrappedValue?.label == "two")
    realm.cancelWrite()
    #expect(!late.isInvalidated && !numbers.isInvalidated)
    #expect(realm.resolve(late) == crate && crate.label == "one")
    #expect(realm.resolve(numbers).map { Array($0) } == [1])
    #expect(realm.resolve(found)?.count == 1)
    try onAnotherThread { #expect(held.wrappedValue?.label == "one") }
  }

  @Test func aReferenceIsOfUseOnlyInItsFileAndOnce() async throws {
    let realm = try open()
    let crate = Crate(value: [1, "one"])
    try realm.write { realm.add(crate) }
    let reference = ThreadSafeReference(to: crate)
    #expect(try makeRealm().resolve(reference) == nil)
    #expect(!reference.isInvalidated)
    #expect(realm.resolve(reference) == crate)
    #expect(reference.isInvalidated)
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      let crate = Crate(value: [1, "one"])
      try realm.write { realm.add(crate) }
      let reference = ThreadSafeReference(to: crate)
      _ = realm.resolve(reference)
      _ = realm.resolve(reference)
    }
  }

  private func open() throws -> Realm { try Realm(configuration: configuration) }

  /// An observer's realm stays in the version that is told of, but for a reference to a newer one.
  @Test func aReferenceIsResolvedInItsVersionAlsoInAnObserver() throws {
    let queue = DispatchQueue(label: "hand over")
    let configuration = configuration
    let realm = try Realm(configuration: configuration)
    let log = Log()
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      let token = realm.objects(Crate.self).observe { change in
        guard case .initial = change else { return }
        let reference = log.take()
        log.label = reference.flatMap { realm.resolve($0)?.label }
      }
      log.tokens = [token]
      realm.autorefresh = false
      try onAnotherThread {
        let other = try Realm(configuration: configuration)
        let crate = Crate(value: [1, "newest"])
        try other.write { other.add(crate) }
        log.put(ThreadSafeReference(to: crate))
      }
    }
    queue.sync {}
    #expect(log.label == "newest")
    queue.sync { log.tokens = [] }
    withExtendedLifetime(realm) {}
  }

  @Test func resultsAreResolvedInTheRealmOfTheActor() async throws {
    let keeper = try open()
    try keeper.write { keeper.create(Crate.self, value: [1, "one"]) }
    let results = ThreadSafeReference(to: keeper.objects(Crate.self))
    let any = ThreadSafeReference(to: AnyRealmCollection(keeper.objects(Crate.self)))
    try await CrateKeeper().check(results, any, configuration)
    withExtendedLifetime(keeper) {}
  }

  // MARK: @ThreadSafe

  @Test func aThreadSafeObjectShowsWhatAnotherThreadWrote() throws {
    let realm = try Realm(configuration: configuration)
    let crate = Crate(value: [1, "one"])
    try realm.write { realm.add(crate) }
    let held = ThreadSafe(wrappedValue: crate)
    try onAnotherThread {
      let crate = try #require(held.wrappedValue)
      try crate.realm?.write {
        crate.label = "two"
        crate.numbers.append(1)
      }
    }
    #expect(held.wrappedValue?.label == "two" && crate.label == "two")
    #expect(held.wrappedValue?.isFrozen == false)
    try onAnotherThread {
      let realm = try #require(held.wrappedValue?.realm)
      try realm.write { realm.deleteAll() }
    }
    #expect(held.wrappedValue == nil)
  }

  @Test func aThreadSafeCollectionOfANewObjectIsEachThreadsOwn() throws {
    let configuration = configuration
    let realm = try Realm(configuration: configuration)
    realm.beginWrite()
    let crate = realm.create(Crate.self, value: ["_id": 1, "numbers": [1]])
    let held = ThreadSafe(wrappedValue: crate.numbers)
    #expect(held.wrappedValue?.realm == realm && held.wrappedValue?.count == 1)
    try onAnotherThread { #expect(held.wrappedValue == nil) }
    crate.numbers.append(2)
    try realm.commitWrite()
    try onAnotherThread {
      let numbers = try #require(held.wrappedValue)
      #expect(Array(numbers) == [1, 2] && !numbers.isFrozen)
      try numbers.realm?.write { numbers.append(3) }
    }
    #expect(held.wrappedValue.map { Array($0) } == [1, 2, 3])
  }

  // Sendable: used by one thread after the other.
  private final class Log: @unchecked Sendable {
    var label: String?
    var tokens: [NotificationToken] = []
    private var reference: ThreadSafeReference<Crate>?

    func put(_ reference: ThreadSafeReference<Crate>) { self.reference = reference }

    func take() -> ThreadSafeReference<Crate>? { reference }
  }
}

private actor CrateKeeper {
  func check(
    _ results: ThreadSafeReference<Results<Crate>>,
    _ any: ThreadSafeReference<AnyRealmCollection<Crate>>, _ configuration: Realm.Configuration
  ) async throws {
    let realm = try await Realm(configuration: configuration, actor: self)
    let found = try #require(realm.resolve(results))
    #expect(found.realm == realm && found.count == 1)
    let token = found.observe { _ in }
    let anyFound = try #require(realm.resolve(any))
    #expect(anyFound.realm == realm && anyFound.first?.label == "one")
    token.invalidate()
  }
}
