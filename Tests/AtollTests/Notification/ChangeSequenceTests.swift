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
}
