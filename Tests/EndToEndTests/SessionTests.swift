import Dispatch
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// When sessions begin and end.
@Suite(.waiting) struct SessionTests {
  private static func write(_ name: String, _ device: TestDevice) async throws {
    try await device.write { realm in
      let task = Task()
      task.taskName = name
      realm.add(task)
    }
  }

  private static func session(_ device: TestDevice) async throws -> SyncSession {
    try #require(try await device.session())
  }

  /// Promise: session.end.
  @Test func aSessionEndsWithTheLastRealmOnceTheOutboxIsEmpty() async throws {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    let session = try await Self.session(device)
    await world.stopServer()
    try await Self.write("last words", device)
    await device.forgetRealm()
    #expect(session.state == .active)
    try await world.startServer()
    session.reconnect()
    try await eventually { session.state == .invalid }
    try await witness.reconnect()
    try await witness.download()
    #expect(try await witness.read { $0.objects(Task.self).map(\.taskName) } == ["last words"])
    // Opened again, the file has a session of its own.
    let next = try await Self.session(device)
    #expect(next != session)
    try await eventually { next.connectionState == .connected }
    await world.stopServer()
  }

  /// Promise: session.user.
  @Test func aLogInAfterALogOutGoesOnWithTheSameSession() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    let session = try await Self.session(device)
    try await device.user.logOut()
    #expect(session.state == .inactive)
    try await Self.write("logged out", device)
    await #expect {
      try await device.upload()
    } throws: { ($0 as? SyncError)?.code == .clientUserError }
    let again = try await world.device("one")
    #expect(again.user == device.user)
    #expect(session.state == .active)
    try await device.upload()
    await world.stopServer()
  }

  /// A batch that had arrived was applied while the next connection had begun, whose HELLO did not
  /// name it: the server took its objects for lost, and they stayed on the device for ever.
  @Test func theNextConnectionWaitsUntilTheLastOneHasLeftTheFileAlone() async throws {
    let world = try await SyncWorld()
    // What the connection does runs on one queue, which the block of a reset holds up.
    let (resets, isGoingOn) = (Monitor(0), DispatchSemaphore(value: 0))
    let device = TestDevice(
      try await world.device("one").user, file: URL(filePath: world.folder.path(of: "held.atoll")),
      resetMode: .recoverUnsyncedChanges(beforeReset: { _ in
        let isFirst = resets.withLock { count in
          count += 1
          return count == 1
        }
        if isFirst { isGoingOn.wait() }
      }))
    defer { isGoingOn.signal() }
    try await device.update { $0.append(QuerySubscription<Task>()) }
    let session = try await Self.session(device)
    await world.stopServer()
    try world.backUpServer()
    try await world.startServer()
    session.reconnect()
    try await Self.write("lost", device)
    try await device.synchronize()
    await world.stopServer()
    try world.restoreServer()
    try await world.startServer()
    session.reconnect()
    await resets.wait { $0 > 0 }
    session.suspend()
    #expect(try await !device.isNetworkFree())
    session.resume()
    session.reconnect()
    #expect(session.connectionState == .disconnected)
    #expect(try await !device.isNetworkFree())
    isGoingOn.signal()
    try await device.synchronize()
    #expect(session.connectionState == .connected)
    await world.stopServer()
  }

  /// The handler ran where what arrives is applied: one that waited for something stopped sync.
  ///
  /// Promise: refusals.stopNothing.
  @Test func aHandlerThatBlocksStopsNothingAndHearsAllInOrder() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task> { $0.taskName == "inside" }) }
    let (heard, isGoingOn) = (Monitor<[String]>([]), DispatchSemaphore(value: 0))
    world.app.syncManager.errorHandler = { error, _ in
      let isFirst = heard.withLock { heard in
        heard.append((error as? SyncError)?.compensatingWriteInfo?.first?.primaryKeyText ?? "")
        return heard.count == 1
      }
      if isFirst { isGoingOn.wait() }
    }
    defer { isGoingOn.signal() }
    var keys: [String] = []
    for _ in 0..<3 {
      keys.append(try await device.writeTask("outside"))
      // Without the wait for the handler that `upload()` of the device has.
      try await Self.session(device).wait(for: .upload)
    }
    await heard.wait { !$0.isEmpty }
    try await Self.write("inside", device)
    try await Self.session(device).wait(for: .upload)
    try await Self.session(device).wait(for: .download)
    #expect(heard.withLock { $0.count } == 1)
    // What was not heard to the end is not noted as told.
    #expect(try await device.untoldCount() >= 3)
    isGoingOn.signal()
    await heard.wait { $0.count == 3 }
    #expect(heard.withLock { $0 } == keys)
    await world.app.syncManager.waitForHandler()
    #expect(try await device.untoldCount() == 0)
    await world.stopServer()
  }

  /// The file stayed that of the removed user, and the next opening of the path got it.
  ///
  /// Promise: session.connectionStates, session.user.
  @Test func theOpenFileOfARemovedUserStaysReadableAndIsNobodys() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    // Where removing the user deletes it.
    let device = TestDevice(
      user, file: user.app.directory(of: user).appending(path: "default.atoll"))
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await Self.write("kept", device)
    let session = try await Self.session(device)
    let states = session.connectionStates
    try await device.goOffline()
    try await device.change { $0.append(QuerySubscription<Team>()) }
    try await device.user.remove()
    #expect(session.state == .invalid)
    // They end with the session.
    for await _ in states {}
    try await eventually { world.refusals.withLock { !$0.isEmpty } }
    #expect(world.refusals.withLock { $0.map(\.code) } == [.clientUserError])
    #expect(world.refusals.withLock { $0.first?.message.contains(device.file.path) } == true)
    #expect(try await device.session() == nil)
    // It receives nothing from the server: waits for that fail.
    await #expect {
      try await device.waitForSubscriptions()
    } throws: { ($0 as? SyncError)?.code == .clientUserError }
    await #expect(throws: Realm.Error.self) {
      try await device.update { $0.append(QuerySubscription<Team>()) }
    }
    #expect(try await device.read { $0.objects(Task.self).map(\.taskName) } == ["kept"])
    let other = TestDevice(try await world.device("two").user, file: device.file)
    try await other.update { $0.append(QuerySubscription<Task>()) }
    try await Self.write("mine", other)
    try await other.upload()
    // The server may have had the other task before the user was removed.
    #expect(try await other.read { $0.objects(Task.self).map(\.taskName).contains("mine") })
    #expect(try await device.read { $0.objects(Task.self).map(\.taskName) } == ["kept"])
    #expect(try await device.session() == nil)
    await world.stopServer()
  }

  /// The end of a listener and a new state took the locks of the task and of the session in
  /// opposite orders.
  @Test func listenersMayEndWhileTheStateChanges() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let session = try await Self.session(device)
    let switching = _Concurrency.Task.detached {
      for _ in 0..<200 {
        session.suspend()
        session.resume()
      }
    }
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let listening = _Concurrency.Task {
              for await _ in session.connectionStates {}
            }
            await _Concurrency.Task.yield()
            listening.cancel()
            await listening.value
          }
        }
      }
    }
    await switching.value
    try await eventually { session.connectionState == .connected }
    await device.forgetRealm()
    await world.stopServer()
  }

  /// Promise: session.user.
  @Test func aUserWhoComesBackAfterARemovalHasAnotherSession() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    let session = try await Self.session(device)
    let error: (any Error)? = await withCheckedContinuation { continuation in
      device.user.remove { continuation.resume(returning: $0) }
    }
    #expect(error == nil)
    let again = try await world.device("one")
    try await again.update { $0.append(QuerySubscription<Task>(name: "again")) }
    try await Self.write("back", again)
    try await again.upload()
    #expect(try await Self.session(again) != session)
    #expect(session.state == .invalid)
    // The old realm reads the same file.
    #expect(try await device.read { $0.objects(Task.self).map(\.taskName) } == ["back"])
    await world.stopServer()
  }

  @Test func aFileThatIsTakenAwayIsAnErrorOfTheNextWrite() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await Self.write("here", device)
    try FileManager.default.removeItem(at: device.file)
    await #expect(throws: Realm.Error.self) { try await Self.write("gone", device) }
    // Objects read before stay readable.
    #expect(try await device.read { $0.objects(Task.self).count } == 1)
    #expect(try await device.read { $0.subscriptions.count } == 1)
    await world.stopServer()
  }

  /// Promise: sets.handle.
  @Test func anUpdateMayBeTheFirstToMentionAClass() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    // As an application that names no classes: the file is made without any.
    #expect(try await device.subscribeToAClassOfItsOwn() == 1)
    await world.stopServer()
  }

  /// The observers of the realm are notified of the class during the update.
  ///
  /// Promise: sets.handle.
  @Test func anObserverOfANewClassMayLookAtTheSubscriptions() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let seen = try await device.looksAtSubscriptions()
    #expect(seen == [[], ["first"], ["first", "look", "late"]])
    await world.stopServer()
  }

  /// Promise: legacy.subscribe, legacy.states, legacy.unsubscribe.
  @Test func theOldFormOfASubscriptionTellsOfItsStates() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let states = try await device.oldSubscription()
    #expect(states.last == .invalidated)
    #expect(states.contains(.complete))
    #expect(try await device.read { $0.subscriptions.count } == 0)
    await world.stopServer()
  }

  /// It would be committed before the update, and be judged by the set before it.
  ///
  /// Promise: sets.handle, sets.noWriteInside.
  @Test func aWriteInsideOfAnUpdateOfTheSubscriptionsIsRefused() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.read { realm in
      let subscriptions = realm.subscriptions
      var refusal: (any Error)?
      subscriptions.update({
        subscriptions.append(QuerySubscription<Task>())
        do { try realm.write {} } catch { refusal = error }
      })
      #expect((refusal as? Realm.Error)?.message.contains("subscriptions.update") == true)
      #expect(subscriptions.count == 1)
      try realm.write { realm.add(Task(value: ["taskName": "after"])) }
    }
    await world.stopServer()
  }

  /// Two cores of an app are as good as two processes.
  @Test func twoProcessesKeepEachOthersUsers() async throws {
    let world = try await SyncWorld()
    let folder = URL(filePath: world.folder.path(of: "shared"))
    let cores = (0..<2).map { _ in
      AppCore(id: "shared", configuration: world.app.configuration, directory: folder)
    }
    for (core, name) in zip(cores, ["ann", "bob"]) {
      let email = "\(name)@example.com"
      try await core.service().register(email: email, password: "a long password")
      _ = try await core.logIn(.emailPassword(email: email, password: "a long password"))
    }
    let emails = {
      AppCore(id: "shared", configuration: world.app.configuration, directory: folder)
        .users.values.compactMap(\.profile.email).sorted()
    }
    #expect(emails() == ["ann@example.com", "bob@example.com"])
    let ann = try #require(cores[0].users.values.first)
    try await ann.remove()
    #expect(emails() == ["bob@example.com"])
    await world.stopServer()
  }
}

/// Mentioned nowhere but in an update.
private class Stranger: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
}

/// Mentioned nowhere but in an update whose observers look at the subscriptions.
private class Newcomer: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
}

private class LateComer: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
}

extension TestDevice {
  /// Adds a task; returns its key.
  fileprivate func writeTask(_ name: String) async throws -> String {
    try await write { realm in
      let task = Task()
      task.taskName = name
      realm.add(task)
      return task._id.stringValue
    }
  }

  fileprivate func subscribeToAClassOfItsOwn() async throws -> Int {
    var configuration = configuration
    configuration.objectTypes = nil
    let realm = try await Realm(configuration: configuration, actor: self)
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<Stranger>(name: "strangers"))
    }
    return subscriptions.count
  }

  /// The names of the subscriptions as an observer of the realm sees them, which adds one itself.
  fileprivate func looksAtSubscriptions() async throws -> [[String]] {
    var configuration = configuration
    configuration.objectTypes = nil
    let realm = try await Realm(configuration: configuration, actor: self)
    var seen: [[String]] = []
    var isUpdating = false
    let token = realm.observe { _, realm in
      let subscriptions = realm.subscriptions
      guard isUpdating else { return }
      seen.append(subscriptions.compactMap(\.name))
      if seen.count == 2 { subscriptions.append(QuerySubscription<Newcomer>(name: "look")) }
    }
    let subscriptions = realm.subscriptions
    isUpdating = true
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<Newcomer>(name: "first"))
      subscriptions.append(QuerySubscription<LateComer>(name: "late"))
      isUpdating = false
      seen.append(subscriptions.compactMap(\.name))
    }
    token.invalidate()
    return seen
  }

  /// Subscribes in the old form, waits, and unsubscribes.
  fileprivate func oldSubscription() async throws -> [QueryBasedSubscription.State] {
    let realm = try await realm()
    let (stream, continuation) = AsyncStream.makeStream(of: QueryBasedSubscription.State.self)
    let subscription = Self.subscribe(realm)
    let token = subscription.observe(\.state) { continuation.yield($0) }
    var states: [QueryBasedSubscription.State] = []
    for await state in stream {
      states.append(state)
      if state == .complete { subscription.unsubscribe() }
      if state == .invalidated { break }
    }
    token.invalidate()
    return states
  }

  /// Not asynchronous, as the old form is not.
  private static func subscribe(_ realm: Realm) -> QueryBasedSubscription {
    realm.objects(Task.self).where { $0.completed == false }.subscribe(named: "open")
  }
}
