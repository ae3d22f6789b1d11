import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing, .hangLimit) struct GroupCommitsTests {
  private struct Refusal: Error {}

  private static func write(
    _ base: KeyValueStore, _ number: Int, _ begin: () throws -> Void = {}
  ) throws {
    let transaction = try base.store.beginWrite()
    defer { transaction.cancel() }
    try begin()
    let tree = KeyValueStore.tree(transaction)
    try tree.set([1], for: key(number))
    if number % 10 == 7 { throw Refusal() }
    try transaction.commit(catalogue: tree.flush(), durability: .relaxed)
  }

  private static func syncCount(_ file: SimulatedFile) -> Int {
    file.counters.dataSyncCount + file.counters.fullSyncCount
  }

  /// Those that come while the writer is busy share a sync; one that throws concerns no other.
  @Test func aGroupIsDurableWhenItReturns() async throws {
    let file = try SimulatedFile(capacity: 1 << 26)
    let base = try KeyValueStore(file)
    try Self.write(base, 1_000)
    try base.store.makeCommitsDurable()
    let before = Self.syncCount(file)
    let busy = try base.store.beginWrite()
    let begunCount = AtomicArray(count: 1)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          begunCount.add(1, at: 0)
          do {
            try await base.store.writeInGroup { try Self.write(base, number, $0) }
            #expect(number % 10 != 7)
          } catch is Refusal {
            #expect(number % 10 == 7)
          }
        }
      }
      while begunCount[0] < 100 { await Task.yield() }
      busy.cancel()
      try await group.waitForAll()
    }
    #expect(Self.syncCount(file) - before < 50)
    var random = SplitMix64(seed: 1)
    let survivor = try KeyValueStore(file.afterPowerLoss(using: &random))
    #expect(try survivor.contents().count == 91)
    #expect(try survivor.findings() == [])
    #expect(try base.store.snapshot().transaction == 92)
  }

  @Test func aFailedSyncFailsTheGroup() async throws {
    let file = try SimulatedFile(path: "simulated", capacity: 1 << 26)
    let base = try KeyValueStore(file)
    try Self.write(base, 1_000)
    file.faults.syncsUntilFailure = 0
    let failureCount = AtomicArray(count: 1)
    await withTaskGroup(of: Void.self) { group in
      for number in [1, 2, 3] {
        group.addTask {
          do {
            try await base.store.writeInGroup { try Self.write(base, number, $0) }
          } catch is StorageError {
            failureCount.add(1, at: 0)
          } catch {}
        }
      }
    }
    #expect(failureCount[0] == 3)
    #expect(throws: StorageError.closed(path: "simulated", failedSync: 5)) {
      try base.store.snapshot()
    }
  }

  /// A task that is cancelled goes on at once, however long the writer before it takes.
  @Test func whoWaitsForTheWriterCanBeCancelled() async throws {
    let base = try KeyValueStore(SimulatedFile(path: "simulated", capacity: 1 << 26))
    let busy = try base.store.beginWrite()
    let runCount = AtomicArray(count: 1)
    let task = Task {
      try await base.store.writeInGroup {
        try Self.write(base, 1, $0)
        runCount.add(1, at: 0)
      }
    }
    // The thread has taken it by then, and waits.
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    busy.cancel()
    try await base.store.writeInGroup { try Self.write(base, 2, $0) }
    #expect(runCount[0] == 0)
  }

  /// One waits for the writer, the others for their turn.
  @Test func cancelledAndClosedOnesAreNotRun() async throws {
    let base = try KeyValueStore(SimulatedFile(path: "simulated", capacity: 1 << 26))
    let busy = try base.store.beginWrite()
    let runCount = AtomicArray(count: 1)
    func begin() -> Task<Void, any Error> {
      Task {
        try await base.store.writeInGroup {
          try Self.write(base, 1, $0)
          runCount.add(1, at: 0)
        }
      }
    }
    let first = begin()
    let cancelled = (0..<5).map { _ in begin() }
    let closed = begin()
    for task in cancelled { task.cancel() }
    try base.store.close()
    busy.cancel()
    var cancelledCount = 0
    for task in cancelled {
      if case .failure(let error) = await task.result, error is CancellationError {
        cancelledCount += 1
      }
    }
    // Be it that one of them waits for the writer already.
    #expect(cancelledCount == 5)
    for task in [first, closed] {
      await #expect(throws: StorageError.closed(path: "simulated", failedSync: nil)) {
        try await task.value
      }
    }
    #expect(runCount[0] == 0)
  }
}
