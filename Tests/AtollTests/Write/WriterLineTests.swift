import AtollObjects
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Asynchronous writes while there are other writers: those of threads, or a batch of a server.
@Suite(.waiting, .hangLimit) struct WriterLineTests {
  private let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)

  /// One that is woken may have been cancelled, and does not write then.
  @Test func allThatWaitAreWokenByTheEndOfAWriter() async throws {
    let file = try SharedFile.open(configuration)
    let transaction = try file.database.beginWrite()
    let waiting = (0..<3).map { _ in Task { await file.writers.wait(for: file) } }
    transaction.cancel()
    for task in waiting { await task.value }
  }

  /// An offer that is not taken: other writers get the lock.
  @Test func anOfferThatIsNotTakenEnds() async throws {
    let file = try SharedFile.open(configuration)
    let transaction = try file.database.beginWrite()
    let waiting = Task { await file.writers.wait(for: file) }
    transaction.cancel()
    await waiting.value
    for _ in 0..<3 { try file.database.beginWrite().cancel() }
    #expect(try file.writers.tryBeginWrite(file.database) != nil)
  }

  /// An asynchronous write only tried to get the lock, and threads that write without a pause had
  /// it nearly each time: 3 000 of their writes went before these 21.
  @MainActor
  @Test func threadsThatWriteWithoutAPauseHoldNoAsynchronousWriteUp() async throws {
    let realm = try await Realm(configuration: configuration)
    let isOver = Flag()
    let others = Count()
    defer { isOver.set() }
    for thread in 0..<2 {
      // No task: it would keep a thread from all others.
      Thread.detachNewThread { [configuration] in
        guard let realm = try? Realm(configuration: configuration) else { return }
        while !isOver.isSet {
          let count = others.add()
          try? realm.write {
            _ = realm.create(Hound.self, value: ["name": "Rex \(thread) \(count)"])
            // So that the lock is hardly ever free.
            Thread.sleep(forTimeInterval: 0.002)
          }
        }
      }
    }
    // Other tests may keep all threads that tasks have, for longer than an offer lasts: then it is
    // tried again. What did not wait in line was passed by thousands each time.
    var passed = Int.max
    for _ in 0..<20 where passed >= 1_000 {
      passed = 0
      for number in 0..<20 {
        let before = others.value
        try await realm.asyncWrite {
          passed += others.value - before
          _ = realm.create(Hound.self, value: ["name": "\(number)"], update: .modified)
        }
      }
    }
    let written = Flag()
    realm.writeAsync {
      _ = realm.create(Hound.self, value: ["name": "20"])
    } onComplete: { _ in
      written.set()
    }
    try await eventually { written.isSet }
    #expect(passed < 1_000)
    let names = realm.objects(Hound.self).where { !$0.name.starts(with: "Rex") }.map(\.name)
    #expect(Set(names) == Set((0...20).map { "\($0)" }))
  }

  /// The actor was blocked until the other one had ended.
  @MainActor
  @Test func anActorIsFreeWhileItsWriteWaitsForTheLock() async throws {
    // A class that the file does not have would be added, which waits for the lock.
    var configuration = configuration
    configuration.objectTypes = [Hound.self]
    let realm = try await Realm(configuration: configuration)
    let transaction = Held(value: try realm.context.file.database.beginWrite())
    let writing = Task { @MainActor in
      try await realm.asyncWrite { _ = realm.create(Hound.self, value: ["name": "Rex"]) }
    }
    var later: [String] = []
    realm.writeAsync {
      later.append("block")
    } onComplete: { _ in
      later.append("done")
    }
    let isReleased = Flag()
    let release = Task.detached {
      // Blocked, the actor would never get to cancel it.
      try await Task.sleep(for: .seconds(1_800))
      isReleased.set()
      transaction.value.cancel()
    }
    try await Task.sleep(for: .milliseconds(100))
    #expect(!isReleased.isSet)
    #expect(realm.objects(Hound.self).isEmpty)
    #expect(later.isEmpty)
    // A write that is cancelled meanwhile waits no longer.
    let cancelled = Task { @MainActor in try await realm.asyncWrite {} }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(!isReleased.isSet)
    transaction.value.cancel()
    release.cancel()
    _ = try await writing.value
    try await eventually { later == ["block", "done"] }
    #expect(realm.objects(Hound.self).count == 1)
  }
}

private final class Flag: Sendable {
  private let content = Atomic(false)

  var isSet: Bool { content.load(ordering: .acquiring) }
  func set() { content.store(true, ordering: .releasing) }
}

private final class Count: Sendable {
  private let content = Atomic(0)

  var value: Int { content.load(ordering: .relaxed) }
  func add() -> Int { content.add(1, ordering: .relaxed).newValue }
}

// SAFETY: the transaction is ended by one task, and used by none.
private struct Held: @unchecked Sendable {
  let value: Transaction
}
