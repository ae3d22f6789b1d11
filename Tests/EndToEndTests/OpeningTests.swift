import Foundation
import TestSupport
import Testing

@testable import Atoll

/// What an asynchronous opening waits for.
@Suite struct OpeningTests {
  private static func task(_ name: String, completed: Bool) -> Task {
    let task = Task()
    task.taskName = name
    task.completed = completed
    return task
  }

  /// A world whose server has an open task and a completed one.
  private static func world() async throws -> SyncWorld {
    let world = try await SyncWorld()
    let witness = try await world.device("witness")
    try await witness.update { $0.append(QuerySubscription<Task>()) }
    try await witness.write { realm in
      realm.add(task("open", completed: false))
      realm.add(task("done", completed: true))
    }
    try await witness.upload()
    return world
  }

  @Test func aSecondProcessWaitsForWhatItsInitialSubscriptionsAskForAnew() async throws {
    let world = try await Self.world()
    let device = try await world.device("one")
    #expect(try await device.count(openingWith: .open) == 1)
    let place = ProcessTests.Place(world, device)
    await #expect(processExitsWith: .success) { [place = place as ProcessTests.Place] in
      let count = try await place.device().count(openingWith: .everything, rerun: true)
      try #require(count == 2)
    }
    await world.stopServer()
  }

  @Test func aSecondProcessThatAsksForTheSameOpensWithoutTheServer() async throws {
    let world = try await Self.world()
    let device = try await world.device("one")
    #expect(try await device.count(openingWith: .open) == 1)
    await world.stopServer()
    let place = ProcessTests.Place(world, device)
    await #expect(processExitsWith: .success) { [place = place as ProcessTests.Place] in
      let count = try await place.device().count(openingWith: .open, rerun: true)
      try #require(count == 1)
    }
  }

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
}

/// Subscriptions that a file is opened with.
private enum Initial: String, Codable, Sendable {
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
  /// Opens the file asynchronously.
  ///
  /// - Returns: How many tasks are there as soon as it is open.
  fileprivate func count(
    openingWith initial: Initial, rerun: Bool = false, isEndedByFailures: Bool = false
  ) async throws -> Int {
    var configuration = user.flexibleSyncConfiguration(
      cancelAsyncOpenOnNonFatalErrors: isEndedByFailures,
      initialSubscriptions: { initial.add(to: $0) }, rerunOnOpen: rerun)
    configuration.fileURL = file
    configuration.objectTypes = [Task.self, Team.self]
    let realm = try await Realm(configuration: configuration, actor: self)
    opened = realm
    return realm.objects(Task.self).count
  }
}
