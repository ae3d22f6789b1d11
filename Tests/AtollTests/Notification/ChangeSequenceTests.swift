import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Changes as an asynchronous sequence, and on actors.
@MainActor
@Suite(.waiting) struct ChangeSequenceTests {
  private let realm: Realm

  init() throws { realm = try Shelter.realm() }

  @Test func changesThatWereNotAwaitedComeAsOne() async throws {
    let dogs = realm.objects(Dog.self)
    var changes = dogs.changes().makeAsyncIterator()
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
    try realm.write { realm.delete(dogs[0]) }
    guard case .update(_, let deletions, let insertions, _)? = await changes.next() else {
      Issue.record("an update follows")
      return
    }
    #expect(deletions == [0])
    #expect(insertions == [2, 3, 4])
  }

  @Test func aCancelledTaskEndsTheSequence() async throws {
    let realm = realm
    let task = _Concurrency.Task { @MainActor in
      var count = 0
      for await _ in realm.objects(Dog.self).changes() { count += 1 }
      return count
    }
    while !task.isCancelled {
      await _Concurrency.Task.yield()
      task.cancel()
    }
    #expect(await task.value <= 1)
  }

  actor Listener {
    var counts: [Int] = []
    func note(_ count: Int) { counts.append(count) }
  }

  @Test func anActorIsToldInARealmOfItsOwn() async throws {
    let listener = Listener()
    let token = await realm.objects(Dog.self).observe(on: listener) { listener, change in
      if case .initial(let dogs) = change { listener.counts.append(dogs.count) }
    }
    while await listener.counts.isEmpty { await _Concurrency.Task.yield() }
    #expect(await listener.counts == [3])
    token.invalidate()
  }

  private class Shelf: Atoll.Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var counts: Map<String, Int>
  }

  @Test func anActorIsToldOfAnObjectAndOfItsMap() async throws {
    let realm = try makeRealm([Shelf.self])
    let shelf = try realm.write { realm.create(Shelf.self, value: ["id": 1]) }
    let listener = Listener()
    let token = await shelf.observe(keyPaths: [\.counts], on: listener) {
      (listener: isolated Listener, change: ObjectChange<Shelf>) in
      if case .change(let shelf, _) = change { listener.counts.append(shelf.counts.count + 100) }
      if case .deleted = change { listener.counts.append(-1) }
    }
    let other = await shelf.counts.observe(on: listener) { listener, change in
      switch change {
      case .initial(let map): listener.counts.append(map.count)
      case .update(let map, _, _, _): listener.counts.append(map.count)
      case .error: break
      }
    }
    while await listener.counts != [0] { await _Concurrency.Task.yield() }
    try realm.write { shelf.counts["a"] = 1 }
    while await listener.counts.count < 3 { await _Concurrency.Task.yield() }
    #expect(await Set(listener.counts) == [0, 1, 101])
    other.invalidate()
    try realm.write { realm.delete(shelf) }
    while await listener.counts.last != -1 { await _Concurrency.Task.yield() }
    token.invalidate()
  }
}
