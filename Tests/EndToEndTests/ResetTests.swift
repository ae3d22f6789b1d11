import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Atoll

/// A server that was restored from a backup, a device that was, and a copy of a file.
@Suite struct ResetTests {
  /// What the blocks of a reset saw.
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

  /// A device that has "old" and what the server has lost, "lost", and has written "mine" and renamed
  /// "old" since.
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

  /// Promise: waits.reset, reset.recover, reset.blocks, reset.observers.
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
    // It goes on, and nothing was refused.
    try await Self.write("new", device)
    try await device.synchronize()
    #expect(try await Self.names(device) == ["new", "old"])
    #expect(world.refusals.withLock { $0.isEmpty })
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
    // A copy beside it goes on under an id of its own.
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
