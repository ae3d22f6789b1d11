import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// What an asynchronous opening waits for; for that of a second process see `ProcessTests`.
///
/// Promise: opening.failures.
@Suite(.waiting) struct OpeningTests {
  @Test func anOpeningThatIsEndedByFailuresThrowsWithoutTheServer() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    await #expect {
      _ = try await device.count(openingWith: .open, isEndedByFailures: true)
    } throws: { ($0 as? SyncError)?.code == .connectionFailed }
    // The set is there, and the file opens for whom that is enough.
    #expect(try await device.read { $0.subscriptions.count } == 1)
  }

  /// Promise: opening.refused.
  @Test func initialSubscriptionsThatTheServerRefusesAreAnErrorOfTheOpening() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await #expect {
      _ = try await device.count(openingWith: .impossible)
    } throws: { error in
      // It names the query, by which a subscription is known.
      (error as? Realm.Error)?.code == .subscriptionFailed
        && error.localizedDescription.contains("'lead.taskName == 'x''")
    }
    await world.stopServer()
  }

  /// Nothing ever connects to such an address, so waiting for it would have no end.
  @Test func anAddressThatMakesNoSenseIsAnErrorOfTheOpening() async throws {
    let world = try await SyncWorld()
    _ = try await world.device("one")
    await world.stopServer()
    let app = App(
      id: "\(world.app.appId)-ftp", configuration: AppConfiguration(baseURL: "ftp://localhost"),
      folder: world.accounts)
    let user = try #require(app.currentUser)
    for isEndedByFailures in [false, true] {
      let device = TestDevice(
        user, file: URL(filePath: world.folder.path(of: "ftp-\(isEndedByFailures).atoll")))
      await #expect(throws: SyncError.self) {
        _ = try await device.count(openingWith: .open, isEndedByFailures: isEndedByFailures)
      }
      // The one that failed, or the next one, which fails too.
      let session = try await device.session()
      try await eventually { session?.state == .inactive }
    }
  }

  /// Each of two that opened a new file at once ran the callback.
  ///
  /// Promise: opening.initial.
  @Test func initialSubscriptionsRunOnceHoweverManyOpenTheFile() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    await world.stopServer()
    for number in 0..<20 {
      let callCount = CallCount()
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            let file = URL(filePath: world.folder.path(of: "\(number).atoll"))
            let count = try Self.subscriptionCount(user, file, callCount)
            #expect(count == 1)
          }
        }
        try await group.waitForAll()
      }
      #expect(callCount.value == 1)
    }
  }

  /// Promise: opening.rerun.
  @Test func initialSubscriptionsRunAgainOnceHoweverManyOpenTheFile() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    for round in 0..<5 {
      #expect(try await device.count(openingWith: .open) == 0)
      try await device.close()
      // Another query in each round, so that all of them wait for what it brings.
      let initial = round.isMultiple(of: 2) ? Initial.everything : .open
      let callCount = CallCount()
      let devices = (0..<4).map { _ in TestDevice(device.user, file: device.file) }
      try await withThrowingTaskGroup { group in
        for device in devices {
          group.addTask {
            _ = try await device.count(openingWith: initial, rerun: true, callCount)
          }
        }
        try await group.waitForAll()
      }
      #expect(callCount.value == 1, "round \(round)")
      for device in devices {
        #expect(try await device.read { $0.subscriptions.state } == .complete)
        await device.forgetRealm()
      }
      try await device.close()
    }
    await world.stopServer()
  }

  /// Promise: opening.once.
  @Test func downloadingOnceIsForAFileThatIsNotThere() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.write { $0.add(Task(value: ["taskName": "there"])) }
    try await device.upload()
    let new = TestDevice(device.user, file: URL(filePath: world.folder.path(of: "new.atoll")))
    #expect(try await new.count(openingWith: .open, isEndedByFailures: true, behavior: .once) == 1)
    try await new.close()
    await world.stopServer()
    // It is here.
    #expect(try await new.count(openingWith: .open, isEndedByFailures: true, behavior: .once) == 1)
    await #expect {
      _ = try await new.count(openingWith: .open, isEndedByFailures: true, behavior: .always)
    } throws: { ($0 as? SyncError)?.code == .connectionFailed }
    // A file without initial subscriptions has nothing else to wait for.
    let other = TestDevice(device.user, file: URL(filePath: world.folder.path(of: "other.atoll")))
    await #expect {
      _ = try await other.count(openingWith: nil, isEndedByFailures: true, behavior: .once)
    } throws: { ($0 as? SyncError)?.code == .connectionFailed }
    #expect(try await other.count(openingWith: nil, isEndedByFailures: true, behavior: .once) == 0)
  }

  /// The estimates grow, and the last one comes before the callback.
  @Test func aCallbackIsCalledWithWhatTheServerHas() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.write { $0.add(Task(value: ["taskName": "there"])) }
    try await device.upload()
    let queue = DispatchQueue(label: "callbacks")
    for isWaitingForServer in [true, false] {
      var configuration = device.user.flexibleSyncConfiguration(
        initialSubscriptions: { Initial.open.add(to: $0) })
      configuration.fileURL = URL(
        filePath: world.folder.path(of: "callback-\(isWaitingForServer).atoll"))
      configuration.objectTypes = [Task.self, Team.self]
      if isWaitingForServer { await world.stopServer() }
      let told = Mutex<[String]>([])
      let opened = _Concurrency.Task { [configuration] in
        try await withCheckedThrowingContinuation { continuation in
          let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
            told.withLock { $0.append("callback") }
            continuation.resume(with: result.map { $0.objects(Task.self).count })
          }
          task.addProgressNotification(queue: queue) { progress in
            told.withLock { $0.append("\(progress.progressEstimate)") }
          }
        }
      }
      if isWaitingForServer {
        try await eventually { told.withLock { $0.first } == "0.0" }
        try await world.startServer()
      }
      #expect(try await opened.value == 1)
      let all = told.withLock { $0 }
      #expect(all.last == "callback" && all.dropLast().last == "1.0")
      #expect(all.dropLast() == all.dropLast().sorted()[...])
    }
    await world.stopServer()
  }

  @Test func aCallbackOfAnOpeningThatIsCancelledIsNotCalled() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    var configuration = device.user.flexibleSyncConfiguration(
      initialSubscriptions: { Initial.open.add(to: $0) })
    configuration.fileURL = URL(filePath: world.folder.path(of: "cancelled.atoll"))
    configuration.objectTypes = [Task.self, Team.self]
    let queue = DispatchQueue(label: "callbacks")
    let callCount = CallCount()
    let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in
      callCount.add()
    }
    try await eventually { [configuration] in try SharedFile.existing(configuration) != nil }
    task.cancel()
    // It lets go of the file, when the server has answered what was written.
    try await world.startServer()
    try await eventually { [configuration] in try SharedFile.existing(configuration) == nil }
    queue.sync {}
    #expect(callCount.value == 0)
    await world.stopServer()
  }

  /// Promise: opening.cancel.
  @Test func anOpeningThatIsCancelledThrowsAndLetsGoOfTheFile() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    let opening = _Concurrency.Task { try await device.count(openingWith: .open) }
    // It has the file, and waits for the data of its subscription.
    try await eventually { try SharedFile.existing(device.configuration) != nil }
    opening.cancel()
    await #expect(throws: CancellationError.self) { _ = try await opening.value }
    try await world.startServer()
    try await eventually { try SharedFile.existing(device.configuration) == nil }
    // The next one begins where it was.
    #expect(try await device.count(openingWith: .open) == 0)
    await world.stopServer()
  }

  /// The server, and other devices, have their data too.
  @Test func aSyncedRealmRunsNoMigrationBlock() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let user = device.user
    await world.stopServer()
    var configuration = user.flexibleSyncConfiguration()
    configuration.fileURL = URL(filePath: world.folder.path(of: "blocks.atoll"))
    configuration.objectTypes = [Task.self, Team.self]
    try Realm.performMigration(for: configuration)
    configuration.schemaVersion = 1
    configuration.migrationBlock = { _, _ in Issue.record("the block was called") }
    let error = #expect(throws: Realm.Error.self) {
      try Realm.performMigration(for: configuration)
    }
    #expect(error?.code == .schemaMismatch && error?.message.contains("synced realm") == true)
    configuration.migrationBlock = nil
    try Realm.performMigration(for: configuration)
  }

  /// Opens a file on this thread, without waiting for anything.
  ///
  /// - Returns: How many subscriptions the realm has then.
  private static func subscriptionCount(
    _ user: User, _ file: URL, _ callCount: CallCount
  ) throws -> Int {
    var configuration = user.flexibleSyncConfiguration(
      initialSubscriptions: { set in
        callCount.add()
        set.append(QuerySubscription<Task>(name: "tasks"))
      })
    configuration.fileURL = file
    configuration.objectTypes = [Task.self, Team.self]
    return try Realm(configuration: configuration).subscriptions.count
  }
}

final class CallCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
}

/// Subscriptions that a file is opened with.
enum Initial: String, Codable, Sendable {
  case open, everything, impossible

  @Sendable func add(to set: SyncSubscriptionSet) {
    switch self {
    case .open: set.addOrUpdate(QuerySubscription<Task>(name: "tasks") { $0.completed == false })
    case .everything: set.addOrUpdate(QuerySubscription<Task>(name: "tasks"))
    case .impossible:
      set.addOrUpdate(QuerySubscription<Team>(name: "teams", where: "lead.taskName == 'x'"))
    }
  }
}

extension TestDevice {
  /// Lets go of the realm, and waits until nothing of the process has the file open.
  fileprivate nonisolated func close() async throws {
    await forgetRealm()
    try await eventually { try SharedFile.existing(configuration) == nil }
  }

  /// Opens the file asynchronously.
  ///
  /// - Returns: How many tasks are there as soon as it is open.
  /// - Throws: Also when it must be a hang.
  func count(
    openingWith initial: Initial?, rerun: Bool = false, isEndedByFailures: Bool = false,
    behavior: Realm.OpenBehavior = .never, _ callCount: CallCount? = nil
  ) async throws -> Int {
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await self.open(initial, rerun, isEndedByFailures, behavior, callCount)
      }
      group.addTask {
        try await _Concurrency.Task.sleep(for: .seconds(1_800))
        throw TimeoutError()
      }
      defer { group.cancelAll() }
      return try #require(await group.next())
    }
  }

  private struct TimeoutError: Error {}

  private func open(
    _ initial: Initial?, _ rerun: Bool, _ isEndedByFailures: Bool,
    _ behavior: Realm.OpenBehavior, _ callCount: CallCount?
  ) async throws -> Int {
    var configuration = user.flexibleSyncConfiguration(
      cancelAsyncOpenOnNonFatalErrors: isEndedByFailures)
    if let initial {
      configuration = user.flexibleSyncConfiguration(
        cancelAsyncOpenOnNonFatalErrors: isEndedByFailures,
        initialSubscriptions: { set in
          callCount?.add()
          initial.add(to: set)
        }, rerunOnOpen: rerun)
    }
    configuration.fileURL = file
    configuration.objectTypes = [Task.self, Team.self]
    let realm = try await Realm(
      configuration: configuration, actor: self, downloadBeforeOpen: behavior)
    opened = realm
    return realm.objects(Task.self).count
  }
}
