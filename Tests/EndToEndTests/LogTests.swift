import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// What is written to the shared logger; other tests write to it meanwhile.
@Suite(.waiting, .serialized) struct LogTests {
  /// Messages, in their order.
  private final class Messages: Sendable {
    private let all = Mutex<[(level: LogLevel, text: String)]>([])

    func add(_ level: LogLevel, _ text: String) { all.withLock { $0.append((level, text)) } }

    func levels(where isMeant: (String) -> Bool) -> [LogLevel] {
      all.withLock { $0 }.filter { isMeant($0.text) }.map(\.level)
    }

    func has(_ level: LogLevel, _ parts: String...) -> Bool {
      levels { text in parts.allSatisfy { text.contains($0) } }.contains(level)
    }
  }

  private func logging(
    _ level: LogLevel, _ body: (Messages) async throws -> Void
  ) async rethrows {
    let messages = Messages()
    let before = Logger.shared
    defer { Logger.shared = before }
    Logger.shared = Logger(level: level) { messages.add($0, $1) }
    try await body(messages)
  }

  @Test func aLoggerWritesUpToItsLevel() {
    let messages = Messages()
    let logger = Logger(level: .warn) { messages.add($0, $1) }
    for level in LogLevel.allCases { logger.log(level: level, message: "\(level)") }
    #expect(messages.levels { _ in true } == [.fatal, .error, .warn])
    logger.level = .off
    logger.log(level: .fatal, message: "none")
    #expect(!messages.has(.fatal, "none"))
    logger.level = .all
    logger.log(level: .all, message: "all")
    #expect(messages.has(.all, "all"))
  }

  @Test func aMessageThatIsNotWrittenIsNotMade() {
    let logger = Logger(level: .warn) { _, _ in }
    func message() -> String {
      Issue.record("the message was made")
      return ""
    }
    logger.log(level: .info, message: message())
  }

  @Test func nothingIsWrittenUntilALevelIsSet() {
    #expect(Logger.shared.level == .off)
  }

  @Test func openingMigratingAndClosingAreWritten() async throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "logged.realm")
    var configuration = Realm.Configuration(
      fileURL: URL(filePath: path), objectTypes: [Task.self, Team.self])
    try await logging(.detail) { messages in
      try await onOwnThread { [configuration] in _ = try Realm(configuration: configuration) }
      #expect(messages.has(.detail, path, "opened"))
      try await eventually { messages.has(.detail, path, "closed") }
      configuration.schemaVersion = 2
      configuration.shouldCompactOnLaunch = { _, _ in true }
      try await onOwnThread { [configuration] in
        _ = try Realm(configuration: configuration)
      }
      #expect(messages.has(.info, path, "from schema version 0 to 2"))
      #expect(messages.has(.info, path, "compacted"))
    }
  }

  @Test func aFailureThatAHandlerHearsOfIsWritten() async throws {
    await logging(.error) { messages in
      let heard = Mutex(false)
      var configuration = Realm.Configuration(inMemoryIdentifier: "failing \(UUID())")
      configuration.failureHandler = { _ in heard.withLock { $0 = true } }
      configuration.tell(Realm.Error(.invalidDatabase, "page 7 is damaged"))
      #expect(messages.has(.error, "failing", "page 7 is damaged"))
    }
  }

  @Test func wrongUseThatEndsTheProcessIsWritten() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Logger.shared.level = .fatal
      _ = Task().freeze()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("fatal: an unmanaged object of class 'Task' cannot be frozen\n"))
  }

  /// The logger is told once, and not of what it does wrong itself.
  @Test func aLoggerThatIsUsedWronglyEndsTheProcessWithItsSentence() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Logger.shared = Logger(level: .fatal) { _, _ in _ = Task().thaw() }
      _ = Task().freeze()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("an unmanaged object of class 'Task' cannot be thawed"))
  }

  @Test func aSessionWritesItsConnectionsAndFailures() async throws {
    let world = try await SyncWorld()
    try await logging(.all) { messages in
      let device = try await world.device("one")
      let path = device.file.path
      try await device.update { $0.append(QuerySubscription<Task>()) }
      // The session handles what is told of after the update has what it waits for.
      try await eventually {
        messages.has(.info, path, "connected") && messages.has(.detail, path, "subscriptions")
      }
      await world.stopServer()
      try await eventually { messages.has(.warn, path, "no connection") }
      // Tokens are not for logs.
      let token = device.user.stored.refreshToken
      #expect(!token.isEmpty && messages.levels { $0.contains(token) }.isEmpty)
      await device.forgetRealm()
    }
  }
}
