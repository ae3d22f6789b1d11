import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Updates of the subscription set during which others change the file.
@Suite(.waiting) struct UpdateMeetingTests {
  private static func subscribe(
    to name: String, _ query: String, _ configuration: Realm.Configuration
  ) throws {
    let set = try Realm(configuration: configuration).subscriptions
    _ = try set.commit { set.append(QuerySubscription<Task>(name: name, where: query)) }
  }

  /// Promise: sets.noLock, sets.stale.
  @Test func ofTwoUpdatesAtOnceBothAreMade() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let configuration = device.configuration
    try await device.update { $0.append(QuerySubscription<Team>(name: "teams")) }
    let ids: [ObjectId?] = try await device.read { realm in
      let set = realm.subscriptions
      var added: ObjectId?
      _ = try set.commit {
        added = set.add(realm.objects(Task.self).where { $0.taskName == "a" }, name: "mine")?.id
        set.remove(named: "teams")
        let isDone = runsElsewhere {
          try Self.subscribe(to: "theirs", "taskName == 'b'", configuration)
          let realm = try Realm(configuration: configuration)
          try realm.write { realm.add(Task(value: ["taskName": "b"])) }
        }
        #expect(isDone)
        // What is being changed is shown, and not what others make of the set.
        #expect(set.map(\.name) == ["mine"])
      }
      return [added, set.first(named: "mine")?.id]
    }
    #expect(ids.count == 2 && ids[0] != nil && ids[0] == ids[1])
    #expect(try await device.subscriptionNames() == ["theirs", "mine"])
    try await device.waitForSubscriptions()
    #expect(try await device.read { $0.objects(Task.self).map(\.taskName) } == ["b"])
    await world.stopServer()
  }

  /// Promise: sets.noLock, sets.failedUpdate.
  @Test func aChangeThatCannotBeMadeAgainFailsTheUpdate() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let configuration = device.configuration
    await #expect {
      try await device.update { set in
        set.append(QuerySubscription<Task>(name: "all", where: "taskName == 'a'"))
        set.append(QuerySubscription<Team>(name: "teams"))
        #expect(runsElsewhere { try Self.subscribe(to: "all", "taskName == 'b'", configuration) })
      }
    } throws: { error in
      (error as? Realm.Error)?.code == .subscriptionFailed && "\(error)".contains("'all'")
    }
    let queries = try await device.read { $0.subscriptions.map(\.queryString) }
    #expect(queries.count == 1 && queries.allSatisfy { $0.contains("'b'") && !$0.contains("'a'") })
    await world.stopServer()
  }

  /// The server answers while a block runs.
  ///
  /// Promise: sets.noLock, sets.member.
  @Test func aStateThatChangesMeanwhileIsKept() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let configuration = device.configuration
    let state = try await device.read { realm in
      let set = realm.subscriptions
      _ = try set.commit { set.append(QuerySubscription<Task>(name: "first")) }
      _ = try set.commit {
        let isDone = runsElsewhere {
          let realm = try Realm(configuration: configuration)
          while realm.subscriptions.state != .complete { Thread.sleep(forTimeInterval: 0.01) }
          // Nothing that comes later makes it complete.
          realm.syncSession?.suspend()
        }
        #expect(isDone)
        set.append(QuerySubscription<Team>(name: "second"))
      }
      return set.first(named: "first")?.state
    }
    #expect(state == .complete)
    await world.stopServer()
  }

  /// Both processes open the file for the first time.
  @Test func initialSubscriptionsAreNotMadeTwice() async throws {
    let names = try await Self.namesOfInitial(rerunOnOpen: false) { set in
      set.append(QuerySubscription<Task>(name: "late"))
    }
    #expect(names == ["all"])
  }

  /// Where they run at each start, they look again at what another process has made.
  @Test func initialSubscriptionsLookAgainAtWhatOthersHaveMade() async throws {
    let names = try await Self.namesOfInitial(rerunOnOpen: true) { set in
      set.append(QuerySubscription<Task>(name: "all"))
      set.append(QuerySubscription<Team>(name: "teams"))
    } whenSeen: { set in
      set.append(QuerySubscription<Shelf>(name: "shelves"))
    }
    #expect(names == ["all", "shelves"])
  }

  /// Opens a file with initial subscriptions, during which another process subscribes to "all".
  ///
  /// - Returns: The names of the subscriptions afterwards.
  private static func namesOfInitial(
    rerunOnOpen: Bool, _ append: @escaping @Sendable (SyncSubscriptionSet) -> Void,
    whenSeen appendNext: @escaping @Sendable (SyncSubscriptionSet) -> Void = { _ in }
  ) async throws -> [String?] {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let plain = device.configuration
    var configuration = device.user.flexibleSyncConfiguration(
      initialSubscriptions: { set in
        guard set.first(named: "all") == nil else { return appendNext(set) }
        #expect(runsElsewhere { try Self.subscribe(to: "all", "taskName == 'b'", plain) })
        append(set)
      }, rerunOnOpen: rerunOnOpen)
    (configuration.fileURL, configuration.objectTypes) = (plain.fileURL, plain.objectTypes)
    let names = try await Self.names(configuration)
    await world.stopServer()
    return names
  }

  @MainActor private static func names(
    _ configuration: Realm.Configuration
  ) async throws -> [String?] {
    try await Realm(configuration: configuration).subscriptions.map(\.name)
  }
}
