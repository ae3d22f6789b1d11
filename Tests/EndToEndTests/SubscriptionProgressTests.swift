import AtollCapture
import AtollObjects
import AtollSync
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// How far each subscription is, and what a program can wait for.
@Suite(.waiting) struct SubscriptionProgressTests {
  private static func task(_ name: String) -> Task {
    let task = Task()
    task.taskName = name
    return task
  }

  private static func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { realm in realm.objects(Task.self).map(\.taskName).sorted() }
  }

  /// A set said only that one of its members was wrong.
  ///
  /// Promise: sets.member.
  @Test func theSubscriptionThatIsRefusedHasTheReasonAndOthersHaveTheirOwnStates() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "tasks")) }
    await #expect(throws: Realm.Error.self) {
      try await device.update { set in
        set.append(QuerySubscription<Team>(name: "bad", where: "lead.taskName == 'x'"))
        set.append(QuerySubscription<Team>(name: "good"))
      }
    }
    let (states, reasons) = try await device.read { realm in
      let states: [SyncSubscriptionState] = realm.subscriptions.map(\.state)
      let reasons: [String] = states.map { state in
        guard case .error(let error) = state else { return "" }
        return error.localizedDescription
      }
      return (states.map { $0 == .complete }, reasons)
    }
    #expect(states == [true, false, false])
    #expect(reasons[1].contains("lead.taskName"))
    // Refused with its set: the reason names the other one.
    #expect(reasons[2].contains("lead.taskName"))
    try await device.update { $0.remove(named: "bad") }
    #expect(try await device.read { $0.subscriptions.map(\.state) } == [.complete, .complete])
    #expect(try await device.read { $0.subscriptions.map(\.progressEstimate) } == [1, 1])
    await world.stopServer()
  }

  /// Promise: view.overlap, view.leave, view.unsubscribeWaits.
  @Test func unsubscribingWaitsUntilTheObjectsHaveLeft() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { set in
      set.append(QuerySubscription<Task>(name: "all"))
      set.append(QuerySubscription<Task>(name: "kept") { $0.taskName == "kept" })
    }
    try await device.write { realm in
      for name in ["kept", "left"] { realm.add(Self.task(name)) }
    }
    // Not sent yet: nothing of it is lost.
    try await device.unsubscribe(named: "all")
    #expect(try await Self.names(device) == ["kept"])
    let other = try await world.device("two")
    try await other.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.names(other) == ["kept", "left"])
    await world.stopServer()
  }

  /// Promise: view.covered.
  @Test func aFileKnowsUpToWhenItHasEverything() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    #expect(try await one.read { $0.subscriptions.coveredThrough } == nil)
    for device in [one, two] {
      try await device.update { $0.append(QuerySubscription<Task>(name: "all")) }
    }
    let first = try #require(try await one.read { $0.subscriptions.coveredThrough })
    #expect(try await one.read { $0.subscriptions.first?.coveredThrough } == first)
    // Also while nothing changes.
    try await _Concurrency.Task.sleep(for: .milliseconds(2))
    try await one.catchUp()
    let second = try #require(try await one.read { $0.subscriptions.coveredThrough })
    #expect(second > first)
    try await two.write { $0.add(Self.task("new")) }
    try await two.upload()
    try await one.catchUp(to: second.addingTimeInterval(0.05))
    let third = try #require(try await one.read { $0.subscriptions.coveredThrough })
    #expect(third >= second.addingTimeInterval(0.05))
    #expect(try await Self.names(one) == ["new"])
    // What it has is known also without a connection; more is not.
    try await one.goOffline()
    #expect(try await one.read { $0.subscriptions.coveredThrough } == third)
    await #expect(throws: Atoll.SyncError.self) { try await one.catchUp() }
    await world.stopServer()
  }

  /// Promise: view.verified.
  @Test func aFileIsComparedWithTheServer() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "all")) }
    try await device.write { $0.add(Self.task("known")) }
    #expect(try await device.verify() == 0)
    // As no program can: the row goes, and nothing is recorded.
    try await device.database().write { transaction in
      transaction.origin = .sync
      var found: [ObjectKey] = []
      try transaction.table("Task").forEach { found.append($0.key) }
      for key in found { try transaction.delete("Task", key) }
    }
    #expect(try await Self.names(device) == [])
    #expect(try await device.verify() == 1)
    #expect(try await Self.names(device) == ["known"])
    #expect(world.refusals.withLock { $0.map(\.code) } == [.serverWarning])
    #expect(try await device.verify() == 0)
    await world.stopServer()
  }

  /// Promise: bootstrap.atomic, bootstrap.progressive.
  @Test func aBootstrapIsSeenAtOnceOrBatchByBatch() async throws {
    let world = try await SyncWorld()
    let writer = try await world.device("writer")
    try await writer.update { $0.append(QuerySubscription<Task>()) }
    let count = 4_000
    try await writer.write { realm in
      for number in 0..<count {
        realm.add(Self.task(String(repeating: "\(number % 10)", count: 250)))
      }
    }
    try await writer.upload()

    let atomic = try await world.device("atomic")
    let seen = try await Self.counts(atomic)
    #expect(seen.allSatisfy { $0.count == 0 || $0.count == count })
    #expect(seen.allSatisfy { $0.progress >= 0 && $0.progress <= 1 })
    // Commits that follow each other fast are seen as one: perhaps all of them.
    var isSeen = false
    for attempt in 0..<20 where !isSeen {
      let device = try await world.device("progressive\(attempt)", bootstrapMode: .progressive)
      let seen = try await Self.counts(device)
      isSeen = seen.contains { sample in
        !sample.isComplete && sample.progress > 0 && sample.count > 0 && sample.count < count
      }
      let held = try await device.read { $0.objects(Task.self).count }
      #expect(held == count)
    }
    #expect(isSeen)
    await world.stopServer()
  }

  private struct Sample: Sendable {
    let count: Int
    let isComplete: Bool
    let progress: Double
  }

  /// Subscribes to everything, and gives what the commits of the file show meanwhile.
  private static func counts(_ device: TestDevice) async throws -> [Sample] {
    let database = try await device.database()
    let samples = Mutex<[Sample]>([])
    let sampling = _Concurrency.Task {
      for try await _ in database.commits {
        let snapshot = try database.snapshot()
        guard snapshot.schema["Task"] != nil else { continue }
        let sample = Sample(
          count: Int(try snapshot.table("Task").count),
          isComplete: try SubscriptionSets(snapshot).latest.state == .complete,
          progress: try SubscriptionSets.bootstrapProgress(snapshot) ?? 0)
        samples.withLock { $0.append(sample) }
      }
    }
    try await device.update { $0.append(QuerySubscription<Task>()) }
    sampling.cancel()
    return samples.withLock { $0 }
  }
}

extension TestDevice {
  fileprivate func unsubscribe(named name: String) async throws {
    let found = try await realm().subscriptions.first(named: name)
    try await found?.unsubscribe()
  }

  fileprivate func catchUp(to date: Date? = nil) async throws {
    try await realm().subscriptions.caughtUp(to: date)
  }

  fileprivate func verify() async throws -> Int {
    let count = try await realm().subscriptions.verify()
    await user.app.syncManager.waitForHandler()
    return count
  }

  fileprivate func database() async throws -> Database {
    try await realm().context.file.database
  }
}
