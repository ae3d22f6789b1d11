import Foundation
import TestSupport
import Testing

@testable import Atoll

/// Several processes with one synced file.
///
/// One test at a time: each holds a thread of the tasks until its other process has ended, which
/// may wait for what the tasks of this one receive.
@Suite(.serialized) struct ProcessTests {
  /// What another process needs to use a device of the world.
  struct Place: Codable, Sendable {
    var app: String
    var server: String
    var accounts: String
    var file: String

    init(_ world: SyncWorld, _ device: TestDevice) {
      app = world.app.appId
      server = world.app.configuration.serverURL
      accounts = world.accounts
      file = device.file.path
    }

    /// The same device in this process.
    func device() throws -> TestDevice {
      let app = App(
        id: app, configuration: AppConfiguration(baseURL: server), folder: accounts)
      return TestDevice(try #require(app.currentUser), file: URL(filePath: file))
    }
  }

  private static func task(_ name: String) -> Task {
    let task = Task()
    task.taskName = name
    return task
  }

  private static func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { $0.objects(Task.self).map(\.taskName).sorted() }
  }

  /// Promise: session.processes.
  @Test func aProcessThatIsKilledLosesNothingAndLeavesTheNetworkToTheNext() async throws {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    // The other process gets the network.
    try await device.goOffline()
    let place = Place(world, device)
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as Place] in
      let device = try place.device()
      try await device.write { $0.add(Self.task("sent")) }
      try await device.upload()
      try await device.goOffline()
      try await device.write { $0.add(Self.task("left behind")) }
      kill(getpid(), SIGKILL)
    }
    #expect(try await Self.names(device) == ["left behind", "sent"])
    try await witness.download()
    // What it wrote last may have left before the connection was closed.
    #expect(try await Self.names(witness).contains("sent"))
    try await device.goOnline()
    try await device.upload()
    try await witness.download()
    #expect(try await Self.names(witness) == ["left behind", "sent"])
    await world.stopServer()
  }

  /// Promise: waits.upload, waits.download, session.processes.
  @Test func aProcessThatIsNotConnectedWaitsForWhatTheConnectedOneReceives() async throws {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await witness.write { $0.add(Self.task("from afar")) }
    try await witness.upload()
    let place = Place(world, device)
    // The network is this process's.
    await #expect(processExitsWith: .success) { [place = place as Place] in
      let device = try place.device()
      try await device.download()
      let names = try await Self.names(device)
      try #require(names == ["from afar"])
      try await device.write { $0.add(Self.task("from the other process")) }
      try await device.upload()
      let session = try await device.session()
      try #require(session?.connectionState == .disconnected)
    }
    try await witness.download()
    #expect(try await Self.names(witness) == ["from afar", "from the other process"])
    await world.stopServer()
  }

  /// Promise: waits.upload, session.processes.
  @Test func aProcessWithoutSyncConfigurationRecordsWhatTheConnectedOneSends() async throws {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    let place = Place(world, device)
    await #expect(processExitsWith: .success) { [place = place as Place] in
      let configuration = Realm.Configuration(
        fileURL: URL(filePath: place.file), objectTypes: [Task.self, Team.self])
      let realm = try Realm(configuration: configuration)
      try #require(realm.syncSession == nil)
      try realm.write { realm.add(Self.task("unconfigured")) }
    }
    try await device.upload()
    try await witness.download()
    #expect(try await Self.names(witness) == ["unconfigured"])
    await world.stopServer()
  }

  /// A world whose server has an open task and a completed one.
  private static func worldWithTasks() async throws -> SyncWorld {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    try await witness.write { realm in
      realm.add(task("open"))
      let done = task("done")
      done.completed = true
      realm.add(done)
    }
    try await witness.upload()
    return world
  }

  /// Promise: opening.rerun, opening.waits.
  @Test func aSecondProcessWaitsForWhatItsInitialSubscriptionsAskForAnew() async throws {
    let world = try await Self.worldWithTasks()
    let device = try await world.device("one")
    #expect(try await device.count(openingWith: .open) == 1)
    let place = Place(world, device)
    await #expect(processExitsWith: .success) { [place = place as Place] in
      let count = try await place.device().count(openingWith: .everything, rerun: true)
      try #require(count == 2)
    }
    await world.stopServer()
  }

  /// Promise: opening.rerun.
  @Test func aSecondProcessThatAsksForTheSameOpensWithoutTheServer() async throws {
    let world = try await Self.worldWithTasks()
    let device = try await world.device("one")
    #expect(try await device.count(openingWith: .open) == 1)
    await world.stopServer()
    let place = Place(world, device)
    await #expect(processExitsWith: .success) { [place = place as Place] in
      let count = try await place.device().count(openingWith: .open, rerun: true)
      try #require(count == 1)
    }
  }
}
