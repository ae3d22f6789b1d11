#if Sync
import AtollObjects
import AtollTransport
import Logging
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// The cores of AtollSync at both ends of real connections.
@Suite(.waiting, .hangLimit) struct ConvergenceOverTCPTests {
  private let folder = TemporaryFolder()

  private func start(
    port: Int = 0, configuration: ServerConfiguration? = nil
  ) throws -> SyncService {
    var options = TestService.options(folder, TestTime(), TestRandom(seed: UInt64(port)))
    options.isDevelopment = configuration == nil
    options.configuration = configuration
    options.port = port
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    return try SyncService.start(options, logger: logger) { error in
      Issue.record("the core failed: \(error)")
    }
  }

  /// Starts it where it was; waits for a connection of another test that got the port meanwhile.
  private func restart(port: Int) async throws -> SyncService {
    for _ in 0..<400 {
      do { return try start(port: port) } catch ServerError.listening(.portInUse) {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return try start(port: port)
  }

  private func device(_ address: ServerAddress, seed: UInt64) async throws -> NetworkDevice {
    let login = try await LoginClient(address, appID: "app").login(.anonymous)
    let random = TestRandom(seed: seed)
    let connector = WebSocketConnector(address, random: random.next) { _ in login.accessToken }
    return try NetworkDevice(connector, random: random)
  }

  /// Promise: session.offline.
  @Test func twoDevicesAndAServerThatComesAndGoesConverge() async throws {
    let server = try start()
    let (address, port) = (server.address, server.address.port)
    let first = try await device(address, seed: 100)
    let second = try await device(address, seed: 200)
    try first.write(1, "one")
    #expect(await eventually { (try? second.tasks) == [1: "one"] })
    await server.stop()
    // The server is away; work continues.
    try first.write(2, "two")
    try second.write(1, "uno")
    try second.write(3, "three")
    let again = try await restart(port: port)
    let all: [Int64: String] = [1: "uno", 2: "two", 3: "three"]
    #expect(await eventually { (try? first.tasks) == all })
    #expect(await eventually { (try? second.tasks) == all })
    await first.end()
    await second.end()
    await again.stop()
  }

  /// Promise: rights.rules.
  @Test func anotherConfigurationReachesDevicesThatAreConnected() async throws {
    func configuration(read: String, type: String = "string") throws -> ServerConfiguration {
      try ServerConfiguration(
        yaml: """
          app: app
          classes: {Task: {key: _id, properties: {_id: int, name: \(type)}}}
          roles:
            Task: [{name: all, read: \(read), write: true, insert: true}]
          """, path: "server.yaml")
    }
    let server = try start(configuration: try configuration(read: "true"))
    let first = try await device(server.address, seed: 100)
    let second = try await device(server.address, seed: 200)
    try first.write(1, "one")
    #expect(await eventually { (try? second.tasks) == [1: "one"] })
    // A property with another type cannot be, and changes nothing.
    #expect(throws: ServerError.self) {
      try server.adopt(try configuration(read: "_id > 1", type: "int"))
    }
    try first.write(2, "two")
    #expect(await eventually { (try? second.tasks) == [1: "one", 2: "two"] })
    try server.adopt(try configuration(read: "_id > 1"))
    #expect(await eventually { (try? second.tasks) == [2: "two"] })
    try server.adopt(try configuration(read: "true"))
    #expect(await eventually { (try? second.tasks) == [1: "one", 2: "two"] })
    await first.end()
    await second.end()
    await server.stop()
  }

  @Test func manyObjectsArriveInFramesThatFit() async throws {
    let server = try start()
    let first = try await device(server.address, seed: 100)
    let count: Int64 = 3_000
    let name = String(repeating: "long ", count: 200)
    try first.database.write { transaction in
      for id in 0..<count {
        _ = try transaction.create("Task", ["_id": .int(id), "name": .string(name)])
      }
    }
    let second = try await device(server.address, seed: 200)
    #expect(await eventually { (try? second.tasks.count) == Int(count) })
    await first.end()
    await second.end()
    await server.stop()
  }
}
#endif
