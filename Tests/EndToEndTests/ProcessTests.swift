import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Several processes with one synced file.
///
/// One test at a time: each holds a thread of the tasks until its other process has ended, which
/// may wait for what the tasks of this one receive.
@Suite(.waiting, .serialized) struct ProcessTests {
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
    func device(_ mode: ClientResetMode = .recoverUnsyncedChanges()) throws -> TestDevice {
      let app = App(
        id: app, configuration: AppConfiguration(baseURL: server), folder: accounts)
      return TestDevice(
        try #require(app.currentUser), file: URL(filePath: file), resetMode: mode)
    }

    /// The length of the file.
    var byteCount: Int {
      get throws {
        try #require(
          FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
      }
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

  /// The reset of a server that was restored fails midway, as the disk is full, is tried again, and
  /// ends when there is room.
  ///
  /// Promise: reset.failure.
  @Test(arguments: [false, true])
  func aResetWithoutRoomOnTheDiskLeavesTheFileAsItWas(isDiscarding: Bool) async throws {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    await world.stopServer()
    try world.backUpServer()
    try await world.startServer()
    try await device.reconnect()
    try await device.write { $0.add(Self.task("lost")) }
    try await device.synchronize()
    await world.stopServer()
    try await device.write { $0.add(Self.task("mine")) }
    let session = try #require(try await device.session())
    let place = Place(world, device)
    // The session would go on for what is not sent.
    try await device.goOffline()
    await device.forgetRealm()
    try await eventually { session.state == .invalid }
    try world.restoreServer()
    try await world.startServer()
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    try await witness.write { realm in
      var random = SplitMix64(seed: 1)
      for _ in 0..<200 {
        realm.add(Self.task(Data(noise(15_000, &random)).base64EncodedString()))
      }
    }
    try await witness.upload()

    await #expect(processExitsWith: .success) {
      [place = place as Place, isDiscarding = isDiscarding as Bool] in
      let device = try place.device(
        isDiscarding ? .discardUnsyncedChanges() : .recoverUnsyncedChanges())
      let errors = Mutex<[Atoll.SyncError]>([])
      device.user.app.syncManager.errorHandler = { error, _ in
        // A copy is made first, as the server has lost an object.
        if let error = error as? Atoll.SyncError, error.code != .clientResetError {
          errors.withLock { $0.append(error) }
        }
      }
      let before = try place.byteCount
      // The files beside it are made before.
      _ = try await device.session()
      ProcessLimits.limitFiles(byteCount: before + 1 << 20)
      for attempt in 1...2 {
        try await eventually { errors.withLock { $0.count >= attempt } }
        try #require(try await Self.names(device) == ["lost", "mine"])
        try #require(try await device.outboxCount() == 1)
        try #require(try await device.subscriptionNames() == [nil])
      }
      try #require(errors.withLock { $0.allSatisfy { $0.code == .clientInternalError } })
      // It failed midway.
      try #require(try place.byteCount > before)
      ProcessLimits.limitFiles(byteCount: nil)
      try await device.reconnect()
      try await device.synchronize()
      let names = try await Self.names(device)
      try #require(names.count == (isDiscarding ? 200 : 201))
      try #require(names.contains("mine") != isDiscarding)
    }
    try await witness.download()
    #expect(try await Self.names(witness).count == (isDiscarding ? 200 : 201))
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
  @Test func aSecondProcessWaitsForWhatItsInitialSubscriptionsAskForAgain() async throws {
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
