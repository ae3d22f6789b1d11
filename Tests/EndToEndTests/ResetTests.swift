import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// A server that was restored from a backup, a device that was, and a copy of a file.
@Suite(.waiting) struct ResetTests {
  /// The realms passed to the blocks of a reset.
  private final class Seen: Sendable {
    let before = Mutex<[[String]]>([])
    let after = Mutex<[(frozen: [String], live: [String])]>([])

    @Sendable func willReset(_ realm: Realm) {
      #expect(realm.isFrozen)
      before.withLock { $0.append(ResetTests.names(realm)) }
    }

    @Sendable func didReset(_ frozen: Realm, _ live: Realm) {
      #expect(frozen.isFrozen && !live.isFrozen)
      after.withLock { $0.append((ResetTests.names(frozen), ResetTests.names(live))) }
    }
  }

  private static func names(_ realm: Realm) -> [String] {
    realm.objects(Task.self).map(\.taskName).sorted()
  }

  private static func open(_ configuration: Realm.Configuration) throws -> [String] {
    names(try Realm(configuration: configuration))
  }

  private static func write(_ name: String, _ device: TestDevice) async throws {
    try await device.write { realm in
      let task = Task()
      task.taskName = name
      realm.add(task)
    }
  }

  private static func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { names($0) }
  }

  /// A device that has "old" and what the server has lost, "lost", and has written "mine" and
  /// renamed "old" since.
  private static func restored(
    _ world: SyncWorld, _ mode: ClientResetMode
  ) async throws -> TestDevice {
    let first = try await world.device("one")
    let device = TestDevice(first.user, file: first.file, resetMode: mode)
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await write("old", device)
    try await device.synchronize()
    await world.stopServer()
    try world.backUpServer()
    try await world.startServer()
    try await device.reconnect()
    try await write("lost", device)
    try await device.synchronize()
    await world.stopServer()
    try await write("mine", device)
    try await device.write { realm in
      realm.objects(Task.self).where { $0.taskName == "old" }.first?.taskName = "renamed"
    }
    try world.restoreServer()
    return device
  }

  /// Promise: waits.reset, reset.recover, reset.blocks, reset.observers, reset.older.
  @Test func recoveringBringsWhatWasNotSentAndKeepsObserversAlive() async throws {
    let world = try await SyncWorld()
    let seen = Seen()
    let device = try await Self.restored(
      world,
      .recoverUnsyncedChanges(beforeReset: seen.willReset, afterReset: seen.didReset))
    let changes = try await device.observeTasks()
    // A wait that began before the reset ends after it.
    let wait = _Concurrency.Task { try await device.upload() }
    try await world.startServer()
    try await device.reconnect()
    try await wait.value
    try await device.synchronize()
    #expect(try await Self.names(device) == ["mine", "renamed"])
    // The server has lost one of the objects, which is in a copy.
    #expect(copies(of: device).count == 1)
    let errors = world.refusals.withLock { $0.filter { $0.code == .clientResetError } }
    #expect(errors.count == 1)
    #expect(seen.before.withLock { $0 } == [["lost", "mine", "renamed"]])
    #expect(seen.after.withLock { $0.map(\.frozen) } == [["lost", "mine", "renamed"]])
    #expect(seen.after.withLock { $0.map(\.live) } == [["mine", "renamed"]])
    try await eventually { changes.withLock { $0.last } == ["mine", "renamed"] }
    // The server has it too.
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.names(witness) == ["mine", "renamed"])
    await world.stopServer()
  }

  private func copies(of device: TestDevice) -> [String] {
    let folder = device.file.deletingLastPathComponent().appending(path: "recovered").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasSuffix("-lock") }.sorted()
  }

  /// A server that begins anew would else take from all devices what they have.
  ///
  /// Promise: reset.emptied.
  @Test(arguments: [BootstrapMode.atomic, .progressive])
  func aCopyIsKeptWhereTheServerHasNothingOfTheFile(mode: BootstrapMode) async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one", bootstrapMode: mode)
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.synchronize()
    await world.stopServer()
    // All accounts, and no object.
    try world.backUpServer()
    try await world.startServer()
    try await device.reconnect()
    try await Self.write("deleted", device)
    try await device.synchronize()
    try await device.write { $0.deleteAll() }
    try await Self.write("a", device)
    try await Self.write("b", device)
    try await device.synchronize()
    #expect(copies(of: device) == [])
    await world.stopServer()
    try await Self.write("pending", device)
    try world.restoreServer()
    try await world.startServer()
    try await device.reconnect()
    try await device.synchronize()
    #expect(try await Self.names(device) == ["pending"])
    let errors = world.refusals.withLock { $0.filter { $0.code == .clientResetError } }
    #expect(errors.count == 1)
    let (path, token) = try #require(errors.first?.clientResetInfo())
    #expect(copies(of: device) == [URL(filePath: path).lastPathComponent])
    var copy = Realm.Configuration(fileURL: URL(filePath: path))
    copy.objectTypes = [Task.self]
    #expect(try Self.open(copy) == ["a", "b", "pending"])
    // There is nothing to handle.
    SyncSession.immediatelyHandleError(token)
    try await Self.write("later", device)
    try await device.synchronize()
    #expect(try await Self.names(device) == ["later", "pending"])
    await world.stopServer()
  }

  @Test func theOldestAndTheNewestCopiesOfAnEmptiedFileStay() throws {
    let folder = TestSupport.TemporaryFolder()
    let recovered = URL(filePath: folder.path(of: "recovered"))
    try FileManager.default.createDirectory(at: recovered, withIntermediateDirectories: true)
    let names = [
      "tasks-5.atoll", "tasks-emptied-9.atoll", "tasks-emptied-10.atoll", "tasks-emptied-11.atoll",
      "tasks-emptied-100.atoll", "tasks-emptied-7.other", "tasks-emptied-x.atoll",
      "tasks-emptied-8.atoll", "tasks-emptied-9.atoll-lock", "others-emptied-1.atoll",
    ]
    for name in names { try Data().write(to: recovered.appending(path: name)) }
    ClientReset.removeOldEmptiedCopies(of: folder.path(of: "tasks.atoll"))
    let left = try FileManager.default.contentsOfDirectory(atPath: recovered.path)
    #expect(
      Set(names).subtracting(left) == [
        "tasks-emptied-9.atoll", "tasks-emptied-10.atoll", "tasks-emptied-9.atoll-lock",
      ])
  }

  /// Promise: reset.discard, reset.blocks.
  @Test func discardingGivesUpWhatWasNotSent() async throws {
    let world = try await SyncWorld()
    let seen = Seen()
    let device = try await Self.restored(
      world,
      .discardUnsyncedChanges(beforeReset: seen.willReset, afterReset: seen.didReset))
    try await world.startServer()
    try await device.reconnect()
    try await eventually { seen.after.withLock { !$0.isEmpty } }
    try await device.synchronize()
    #expect(try await Self.names(device) == ["old"])
    #expect(seen.before.withLock { $0 } == [["lost", "mine", "renamed"]])
    #expect(seen.after.withLock { $0.map(\.live) } == [["old"]])
    // It continues, and nothing was refused.
    try await Self.write("new", device)
    try await device.synchronize()
    #expect(try await Self.names(device) == ["new", "old"])
    #expect(world.refusals.withLock { $0.map(\.code) } == [.clientResetError])
    // Once only.
    await world.stopServer()
    try await world.startServer()
    try await device.reconnect()
    try await device.synchronize()
    #expect(seen.before.withLock { $0.count } == 1)
    await world.stopServer()
  }

  /// Promise: reset.manual.
  @Test func manualWaitsForTheApplicationAndKeepsACopy() async throws {
    let world = try await SyncWorld()
    let errors = Mutex<[SyncError]>([])
    let device = try await Self.restored(
      world,
      .manual { error, session in
        #expect(session != nil)
        if let error = error as? SyncError { errors.withLock { $0.append(error) } }
      })
    try await world.startServer()
    try await device.reconnect()
    try await eventually { errors.withLock { !$0.isEmpty } }
    let error = try #require(errors.withLock { $0.first })
    #expect(error.code == .clientResetError)
    let (path, token) = try #require(error.clientResetInfo())
    #expect(try await device.session()?.state == .inactive)
    #expect(try await Self.names(device) == ["lost", "mine", "renamed"])
    #expect(!FileManager.default.fileExists(atPath: path))
    // Trying again changes nothing, and says it again.
    try await device.goOnline()
    try await eventually { errors.withLock { $0.count == 2 } }
    #expect(try await Self.names(device) == ["lost", "mine", "renamed"])
    SyncSession.immediatelyHandleError(token)
    try await device.synchronize()
    #expect(try await Self.names(device) == ["old"])
    var copy = Realm.Configuration(fileURL: URL(filePath: path))
    copy.objectTypes = [Task.self, Team.self]
    #expect(try Self.open(copy) == ["lost", "mine", "renamed"])
    await world.stopServer()
  }

  /// Promise: reset.manual.
  @Test func manualGivesUpNothingThatIsWrittenAfterTheCopy() async throws {
    let world = try await SyncWorld()
    let errors = Mutex<[SyncError]>([])
    let device = try await Self.restored(
      world,
      .manual { error, _ in
        if let error = error as? SyncError { errors.withLock { $0.append(error) } }
      })
    try await world.startServer()
    try await device.reconnect()
    try await eventually { errors.withLock { !$0.isEmpty } }
    let (_, token) = try #require(errors.withLock { $0.first }?.clientResetInfo())
    await world.stopServer()
    SyncSession.immediatelyHandleError(token)
    try await Self.write("late", device)
    try await world.startServer()
    try await device.reconnect()
    try await device.synchronize()
    #expect(try await Self.names(device) == ["late", "old"])
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }

  /// Promise: reset.reopened.
  @Test func aFileThatWaitedIsResetWhenItIsOpenedAgain() async throws {
    let world = try await SyncWorld()
    let errors = Mutex<[SyncError]>([])
    let device = try await Self.restored(
      world,
      .manual { error, _ in
        if let error = error as? SyncError { errors.withLock { $0.append(error) } }
      })
    try await world.startServer()
    let session = try #require(try await device.session())
    try await device.reconnect()
    try await eventually { errors.withLock { !$0.isEmpty } }
    await device.forgetRealm()
    try await eventually { session.state == .invalid }
    try await device.synchronize()
    #expect(try await Self.names(device) == ["old"])
    let folder = device.file.deletingLastPathComponent().appending(path: "recovered")
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(copies.filter { $0.hasSuffix(".atoll") }.count == 1)
    await world.stopServer()
  }

  /// Only a pause ends a wait for subscriptions: a reset continues with the set.
  ///
  /// Promise: waits.reset.
  @Test(arguments: [false, true])
  func aWaitForSubscriptionsEndsCompleteAfterTheReset(isDiscarding: Bool) async throws {
    let world = try await SyncWorld()
    let seen = Seen()
    let device = try await Self.restored(
      world,
      isDiscarding
        ? .discardUnsyncedChanges(beforeReset: seen.willReset, afterReset: seen.didReset)
        : .recoverUnsyncedChanges(beforeReset: seen.willReset, afterReset: seen.didReset))
    let wait = _Concurrency.Task {
      try await device.update { $0.append(QuerySubscription<Team>(name: "teams")) }
    }
    try await eventually { try await device.pendingVersions().count == 1 }
    try await world.startServer()
    try await device.reconnect()
    try await wait.value
    #expect(seen.before.withLock { $0.count } == 1)
    #expect(try await device.read { $0.subscriptions.state } == .complete)
    #expect(try await device.subscriptionNames() == [nil, "teams"])
    await world.stopServer()
  }

  /// Promise: reset.recover, reset.order.
  @Test func setsAndTheWritesBetweenThemSurviveARecoveryInTheirOrder() async throws {
    let world = try await SyncWorld()
    let device = try await Self.restored(world, .recoverUnsyncedChanges())
    for name in ["A", "B"] {
      try await device.change { set in
        set.removeAll()
        set.append(QuerySubscription<Task>(name: name) { $0.taskName == name })
      }
      try await Self.write(name, device)
    }
    #expect(try await device.pendingVersions().count == 2)
    try await world.startServer()
    try await device.reconnect()
    try await device.waitForSubscriptions()
    try await device.synchronize()
    // Another set takes objects away; one of them is not on the server any more.
    #expect(copies(of: device).count == 1)
    // Each write was judged by the set that was in force when it was made.
    #expect(world.refusals.withLock { $0.map(\.code) } == [.clientResetError])
    #expect(try await Self.names(device) == ["B"])
    #expect(try await device.subscriptionNames() == ["B"])
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.names(witness) == ["A", "B", "mine", "renamed"])
    await world.stopServer()
  }

  /// Promise: reset.observers.
  @Test func discardingKeepsObjectsResultsAndObserversAlive() async throws {
    let world = try await SyncWorld()
    let device = try await Self.restored(world, .discardUnsyncedChanges())
    let holder = Holder()
    try await holder.open(device.configuration)
    try await eventually { await holder.names == ["lost", "mine", "renamed"] }
    try await world.startServer()
    try await device.reconnect()
    try await eventually { await holder.names == ["old"] }
    // Objects on the server stay the same objects, and others are removed.
    #expect(await holder.sharedName == "old")
    #expect(await holder.isOwnInvalidated)
    #expect(await holder.changes == ["old"])
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    try await witness.write { $0.objects(Task.self).first?.taskName = "newest" }
    try await eventually { await holder.names == ["newest"] }
    #expect(await holder.changes == ["old", "newest"])
    // They can be written to as before.
    try await holder.rename("by the holder")
    try await device.upload()
    try await witness.download()
    #expect(try await Self.names(witness) == ["by the holder"])
    await world.stopServer()
  }

  /// The device's file is put back to how it was; what it had sent since is on the server.
  ///
  /// Promise: reset.copies.
  @Test func aRestoredDeviceGetsWhatItHadAndDoublesNothing() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await Self.write("old", device)
    try await device.synchronize()
    await world.stopServer()
    // Offline, both the copy and the file have it in their outboxes.
    try await Self.write("pending", device)
    let session = try #require(try await device.session())
    let backup = device.file.deletingPathExtension().appendingPathExtension("backup")
    try await device.write { _ in }
    try FileManager.default.copyItem(at: device.file, to: backup)
    try await world.startServer()
    try await device.reconnect()
    try await Self.write("later", device)
    try await device.synchronize()
    await device.forgetRealm()
    try await eventually { session.state == .invalid }
    // A copy beside it continues under its own id.
    let copy = TestDevice(device.user, file: backup)
    try await copy.synchronize()
    #expect(try await Self.names(copy) == ["later", "old", "pending"])
    try await Self.write("by the copy", copy)
    try await copy.synchronize()
    try await Self.write("by the first", device)
    try await device.synchronize()
    try await copy.synchronize()
    let all = ["by the copy", "by the first", "later", "old", "pending"]
    #expect(try await Self.names(device) == all)
    #expect(try await Self.names(copy) == all)
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }
}

/// Objects, results and observers that are held during a client reset.
private actor Holder {
  private var realm: Realm?
  private var results: Results<Task>?
  /// A task that the server has, and one that it has not.
  private var shared: Task?
  private var own: Task?
  /// The observed changes: all names, and each new name of the shared task.
  private(set) var names: [String] = []
  private(set) var changes: [String] = []
  private var tokens: [NotificationToken] = []

  var sharedName: String? { shared?.isInvalidated == false ? shared?.taskName : nil }
  var isOwnInvalidated: Bool { own?.isInvalidated == true }

  func open(_ configuration: Realm.Configuration) async throws {
    let realm = try await Realm(configuration: configuration, actor: self)
    let results = realm.objects(Task.self).sorted(by: \.taskName)
    self.realm = realm
    self.results = results
    shared = results.where { $0.taskName == "renamed" }.first
    own = results.where { $0.taskName == "mine" }.first
    let token = await results.observe(on: self) { holder, change in
      if case .error(let error) = change { Issue.record(error) }
      holder.names = holder.results.map { Array($0.map(\.taskName)) } ?? []
    }
    tokens.append(token)
    guard let shared else { return }
    tokens.append(
      shared.observe { [weak self] (change: ObjectChange<Task>) in
        let name =
          switch change {
          case .change(let task, _): task.taskName
          case .deleted: "deleted"
          case .error(let error): "\(error)"
          }
        self?.assumeIsolated { $0.changes.append(name) }
      })
  }

  func rename(_ name: String) throws {
    guard sharedName != nil else { return }
    try realm?.write { shared?.taskName = name }
  }
}

extension TestDevice {
  /// Follows the names of all tasks.
  fileprivate func observeTasks() async throws -> Observed {
    let observed = Observed()
    let token = try await realm().objects(Task.self).observe { change in
      switch change {
      case .initial(let tasks), .update(let tasks, _, _, _):
        observed.names.withLock { $0.append(tasks.map(\.taskName).sorted()) }
      case .error: break
      }
    }
    observed.token.withLock { $0 = token }
    return observed
  }
}

private final class Observed: Sendable {
  let names = Mutex<[[String]]>([])
  let token = Mutex<NotificationToken?>(nil)

  func withLock<Result>(_ body: ([[String]]) -> Result) -> Result { names.withLock { body($0) } }
}
