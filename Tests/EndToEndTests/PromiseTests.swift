import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// What sync promises of subscription sets and of waits, each with a test, where `SyncTests` has
/// none.
@Suite(.waiting) struct PromiseTests {
  private static func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { realm in realm.objects(Task.self).map(\.taskName).sorted() }
  }

  private static func task(_ name: String) -> Task {
    let task = Task()
    task.taskName = name
    return task
  }

  /// Promise: sets.errorKeepsActive, sets.goodAfterBad, sets.everyError, waits.error, rule.reason.
  @Test func twoBadSetsAreBothReportedAndAGoodOneAfterThemWorks() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "all")) }
    try await device.write { $0.add(Self.task("here")) }
    for name in ["bad", "worse"] {
      await #expect {
        try await device.update { set in
          set.append(QuerySubscription<Team>(name: name, where: "lead.taskName == '\(name)'"))
        }
      } throws: { error in
        // The reason is readable: it names the rule and the path.
        (error as? Realm.Error)?.code == .subscriptionFailed
          && "\(error.localizedDescription)".contains("lead.taskName")
      }
    }
    #expect(try await Self.names(device) == ["here"])
    try await device.update { set in
      set.remove(named: "bad")
      set.remove(named: "worse")
      set.append(QuerySubscription<Team>(name: "teams"))
    }
    #expect(try await device.read { $0.subscriptions.state } == .complete)
    #expect(try await Self.names(device) == ["here"])
    await world.stopServer()
  }

  /// Promise: sets.failedUpdate, rule.syntax.
  @Test func aTextThatIsNoQueryChangesNothingAndSaysWhereItIsWrong() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await #expect {
      try await device.update { set in
        set.append(QuerySubscription<Task>(name: "x", where: "taskNam == 1"))
      }
    } throws: { error in
      error.localizedDescription.contains("taskNam") && error.localizedDescription.contains("^")
    }
    let (count, found) = try await device.read { realm in
      let subscriptions = realm.subscriptions
      return (
        subscriptions.count, subscriptions.first(ofType: Task.self, where: "taskNam ==") != nil
      )
    }
    #expect(count == 0)
    #expect(!found)
    await world.stopServer()
  }

  /// A message that no server accepts would end every connection.
  ///
  /// Promise: rule.setSize.
  @Test func aSetThatNoServerTakesIsNotCommitted() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let text = String(repeating: "x", count: 250_000)
    await #expect {
      try await device.update { set in
        for number in 0..<17 {
          set.append(QuerySubscription<Task>(where: "taskName == '\(text)\(number)'"))
        }
      }
    } throws: { error in
      (error as? Realm.Error)?.code == .subscriptionFailed
        && error.localizedDescription.contains("at most 10000 subscriptions")
    }
    #expect(try await device.version() == 0)
    await world.stopServer()
  }

  /// A wait for a set that a newer one replaces ends without an error.
  ///
  /// Promise: sets.offline, waits.superseded, shape.onComplete.
  @Test func aSupersededSetIsAValueAndNoError() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    let outcomes = Outcomes()
    try await device.change({ $0.append(QuerySubscription<Task>(name: "a")) }, outcomes.note)
    try await device.change({ $0.append(QuerySubscription<Task>(name: "b")) }, outcomes.note)
    try await world.startServer()
    try await device.reconnect()
    try await outcomes.wait(for: 2)
    #expect(outcomes.errors == [nil, nil])
    let (state, count) = try await device.read { ($0.subscriptions.state, $0.subscriptions.count) }
    #expect(state == .complete)
    #expect(count == 2)
    await world.stopServer()
  }

  /// Promise: waits.pause.
  @Test func aPauseEndsWaitsWithAnErrorAndTheSetStays() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    try await device.write { _ in }
    let waiting = _Concurrency.Task {
      try await device.update { $0.append(QuerySubscription<Task>(name: "late")) }
    }
    try await eventually { try await device.read { $0.subscriptions.count } == 1 }
    try await device.goOffline()
    await #expect(throws: SyncError.self) { try await waiting.value }
    #expect(try await device.read { $0.subscriptions.count } == 1)
    await #expect(throws: SyncError.self) { try await device.upload() }
    await #expect(throws: SyncError.self) { try await device.download() }
    try await world.startServer()
    try await device.goOnline()
    try await device.subscriptionsAreComplete()
    await world.stopServer()
  }

  /// Promise: waits.block.
  @Test func aWaitCanCallABlockOnAQueueOfTheApplication() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    let session = try #require(try await device.session())
    for direction in [SyncSession.ProgressDirection.upload, .download] {
      try await device.write { $0.add(Self.task("\(direction)")) }
      let name = "tests.atoll.\(direction)"
      let queue = DispatchQueue(label: name)
      let failure = await withCheckedContinuation { continuation in
        session.wait(for: direction, queue: queue) { error in
          dispatchPrecondition(condition: .onQueue(queue))
          continuation.resume(returning: error)
        }
      }
      #expect(failure == nil)
    }
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.names(witness).contains("upload"))
    // Without a queue as well, and with the error of a session that is suspended meanwhile.
    await world.stopServer()
    try await device.write { $0.add(Self.task("late")) }
    let failure = await withCheckedContinuation { continuation in
      session.wait(for: .upload) { continuation.resume(returning: $0) }
      session.suspend()
    }
    #expect((failure as? SyncError)?.code == .clientSessionError)
  }

  /// Promise: session.suspend.
  @Test func aSuspendedSessionExchangesNothingUntilItIsResumed() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Task>()) } }
    try await one.goOffline()
    let session = try #require(try await one.session())
    #expect(session.connectionState == .disconnected)
    try await one.write { $0.add(Self.task("mine")) }
    try await two.write { $0.add(Self.task("theirs")) }
    try await two.upload()
    try await two.download()
    #expect(try await Self.names(two) == ["theirs"])
    #expect(try await Self.names(one) == ["mine"])
    #expect(session.connectionState == .disconnected)
    try await one.goOnline()
    try await one.upload()
    try await one.download()
    #expect(try await Self.names(one) == ["mine", "theirs"])
    try await two.download()
    #expect(try await Self.names(two) == ["mine", "theirs"])
  }

  /// Promise: bootstrap.received.
  @Test func whatWasReceivedIsThereWithoutTheServer() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { $0.append(QuerySubscription<Task>()) }
    try await one.write { $0.add(Self.task("kept")) }
    try await one.upload()
    let two = try await world.device("two")
    try await two.update { $0.append(QuerySubscription<Task>()) }
    await world.stopServer()
    // Another session of the same file, which has no connection.
    let again = TestDevice(two.user, file: two.file)
    #expect(try await Self.names(again) == ["kept"])
    #expect(try await again.read { $0.subscriptions.state } == .complete)
  }

  /// A process of its own updates the set between two updates of this one.
  ///
  /// Promise: sets.version, sets.superseded, sets.offline, sets.persist,
  /// shape.waitForSynchronization.
  @Test func versionsOfSetsAreUniqueInAllProcesses() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    try await device.change { $0.append(QuerySubscription<Task>(name: "first")) }
    let before = try await device.version()
    await #expect(processExitsWith: .success) {
      [
        path = device.file.path as String, app = world.app.appId as String,
        folder = world.folder.path(of: "accounts") as String
      ] in
      try Realm.updateSubscriptionsInAnotherProcess(path, app: app, folder: folder)
    }
    try await device.change { $0.append(QuerySubscription<Task>(name: "third")) }
    #expect(try await device.version() == before + 2)
    #expect(try await device.subscriptionNames() == ["first", "second", "third"])
    // Nothing has vanished: the server has not accepted a newer one.
    #expect(try await device.pendingVersions() == [before, before + 1, before + 2])
    try await world.startServer()
    try await device.reconnect()
    try await device.subscriptionsAreComplete()
    #expect(try await device.pendingVersions() == [])
    await world.stopServer()
  }

  /// Promise: rule.reason.
  @Test(arguments: [
    ("dueDate > $0 SORT(dueDate ASC)", "SORT"), ("TRUEPREDICATE LIMIT(3)", "LIMIT"),
    ("TRUEPREDICATE DISTINCT(taskName)", "DISTINCT"),
  ])
  func whatAServerCannotFollowIsAReadableError(_ query: String, _ word: String) async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await #expect {
      try await device.update { set in
        set.append(QuerySubscription<Task>(name: "limit", where: query, Date()))
      }
    } throws: { "\($0.localizedDescription)".contains(word) }
    await world.stopServer()
  }

  /// Promise: progress.end.
  @Test func progressEndsAtOneAndNeverPassesIt() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    for mode in [SyncSession.ProgressMode.forCurrentlyOutstandingWork, .reportIndefinitely] {
      for direction in [SyncSession.ProgressDirection.upload, .download] {
        try await device.goOffline()
        for number in 0..<10 { try await device.write { $0.add(Self.task("task \(number)")) } }
        try await device.goOnline()
        let estimates = Estimates()
        let token = try await device.progress(direction, mode) { estimates.add($0) }
        try await eventually { estimates.values.last == 1 }
        #expect(estimates.values.allSatisfy { (0...1).contains($0) }, "\(estimates.values)")
        #expect(estimates.values == estimates.values.sorted(), "\(estimates.values)")
        withExtendedLifetime(token) {}
      }
    }
    await world.stopServer()
  }

  /// Promise: progress.upload.
  @Test func anUploadThatIsUnderWayDoesNotBeginAgainWithWhatIsWrittenMeanwhile() {
    var all = UploadEstimate(.reportIndefinitely)
    #expect(all.next(recorded: 14, answered: 4) == 0)
    #expect(all.next(recorded: 14, answered: 9) == 0.5)
    #expect(all.next(recorded: 24, answered: 9) == 0.25)
    #expect(all.next(recorded: 24, answered: 24) == 1)
    // What comes when nothing waits is new work.
    #expect(all.next(recorded: 28, answered: 25) == 0.25)
    var outstanding = UploadEstimate(.forCurrentlyOutstandingWork)
    #expect(outstanding.next(recorded: 14, answered: 4) == 0)
    #expect(outstanding.next(recorded: 24, answered: 9) == 0.5)
    #expect(outstanding.next(recorded: 24, answered: 14) == 1)
  }

  /// Promise: waits.timeout.
  @Test func aWaitForTheSetGivesUpAfterItsTimeAndTheSetStays() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    try await device.change { $0.append(QuerySubscription<Task>(name: "tasks")) }
    await #expect {
      try await device.waitForSubscriptions(timeout: 0.1)
    } throws: { error in
      let error = error as NSError
      return error.domain == NSPOSIXErrorDomain && error.code == Int(ETIMEDOUT)
    }
    #expect(try await device.subscriptionNames() == ["tasks"])
    try await world.startServer()
    try await device.reconnect()
    // Longer than any clock counts: forever.
    try await device.waitForSubscriptions(timeout: .infinity)
    #expect(try await device.read { $0.subscriptions.state } == .complete)
    // What is reached needs no connection.
    try await device.goOffline()
    for _ in 0..<20 {
      try await device.waitForSubscriptions()
      try await device.upload()
    }
    await world.stopServer()
  }

  /// Promise: sets.stale.
  @Test func anUpdateThroughAValueOfAnOlderSetChangesTheNewest() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "first")) }
    try await device.updateThroughOlderValues()
    #expect(try await device.subscriptionNames() == ["first", "second", "third", "fourth"])
    await world.stopServer()
  }
}

extension TestDevice {
  /// Updates the set through values that show versions before the newest one, which is complete for
  /// the first of them and has not reached the server for the second.
  fileprivate func updateThroughOlderValues() async throws {
    let realm = try await realm()
    let (older, alsoOlder, newest) = (
      realm.subscriptions, realm.subscriptions, realm.subscriptions
    )
    try await newest.update { newest.append(QuerySubscription<Task>(name: "second")) }
    try await older.update { older.append(QuerySubscription<Task>(name: "third")) }
    #expect(older.count == 3)
    alsoOlder.update(
      { alsoOlder.append(QuerySubscription<Task>(name: "fourth")) }, onComplete: nil)
    #expect(alsoOlder.count == 4)
  }
}

private final class Outcomes: Sendable {
  private let noted = Mutex<[String?]>([])

  var errors: [String?] { noted.withLock { $0 } }

  func note(_ error: (any Error)?) { noted.withLock { $0.append(error.map { "\($0)" }) } }

  func wait(for count: Int) async throws { try await eventually { self.errors.count == count } }
}

private final class Estimates: Sendable {
  private let seen = Mutex<[Double]>([])

  var values: [Double] { seen.withLock { $0 } }

  func add(_ progress: SyncSession.Progress) {
    seen.withLock { $0.append(progress.progressEstimate) }
  }
}

extension Realm {
  /// What another process of the same user does.
  fileprivate static func updateSubscriptionsInAnotherProcess(
    _ path: String, app: String, folder: String
  ) throws {
    let app = App(id: app, configuration: AppConfiguration(), folder: folder)
    var configuration = try #require(app.currentUser).flexibleSyncConfiguration()
    configuration.fileURL = URL(filePath: path)
    configuration.objectTypes = [Task.self, Team.self]
    let realm = try Realm(configuration: configuration)
    let subscriptions = realm.subscriptions
    subscriptions.update({ subscriptions.append(QuerySubscription<Task>(name: "second")) })
  }
}

extension TestDevice {
  fileprivate func change(
    _ body: @Sendable (SyncSubscriptionSet) -> Void,
    _ onComplete: @escaping @Sendable ((any Error)?) -> Void
  ) async throws {
    let subscriptions = try await realm().subscriptions
    subscriptions.update({ body(subscriptions) }, onComplete: onComplete)
  }

  fileprivate func version() async throws -> Int64 { try await realm().subscriptions.version }

  fileprivate func subscriptionsAreComplete() async throws {
    try await realm().subscriptions.waitForSynchronization()
  }

  fileprivate func progress(
    _ direction: SyncSession.ProgressDirection, _ mode: SyncSession.ProgressMode,
    _ block: @escaping @Sendable (SyncSession.Progress) -> Void
  ) async throws -> SyncSession.ProgressNotificationToken? {
    try await realm().syncSession?.addProgressNotification(for: direction, mode: mode, block: block)
  }
}
