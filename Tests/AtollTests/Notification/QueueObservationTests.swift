import Foundation
import Synchronization
import TestThreads
import Testing

@testable import Atoll

/// Blocks that are written on the main actor and called on a queue.
///
/// A block that has the isolation of an actor must be called there: elsewhere it shares what the
/// actor has without protection, and what checks where it is, as `MainActor.assumeIsolated` and
/// code of other modules do, ends the process. So such a block must not have it.
@MainActor
@Suite(.waiting) struct QueueObservationTests {
  private class Shop: Atoll.Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
    @Persisted var marks: MutableSet<Int>
    @Persisted var prices: Map<String, Double>
  }

  // Sendable: it has a lock.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    /// `isolation`: that of the block which calls.
    func note(_ line: String, isolation: (any Actor)? = #isolation) {
      dispatchPrecondition(condition: .notOnQueue(.main))
      lines.withLock { $0.append(isolation == nil ? line : "\(line) on an actor") }
    }

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines.sorted()
      }
    }

    var count: Int { lines.withLock { $0.count } }
  }

  private let realm: Realm
  private let shop = Shop()
  private let queue = DispatchQueue(label: "observation on a queue")

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Shop.self, Person.self, Dog.self]))
    try realm.write {
      realm.add(shop)
      shop.dogs.append(Dog())
    }
  }

  /// The token holds the realm of the queue, whose first delivery runs there meanwhile.
  @Test func aTokenMayEndWhileItsFirstCallIsUnderWay() {
    for turn in 0..<3000 {
      let token = realm.objects(Dog.self).observe(on: queue) { _ in }
      usleep(UInt32(turn % 300))
      token.invalidate()
    }
    queue.sync {}
  }

  @Test func aBlockOfTheMainActorIsCalledOnTheQueueThatIsNamed() async throws {
    let log = Log()
    let tokens = [
      realm.objects(Dog.self).observe(on: queue) { change in
        if case .initial = change { log.note("results") } else { log.note("results changed") }
      },
      shop.dogs.observe(on: queue) { change in
        if case .initial = change { log.note("list") } else { log.note("list changed") }
      },
      shop.dogs.observe(keyPaths: ["age"], on: queue) { change in
        if case .initial = change { log.note("names") } else { log.note("names changed") }
      },
      shop.dogs.observe(keyPaths: [\.age], on: queue) { change in
        if case .initial = change { log.note("paths") } else { log.note("paths changed") }
      },
      shop.marks.observe(on: queue) { change in
        if case .initial = change { log.note("set") } else { log.note("set changed") }
      },
      shop.prices.observe(on: queue) { change in
        if case .initial = change { log.note("map") } else { log.note("map changed") }
      },
      AnyRealmCollection(shop.dogs).observe(on: queue) { change in
        if case .initial = change { log.note("any") } else { log.note("any changed") }
      },
      shop.observe(on: queue) { (_: ObjectChange<Shop>) in log.note("object changed") },
      shop.observe(keyPaths: ["name"], on: queue) { (_: ObjectChange<Shop>) in
        log.note("name changed")
      },
      shop.observe(keyPaths: [\Shop.name], on: queue) { (_: ObjectChange<Shop>) in
        log.note("path changed")
      },
    ]
    try await eventually { log.count == 7 }
    // Those of objects get no initial call.
    queue.sync {}
    #expect(log.take() == ["any", "list", "map", "names", "paths", "results", "set"])
    try realm.write {
      shop.name = "new"
      shop.dogs[0].age = 7
      shop.marks.insert(1)
      shop.prices["a"] = 1
    }
    try await eventually { log.count == 10 }
    #expect(
      log.take() == [
        "any changed", "list changed", "map changed", "name changed", "names changed",
        "object changed", "path changed", "paths changed", "results changed", "set changed",
      ])
    withExtendedLifetime(tokens) {}
  }

  /// Without a queue the block may use what belongs to the actor on which it is written.
  @Test func withoutAQueueABlockUsesWhatItsActorHas() async throws {
    var heard: [String] = []
    let none: DispatchQueue? = nil
    let log = Mutex<[String]>([])
    let tokens = [
      shop.dogs.observe { _ in heard.append("list") },
      shop.dogs.observe(keyPaths: ["age"]) { _ in heard.append("names") },
      shop.dogs.observe(keyPaths: [\.age]) { _ in heard.append("paths") },
      shop.prices.observe { _ in heard.append("map") },
      shop.observe { (_: ObjectChange<Shop>) in heard.append("object") },
      shop.dogs.observe(on: nil) { _ in log.withLock { $0.append("nil") } },
      shop.prices.observe(on: none) { _ in log.withLock { $0.append("none") } },
      shop.observe(on: none) { (_: ObjectChange<Shop>) in log.withLock { $0.append("object") } },
    ]
    try await eventually { heard.count == 4 && log.withLock { $0.count } == 2 }
    try realm.write { shop.name = "new" }
    try await eventually { heard.count == 5 && log.withLock { $0.count } == 3 }
    #expect(heard.sorted() == ["list", "map", "names", "object", "paths"])
    #expect(log.withLock { $0.sorted() } == ["nil", "none", "object"])
    withExtendedLifetime(tokens) {}
  }
}
