#if Sync
import AtollCapture
import AtollObjects
import AtollSync
import AtollTransport
import Testing

/// A device with a file in memory that synchronises over TCP.
final class NetworkDevice: Sendable {
  let database: Database
  let driver: SyncSessionDriver
  private let following: Task<Void, Never>

  /// Its classes are there, and it subscribes to all tasks.
  init(_ connector: WebSocketConnector, random: TestRandom) throws {
    var options = Database.Options.recording
    options.random = random.next
    database = try Database.inMemory(options: options)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Task",
          properties: [PropertySchema("_id", .int), PropertySchema("name", .string)],
          primaryKey: "_id", isSynced: true)
      ])
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 0, nanoseconds: 0))
      ) { ObjectID(seconds: 0, random: random.next(), counter: 0) }
      editor.add("Task", query: "TRUEPREDICATE")
      try editor.save(in: transaction)
    }
    let delay = ReconnectDelay(initialMilliseconds: 20, maximumMilliseconds: 100)
    driver = SyncSessionDriver(
      ClientEndpoint(SyncClient(database: database)), connector: connector, delay: delay,
      environment: .init(now: { 1_700_000_000_000 }, random: random.next))
    following = Task { [database, driver] in
      do { for try await _ in database.commits { driver.wake() } } catch {
        Issue.record(error)
      }
    }
    driver.resume()
  }

  func end() async {
    following.cancel()
    await withCheckedContinuation { continuation in driver.stop { continuation.resume() } }
  }

  func write(_ id: Int64, _ name: String) throws {
    try database.write { transaction in
      _ = try transaction.upsert("Task", primaryKey: .int(id), ["name": .string(name)])
    }
  }

  /// The names of all tasks by key.
  var tasks: [Int64: String] {
    get throws {
      var tasks: [Int64: String] = [:]
      try database.snapshot().table("Task").forEach { task in
        guard case (.int(let id), .string(let name)) = (try task["_id"], try task["name"]) else {
          return
        }
        tasks[id] = name
      }
      return tasks
    }
  }
}

/// The client's core as the driver calls it.
private final class ClientEndpoint: FrameEndpoint {
  private let client: SyncClient

  init(_ client: SyncClient) { self.client = client }

  func open(now: UInt64) throws -> [[UInt8]] { try client.open(now: now) }
  func receive(_ frame: [UInt8], now: UInt64) throws -> [[UInt8]] {
    try client.receive(frame, now: now)
  }
  func outgoing(now: UInt64) throws -> [[UInt8]] { try client.outgoing(now: now) }
  func close(now: UInt64) { client.close(now: now) }
}
#endif
