import AtollObjects
import Foundation
import Testing

@testable import Atoll

/// Who waits for other writers of this process.
@Suite(.timeLimit(.minutes(1))) struct WriterLineTests {
  /// One that is woken may have been cancelled, and does not write then.
  @Test func allThatWaitAreWokenByTheEndOfAWriter() async throws {
    let line = WriterLine()
    line.enter()
    await withTaskGroup { group in
      for _ in 0..<3 { group.addTask { await line.wait() } }
      // So that all of them wait.
      try? await Task.sleep(for: .milliseconds(100))
      line.leave()
    }
    #expect(line.tryEnter())
  }
}

/// Asynchronous writes while somebody writes who is not in the line: a batch of a server, say.
@Suite(.timeLimit(.minutes(1))) struct WriterLockTests {
  /// The actor was blocked until the other one had ended.
  @MainActor
  @Test func anActorIsFreeWhileItsWriteWaitsForTheLock() async throws {
    let realm = try await Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
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
    let release = Task.detached {
      // Blocked, the actor would never get to cancel it.
      try await Task.sleep(for: .seconds(3))
      transaction.value.cancel()
    }
    let start = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(100))
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(realm.objects(Hound.self).isEmpty)
    #expect(later.isEmpty)
    // A write that is cancelled meanwhile waits no longer.
    let cancelled = Task { @MainActor in try await realm.asyncWrite {} }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    transaction.value.cancel()
    release.cancel()
    _ = try await writing.value
    try await eventually { later == ["block", "done"] }
    #expect(realm.objects(Hound.self).count == 1)
  }
}

// SAFETY: the transaction is ended by one task, and used by none.
private struct Held: @unchecked Sendable {
  let value: Transaction
}
