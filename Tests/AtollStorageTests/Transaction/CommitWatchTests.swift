import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What those who wait for a commit are told.
@Suite(.computing) struct CommitWatchTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path(of: "data") }

  /// Opens the file once more, as another process would.
  private func open() throws -> KeyValueStore {
    let file = try PosixFile(path: path, mode: .create)
    return try KeyValueStore(file, LockFile(for: file))
  }

  private static func write(_ store: KeyValueStore) throws {
    try store.write { try $0.set([1], for: key(1)) }
  }

  @Test func aTimeoutEndsAWaitForACommit() throws {
    let store = try open().store
    #expect(try store.waitForCommit(after: 1, timeout: .milliseconds(5)) == nil)
    #expect(try store.waitForCommit(after: 1, timeout: .zero) == nil)
    #expect(try store.waitForCommit(after: 0, timeout: .zero) == 1)
  }

  /// As many tasks as would fill every thread that Swift concurrency has, and one that commits.
  @Test func tasksThatWaitBlockNoThread() async throws {
    let (reader, writer) = (try open().store, try open())
    try await withThrowingTaskGroup { group in
      for _ in 0..<200 {
        group.addTask {
          var versions: [UInt64] = []
          var last: UInt64 = 1
          while last < 6, let newest = try await reader.nextCommit(after: last) {
            versions.append(newest)
            last = newest
          }
          #expect(versions.last == 6)
          #expect(versions == versions.sorted())
        }
      }
      group.addTask {
        for _ in 2...6 {
          try Self.write(writer)
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func aTaskHearsOfEveryCommitItWaitsFor() async throws {
    let (reader, writer) = (try open().store, try open())
    for version in 2...30 as ClosedRange<UInt64> {
      async let newest = reader.nextCommit(after: version - 1)
      try Self.write(writer)
      #expect(try await newest == version)
    }
  }

  @Test func aCancelledTaskStopsWaiting() async throws {
    let store = try open().store
    for round in 0..<50 {
      let task = Task { try await store.nextCommit(after: 1) }
      if round % 2 == 0 { try await Task.sleep(for: .microseconds(round * 40)) }
      task.cancel()
      #expect(try await task.value == nil)
    }
    // And the next one waits as if nothing had been.
    async let newest = store.nextCommit(after: 1)
    try Self.write(KeyValueStore(store))
    #expect(try await newest == 2)
  }

  @Test func closingEndsEveryWait() async throws {
    let store = try open().store
    let closed = StorageError.closed(path: path, failedSync: nil)
    async let first: StorageError? = Self.failure { _ = try await store.nextCommit(after: 1) }
    async let second: StorageError? = Self.failure { _ = try await store.nextCommit(after: 7) }
    onThreads(2) { thread in
      if thread == 0 {
        #expect(throws: closed) { _ = try store.waitForCommit(after: 1) }
      } else {
        usleep(30_000)
        #expect(throws: Never.self) { try store.close() }
      }
    }
    #expect(await first == closed)
    #expect(await second == closed)
    #expect(throws: closed) { _ = try store.waitForCommit(after: 0, timeout: .zero) }
  }

  private static func failure(_ body: () async throws -> Void) async -> StorageError? {
    do { try await body() } catch { return error as? StorageError }
    return nil
  }

  /// A writer that was killed after it stored the number of its version and before it woke anybody.
  @Test func aCommitThatWokeNobodyIsNoticed() throws {
    let store = try open().store
    let foreign = try PosixFile(path: path + PosixFile.lockFileSuffix, mode: .readWrite)
    onThreads(2) { thread in
      do {
        if thread == 0 {
          #expect(try store.waitForCommit(after: 1) == 2)
        } else {
          usleep(30_000)
          try foreign.write([2, 0, 0, 0, 0, 0, 0, 0], at: 16)
        }
      } catch { Issue.record(error) }
    }
  }

  @Test func whoWaitsIsToldThatTheFileIsGone() async throws {
    let store = try open().store
    let gone = StorageError.moved(path: path, .gone)
    async let task: StorageError? = Self.failure { _ = try await store.nextCommit(after: 1) }
    #expect(unlink(path) == 0)
    #expect(throws: gone) { _ = try store.waitForCommit(after: 1) }
    #expect(await task == gone)
  }
}
