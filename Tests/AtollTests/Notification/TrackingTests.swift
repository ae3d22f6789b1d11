import Foundation
import Observation
import Synchronization
import TestThreads
import Testing

@testable import Atoll

/// What is read in a block of `withObservationTracking` is told when it changes.
@Suite(.computing) struct TrackingTests {
  private let configuration: Realm.Configuration
  private let realm: Realm

  init() throws {
    configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
    realm = try Realm(configuration: configuration)
    try realm.write {
      realm.create(Dog.self, value: ["id": 1, "name": "Rex", "age": 3])
      realm.create(Dog.self, value: ["id": 2, "name": "Pip", "age": 5])
      realm.create(Person.self, value: ["name": "Ann", "age": 30])
    }
  }

  private func dog(_ id: Int, in realm: Realm? = nil) -> Dog {
    guard let dog = (realm ?? self.realm).object(ofType: Dog.self, forPrimaryKey: id) else {
      Issue.record("there is no dog \(id)")
      return Dog()
    }
    return dog
  }

  /// Writes as another thread does.
  private func writeElsewhere(_ body: @Sendable (Realm) throws -> Void) throws {
    let (configuration, queue) = (configuration, DispatchQueue(label: "tracking"))
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      try realm.write { try body(realm) }
    }
  }

  /// Whether what `read` reads is told to have changed after `change`.
  private func isTold(_ read: () -> Void, of change: () throws -> Void) rethrows -> Bool {
    let tracked = Tracked(read)
    #expect(!tracked.isTold)
    try change()
    return tracked.isTold
  }

  // MARK: Objects

  @Test func aPropertyIsToldOfWhenItIsSetAndNoOtherIs() throws {
    let rex = dog(1)
    #expect(
      try isTold {
        _ = rex.name
      } of: {
        try realm.write { rex.name = "Max" }
      })
    #expect(
      try !isTold {
        _ = rex.name
      } of: {
        try realm.write { rex.age = 4 }
      })
    #expect(
      try !isTold {
        _ = rex.name
      } of: {
        try realm.write { dog(2).name = "Max" }
      })
  }

  /// The instance that was read is gone: the object is not.
  @Test func theObjectCountsAndNotTheInstance() throws {
    #expect(
      try isTold {
        _ = dog(1).age
      } of: {
        try realm.write { dog(1).age += 1 }
      })
  }

  @Test func changesOfOtherThreadsAreToldWhenTheRealmMoves() throws {
    let tracked = Tracked { _ = dog(1).name }
    try writeElsewhere { $0.object(ofType: Dog.self, forPrimaryKey: 1)?.name = "Max" }
    #expect(!tracked.isTold)
    realm.refresh()
    #expect(tracked.isTold)
  }

  @Test func aWriteIsToldWhenItIsCommittedAndNotWhenItIsUndone() throws {
    let rex = dog(1)
    let tracked = Tracked { _ = rex.name }
    realm.beginWrite()
    rex.name = "Max"
    realm.cancelWrite()
    #expect(!tracked.isTold)
    realm.beginWrite()
    rex.name = "Max"
    #expect(!tracked.isTold)
    try realm.commitWrite()
    #expect(tracked.isTold)
  }

  @Test func whatIsReadInAWriteIsToldAfterIt() throws {
    let rex = dog(1)
    realm.beginWrite()
    rex.name = "Max"
    let tracked = Tracked { _ = rex.name }
    try realm.commitWrite()
    try realm.write { rex.name = "Bo" }
    #expect(tracked.isTold)
  }

  @Test func deletionIsToldToWhoHasReadAPropertyOrWhetherTheObjectIsThere() throws {
    let (rex, pip) = (dog(1), dog(2))
    let (property, existence) = (Tracked { _ = rex.name }, Tracked { _ = pip.isInvalidated })
    try realm.write { realm.delete(realm.objects(Dog.self)) }
    #expect(property.isTold && existence.isTold)
  }

  @Test func anObjectThatWasNotThereIsToldWhenItComes() throws {
    func find() { _ = realm.object(ofType: Dog.self, forPrimaryKey: 3) }
    func make() throws { try realm.write { _ = realm.create(Dog.self, value: ["id": 3]) } }
    #expect(try isTold(find, of: make))
  }

  @Test func linksAndWhatTheyLeadToAreTold() throws {
    let ann = try #require(realm.objects(Person.self).first)
    try realm.write {
      ann.boss = realm.create(Person.self, value: ["name": "Bob", "age": 50])
    }
    #expect(
      try isTold {
        _ = ann.boss?.age
      } of: {
        try realm.write { ann.boss?.age = 51 }
      })
    #expect(
      try isTold {
        _ = ann.boss?.age
      } of: {
        try realm.write { ann.boss = nil }
      })
  }

  @Test func propertiesByNameAreTold() throws {
    let rex = dog(1)
    #expect(
      try isTold {
        _ = rex["name"]
      } of: {
        try realm.write { rex["name"] = "Max" }
      })
    let dynamicDogs = realm.dynamicObjects("Dog")
    #expect(
      try isTold {
        _ = dynamicDogs.first?["age"]
      } of: {
        try realm.write { rex.age = 9 }
      })
  }

  // MARK: Collections

  @Test func listsAreToldOfTheirElements() throws {
    let ann = try #require(realm.objects(Person.self).first)
    let reads: [() -> Void] = [
      { _ = ann.tags.count }, { _ = ann.tags.first }, { for _ in ann.tags {} },
      { _ = ann.tags.contains("a") }, { _ = ann.tags.sorted().count },
    ]
    for read in reads {
      #expect(try isTold(read) { try realm.write { ann.tags.append("a") } })
      #expect(try !isTold(read) { try realm.write { ann.marks.append(1) } })
    }
  }

  @Test func resultsAreToldOfTheirElements() throws {
    let old = realm.objects(Dog.self).where { $0.age > 4 }
    let reads: [() -> Void] = [
      { _ = old.count }, { _ = old.isEmpty }, { _ = old.first }, { _ = old.last },
      { for _ in old {} }, { for _ in old.sorted(byKeyPath: "name") {} },
      { _ = old.index(of: dog(2)) }, { _ = realm.objects(Dog.self).where { $0.age > 4 }.count },
    ]
    for read in reads {
      #expect(try isTold(read) { try realm.write { dog(1).age = 7 } })
      try realm.write { dog(1).age = 3 }
      #expect(try !isTold(read) { try realm.write { dog(1).weight += 1 } })
      #expect(
        try !isTold(read) {
          try realm.write { realm.objects(Person.self).first?.age += 1 }
        })
    }
  }

  @Test func aggregatesAreToldOfTheValues() throws {
    let dogs = realm.objects(Dog.self)
    let reads: [() -> Void] = [
      { _ = dogs.sum(of: \.age) as Int }, { _ = dogs.max(ofProperty: "age") as Int? },
      { _ = dogs.where { $0.name == "Rex" }.average(of: \.age) as Int? },
    ]
    for read in reads { #expect(try isTold(read) { try realm.write { dog(1).age += 1 } }) }
  }

  @Test func sectionsAreToldOfTheirKeysAndElements() throws {
    let sections = realm.objects(Dog.self).sectioned(by: \.name)
    let read = { _ = sections.map { $0.count } }
    // What was found before is not looked for again.
    read()
    #expect(try isTold(read) { try realm.write { dog(1).name = "Pip" } })
    func make() throws { try realm.write { _ = realm.create(Dog.self, value: ["id": 9]) } }
    #expect(try isTold(read, of: make))
  }

  @Test func invalidatedRealmsTellOfEverything() throws {
    let dogs = realm.objects(Dog.self)
    let (count, name) = (Tracked { _ = dogs.count }, Tracked { _ = dog(1).name })
    realm.invalidate()
    #expect(count.isTold && name.isTold)
    // And go on.
    #expect(
      try isTold {
        _ = dog(1).name
      } of: {
        try realm.write { dog(1).name = "Max" }
      })
  }

  @Test func frozenThingsAreNotTracked() throws {
    let frozen = dog(1).freeze()
    #expect(
      try !isTold {
        _ = frozen.name
      } of: {
        try realm.write { dog(1).name = "Max" }
      })
  }

  // MARK: Ends

  @Test func whatWasReadInAWriteIsToldWhenThatIsUndone() throws {
    let rex = dog(1)
    realm.beginWrite()
    rex.name = "Max"
    let name = Tracked { _ = rex.name }
    let count = Tracked { _ = realm.objects(Dog.self).count }
    realm.cancelWrite()
    #expect(name.isTold && count.isTold)
  }

  /// The object is there again, and the instance stays invalid.
  @Test func anInstanceThatWasGivenToDeleteIsToldWhenThatIsUndone() throws {
    let rex = dog(1)
    let name = Tracked { _ = rex.name }
    let other = Tracked { _ = dog(2).name }
    realm.beginWrite()
    realm.delete(rex)
    realm.cancelWrite()
    #expect(name.isTold && !other.isTold && rex.isInvalidated)
  }

  /// A view that reads again as soon as it is told is told once of a commit.
  @Test func whoReadsAgainAtOnceIsToldOnce() throws {
    final class View: @unchecked Sendable {
      // Sendable: used on the thread of the realm alone.
      let dog: Dog
      var count = 0
      init(_ dog: Dog) { self.dog = dog }
      func look() {
        withObservationTracking {
          if dog.isInvalidated { return }
          _ = dog.name
          _ = dog.age
        } onChange: {
          self.count += 1
          self.look()
        }
      }
    }
    let view = View(dog(1))
    view.look()
    try realm.write { (view.dog.name, view.dog.age) = ("Max", 9) }
    #expect(view.count == 1)
    realm.invalidate()
    #expect(view.count == 2)
  }

  @Test func collectionsTellThatTheirObjectIsGone() throws {
    let ann = try #require(realm.objects(Person.self).first)
    let tags = ann.tags
    #expect(
      try isTold {
        _ = tags.isInvalidated
      } of: {
        try realm.write { realm.delete(ann) }
      })
  }

  @Test func classesThatAreNotThereAreToldOfWhenTheyCome() throws {
    let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let latecomer = Tracked {
      _ = other.object(ofType: LateKeyed.self, forPrimaryKey: 1)
    }
    let emptiness = Tracked { _ = other.isEmpty }
    try other.write { _ = other.create(LateKeyed.self, value: ["id": 1]) }
    #expect(latecomer.isTold && emptiness.isTold)
  }

  class LateKeyed: Atoll.Object {
    @Persisted(primaryKey: true) var id: Int
  }

  /// A block that waits does not keep the realm open.
  @Test func aRealmThatWasReadIsClosed() throws {
    weak var context: _RealmContext?
    let waiting: Tracked
    do {
      let identifier = UUID().uuidString
      let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: identifier))
      try other.write { other.create(Person.self, value: ["name": "Ann", "tags": ["a"]]) }
      context = other.context
      waiting = Tracked {
        let people = other.objects(Person.self)
        for person in people { _ = (person.name, person.tags.count, person.dogs.first) }
        _ = people.where { $0.age > 3 }.sorted(byKeyPath: "name").count
        _ = people.first?.dogs.filter("age > 2").count
      }
    }
    #expect(context == nil)
    #expect(!waiting.isTold)
  }

  // MARK: Notes

  /// What nobody waits for leaves no note behind: neither what was told, nor what a block that has
  /// ended read.
  @Test func notesThatNobodyWaitsForAreDropped() throws {
    let waiting = Tracked { _ = dog(1).name }
    for round in 0..<300 {
      _ = Tracked {
        _ = dog(2).age
        _ = realm.objects(Dog.self).where { $0.age > round }.count
      }
      try realm.write { dog(2).age += 1 }
    }
    let reads = try #require(realm.context.knownTrackedReads)
    #expect(reads.noteCount < 200)
    #expect(!waiting.isTold)
    try realm.write { dog(1).name = "Max" }
    #expect(waiting.isTold)
  }

  /// Equal queries are followed once.
  @Test func equalQueriesShareANote() throws {
    let blocks = (0..<50).map { _ in
      Tracked { _ = realm.objects(Dog.self).where { $0.age > 4 }.count }
    }
    let reads = try #require(realm.context.knownTrackedReads)
    #expect(reads.noteCount < 5)
    try realm.write { dog(1).age = 7 }
    #expect(!blocks.contains { !$0.isTold })
  }
}

/// A block that has read something and waits for a change of it.
struct Tracked {
  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  private let flag = Flag()

  init(_ read: () -> Void) {
    withObservationTracking(read) { [flag] in flag.isSet.store(true, ordering: .relaxed) }
  }

  var isTold: Bool { flag.isSet.load(ordering: .relaxed) }
}
