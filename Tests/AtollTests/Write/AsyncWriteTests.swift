import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Writes that are done later, and when they count as done.
@Suite(.waiting) struct AsyncWriteTests {
  private let folder = TestSupport.TemporaryFolder()
  private let queue = DispatchQueue(label: "later")

  private var configuration: Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "later.realm")), objectTypes: [Note.self])
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var realm: Realm?
    var transaction: Transaction?
    var isAtWork: Bool { realm?.isPerformingAsynchronousWriteOperations ?? false }
  }

  private func open() throws -> Log {
    let log = Log()
    try queue.sync { log.realm = try Realm(configuration: configuration, queue: queue) }
    return log
  }

  @MainActor
  @Test func anAsynchronousWriteIsBeingPerformedFromItsCallToItsEnd() async throws {
    let realm = try await Realm(configuration: configuration)
    #expect(!realm.isPerformingAsynchronousWriteOperations)
    let inside = try await realm.asyncWrite {
      realm.create(Note.self)
      return realm.isPerformingAsynchronousWriteOperations
    }
    #expect(inside)
    #expect(!realm.isPerformingAsynchronousWriteOperations)
    await #expect(throws: CancellationError.self) {
      try await realm.asyncWrite { throw CancellationError() }
    }
    #expect(!realm.isPerformingAsynchronousWriteOperations)
  }

  @Test func aWriteThatIsDoneLaterIsBeingPerformedInItsBlock() async throws {
    let log = try open()
    queue.sync { _ = log.realm?.writeAsync { log.lines.append("write \(log.isAtWork)") } }
    try await eventually { queue.sync { !log.lines.isEmpty && !log.isAtWork } }
    queue.sync { _ = log.realm?.beginAsyncWrite { log.lines.append("begin \(log.isAtWork)") } }
    try await eventually { queue.sync { log.lines.count == 2 && !log.isAtWork } }
    #expect(queue.sync { log.lines } == ["write true", "begin true"])
    queue.sync { log.realm = nil }
  }

  @Test func aWriteThatALaterOneLeavesOpenInItsPlaceEndsAsItWouldHave() async throws {
    let log = try open()
    queue.sync {
      log.realm?.writeAsync(
        {
          log.realm?.cancelWrite()
          log.realm?.beginWrite()
          log.realm?.create(Note.self, value: ["text": "kept"])
        },
        onComplete: { error in log.lines.append(error == nil ? "done" : "failed") })
      log.realm?.beginAsyncWrite {
        log.realm?.create(Note.self, value: ["text": "committed"])
        try? log.realm?.commitWrite()
        log.realm?.beginWrite()
        log.realm?.create(Note.self, value: ["text": "left open"])
        log.lines.append("begun")
      }
    }
    try await eventually { queue.sync { log.lines.count == 2 && !log.isAtWork } }
    queue.sync {
      #expect(log.lines.sorted() == ["begun", "done"])
      #expect(log.realm?.isInWriteTransaction == false)
      let texts = log.realm.map { $0.objects(Note.self).map(\.text).sorted() }
      #expect(texts == ["committed", "kept"])
      log.realm = nil
    }
  }

  /// Commits that may be grouped wait for those that are waiting for their turn.
  @Test func groupedCommitsAreCompleteTogether() async throws {
    let log = try open()
    let count = 20
    queue.sync {
      for number in 0..<count {
        log.realm?.beginAsyncWrite {
          log.realm?.create(Note.self, value: ["text": "\(number)"])
          log.lines.append("write")
          _ = log.realm?.commitAsyncWrite(allowGrouping: true) { error in
            log.lines.append(error == nil ? "done \(number)" : "failed")
          }
        }
      }
    }
    try await eventually { queue.sync { log.lines.count == 2 * count && !log.isAtWork } }
    let expected = Array(repeating: "write", count: count) + (0..<count).map { "done \($0)" }
    #expect(queue.sync { log.lines } == expected)
    queue.sync { log.realm = nil }
  }

  /// Two commits of one turn, the second of which ends the group.
  @Test func aCommitThatIsNotGroupedCompletesThoseBefore() async throws {
    let log = try open()
    queue.sync {
      guard let realm = log.realm else { return }
      realm.beginWrite()
      realm.create(Note.self)
      realm.commitAsyncWrite(allowGrouping: true) { _ in log.lines.append("first") }
      realm.beginWrite()
      realm.create(Note.self)
      realm.commitAsyncWrite { _ in log.lines.append("second") }
      #expect(log.isAtWork && log.lines.isEmpty)
    }
    try await eventually { queue.sync { !log.isAtWork } }
    #expect(queue.sync { log.lines } == ["first", "second"])
    queue.sync { log.realm = nil }
  }

  /// The write that a group waits for may never come.
  @Test func aGroupIsCompleteWhenTheNextWriteIsCancelled() async throws {
    let log = try open()
    try queue.sync {
      guard let realm = log.realm else { return }
      realm.beginAsyncWrite {
        realm.create(Note.self)
        realm.commitAsyncWrite(allowGrouping: true) { _ in log.lines.append("done") }
      }
      realm.beginAsyncWrite { log.lines.append("undone") }
      let last = realm.beginAsyncWrite { log.lines.append("never") }
      try realm.cancelAsyncWrite(last)
    }
    try await eventually { queue.sync { log.lines.count == 2 && !log.isAtWork } }
    #expect(queue.sync { log.lines } == ["undone", "done"])
    queue.sync { log.realm = nil }
  }

  /// The write that a group waits for is dropped just before its turn.
  @Test func aGroupIsCompleteWhenTheNextWriteIsDropped() async throws {
    let log = try open()
    queue.sync {
      guard let realm = log.realm else { return }
      var last: AsyncTransactionId?
      realm.beginAsyncWrite {
        realm.create(Note.self)
        realm.commitAsyncWrite(allowGrouping: true) { _ in log.lines.append("done") }
        let dropped = last
        queue.async {
          guard let dropped else { return }
          try? log.realm?.cancelAsyncWrite(dropped)
        }
      }
      last = realm.beginAsyncWrite { log.lines.append("never") }
    }
    try await eventually { queue.sync { !log.lines.isEmpty && !log.isAtWork } }
    #expect(queue.sync { log.lines } == ["done"])
    queue.sync { log.realm = nil }
  }

  /// The file is made durable under the lock that the other writer has.
  @Test func aGroupIsCompleteAfterTheWriteOfAnotherDatabase() async throws {
    let log = try open()
    let other = try other()
    queue.sync {
      guard let realm = log.realm else { return }
      realm.beginAsyncWrite {
        realm.create(Note.self, value: ["first"])
        realm.commitAsyncWrite(allowGrouping: true) { error in
          log.lines.append(error == nil ? "first done" : "failed")
        }
        log.transaction = try? other.beginWrite()
      }
      realm.beginAsyncWrite {
        realm.create(Note.self, value: ["second"])
        log.lines.append("second")
        realm.commitAsyncWrite(allowGrouping: true) { error in
          log.lines.append(error == nil ? "second done" : "failed")
        }
      }
    }
    try await eventually { queue.sync { log.transaction != nil } }
    try queue.sync {
      let transaction = try #require(log.transaction)
      #expect(log.lines == [] && log.isAtWork)
      try transaction.create("Note", ["text": .string("other")])
      try transaction.commit()
    }
    try await eventually { queue.sync { !log.isAtWork } }
    // Whether the second write has its turn before the group is complete is open.
    #expect(Set(queue.sync { log.lines }) == ["first done", "second", "second done"])
    #expect(queue.sync { log.lines.last } == "second done")
    let texts = queue.sync { log.realm.map { Set($0.objects(Note.self).map(\.text)) } }
    #expect(texts == ["first", "second", "other"])
    queue.sync {
      log.transaction = nil
      log.realm = nil
    }
  }

  @Test func groupedCommitsAndThoseOfAnotherDatabaseAllStay() async throws {
    let log = try open()
    let other = try other()
    let count = 50
    queue.sync {
      for number in 0..<count {
        log.realm?.beginAsyncWrite {
          log.realm?.create(Note.self, value: ["\(number)"])
          _ = log.realm?.commitAsyncWrite(allowGrouping: number % 7 != 0) { error in
            log.lines.append(error == nil ? "\(number)" : "failed")
          }
        }
      }
    }
    try await onOwnThread {
      for number in 0..<count {
        try other.write { try $0.create("Note", ["text": .string("other \(number)")]) }
      }
    }
    try await eventually { queue.sync { !log.isAtWork } }
    #expect(queue.sync { log.lines } == (0..<count).map { "\($0)" })
    let texts = queue.sync {
      _ = log.realm?.refresh()
      return log.realm.map { Set($0.objects(Note.self).map(\.text)) }
    }
    #expect(texts == Set((0..<count).flatMap { ["\($0)", "other \($0)"] }))
    queue.sync { log.realm = nil }
  }

  /// The file as another process has it open.
  private func other() throws -> Database { try Database.open(folder.path(of: "later.realm")) }
}
