import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// How long a realm lives whose write is open, and one that is on its way to observers.
@Suite(.waiting) struct OpenWriteTests {
  private let name = UUID().uuidString

  private var configuration: Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: name)
  }

  @Test func aWriteIsOfTheThreadAlsoWhenNothingHoldsItsRealm() throws {
    let configuration = configuration
    let keeper = try Realm(configuration: configuration)
    try onAnotherThread {
      try Realm(configuration: configuration).beginWrite()
      try Realm(configuration: configuration).create(Note.self, value: ["one"])
      #expect(try Realm(configuration: configuration).isInWriteTransaction)
      try Realm(configuration: configuration).commitWrite()
      #expect(try !Realm(configuration: configuration).isInWriteTransaction)
      try Realm(configuration: configuration).beginWrite()
      try Realm(configuration: configuration).create(Note.self, value: ["two"])
      try Realm(configuration: configuration).cancelWrite()
    }
    keeper.refresh()
    #expect(keeper.objects(Note.self).map(\.text) == ["one"])
  }

  @Test func aThreadThatEndsUndoesTheWriteThatItLeftOpen() throws {
    let configuration = configuration
    let keeper = try Realm(configuration: configuration)
    try onAnotherThread {
      try Realm(configuration: configuration).beginWrite()
      try Realm(configuration: configuration).create(Note.self, value: ["lost"])
    }
    // Waits until the thread has ended.
    try keeper.write { keeper.create(Note.self, value: ["kept"]) }
    #expect(keeper.objects(Note.self).map(\.text) == ["kept"])
  }

  @Test func aThreadThatLivesOnKeepsAWriteThatNothingHoldsForItsTimeOnly() throws {
    let configuration = configuration
    let keeper = try Realm(configuration: configuration)
    try onAnotherThread {
      try Self.beginWrite(configuration, keptFor: .milliseconds(1))
      // Waits until the write is undone, while this thread lives.
      try onAnotherThread {
        let other = try Realm(configuration: configuration)
        try other.write { other.create(Note.self, value: ["kept"]) }
      }
      #expect(OpenWrites.current.timers.isEmpty)
    }
    keeper.refresh()
    #expect(keeper.objects(Note.self).map(\.text) == ["kept"])
  }

  @Test func theTimeOfAnEarlierWriteEndsNoLaterOne() throws {
    let configuration = configuration
    let keeper = try Realm(configuration: configuration)
    try onAnotherThread {
      do {
        let realm = try Realm(configuration: configuration)
        try Self.beginWrite(configuration, keptFor: .milliseconds(20))
        realm.cancelWrite()
      }
      try Self.beginWrite(configuration, keptFor: .seconds(3_600))
      // Until the first timer has fired.
      let later = DispatchTime.now() + .seconds(1_800)
      while OpenWrites.current.timers.contains(where: { $0 < later }) {
        Thread.sleep(forTimeInterval: 0.001)
      }
      #expect(OpenWrites.current.timers.count == 1)
      #expect(try Realm(configuration: configuration).isInWriteTransaction)
      try Realm(configuration: configuration).create(Note.self, value: ["kept"])
      try Realm(configuration: configuration).commitWrite()
    }
    keeper.refresh()
    #expect(keeper.objects(Note.self).map(\.text) == ["kept"])
  }

  @Test func aThreadThatWritesOftenHasOneTimer() throws {
    let configuration = configuration
    try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      for _ in 0..<100 {
        realm.beginWrite()
        realm.cancelWrite()
      }
      #expect(OpenWrites.current.timers.count == 1)
    }
  }

  /// As `beginWrite()` of a realm that nothing holds then.
  private static func beginWrite(
    _ configuration: Realm.Configuration, keptFor time: DispatchTimeInterval
  ) throws {
    let realm = try Realm(configuration: configuration)
    try realm.context.begin()
    OpenWrites.keep(realm.context, for: time)
  }

  @Test func aQueueUndoesTheWriteThatNothingHoldsAtItsNextTurn() throws {
    let queue = DispatchQueue(label: "open write")
    let configuration = configuration
    let keeper = try Realm(configuration: configuration)
    try queue.sync {
      try Realm(configuration: configuration, queue: queue).beginWrite()
      try Realm(configuration: configuration, queue: queue).create(Note.self, value: ["one"])
      try Realm(configuration: configuration, queue: queue).commitWrite()
      try Realm(configuration: configuration, queue: queue).beginWrite()
      try Realm(configuration: configuration, queue: queue).create(Note.self, value: ["two"])
    }
    queue.sync {}
    try keeper.write { keeper.create(Note.self, value: ["three"]) }
    #expect(keeper.objects(Note.self).map(\.text) == ["one", "three"])
  }

  @Test func aQueueKeepsNoRealmWhoseWriteHasEnded() throws {
    let queue = DispatchQueue(label: "ended write")
    let configuration = configuration
    for isCommitted in [true, false] {
      try queue.sync {
        do {
          let realm = try Realm(configuration: configuration, queue: queue)
          realm.beginWrite()
          realm.create(Note.self, value: ["one"])
          if isCommitted { try realm.commitWrite() } else { realm.cancelWrite() }
          #expect(realm.objects(Note.self).count == (isCommitted ? 1 : 0))
        }
        #expect(try Realm(configuration: configuration, queue: queue).isEmpty)
      }
    }
  }

  @Test func aRealmInMemoryIsEmptyWhenItIsOpenedAgain() throws {
    let queue = DispatchQueue(label: "in memory")
    let configuration = configuration
    for _ in 0..<10 {
      let log = Log()
      try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        #expect(realm.isEmpty)
        let token = realm.objects(Note.self).observe { _ in log.count += 1 }
        log.tokens = [token]
      }
      queue.sync {}
      try onAnotherThread {
        let other = try Realm(configuration: configuration)
        try other.write { other.create(Note.self, value: ["of another thread"]) }
      }
      try queue.sync {
        do {
          let realm = try Realm(configuration: configuration, queue: queue)
          // What is told of, and what is on its way then, keeps no realm open.
          realm.refresh()
          #expect(realm.objects(Note.self).count == 1)
          try realm.write { realm.create(Note.self, value: ["of this one"]) }
          log.tokens = []
        }
        #expect(try Realm(configuration: configuration, queue: queue).isEmpty)
      }
      #expect(log.count > 0)
    }
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var tokens: [NotificationToken] = []
    var count = 0
  }

  @Test func theWrongThreadEndsTheProcessWithASentence() async throws {
    let main = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try await MainActor.run {
          let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: "main", objectTypes: [Note.self])
          )
          let note = Note(value: ["n"])
          try realm.write { realm.add(note) }
          nonisolated(unsafe) let carried = note
          try onAnotherThread { _ = unsafe carried.text }
        }
      })
    let mainText = String(decoding: main.standardErrorContent, as: UTF8.self)
    #expect(mainText.contains("used on another thread"), "\(mainText)")
    let queue = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let queue = DispatchQueue(label: "wrong")
        let note = Note(value: ["n"])
        nonisolated(unsafe) let carried = note
        try queue.sync {
          let configuration = Realm.Configuration(inMemoryIdentifier: "queue")
          let realm = try Realm(configuration: configuration, queue: queue)
          try realm.write { unsafe realm.add(carried) }
        }
        try onAnotherThread { _ = unsafe carried.text }
      })
    let queueText = String(decoding: queue.standardErrorContent, as: UTF8.self)
    #expect(queueText.contains("outside of the queue"), "\(queueText)")
  }
}
