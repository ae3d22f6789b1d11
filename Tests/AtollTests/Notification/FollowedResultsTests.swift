import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Observed results follow changes without another search.
@Suite(.waiting) struct FollowedResultsTests {
  private let queue = DispatchQueue(label: "followed")
  private let configuration: Realm.Configuration
  /// Keeps the realm in memory alive.
  private let keeper: Realm

  init() throws {
    configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
    keeper = try Realm(configuration: configuration)
    try keeper.write { for id in 1...50 { keeper.add(dog(id, age: id)) } }
  }

  private func dog(_ id: Int, age: Int) -> Dog {
    let dog = Dog()
    dog.id = id
    dog.age = age
    return dog
  }

  /// What observers were told.
  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []
    var results: [Results<Dog>] = []

    func note(_ change: RealmCollectionChange<Results<Dog>>) {
      guard case .update(let results, let deletions, let insertions, let modifications) = change
      else { return }
      lines.append("\(Array(results.map(\.id))): -\(deletions) +\(insertions) ~\(modifications)")
    }
  }

  /// Runs `body` on the queue, in its realm, and then lets what was scheduled come.
  private func onQueue(_ body: (Realm) throws -> Void) throws {
    try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    for _ in 0..<3 { queue.sync {} }
  }

  @Test func theyAreReadAfterACommitWithoutAnotherSearch() throws {
    let log = Log()
    try onQueue { realm in
      let dogs = realm.objects(Dog.self)
      log.results = [
        dogs.where { $0.age > 47 }, dogs.where { $0.age > 48 }.sorted(byKeyPath: "name"),
      ]
      log.tokens = log.results.map { results in results.observe { log.note($0) } }
    }
    let before = log.results.map(\.list.searchCount)
    try onQueue { realm in
      let first = realm.object(ofType: Dog.self, forPrimaryKey: 1)
      // Of no concern to the first two, of some to both, to the first.
      try realm.write { first?.weight = 3 }
      try realm.write { first?.age = 100 }
    }
    #expect(
      log.lines == [
        "[1, 48, 49, 50]: -[] +[0] ~[]", "[1, 49, 50]: -[] +[0] ~[]",
      ])
    log.lines = []
    try keeper.write { keeper.object(ofType: Dog.self, forPrimaryKey: 48)?.name = "a" }
    try onQueue { realm in _ = realm.refresh() }
    #expect(log.lines == ["[1, 48, 49, 50]: -[] +[] ~[1]"])
    #expect(log.results.map(\.list.searchCount) == before)
    queue.sync { log.results = [] }
  }

  /// A query cannot be asked of a version that does not have its class.
  @Test func resultsOfAClassThatTheFileDoesNotHaveYetAreFollowed() throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self])
    let keeper = try Realm(configuration: configuration)
    let log = Log()
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      log.results = [realm.objects(Dog.self).sorted(byKeyPath: "age")]
      log.tokens = log.results.map { results in results.observe { log.note($0) } }
    }
    for _ in 0..<3 { queue.sync {} }
    for change in [
      { keeper.add(Person()) }, { keeper.add(self.dog(1, age: 1)) }, { keeper.deleteAll() },
    ] {
      try keeper.write { change() }
      try queue.sync { _ = try Realm(configuration: configuration, queue: queue).refresh() }
      for _ in 0..<3 { queue.sync {} }
    }
    #expect(log.lines == ["[1]: -[] +[0] ~[]", "[]: -[0] +[] ~[]"])
    queue.sync { log.results = [] }
  }

  /// As it does in the realm that sets it.
  @Test func anEqualValueThatAnotherRealmSetsIsAModification() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.objects(Dog.self).where { $0.age > 48 }.observe { log.note($0) }]
    }
    try keeper.write { keeper.object(ofType: Dog.self, forPrimaryKey: 50)?.age = 50 }
    try onQueue { realm in _ = realm.refresh() }
    #expect(log.lines == ["[49, 50]: -[] +[] ~[1]"])
  }

  /// A write that is open shows more than the version that observers are told of.
  @Test func anOpenWriteThatIsCancelledLeavesNoTrace() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.objects(Dog.self).where { $0.age > 48 }.observe { log.note($0) }]
    }
    try onQueue { realm in
      try realm.write { realm.object(ofType: Dog.self, forPrimaryKey: 49)?.name = "a" }
      realm.beginWrite()
      realm.add(dog(60, age: 60))
    }
    try onQueue { realm in realm.cancelWrite() }
    log.lines = []
    try onQueue { realm in
      try realm.write { realm.object(ofType: Dog.self, forPrimaryKey: 50)?.name = "b" }
    }
    #expect(log.lines.last?.hasPrefix("[49, 50]: ") == true)
    log.lines = []
    try onQueue { realm in
      try realm.write { realm.object(ofType: Dog.self, forPrimaryKey: 1)?.age = 70 }
    }
    #expect(log.lines == ["[1, 49, 50]: -[] +[0] ~[]"])
  }
}
