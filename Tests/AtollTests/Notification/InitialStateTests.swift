import Foundation
import TestThreads
import Testing

@testable import Atoll

/// What an observer is told first is what the realm showed when the observation began.
@Suite(.waiting) struct InitialStateTests {
  private let queue = DispatchQueue(label: "initial")
  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString,
    objectTypes: [Keeper.self, Hound.self, Address.self, Room.self, Shelf.self])
  /// Keeps the realm in memory alive.
  private let keeper: Realm

  init() throws { keeper = try Realm(configuration: configuration) }

  class Shelf: Object {
    @Persisted var name: String
    @Persisted var numbers: List<Int>
    @Persisted var members: MutableSet<Int>
    @Persisted var counts: Map<String, Int>
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []

    func note<C: Collection>(_ change: RealmCollectionChange<C>) {
      switch change {
      case .initial(let all): lines.append("initial \(all.count)")
      case .update(let all, _, _, _): lines.append("update \(all.count)")
      case .error: lines.append("error")
      }
    }

    func note<C>(_ change: RealmMapChange<C>) {
      switch change {
      case .initial(let all): lines.append("initial \(all.count)")
      case .update(let all, _, _, _): lines.append("update \(all.count)")
      case .error: lines.append("error")
      }
    }

    func note<T>(_ change: ObjectChange<T>) {
      switch change {
      case .change(_, let changes): lines.append("\(changes.map(\.name))")
      case .deleted: lines.append("deleted")
      case .error: lines.append("error")
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  /// Runs `body` on the queue, in its realm, and then lets what was scheduled come.
  private func onQueue(_ body: (Realm) throws -> Void) throws {
    try queue.sync { try body(try Realm(configuration: configuration, queue: queue)) }
    for _ in 0..<3 { queue.sync {} }
  }

  private func shelf(_ realm: Realm) throws -> Shelf {
    try realm.write { realm.create(Shelf.self) }
  }

  @Test func aWriteThatFollowsAtOnceIsAnUpdate() throws {
    let log = Log()
    try onQueue { realm in
      let shelf = try shelf(realm)
      log.tokens = [
        realm.objects(Hound.self).observe { log.note($0) },
        shelf.numbers.observe { log.note($0) },
        shelf.members.observe { log.note($0) },
        shelf.counts.observe { log.note($0) },
        shelf.observe { (change: ObjectChange<Shelf>) in log.note(change) },
      ]
      #expect(log.lines == [])
      try realm.write {
        realm.create(Hound.self, value: ["name": "Rex"])
        shelf.numbers.append(1)
        shelf.members.insert(1)
        shelf.counts["a"] = 1
        shelf.name = "top"
      }
    }
    let initial = Array(repeating: "initial 0", count: 4)
    let update = Array(repeating: "update 1", count: 4)
    #expect(
      log.take() == initial + update + [#"["name", "numbers", "members", "counts"]"#])
  }

  /// Nobody is told of what a write has changed before it has ended.
  @Test(arguments: [false, true])
  func anObservationThatBeginsInAWriteTellsWhatItsEndLeaves(isCommitted: Bool) throws {
    let log = Log()
    try onQueue { realm in
      realm.beginWrite()
      log.tokens = [
        realm.objects(Shelf.self).observe { log.note($0) },
        realm.objects(Shelf.self).sectioned(by: \.name).observe { change in
          guard case .initial(let sections) = change else { return }
          log.lines.append("\(sections.count) sections")
        },
      ]
      realm.create(Shelf.self)
    }
    #expect(log.take() == [])
    try onQueue { realm in
      if isCommitted { try realm.commitWrite() } else { realm.cancelWrite() }
    }
    let count = isCommitted ? 1 : 0
    #expect(log.take() == ["initial \(count)", "\(count) sections"])
    try onQueue { realm in _ = try shelf(realm) }
    #expect(log.take() == ["update \(count + 1)"])
  }

  @Test func aRealmThatMovesToACommitOfAnotherTellsTheStateBefore() throws {
    let log = Log()
    try onQueue { realm in
      realm.autorefresh = false
      log.tokens = [realm.objects(Hound.self).observe { log.note($0) }]
      try DispatchQueue(label: "other").sync {
        let other = try Realm(configuration: configuration, queue: nil)
        try other.write { other.create(Hound.self, value: ["name": "Rex"]) }
      }
      realm.refresh()
      #expect(log.take() == ["initial 0", "update 1"])
    }
    #expect(log.take() == [])
  }

  @Test func anObserverThatIsAddedInACallbackHearsOfTheStateThere() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [
        realm.objects(Hound.self).observe { [unowned log] change in
          log.note(change)
          guard log.tokens.count == 1 else { return }
          log.tokens.append(realm.objects(Shelf.self).observe { log.note($0) })
          _ = try? realm.write { realm.create(Shelf.self) }
        }
      ]
    }
    #expect(log.take() == ["initial 0", "initial 0", "update 1"])
  }

  @Test func aWriteThatAnObserverLeavesOpenRefusesTheOneThatCalledIt() throws {
    let log = Log()
    try onQueue { realm in
      log.tokens = [
        realm.objects(Hound.self).observe { change in
          if case .initial = change { realm.beginWrite() }
        }
      ]
      #expect(throws: Realm.Error.self) { try realm.write { realm.create(Shelf.self) } }
      #expect(realm.isInWriteTransaction)
      realm.cancelWrite()
      try realm.write { realm.create(Shelf.self) }
      #expect(realm.objects(Shelf.self).count == 1)
      log.tokens = []
    }
  }

  @MainActor
  @Test func theMainActorHearsOfTheStateAtTheCall() async throws {
    let log = Log()
    let realm = try await Realm(configuration: configuration)
    let token = realm.objects(Hound.self).observe { log.note($0) }
    try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
    #expect(log.lines == ["initial 0"])
    try await eventually { log.lines.count == 2 }
    #expect(log.lines == ["initial 0", "update 1"])
    token.invalidate()
  }

  /// The block says nothing of the class: the paths are those of the object's own.
  @Test func anUntypedBlockObservesPathsOfTheObjectsOwnClass() throws {
    let log = Log()
    try onQueue { realm in
      let shelf = try shelf(realm)
      let object: Object = shelf
      log.tokens = [
        shelf.observe(keyPaths: ["name"]) { change in log.note(change) },
        object.observe(keyPaths: ["numbers"]) { change in log.note(change) },
      ]
      try realm.write {
        shelf.name = "top"
        shelf.counts["a"] = 1
      }
      try realm.write { shelf.numbers.append(1) }
    }
    #expect(log.take() == [#"["name"]"#, #"["numbers"]"#])
    let queue = queue
    try onQueue { realm in
      let shelf = try #require(realm.objects(Shelf.self).first)
      log.tokens = [shelf.observe(keyPaths: ["name"], on: queue) { change in log.note(change) }]
    }
    try onQueue { realm in try realm.write { realm.objects(Shelf.self)[0].name = "low" } }
    #expect(log.take() == [#"["name"]"#])
  }
}
