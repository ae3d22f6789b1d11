import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// How programs spell what they do with subscriptions, where no test of a promise does so.
@Suite(.waiting) struct SubscriptionShapeTests {
  /// Six subscriptions, of which some have names.
  @Sendable private static func addAll(_ set: SyncSubscriptionSet) {
    set.append(
      QuerySubscription<Task>(name: "long") { $0.progressMinutes > 60 },
      QuerySubscription<Task> { $0.assignee == "Ann" },
      QuerySubscription<Task> { $0.assignee == "Bob" })
    set.append(QuerySubscription<Team>(name: "teams"))
    set.append(QuerySubscription<Team> { $0.teamName == "A" })
    set.append(QuerySubscription<Team>(where: "$0 IN members", "Bob"))
  }

  /// A device with the six, which were never sent.
  private static func offlineDevice() async throws -> (SyncWorld, TestDevice) {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    try await device.change(addAll)
    return (world, device)
  }

  /// Removes some of the six, and puts them back.
  ///
  /// `counts`: how many each call in `change` removes; `left`: the names and queries of the others.
  private static func check(
    _ device: TestDevice, removes counts: [Int], leaving left: [String],
    _ change: @escaping @Sendable (SyncSubscriptionSet) -> [Int]
  ) async throws {
    let seen = Mutex<(counts: [Int], left: [String])>(([], []))
    try await device.change { set in
      let removed = change(set)
      seen.withLock { $0 = (removed, set.map { $0.name ?? $0.queryString }) }
      set.removeAll()
      addAll(set)
    }
    #expect(seen.withLock { $0.counts } == counts)
    #expect(seen.withLock { $0.left } == left)
  }

  /// Promise: shape.remove.
  @Test func subscriptionsAreRemovedInAllSpellings() async throws {
    let (world, device) = try await Self.offlineDevice()
    defer { withExtendedLifetime(world) {} }
    let (ann, bob) = ("assignee == 'Ann'", "assignee == 'Bob'")
    let (a, member) = ("teamName == 'A'", "'Bob' IN members")
    try await Self.check(device, removes: [3], leaving: ["long", ann, bob]) {
      [$0.removeAll(ofType: Team.self)]
    }
    try await Self.check(device, removes: [3], leaving: ["teams", a, member]) {
      [$0.removeAll(className: "Task")]
    }
    try await Self.check(device, removes: [2], leaving: ["long", "teams", a, member]) {
      [$0.removeAll(ofType: Task.self, unnamedOnly: true)]
    }
    try await Self.check(device, removes: [4, 0], leaving: ["long", "teams"]) {
      [$0.removeAll(unnamedOnly: true), $0.removeUnnamed()]
    }
    try await Self.check(device, removes: [1, 1, 0], leaving: ["long", bob, a, member]) { set in
      [
        set.remove { QuerySubscription<Task> { $0.assignee == "Ann" } },
        set.remove { QuerySubscription<Team>(name: "teams") },
        set.remove { QuerySubscription<Team>(name: "unknown") },
      ]
    }
    try await Self.check(device, removes: [1, 1, 1, 0], leaving: [ann, "teams", member]) { set in
      [
        set.remove(ofType: Task.self) { $0.assignee == "Bob" },
        set.remove(ofType: Team.self, where: "teamName == $0", "A"),
        set.remove(named: "long") ? 1 : 0, set.remove(named: "long") ? 1 : 0,
      ]
    }
    try await Self.check(device, removes: [2, 0, 2], leaving: [ann, bob]) { set in
      guard let first = set.first, let last = set.last else { return [] }
      return [
        set.remove(first, last), set.remove(first), set.remove(where: { $0.objectType == "Team" }),
      ]
    }
  }

  /// Promise: shape.find.
  @Test func subscriptionsAreFoundInAllSpellings() async throws {
    let (world, device) = try await Self.offlineDevice()
    try await device.read { realm in
      let set = realm.subscriptions
      let tasks = realm.objects(Task.self)
      #expect(set.first(named: "long")?.objectType == "Task")
      #expect(set.find(name: "teams")?.queryString == "TRUEPREDICATE")
      #expect(set.first(named: "unknown") == nil)
      #expect(set.first(ofType: Task.self) { $0.progressMinutes > 60 }?.name == "long")
      #expect(set.first(ofType: Task.self, where: "assignee == $0", "Ann") == set[1])
      #expect(set.first(ofType: "Team", rql: "teamName = 'A'") == set[4])
      #expect(set.first(ofType: "Nothing", rql: "TRUEPREDICATE") == nil)
      #expect(set.find(tasks.where { $0.assignee == "Bob" }) == set[2])
      #expect(set.find(tasks.where { $0.assignee == "Cid" }) == nil)
      #expect(set.count == 6)
      #expect(set.first?.id == set[0]?.id && set.last == set[5])
      #expect(set.map(\.objectType) == ["Task", "Task", "Task", "Team", "Team", "Team"])
      #expect(set.allSatisfy { $0.createdAt == $0.updatedAt })
    }
    withExtendedLifetime(world) {}
  }

  /// Promise: shape.taken, sets.failedUpdate.
  @Test(.hangLimit)
  func aTakenNameIsAnErrorWhereUpdatingIsNotAskedFor() async throws {
    let (world, device) = try await Self.offlineDevice()
    let queries = try await device.queriesAfterUpdatesOfTakenNames()
    #expect(queries == ["progressMinutes > 5", "progressMinutes > 6", "teamName == 'B'"])
    #expect(try await device.read { $0.subscriptions.count } == 6)
    withExtendedLifetime(world) {}
  }

  /// Promise: shape.waitForSync.
  @Test func subscribeWaitsAlwaysOnceOrNever() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let timedOut = try await device.waitsWithoutServer(world)
    #expect(timedOut == ["always", "new"])
    await world.stopServer()
  }

  /// Promise: shape.states.
  @Test func theStatesOfASetCanBeFollowed() async throws {
    let (world, device) = try await Self.offlineDevice()
    let states = try await device.read { $0.subscriptions.states }
    let following = _Concurrency.Task {
      var seen: [SyncSubscriptionState] = []
      for await state in states { seen.append(state) }
      return seen
    }
    try await world.startServer()
    try await device.reconnect()
    try await device.waitForSubscriptions()
    try await device.update { $0.removeAll() }
    // It ends with the newer set.
    let seen = await following.value
    #expect(seen.first == .pending && seen.last == .superseded)
    await world.stopServer()
  }

  /// Promise: shape.initialWithRealm.
  @Test func initialSubscriptionsCanBeQueriesOfTheRealm() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    var configuration = device.user.flexibleSyncConfiguration(
      initialSubscriptions: { (set: SyncSubscriptionSet, realm: Realm) in
        set.add(realm.objects(Task.self).where { $0.completed == false }, name: "open")
      })
    configuration.fileURL = device.file
    configuration.objectTypes = [Task.self, Team.self]
    let queries = try Self.queries(configuration)
    #expect(queries == ["completed == FALSE"])
    await world.stopServer()
  }

  /// Opens a realm on this thread.
  private static func queries(_ configuration: Realm.Configuration) throws -> [String] {
    try Realm(configuration: configuration).subscriptions.map(\.queryString)
  }

  /// As one that is not downloaded yet.
  @Test func anObjectThatTheFileDoesNotHoldIsNamedByItsKey() async throws {
    let (world, device) = try await Self.offlineDevice()
    defer { withExtendedLifetime(world) {} }
    try await device.read { realm in
      let teams = realm.objects(Team.self)
      let task = Task()
      for results in [teams.where { $0.lead == task }, teams.filter("lead == %@", task)] {
        #expect(results.isEmpty)
        let text = try SubscriptionQuestion(results.list).text(
          on: Team.self, in: results.list.context)
        #expect(text == "lead == obj('Task', oid(\(task._id)))")
      }
    }
  }

  /// Promise: legacy.unsubscribeNamed.
  @Test func theOldFormUnsubscribesByNameAndWaits() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "all")) }
    try await device.write { $0.add(Task(value: ["taskName": "here"])) }
    try await device.upload()
    #expect(try await device.countAfterUnsubscribing(named: "all") == 0)
    #expect(try await device.read { $0.subscriptions.count } == 0)
    await world.stopServer()
  }

  /// The test read the set that was being changed, which ended the process.
  @Test func aTestForRemovalMayLookAtTheSet() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "kept")) }
    try await device.change { set in
      set.append(QuerySubscription<Team>(name: "teams"))
      let count = set.remove(where: { member in
        set.count == 2 && member.state == .pending && set.first(named: "teams") != nil
          && member.name != "kept"
      })
      #expect(count == 1)
    }
    #expect(try await device.subscriptionNames() == ["kept"])
    await world.stopServer()
  }

  /// Promise: legacy.error.
  @Test func theOldFormTellsWhyTheServerRefusesASubscription() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let reason = try await device.reasonOfARefusedSubscription("lead.taskName == 'x'")
    #expect(reason.contains("lead.taskName"), "\(reason)")
    await world.stopServer()
  }

  /// Promise: sets.nested.
  @Test func anUpdateInsideOfAnUpdateEndsTheProcessWithASentence() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let world = try await SyncWorld()
      let device = try await world.device("one")
      try await device.change { set in set.update({}, onComplete: nil) }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("inside of an update"), "\(said)")
  }
}

extension TestDevice {
  /// What three updates of names that are taken make of two subscriptions; each is refused first.
  fileprivate func queriesAfterUpdatesOfTakenNames() async throws -> [String] {
    let realm = try await realm()
    let (set, tasks) = (realm.subscriptions, realm.objects(Task.self))
    var queries: [String] = []
    // Also where the query is the same.
    do {
      try await set.update { (set: SyncSubscriptionSet) throws in
        set.removeAll()
        set.append(QuerySubscription<Team>(name: "x"))
        set.append(QuerySubscription<Team>(name: "x"))
      }
      Issue.record("a name was taken twice")
    } catch is Realm.Error {}
    struct Refusal: Error {}
    do {
      try await set.update { (set: SyncSubscriptionSet) throws in
        set.removeAll()
        throw Refusal()
      }
      Issue.record("an update that threw was made")
    } catch is Refusal {}
    set.update(
      {
        set.append(
          QuerySubscription<Task>(name: "long") { $0.progressMinutes > 5 }, updateExisting: true)
      }, onComplete: nil)
    queries.append(set.first(named: "long")?.queryString ?? "")
    set.update(
      { set.add(tasks.where { $0.progressMinutes > 6 }, name: "long", update: true) },
      onComplete: nil)
    queries.append(set.first(named: "long")?.queryString ?? "")
    set.update(
      { set.updateSubscription(named: "teams", toType: Team.self) { $0.teamName == "B" } },
      onComplete: nil)
    queries.append(set.first(named: "teams")?.queryString ?? "")
    return queries
  }

  /// Subscribes with each mode once the server is gone.
  ///
  /// - Returns: Which of the calls waited, until their time was over.
  fileprivate func waitsWithoutServer(_ world: SyncWorld) async throws -> [String] {
    let tasks = try await realm().objects(Task.self)
    try await tasks.subscribe(name: "all", waitForSync: .always)
    await world.stopServer()
    let (open, done) = (tasks.where { !$0.completed }, tasks.where { $0.completed })
    var timedOut: [String] = []
    for (name, results, mode, isNamed) in [
      ("again", tasks, WaitForSyncMode.firstTime, true), ("never", open, .never, false),
      ("always", tasks, .always, true), ("new", done, .onCreation, false),
    ] {
      do {
        try await results.subscribe(
          name: isNamed ? "all" : nil, waitForSync: mode, timeout: 0.2)
      } catch let error as NSError where error.code == Int(ETIMEDOUT) { timedOut.append(name) }
    }
    #expect(try await realm().subscriptions.count == 3)
    return timedOut
  }

  fileprivate func countAfterUnsubscribing(named name: String) async throws -> Int {
    let realm = try await realm()
    try await realm.unsubscribe(named: name)
    return realm.objects(Task.self).count
  }

  /// Subscribes in the old form, and follows the state to its end.
  ///
  /// - Returns: Why the server refused it.
  fileprivate func reasonOfARefusedSubscription(_ query: String) async throws -> String {
    let realm = try await realm()
    let subscription = realm.objects(Team.self).filter(query).subscribe(named: "bad")
    let states = AsyncStream<QueryBasedSubscription.State>.makeStream()
    let token = subscription.observe(\.state) { states.continuation.yield($0) }
    defer { token.invalidate() }
    for await state in states.stream {
      if case .error(let error) = state { return error.localizedDescription }
    }
    return "it was not refused"
  }
}
