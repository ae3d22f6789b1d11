import Dispatch
import Foundation
import Observation
import RealmSwift
import Synchronization
import TestThreads
import Testing

@MainActor @Suite(.waiting, .hangLimit) struct ObservePage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
  }

  @MainActor final class DogList {
    private(set) var names: [String] = []
    private(set) var insertedCount = 0
    private var token: NotificationToken?

    init(_ realm: Realm) {
      let dogs = realm.objects(Dog.self).sorted(by: \.name)
      token = dogs.observe { [weak self] changes in
        switch changes {
        case .initial(let dogs):
          self?.names = dogs.map(\.name)
        case .update(let dogs, deletions: _, let insertions, modifications: _):
          self?.names = dogs.map(\.name)
          self?.insertedCount += insertions.count
        case .error:
          break
        }
      }
    }
  }
  // Page ends here

  // Page begins here
  func follow(_ dog: Dog, _ tell: @escaping (String) -> Void) -> NotificationToken {
    dog.observe(keyPaths: [\Dog.age]) { change in
      switch change {
      case .change(_, let properties):
        for property in properties { tell("\(property.name) is \(property.newValue ?? "nil")") }
      case .deleted:
        tell("deleted")
      case .error:
        break
      }
    }
  }
  // Page ends here

  // Page begins here
  func followAges(
    of dogs: Results<Dog>, on queue: DispatchQueue, _ tell: @escaping @Sendable (Int) -> Void
  ) -> NotificationToken {
    dogs.observe(keyPaths: [\Dog.age], on: queue) { changes in
      if case .update(let dogs, _, _, _) = changes { tell(dogs.sum(of: \.age)) }
    }
  }

  actor Counter {
    private(set) var counts: [Int] = []
    private var token: NotificationToken?

    @MainActor func follow(_ dogs: Results<Dog>) async {
      let token = await dogs.observe(on: self) { counter, changes in
        switch changes {
        case .initial(let dogs), .update(let dogs, _, _, _): counter.counts.append(dogs.count)
        case .error: break
        }
      }
      await keep(token)
    }

    private func keep(_ token: NotificationToken) { self.token = token }
  }
  // Page ends here

  // Page begins here
  func waitForTwoDogs(in realm: Realm) async {
    for await changes in realm.objects(Dog.self).changes() {
      switch changes {
      case .initial(let dogs), .update(let dogs, _, _, _):
        if dogs.count >= 2 { return }
      case .error:
        return
      }
    }
  }
  // Page ends here

  // Page begins here
  @MainActor @Observable final class Kennel {
    var isLoud = false
    @ObservationIgnored private let dogs: Results<Dog>

    init(_ realm: Realm) { dogs = realm.objects(Dog.self).sorted(by: \.name) }

    var names: [String] { dogs.map { isLoud ? $0.name.uppercased() : $0.name } }
  }

  func wait(for count: Int, in kennel: Kennel) async -> [String] {
    for await names in Observations({ kennel.names }) where names.count == count { return names }
    return []
  }
  // Page ends here

  private let configuration = Manual.configuration()
  private let realm: Realm

  init() throws { realm = try Realm(configuration: configuration) }

  private func write(_ id: Int, _ name: String, _ age: Int) throws {
    try realm.write { realm.create(Dog.self, value: [id, name, age], update: .modified) }
  }

  @Test func aListFollowsItsResults() async throws {
    try write(1, "Rex", 3)
    let list = DogList(realm)
    while list.names != ["Rex"] { await _Concurrency.Task.yield() }
    try write(2, "Luna", 1)
    while list.names.count < 2 { await _Concurrency.Task.yield() }
    #expect(list.names == ["Luna", "Rex"] && list.insertedCount == 1)
  }

  @Test func anObjectTellsWhatHasChanged() async throws {
    try write(1, "Rex", 3)
    let dog = try #require(realm.objects(Dog.self).first)
    var told: [String] = []
    let token = follow(dog) { told.append($0) }
    try write(1, "Luna", 3)
    try write(1, "Luna", 4)
    try realm.write { realm.delete(realm.objects(Dog.self)) }
    while told.last != "deleted" { await _Concurrency.Task.yield() }
    #expect(told == ["age is 4", "deleted"])
    token.invalidate()
  }

  @Test func queuesAndActorsAreTold() async throws {
    try write(1, "Rex", 3)
    let queue = DispatchQueue(label: "ages")
    let counter = Counter()
    let told = Told()
    let token = followAges(of: realm.objects(Dog.self), on: queue) { told.note($0) }
    await counter.follow(realm.objects(Dog.self))
    while await counter.counts != [1] { await _Concurrency.Task.yield() }
    queue.sync {}
    try write(1, "Rex", 4)
    try write(2, "Luna", 1)
    while await counter.counts.last != 2 { await _Concurrency.Task.yield() }
    while told.last != 5 { await _Concurrency.Task.yield() }
    token.invalidate()
  }

  @Test func aSequenceEndsWhereTheLoopDoes() async throws {
    try write(1, "Rex", 3)
    let waiting = _Concurrency.Task { await waitForTwoDogs(in: realm) }
    try write(2, "Luna", 1)
    await waiting.value
    #expect(realm.objects(Dog.self).count == 2)
  }

  @Test func aViewModelIsToldOfWhatItReads() async throws {
    let kennel = Kennel(realm)
    let waiting = _Concurrency.Task { await wait(for: 2, in: kennel) }
    kennel.isLoud = true
    try write(1, "Rex", 3)
    await _Concurrency.Task.yield()
    try write(2, "Luna", 1)
    #expect(await waiting.value == ["LUNA", "REX"])
  }

  // Sendable: it has a lock.
  private final class Told: Sendable {
    private let sums = Mutex<[Int]>([])
    var last: Int? { sums.withLock { $0.last } }
    func note(_ sum: Int) { sums.withLock { $0.append(sum) } }
  }
}
