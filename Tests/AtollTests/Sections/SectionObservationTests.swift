import Foundation
import TestThreads
import Testing

@testable import Atoll

/// What observers of sections are told.
@Suite(.waiting) struct SectionObservationTests {
  private let queue = DispatchQueue(label: "sections")
  private let configuration: Realm.Configuration
  /// Keeps the realm in memory alive.
  private let keeper: Realm

  init() throws {
    configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
    keeper = try Realm(configuration: configuration)
    try keeper.write { for id in 1...6 { keeper.add(dog(id, age: id / 3)) } }
  }

  private func dog(_ id: Int, age: Int) -> Dog {
    let dog = Dog()
    (dog.id, dog.age) = (id, age)
    return dog
  }

  /// What observers were told.
  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []
    var sections: SectionedResults<Int, Dog>?

    func note<C: RealmSectionedResult>(_ change: SectionedResultsChange<C>) {
      func text(_ paths: [IndexPath]) -> String {
        paths.map { "\($0.section).\($0.item)" }.joined(separator: ",")
      }
      switch change {
      case .initial(let sections): lines.append("initial \(sections.count)")
      case .update(
        let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
        lines.append(
          "\(sections.count): -\(text(deletions)) +\(text(insertions)) ~\(text(modifications)) "
            + "sections -\(Array(deleted)) +\(Array(inserted))")
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  /// Runs `body` on the queue, in its realm, and then lets what was scheduled come.
  private func onQueue(_ body: (Realm) throws -> Void) throws {
    try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    for _ in 0..<3 { queue.sync {} }
  }

  private func write(_ change: (Realm) -> Void) throws {
    try onQueue { realm in try realm.write { change(realm) } }
  }

  private func dog(_ id: Int, _ realm: Realm) -> Dog? {
    realm.object(ofType: Dog.self, forPrimaryKey: id)
  }

  @Test func changesNameIndexPathsAndSections() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.objects(Dog.self).sectioned(by: \.age).observe { log.note($0) }]
    }
    #expect(log.take() == ["initial 3"])
    // 0: 1, 2; 1: 3, 4, 5; 2: 6.
    try write { realm in dog(4, realm)?.name = "x" }
    #expect(log.take() == ["3: - + ~1.1 sections -[] +[]"])
    try write { realm in realm.add(dog(9, age: 1)) }
    #expect(log.take() == ["3: - +1.3 ~ sections -[] +[]"])
    try write { realm in dog(3, realm)?.age = 0 }
    #expect(log.take() == ["3: -1.0 +0.2 ~ sections -[] +[]"])
    try write { realm in dog(6, realm)?.age = 7 }
    #expect(log.take() == ["3: - +2.0 ~ sections -[2] +[2]"])
    try write { realm in
      realm.delete([dog(1, realm), dog(2, realm), dog(3, realm)].compactMap { $0 })
      dog(5, realm)?.name = "y"
    }
    #expect(log.take() == ["2: - + ~1.1 sections -[0] +[]"])
    try write { realm in realm.deleteAll() }
    #expect(log.take() == ["0: - + ~ sections -[0, 1] +[]"])
  }

  /// A view that shows deletions and modifications first numbers them as it has them.
  @Test func modificationsAreOfThePreviousState() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.objects(Dog.self).sectioned(by: \.age).observe { log.note($0) }]
    }
    _ = log.take()
    try write { realm in
      realm.add(dog(0, age: -1))
      dog(3, realm).map { realm.delete($0) }
      dog(5, realm)?.name = "x"
    }
    #expect(log.take() == ["4: -1.0 +0.0 ~1.2 sections -[] +[0]"])
  }

  @Test func withKeyPathsOnlyTheyAreModificationsButEveryMoveIsTold() throws {
    let log = Log()
    try onQueue { realm in
      let sections = realm.objects(Dog.self).sectioned(sortDescriptors: ["id"]) { $0.age }
      log.tokens = [
        sections.observe(keyPaths: ["name"]) { log.note($0) },
        sections.observe(keyPaths: [\Dog.name]) { log.note($0) },
      ]
    }
    #expect(log.take() == ["initial 3", "initial 3"])
    try write { realm in dog(4, realm)?.weight = 2 }
    #expect(log.take() == [])
    try write { realm in
      dog(4, realm)?.name = "x"
      dog(5, realm)?.weight = 2
    }
    let modified = "3: - + ~1.1 sections -[] +[]"
    #expect(log.take() == [modified, modified])
    try write { realm in dog(4, realm)?.age = 0 }
    let moved = "3: -1.1 +0.2 ~ sections -[] +[]"
    #expect(log.take() == [moved, moved])
  }

  @Test func aSectionIsToldOfItself() throws {
    let log = Log()
    try onQueue { realm in
      let sections = realm.objects(Dog.self).sectioned(by: \.age)
      log.tokens = [sections[1].observe { log.note($0) }]
    }
    #expect(log.take() == ["initial 3"])
    try write { realm in
      dog(1, realm)?.name = "a"
      dog(4, realm)?.name = "b"
    }
    #expect(log.take() == ["3: - + ~1.1 sections -[] +[]"])
    try write { realm in dog(1, realm)?.name = "c" }
    #expect(log.take() == [])
    try write { realm in realm.objects(Dog.self).where { $0.age == 1 }.setValue(8, forKey: "age") }
    #expect(log.take() == ["0: - + ~ sections -[1] +[]"])
    try write { realm in realm.delete(realm.objects(Dog.self).where { $0.age == 0 }) }
    #expect(log.take() == [])
    try write { realm in dog(6, realm)?.age = 1 }
    #expect(log.take() == ["1: - +0.0 ~ sections -[] +[0]"])
  }

  /// A key that comes first elsewhere takes its section along.
  @Test func aSectionThatMovesIsDeletedAndInserted() throws {
    let log = Log()
    try onQueue { realm in
      let sections = realm.objects(Dog.self).sectioned(sortDescriptors: ["id"]) { $0.id % 3 }
      log.tokens = [sections.observe { log.note($0) }]
    }
    #expect(log.take() == ["initial 3"])
    // 1: 1, 4; 2: 2, 5; 0: 3, 6.
    try write { realm in
      dog(1, realm).map { realm.delete($0) }
      dog(4, realm)?.name = "x"
    }
    #expect(log.take() == ["3: - +2.0 ~ sections -[0] +[2]"])
  }

  /// The key of an element that did not change is not asked for.
  @Test func keysAreAskedOfChangedElementsOnly() throws {
    let log = Log()
    // Sendable: used on the queue alone.
    final class Counter: @unchecked Sendable { var count = 0 }
    let counter = Counter()
    try onQueue { realm in
      let sections = realm.objects(Dog.self).sectioned(sortDescriptors: ["id"]) { dog in
        counter.count += 1
        return dog.age
      }
      log.sections = sections
      log.tokens = [sections.observe { log.note($0) }]
    }
    #expect(counter.count == 6)
    try write { realm in
      realm.add(dog(9, age: 1))
      dog(2, realm)?.age = 2
      dog(4, realm)?.name = "x"
      dog(1, realm).map { realm.delete($0) }
    }
    try onQueue { _ in
      #expect(log.sections?.flatMap { $0.map(\.id) } == [2, 6, 3, 4, 5, 9])
    }
    #expect(counter.count == 9)
    queue.sync { log.sections = nil }
  }

  @Test func aWriteThatFollowsAtOnceIsAnUpdate() throws {
    let log = Log()
    try onQueue { realm in
      let sections = realm.objects(Dog.self).sectioned(by: \.age)
      log.tokens = [sections.observe { log.note($0) }, sections[0].observe { log.note($0) }]
      try realm.write { dog(3, realm)?.age = 0 }
    }
    #expect(
      log.take() == [
        "initial 3", "initial 2", "3: -1.0 +0.2 ~ sections -[] +[]",
        "3: - +0.2 ~ sections -[] +[]",
      ])
  }

  @Test func whatIsNotToldIsTakenForKnown() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [realm.objects(Dog.self).sectioned(by: \.age).observe { log.note($0) }]
    }
    _ = log.take()
    try onQueue { realm in
      try realm.write(withoutNotifying: log.tokens) { dog(6, realm)?.age = 0 }
    }
    #expect(log.take() == [])
    try write { realm in dog(6, realm)?.name = "x" }
    #expect(log.take() == ["2: - + ~0.2 sections -[] +[]"])
  }

  @Test func changesOfOtherRealmsAreToldOnAQueueAndOnAnActor() async throws {
    let log = Log()
    let sections = keeper.objects(Dog.self).sectioned(by: \.age)
    log.tokens = [sections.observe(on: queue) { log.note($0) }]
    for _ in 0..<3 { queue.sync {} }
    #expect(queue.sync { log.take() } == ["initial 3"])
    try keeper.write { keeper.add(dog(9, age: 5)) }
    try onQueue { realm in _ = realm.refresh() }
    #expect(queue.sync { log.take() } == ["4: - +3.0 ~ sections -[] +[3]"])
  }
}

/// Sections on actors, and as an asynchronous sequence.
@MainActor
@Suite(.waiting) struct SectionSequenceTests {
  private let realm: Realm

  init() throws { realm = try Shelter.realm() }

  actor Listener {
    var counts: [Int] = []
  }

  @Test func anActorIsToldInARealmOfItsOwn() async throws {
    let listener = Listener()
    let sections = realm.objects(Dog.self).sectioned(by: \.id)
    let token = await sections.observe(on: listener) { listener, change in
      switch change {
      case .initial(let sections): listener.counts.append(sections.count)
      case .update(let sections, _, _, _, _, _): listener.counts.append(sections.count)
      }
    }
    while await listener.counts.isEmpty { await _Concurrency.Task.yield() }
    let dog = Dog()
    dog.id = 99
    try realm.write { realm.add(dog) }
    while await listener.counts.count < 2 { await _Concurrency.Task.yield() }
    #expect(await listener.counts == [3, 4])
    token.invalidate()
  }

  @Test func changesThatWereNotAwaitedComeAsOne() async throws {
    let sections = realm.objects(Dog.self).sectioned(by: \.id)
    var changes = sections.changes().makeAsyncIterator()
    guard case .initial(let all)? = await changes.next() else {
      Issue.record("the initial state comes first")
      return
    }
    #expect(all.count == 3)
    for id in 10...12 {
      let dog = Dog()
      dog.id = id
      try realm.write { realm.add(dog) }
    }
    guard case .update(_, _, let insertions, _, let inserted, _)? = await changes.next() else {
      Issue.record("an update follows")
      return
    }
    #expect(insertions == (3...5).map { IndexPath(item: 0, section: $0) })
    #expect(inserted == IndexSet(3...5))
  }
}
