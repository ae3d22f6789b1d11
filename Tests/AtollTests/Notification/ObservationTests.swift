import AtollObjects
import Foundation
import TestThreads
import Testing

@testable import Atoll

/// The calls of observers, and their times.
@Suite(.waiting) struct ObservationTests {
  private let queue = DispatchQueue(label: "observation")
  private let configuration: Realm.Configuration
  /// Keeps the realm in memory alive.
  private let keeper: Realm

  init() throws {
    configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
    keeper = try Realm(configuration: configuration)
  }

  /// The changes reported to observers, as text.
  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []

    func note<C>(_ change: RealmCollectionChange<C>) where C: Collection {
      switch change {
      case .initial(let collection): lines.append("initial \(collection.count)")
      case .update(let collection, let deletions, let insertions, let modifications):
        lines.append("\(collection.count): -\(deletions) +\(insertions) ~\(modifications)")
      case .error: lines.append("error")
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  /// Runs `body` on the queue, in its realm, and then lets what was scheduled come.
  private func onQueue<Result>(_ body: (Realm) throws -> Result) throws -> Result {
    let result = try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      return try body(realm)
    }
    for _ in 0..<3 { queue.sync {} }
    return result
  }

  private func dog(_ id: Int, age: Int = 1) -> Dog {
    let dog = Dog()
    dog.id = id
    dog.age = age
    return dog
  }

  @Test func theInitialStateComesOnceAndLater() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1)) }
      log.tokens = [realm.objects(Dog.self).observe { log.note($0) }]
      #expect(log.lines == [])
      try realm.write { realm.add(dog(2)) }
    }
    #expect(log.take() == ["initial 1", "2: -[] +[1] ~[]"])
  }

  @Test func changesTellPlacesOfTheOldStateAndOfTheNew() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { for id in 1...4 { realm.add(dog(id)) } }
      log.tokens = [realm.objects(Dog.self).sorted(byKeyPath: "age").observe { log.note($0) }]
    }
    _ = log.take()
    try onQueue { realm in
      try realm.write {
        realm.delete(realm.objects(Dog.self)[0])
        realm.objects(Dog.self)[1].name = "new"
        realm.add(dog(9, age: 0))
      }
    }
    #expect(log.take() == ["4: -[0] +[0] ~[2]"])
    try onQueue { realm in
      try realm.write { realm.object(ofType: Dog.self, forPrimaryKey: 2)?.age = 7 }
    }
    #expect(log.take() == ["4: -[1] +[3] ~[]"])
  }

  @Test func nothingComesWhenNothingHasChangedInTheEnd() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1)) }
      log.tokens = [realm.objects(Dog.self).where { $0.age > 5 }.observe { log.note($0) }]
    }
    #expect(log.take() == ["initial 0"])
    try onQueue { realm in
      try realm.write { realm.objects(Dog.self)[0].name = "x" }
      realm.beginWrite()
      realm.add(dog(7, age: 9))
      realm.cancelWrite()
    }
    #expect(log.take() == [])
  }

  @Test func settingTheSameValueIsAModification() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1)) }
      log.tokens = [realm.objects(Dog.self).observe { log.note($0) }]
    }
    _ = log.take()
    try onQueue { realm in try realm.write { realm.objects(Dog.self)[0].age = 1 } }
    #expect(log.take() == ["1: -[] +[] ~[0]"])
  }

  @Test func anEndedTokenIsToldNothingNotEvenWhatWasOnItsWay() throws {
    let log = Log()
    try onQueue { realm in
      let token = realm.objects(Dog.self).observe { log.note($0) }
      #expect(token.invalidate())
      #expect(!token.invalidate())
      _ = realm.objects(Dog.self).observe { log.note($0) }
    }
    #expect(log.take() == [])
  }

  @Test func aTokenIsLeftOutOfACommit() throws {
    let log = Log()
    try onQueue { realm in
      let dogs = realm.objects(Dog.self)
      log.tokens = [dogs.observe { log.note($0) }, dogs.observe { _ in log.lines.append("other") }]
    }
    _ = log.take()
    try onQueue { realm in
      try realm.write(withoutNotifying: [log.tokens[0]]) { realm.add(dog(1)) }
    }
    #expect(log.take() == ["other"])
    try onQueue { realm in try realm.write { realm.add(dog(2)) } }
    #expect(log.take() == ["2: -[] +[1] ~[]", "other"])
  }

  @Test func aLinkedObjectCountsUnlessKeyPathsLeaveItOut() throws {
    let log = Log()
    try onQueue { realm in
      let rex = dog(1)
      let ada = Person()
      ada.name = "Ada"
      try realm.write {
        realm.add(ada)
        realm.add(rex)
        rex.owner = ada
      }
      let dogs = realm.objects(Dog.self)
      log.tokens = [
        dogs.observe { log.note($0) },
        dogs.observe(keyPaths: [\.name]) { _ in log.lines.append("name") },
        dogs.observe(keyPaths: ["owner.age"]) { _ in log.lines.append("owner.age") },
      ]
    }
    _ = log.take()
    try onQueue { realm in try realm.write { realm.objects(Person.self)[0].age = 5 } }
    #expect(log.take() == ["1: -[] +[] ~[0]", "owner.age"])
    try onQueue { realm in try realm.write { realm.objects(Dog.self)[0].name = "x" } }
    #expect(log.take() == ["1: -[] +[] ~[0]", "name"])
  }

  @Test func aListTellsOfItsElements() throws {
    let log = Log()
    try onQueue { realm in
      let ada = Person()
      ada.name = "Ada"
      try realm.write {
        realm.add(ada)
        ada.marks.append(objectsIn: [1, 2, 3])
        for id in 1...3 { ada.dogs.append(dog(id)) }
      }
      log.tokens = [ada.marks.observe { log.note($0) }, ada.dogs.observe { log.note($0) }]
    }
    #expect(log.take() == ["initial 3", "initial 3"])
    try onQueue { realm in
      let ada = realm.objects(Person.self)[0]
      try realm.write { ada.marks.append(4) }
      try realm.write { ada.dogs.append(ada.dogs[0]) }
      try realm.write { realm.delete(ada.dogs[1]) }
    }
    #expect(log.take() == ["4: -[] +[3] ~[]", "4: -[] +[3] ~[]", "3: -[1] +[] ~[]"])
  }

  @Test func anotherRealmTellsItsObserversOfACommit() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.objects(Dog.self).observe { log.note($0) }]
    }
    _ = log.take()
    try keeper.write { keeper.add(dog(1)) }
    try onQueue { realm in
      #expect(realm.refresh() || realm.objects(Dog.self).count == 1)
    }
    #expect(log.take() == ["1: -[] +[0] ~[]"])
  }

  @Test func aRealmIsToldAtOnceOfItsOwnCommit() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.observe { notification, _ in log.lines.append("\(notification)") }]
      try realm.write { realm.add(dog(1)) }
      #expect(log.take() == ["didChange"])
    }
  }

  @Test func anObserverMayWriteAndOthersAreToldOfThat() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [
        realm.objects(Dog.self).observe { change in
          log.note(change)
          guard realm.objects(Dog.self).count < 3 else { return }
          try? realm.write { realm.add(dog(realm.objects(Dog.self).count + 1)) }
        }
      ]
    }
    for _ in 0..<5 { try onQueue { _ in } }
    #expect(log.take() == ["initial 0", "1: -[] +[0] ~[]", "2: -[] +[1] ~[]", "3: -[] +[2] ~[]"])
  }

  // MARK: Objects

  @Test func anObjectTellsOfItsPropertiesAndOfItsEnd() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1, age: 3)) }
      let rex = realm.objects(Dog.self)[0]
      log.tokens = [
        rex.observe { (change: ObjectChange<Dog>) in
          switch change {
          case .change(_, let properties):
            for property in properties {
              log.lines.append(
                "\(property.name): \(property.oldValue.map { "\($0)" } ?? "-") "
                  + "\(property.newValue.map { "\($0)" } ?? "-")")
            }
          case .deleted: log.lines.append("deleted")
          case .error: log.lines.append("error")
          }
        }
      ]
    }
    #expect(log.take() == [])
    try onQueue { realm in
      try realm.write {
        realm.objects(Dog.self)[0].age = 4
        realm.objects(Dog.self)[0].name = "Rex"
      }
    }
    #expect(log.take() == ["name: - Rex", "age: - 4"])
    keeper.refresh()
    try keeper.write { keeper.objects(Dog.self)[0].age = 5 }
    try onQueue { _ = $0.refresh() }
    #expect(log.take() == ["age: 4 5"])
    try onQueue { realm in try realm.write { realm.delete(realm.objects(Dog.self)[0]) } }
    #expect(log.take() == ["deleted"])
  }

  @Test func aDeletionThatIsCancelledIsToldToNoObserver() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1)) }
      let rex = realm.objects(Dog.self)[0]
      log.tokens = [
        rex.observe { (change: ObjectChange<Dog>) in
          if case .change(let dog, let properties) = change {
            log.lines.append("\(properties.map(\.name)) \(dog.age)")
          } else {
            log.lines.append("deleted")
          }
        }
      ]
      realm.beginWrite()
      realm.delete(rex)
      realm.cancelWrite()
    }
    try onQueue { realm in try realm.write { realm.objects(Dog.self)[0].age = 4 } }
    #expect(log.take() == [#"["age"] 4"#])
  }

  /// The version of such a write is then that of another writer.
  @Test(arguments: [false, true])
  func aWriteThatMadeNoVersionIsNotTakenForTheNextOne(isRefused: Bool) throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1, age: 3)) }
      log.tokens = [
        realm.objects(Dog.self)[0].observe { (change: ObjectChange<Dog>) in
          guard case .change(_, let properties) = change else { return }
          for property in properties {
            log.lines.append("\(property.name): \(property.oldValue ?? "-")")
          }
        }
      ]
    }
    try onQueue { realm in
      if isRefused {
        realm.beginWrite()
        realm.objects(Dog.self)[0].name = "refused"
        // Ended from below: the commit fails.
        realm.context.transaction?.cancel()
        #expect(throws: (any Error).self) { try realm.commitWrite() }
      } else {
        try realm.write {}
      }
    }
    keeper.refresh()
    try keeper.write { keeper.objects(Dog.self)[0].age = 5 }
    try onQueue { _ = $0.refresh() }
    #expect(log.take() == ["age: 3"])
  }

  /// Another process may commit before the realm has moved to its own version.
  @Test func leavingOutATokenLeavesOutNothingOfOthers() throws {
    let log = Log()
    try onQueue { realm in
      try realm.write { realm.add(dog(1)) }
      log.tokens = [realm.objects(Dog.self).observe { log.note($0) }]
    }
    _ = log.take()
    try onQueue { realm in
      // The steps of a commit, with one of another writer between them.
      let context = realm.context
      try context.begin()
      realm.add(dog(2))
      let transaction = try #require(context.transaction)
      try transaction.commit()
      context.transaction = nil
      let configuration = configuration
      try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.delete(realm.objects(Dog.self).where { $0.id == 1 }) }
      }
      context.pin(try context.file.database.snapshot())
      context.didAdvance?(
        .commit(version: transaction.version, withoutNotifying: log.tokens))
    }
    #expect(log.take() == ["1: -[0] +[0] ~[]"])
  }

  @Test func aQueueMayObserveWhatBelongsToAThread() throws {
    let log = Log()
    log.tokens = [keeper.objects(Dog.self).observe(on: queue) { log.note($0) }]
    for _ in 0..<3 { queue.sync {} }
    #expect(log.take() == ["initial 0"])
    try keeper.write { keeper.add(dog(1)) }
    try onQueue { _ = $0.refresh() }
    #expect(log.take() == ["1: -[] +[0] ~[]"])
  }

  /// The queue's realm is open and does not move by itself, and what is observed is new.
  @Test func aQueueWithAnOpenRealmMayObserveWhatIsNew() throws {
    let log = Log()
    let kept = Kept()
    try onQueue { realm in
      realm.autorefresh = false
      kept.realm = realm
    }
    let person = Person()
    try keeper.write {
      keeper.add(person)
      person.dogs.append(dog(1))
    }
    log.tokens = [
      person.dogs.observe(on: queue) { log.note($0) },
      person.dogs[0].observe(on: queue) { (change: ObjectChange<Dog>) in
        if case .change = change { log.lines.append("change") } else { log.lines.append("deleted") }
      },
    ]
    for _ in 0..<3 { queue.sync {} }
    #expect(log.take() == ["initial 1"])
    try keeper.write { person.dogs[0].age = 9 }
    try onQueue { _ = $0.refresh() }
    #expect(log.take().sorted() == ["1: -[] +[] ~[0]", "change"])
    queue.sync { kept.realm = nil }
  }

  /// A realm that stays open.
  // Sendable: used on the queue alone.
  private final class Kept: @unchecked Sendable {
    var realm: Realm?
  }

  @Test func anActorWithAnOpenRealmMayObserveWhatIsNew() async throws {
    let watcher = Watcher()
    try await watcher.open(configuration)
    let told = try await watcher.told(of: configuration)
    #expect(told == ["initial 1"])
  }

  /// An actor whose realm does not move by itself.
  private actor Watcher {
    private var realm: Realm?
    private var lines: [String] = []

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(configuration: configuration, actor: self)
      realm?.autorefresh = false
    }

    private func note(_ line: String) { lines.append(line) }

    /// The reported changes of the list of a person that the main actor adds.
    func told(of configuration: Realm.Configuration) async throws -> [String] {
      let token = try await Self.observe(configuration, on: self)
      try await eventually { !lines.isEmpty }
      token.invalidate()
      return lines
    }

    @MainActor
    private static func observe(
      _ configuration: Realm.Configuration, on watcher: Watcher
    ) async throws -> NotificationToken {
      let realm = try await Realm(configuration: configuration)
      let person = Person()
      try realm.write {
        realm.add(person)
        person.dogs.append(Dog())
      }
      return await person.dogs.observe(on: watcher) { watcher, change in
        if case .initial(let dogs) = change { watcher.note("initial \(dogs.count)") }
      }
    }
  }

  @Test func aThreadThatNothingCanCallCannotObserve() async {
    await #expect(processExitsWith: .failure) {
      let thread = Thread {
        do { _ = try Shelter.realm().objects(Dog.self).observe { _ in } } catch { print(error) }
        exit(0)
      }
      thread.start()
      sleep(5)
    }
  }
}
