import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Devices and a server over TCP, as an application sees them.
@Suite(.waiting) struct SyncTests {
  private static func task(_ name: String, minutes: Int = 0) -> Task {
    let task = Task()
    task.taskName = name
    task.progressMinutes = minutes
    return task
  }

  private static func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { realm in
      realm.objects(Task.self).map(\.taskName).sorted()
    }
  }

  /// Promise: view.matches, bootstrap.complete, shape.update, shape.append.
  @Test func aSubscriptionBringsWhatMatchesAndNothingElse() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { $0.append(QuerySubscription<Task>()) }
    try await one.write { realm in
      realm.add(Self.task("long", minutes: 90))
      realm.add(Self.task("short", minutes: 5))
    }
    try await one.upload()
    let two = try await world.device("two")
    try await two.update { $0.append(QuerySubscription<Task> { $0.progressMinutes >= 60 }) }
    #expect(try await Self.names(two) == ["long"])
    try await two.update { $0.append(QuerySubscription<Task>(name: "all")) }
    #expect(try await Self.names(two) == ["long", "short"])
    await world.stopServer()
  }

  /// Promise: session.offline, shape.severalTypes.
  @Test func offlineEditsOfTwoDevicesBecomeOne() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] {
      try await device.update { set in
        set.append(QuerySubscription<Task>())
        set.append(QuerySubscription<Team>())
      }
    }
    try await one.write { realm in
      let team = Team()
      team.members.append(objectsIn: ["Ann", "Bob"])
      let task = Self.task("shared")
      team.tasks.append(task)
      team.lead = task
      realm.add(team)
    }
    try await one.upload()
    try await two.download()
    #expect(try await two.read { $0.objects(Team.self).first?.lead?.taskName } == "shared")
    for device in [one, two] { try await device.goOffline() }
    try await one.write { realm in
      realm.objects(Task.self).first?.assignee = "Ann"
      realm.objects(Team.self).first?.members.append("Cy")
    }
    try await two.write { realm in
      realm.objects(Task.self).first?.progressMinutes = 30
      realm.objects(Team.self).first?.members.insert("Zoe", at: 0)
    }
    for device in [one, two] { try await device.goOnline() }
    for device in [one, two] { try await device.upload() }
    for device in [one, two] { try await device.download() }
    for device in [one, two] {
      let seen = try await device.read { realm in
        let task = realm.objects(Task.self).first
        return (
          task?.assignee, task?.progressMinutes,
          Array(realm.objects(Team.self).first?.members ?? List())
        )
      }
      #expect(seen.0 == "Ann")
      #expect(seen.1 == 30)
      #expect(seen.2 == ["Zoe", "Ann", "Bob", "Cy"])
    }
    await world.stopServer()
  }

  @Test func anElementThatOneDeviceMovesAndAnotherChangesIsBoth() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Team>()) } }
    try await one.write { realm in
      let team = Team()
      team.members.append(objectsIn: ["Ann", "Bob", "Cy", "Dan"])
      realm.add(team)
    }
    try await one.upload()
    try await two.download()
    for device in [one, two] { try await device.goOffline() }
    try await one.write { realm in
      realm.objects(Team.self).first?.members.move(from: 0, to: 2)
      realm.objects(Team.self).first?.members.move(fromOffsets: [3], toOffset: 0)
    }
    try await two.write { realm in
      realm.objects(Team.self).first?.members[0] = "Anna"
    }
    for device in [one, two] {
      try await device.goOnline()
      try await device.upload()
    }
    for device in [one, two] {
      try await device.download()
      #expect(
        try await device.read { Array($0.objects(Team.self).first?.members ?? List()) }
          == ["Dan", "Bob", "Cy", "Anna"])
    }
    await world.stopServer()
  }

  @Test func aLinkToWhatIsNotHereIsToldFromNone() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { set in
      set.append(QuerySubscription<Team>())
      set.append(QuerySubscription<Task>())
    }
    let id = try await one.write { realm in
      let (team, empty) = (Team(), Team())
      (team.teamName, empty.teamName) = ("A", "B")
      team.lead = Self.task("led")
      realm.add([team, empty])
      return team.lead?._id
    }
    try await one.upload()
    func states(_ device: TestDevice) async throws -> [String] {
      try await device.read { realm in
        realm.objects(Team.self).sorted(by: \.teamName).map { team in
          switch team.linkState(\.lead) {
          case .none: "none"
          case .present(let task): task.taskName
          case .absent(let key): key as? ObjectId == id ? "absent" : "another"
          }
        }
      }
    }
    let two = try await world.device("two")
    try await two.update { $0.append(QuerySubscription<Team>()) }
    #expect(try await states(two) == ["absent", "none"])
    try await two.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await states(two) == ["led", "none"])
    // Deleted, it is absent: in the write that does it, and after.
    let during = try await one.write { realm in
      realm.delete(realm.objects(Task.self))
      let teams = Array(realm.objects(Team.self).sorted(by: \.teamName))
      return teams.map { team -> ObjectId? in
        guard case .absent(let key) = team.linkState(\.lead) else { return nil }
        return key as? ObjectId
      }
    }
    #expect(during == [id, nil])
    #expect(try await states(one) == ["absent", "none"])
    await world.stopServer()
  }

  /// Promise: events.offline.
  @Test func anEventIsMadeOfflineAndKeptByTheServerOnly() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { $0.append(QuerySubscription<Task>()) }
    try await one.goOffline()
    try await one.write { realm in
      let task = Self.task("measured")
      realm.add(task)
      realm.create(Measurement.self, value: ["value": 3, "task": task, "place": ["x": 7]])
      realm.create(Measurement.self, value: Measurement(value: ["value": 4]))
    }
    // It waits in the file.
    await one.forgetRealm()
    let again = TestDevice(one.user, file: one.file)
    try await again.goOnline()
    try await again.upload()
    #expect(try await again.read { $0.objects(Task.self).count } == 1)
    #expect(try await again.session()?.refusedChanges().isEmpty == true)
    let two = try await world.device("two")
    try await two.update { $0.append(QuerySubscription<Task>()) }
    for device in [again, two] { #expect(try await device.count(of: "Measurement") == 0) }
    await world.stopServer()
    #expect(try world.stored("Measurement") == ["3", "4"])
  }

  @Test func whatTwoDevicesAddOfflineIsSummed() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Task>()) } }
    try await one.write { $0.add(Self.task("counted", minutes: 10)) }
    try await one.upload()
    try await two.download()
    for device in [one, two] { try await device.goOffline() }
    try await one.write { realm in
      realm.objects(Task.self).first?.increment(\.progressMinutes, by: 5)
    }
    try await two.write { realm in
      realm.objects(Task.self).first?.increment(\.progressMinutes, by: 7)
      realm.objects(Task.self).first?.increment(\.progressMinutes)
    }
    for device in [one, two] { try await device.goOnline() }
    for device in [one, two] { try await device.upload() }
    for device in [one, two] {
      try await device.download()
      #expect(
        try await device.read { $0.objects(Task.self).first?.progressMinutes } == 23)
    }
    await world.stopServer()
  }

  /// Promise: refusals.once, refusals.outsideView, refusals.othersStay.
  @Test func aWriteOutsideOfTheSubscriptionsIsUndoneAndReportedOnce() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task> { $0.progressMinutes > 10 }) }
    try await device.write { realm in
      realm.add(Self.task("inside", minutes: 11))
      realm.add(Self.task("outside", minutes: 1))
    }
    try await device.synchronize()
    #expect(try await Self.names(device) == ["inside"])
    let refusals = world.refusals.withLock { $0 }
    #expect(refusals.map(\.code) == [.writeRejected])
    #expect(refusals.first?.compensatingWriteInfo?.map(\.objectType) == ["Task"])
    try await device.goOffline()
    try await device.goOnline()
    try await device.synchronize()
    #expect(world.refusals.withLock { $0.count } == 1)
    await world.stopServer()
  }

  /// Promise: refusals.reason, refusals.kept, shape.addOrUpdate.
  @Test func aRefusedChangeIsKeptUntilItIsMadeAgainOrDropped() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { set in
      set.append(QuerySubscription<Task>(name: "tasks") { $0.progressMinutes > 10 })
      set.append(QuerySubscription<Team>(name: "teams") { $0.teamName == "A" })
    }
    let session = try #require(try await device.session())
    var updates = session.refusedChangesUpdates.makeAsyncIterator()
    #expect(await updates.next() == [])
    try await device.write { realm in
      let task = Self.task("outside", minutes: 1)
      task.assignee = "Ann"
      realm.add(task)
      realm.add(Self.task("dropped", minutes: 2))
    }
    try await device.write { realm in
      let team = Team()
      team.teamName = "B"
      team.members.append(objectsIn: ["Ann", "Bob"])
      let inside = Self.task("inside", minutes: 11)
      realm.add(inside)
      team.tasks.append(inside)
      team.lead = inside
      realm.add(team)
    }
    try await device.synchronize()
    try await eventually { try session.refusedChanges().contains { $0.objectType == "Team" } }
    let refused = try session.refusedChanges()
    #expect(refused.allSatisfy { $0.reason == .outsideOfSubscriptions && !$0.message.isEmpty })
    let outside = refused.filter { change in
      refused.contains {
        $0.property == "taskName" && $0.valueText == "outside"
          && $0.primaryKeyText == change.primaryKeyText
      }
    }
    #expect(Set(outside.compactMap(\.property)).isSuperset(of: ["taskName", "assignee"]))
    #expect(outside.first?.kind == .create)
    #expect(abs(try #require(outside.first).date.timeIntervalSinceNow) < 600)
    let team = refused.filter { $0.objectType == "Team" }
    #expect(team.filter { $0.kind == .insertElement }.count == 3)
    #expect(!team[0].isOfSameWrite(as: outside[0]) && team[0].isOfSameWrite(as: team[1]))
    #expect(await updates.next()?.isEmpty == false)

    // An absent object accepts no change: it stays refused. Nor may a write wait for itself.
    let edits = outside.filter { $0.kind == .set }
    #expect(try session.retry(edits) == edits)
    #expect(try session.refusedChanges() == refused)
    try await device.write { _ in
      #expect(throws: Realm.Error.self) { try session.drop(refused) }
      #expect(throws: Realm.Error.self) { try session.retry(refused) }
    }

    // Made again under subscriptions that they fit.
    try await device.update { set in
      set.addOrUpdate(QuerySubscription<Task>(name: "tasks"))
      set.addOrUpdate(QuerySubscription<Team>(name: "teams"))
    }
    #expect(try session.retry(outside + team).isEmpty)
    let rest = refused.filter { !(outside + team).contains($0) }
    #expect(try session.refusedChanges() == rest && !rest.isEmpty)
    try session.drop(rest)
    #expect(try session.refusedChanges() == [])
    #expect(try await device.untoldCount() == 0)
    try await device.synchronize()
    #expect(try session.refusedChanges() == [])
    let other = try await world.device("two")
    try await other.update { set in
      set.append(QuerySubscription<Task>())
      set.append(QuerySubscription<Team>())
    }
    for device in [device, other] {
      #expect(try await Self.names(device) == ["inside", "outside"])
      try await device.read { realm in
        let outside = realm.objects(Task.self).where { $0.taskName == "outside" }
        #expect(outside.first?.assignee == "Ann")
        let team = try #require(realm.objects(Team.self).first)
        #expect(team.teamName == "B" && Array(team.members) == ["Ann", "Bob"])
        #expect(team.tasks.map(\.taskName) == ["inside"] && team.lead?.taskName == "inside")
      }
    }
    await world.stopServer()
  }

  /// Promise: refusals.kept, refusals.deleted.
  @Test func anEditThatCameAfterADeletionIsMadeAgainWhereItsObjectIs() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] {
      try await device.update { $0.append(QuerySubscription<Team>(name: "teams")) }
    }
    try await one.write { realm in
      for name in ["kept", "deleted"] {
        let team = Team()
        team.teamName = name
        team.members.append(objectsIn: ["Ann", "Bob", "Cid"])
        realm.add(team)
      }
    }
    try await one.upload()
    try await two.download()
    try await two.goOffline()
    try await one.write { realm in
      // Not in #require: closures in a macro's arguments get the names of others in the function.
      let kept = realm.objects(Team.self).where { $0.teamName == "kept" }.first
      kept?.members.remove(at: 1)
      realm.delete(realm.objects(Team.self).where { $0.teamName == "deleted" })
    }
    try await one.upload()
    try await two.write { realm in
      for team in realm.objects(Team.self) { team.members[1] = "Eve" }
      realm.objects(Team.self).where { $0.teamName == "deleted" }.first?.teamName = "renamed"
    }
    try await two.goOnline()
    try await two.synchronize()
    let session = try #require(try await two.session())
    try await eventually { try session.refusedChanges().count >= 3 }
    let refused = try session.refusedChanges()
    #expect(refused.allSatisfy { $0.reason == .deleted })
    #expect(refused.map(\.kind).filter { $0 == .setElement }.count == 2)
    #expect(refused.contains { $0.kind == .set && $0.valueText == "renamed" })
    // Changes of the deleted object are kept, for the application to decide.
    let kept = try session.retry(refused)
    #expect(kept.count == 2 && Set(kept.map(\.primaryKeyText)).count == 1)
    try await two.synchronize()
    #expect(try session.refusedChanges() == kept)
    try session.drop(kept)
    try await one.download()
    try await one.read { realm in
      #expect(realm.objects(Team.self).map(\.teamName) == ["kept"])
      // The element is gone, so what it was set to is a new one.
      #expect(realm.objects(Team.self).first.map { Array($0.members) } == ["Ann", "Cid", "Eve"])
    }
    await world.stopServer()
  }

  /// An unreported refusal is not marked as reported, or a process that dies would lose it.
  ///
  /// Promise: refusals.once, refusals.waitForHandler.
  @Test func aRefusalWaitsInTheFileForTheFirstHandler() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    let handler = try #require(world.app.syncManager.errorHandler)
    world.app.syncManager.errorHandler = nil
    try await device.update { $0.append(QuerySubscription<Task> { $0.progressMinutes > 10 }) }
    try await device.write { $0.add(Self.task("outside", minutes: 1)) }
    try await device.synchronize()
    #expect(try await device.untoldCount() > 0)
    world.app.syncManager.errorHandler = handler
    await world.app.syncManager.waitForHandler()
    #expect(world.refusals.withLock { $0.map(\.code) } == [.writeRejected])
    try await device.goOffline()
    try await device.goOnline()
    try await device.synchronize()
    #expect(try await device.untoldCount() == 0)
    #expect(world.refusals.withLock { $0.count } == 1)
    await world.stopServer()
  }

  /// Promise: sets.empty, view.overlap, shape.append, shape.removeNamed, shape.removeAll.
  @Test func anUnsubscribeTakesAwayWhatNothingElseAsksFor() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { set in
      set.append(QuerySubscription<Task>(name: "many") { $0.progressMinutes > 10 })
      set.append(QuerySubscription<Task>(name: "more") { $0.progressMinutes > 50 })
    }
    try await device.write { realm in
      realm.add(Self.task("a", minutes: 20))
      realm.add(Self.task("b", minutes: 60))
    }
    try await device.synchronize()
    try await device.update { $0.remove(named: "many") }
    #expect(try await Self.names(device) == ["b"])
    try await device.update { $0.removeAll() }
    #expect(try await Self.names(device) == [])
    await world.stopServer()
  }

  /// Promise: sets.order.
  @Test func writesAreJudgedByTheSetThatWasInForceWhenTheyWereMade() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "x") { $0.taskName == "A" }) }
    try await device.goOffline()
    try await device.write { $0.add(Self.task("A")) }
    try await device.change { set in
      set.removeAll()
      set.append(QuerySubscription<Task>(name: "x") { $0.taskName == "B" })
    }
    try await device.write { $0.add(Self.task("B")) }
    try await device.goOnline()
    try await device.synchronize()
    #expect(world.refusals.withLock { $0 } == [])
    #expect(try await Self.names(device) == ["B"])
    // The same two writes after the opposite change.
    try await device.goOffline()
    try await device.write { $0.add(Self.task("A")) }
    try await device.change { set in
      set.removeAll()
      set.append(QuerySubscription<Task>(name: "x") { $0.taskName == "A" })
    }
    try await device.write { $0.add(Self.task("B")) }
    try await device.goOnline()
    try await device.synchronize()
    let reported = world.refusals.withLock { $0.flatMap { $0.compensatingWriteInfo ?? [] } }
    #expect(reported.count == 2)
    await world.stopServer()
  }

  /// Promise: view.linkIsNil, view.linkArrives, shape.severalTypes.
  @Test func aLinkWhoseTargetIsNotHereBecomesLiveWhenItArrives() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { set in
      set.append(QuerySubscription<Task>())
      set.append(QuerySubscription<Team>())
    }
    try await one.write { realm in
      let team = Team()
      team.lead = Self.task("lead")
      team.tasks.append(objectsIn: [Self.task("first"), Self.task("second")])
      realm.add(team)
    }
    try await one.upload()
    let two = try await world.device("two")
    try await two.update { $0.append(QuerySubscription<Team>()) }
    #expect(try await two.read { $0.objects(Team.self).first?.lead == nil })
    #expect(try await two.read { $0.objects(Team.self).first?.tasks.count } == 0)
    try await two.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await two.read { $0.objects(Team.self).first?.lead?.taskName } == "lead")
    let names = try await two.read { $0.objects(Team.self).first?.tasks.map(\.taskName) }
    #expect(names.map(Array.init) == ["first", "second"])
    await world.stopServer()
  }

  /// A class is looked for by its name among those of the realm.
  ///
  /// Promise: sets.insideUpdate, shape.predicate, shape.queryString.
  @Test func predicatesAreSubscribedTo() async throws {
    #expect(OtherModule.Task.className() == Task.className())
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { set in
      let isLong = NSPredicate(format: "progressMinutes > %d", 60)
      set.append(QuerySubscription<Task>(name: "long", where: isLong))
      #expect(set.first(ofType: Task.self, where: isLong)?.name == "long")
      let isOfAnn = NSPredicate(format: "assignee == %@", "Ann")
      set.append(QuerySubscription<Task>(where: isOfAnn))
      let both = NSCompoundPredicate(andPredicateWithSubpredicates: [isLong, isOfAnn])
      set.first(ofType: Task.self, where: isOfAnn)?.updateQuery(to: both)
      #expect(set.first(ofType: Task.self, where: both)?.name == nil)
      #expect(set.remove(ofType: Task.self, where: isLong) == 1)
    }
    let queries = try await device.read { $0.subscriptions.map(\.queryString) }
    #expect(queries == ["progressMinutes > 60 AND assignee == 'Ann'"])
    await world.stopServer()
  }

  @Test func setsAndMapsComeToOtherDevices() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] {
      try await device.update { set in
        set.append(QuerySubscription<Shelf>())
        set.append(QuerySubscription<Task>())
      }
    }
    try await one.write { realm in
      let shelf = Shelf()
      shelf.labels.insert(objectsIn: ["red", "old"])
      shelf.counts = ["books": 3, "maps": 1]
      shelf.tasks["dust"] = Self.task("dust it")
      shelf.tasks["none"] = .some(nil)
      shelf.open.insert(Self.task("read"))
      realm.add(shelf)
    }
    try await one.upload()
    try await two.download()
    try await two.write { realm in
      let shelf = try #require(realm.objects(Shelf.self).first)
      #expect(Set(shelf.labels) == ["red", "old"])
      #expect(shelf.counts.keys == ["books", "maps"] && shelf.counts["books"] == 3)
      #expect(shelf.tasks["dust"]??.taskName == "dust it" && shelf.tasks["none"] == .some(nil))
      #expect(shelf.open.map(\.taskName) == ["read"])
      shelf.labels.remove("old")
      shelf.counts["books"] = nil
      shelf.tasks["dust"] = .some(nil)
      shelf.open.removeAll()
    }
    try await two.upload()
    try await one.download()
    try await one.read { realm in
      let shelf = try #require(realm.objects(Shelf.self).first)
      #expect(Set(shelf.labels) == ["red"])
      #expect(shelf.counts.keys == ["maps"])
      #expect(shelf.tasks.keys == ["dust", "none"] && shelf.tasks["dust"] == .some(nil))
      #expect(shelf.open.isEmpty)
    }
    await world.stopServer()
  }

  /// Members and entries are units of their own: nothing of what two devices add at once is lost.
  @Test func setsAndMapsMergeByMemberAndEntry() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] {
      try await device.update { $0.append(QuerySubscription<Shelf>()) }
    }
    try await one.write { realm in
      let shelf = Shelf()
      shelf.labels.insert(objectsIn: ["red", "old"])
      shelf.counts = ["books": 3, "maps": 1, "pens": 2]
      realm.add(shelf)
    }
    try await one.synchronize()
    try await two.synchronize()
    for device in [one, two] { try await device.goOffline() }
    try await one.write { realm in
      let shelf = try #require(realm.objects(Shelf.self).first)
      shelf.labels.insert("one")
      shelf.labels.remove("old")
      shelf.counts["one"] = 1
      shelf.counts["books"] = 4
      shelf.counts["pens"] = nil
    }
    try await two.write { realm in
      let shelf = try #require(realm.objects(Shelf.self).first)
      shelf.labels.insert("two")
      shelf.counts["two"] = 2
      shelf.counts["maps"] = 7
      // Later than the removal.
      shelf.counts["pens"] = 9
    }
    for device in [one, two] { try await device.goOnline() }
    for device in [one, two, one] { try await device.synchronize() }
    for device in [one, two] {
      try await device.read { realm in
        let shelf = try #require(realm.objects(Shelf.self).first)
        #expect(Set(shelf.labels) == ["red", "one", "two"])
        let counts = Dictionary(uniqueKeysWithValues: shelf.counts.map { ($0.key, $0.value) })
        #expect(counts == ["books": 4, "maps": 7, "one": 1, "two": 2, "pens": 9])
      }
    }
    await world.stopServer()
  }

  /// Promise: sets.state, sets.errorKeepsActive, sets.goodAfterBad, waits.error.
  @Test func aSetThatTheServerRefusesLeavesTheOneBeforeActive() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "all")) }
    await #expect(throws: Realm.Error.self) {
      try await device.update { set in
        set.append(QuerySubscription<Team>(name: "bad", where: "lead.taskName == 'x'"))
      }
    }
    let state = try await device.read { $0.subscriptions.state }
    guard case .error = state else {
      Issue.record("the state is \(state)")
      return
    }
    try await device.write { $0.add(Self.task("still")) }
    try await device.upload()
    try await device.update { $0.remove(named: "bad") }
    #expect(try await Self.names(device) == ["still"])
    #expect(world.refusals.withLock { $0.filter { $0.code == .writeRejected } } == [])
    await world.stopServer()
  }

  /// Promise: waits.upload, session.offline.
  @Test func aDeviceOpensAndWritesWithoutTheServerAndGoesOnWhenItIsBack() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { $0.append(QuerySubscription<Task>()) }
    let two = try await world.device("two")
    await world.stopServer()
    try await one.write { $0.add(Self.task("offline")) }
    #expect(try await Self.names(one) == ["offline"])
    try await world.startServer()
    try await one.reconnect()
    try await one.upload()
    try await two.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.names(two) == ["offline"])
    await world.stopServer()
  }

  /// A copied file takes a new identity and counts from 1 again (R3): waiters follow.
  ///
  /// Promise: waits.reset.
  @Test(.hangLimit)
  func aWaitForUploadsEndsWhenTheFileTakesANewIdentityMeanwhile() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    for number in 0..<5 { try await device.write { $0.add(Self.task("\(number)")) } }
    try await device.upload()
    await world.stopServer()
    try await device.write { $0.add(Self.task("last")) }
    let upload = _Concurrency.Task { try await device.upload() }
    // So that it waits for the numbers before.
    try await _Concurrency.Task.sleep(for: .milliseconds(200))
    try await device.takeNewIdentity()
    try await world.startServer()
    try await device.reconnect()
    try await upload.value
    try await device.synchronize()
    #expect(try await Self.names(device) == ["0", "1", "2", "3", "4", "last"])
    await world.stopServer()
  }

  /// Promise: sets.noSubscriptionForWrite.
  @Test func anObjectOfAClassWithoutSubscriptionIsRefusedAtTheCommit() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    await #expect {
      try await device.write { $0.add(Team()) }
    } throws: { ($0 as? Realm.Error)?.code == .noSubscriptionForWrite }
    #expect(try await device.read { $0.objects(Team.self).count } == 0)
    await world.stopServer()
  }

  /// Opens a realm on this thread and lets go of it.
  private static func open(_ configuration: Realm.Configuration) throws {
    _ = try Realm(configuration: configuration)
  }

  /// Promise: opening.foreignFile.
  @Test func theFileOfAnotherUserAndALocalFileAreRefused() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { $0.append(QuerySubscription<Task>()) }
    let two = try await world.device("two")
    var stolen = two.configuration
    stolen.fileURL = one.file
    #expect { try Self.open(stolen) } throws: {
      ($0 as? Realm.Error)?.code == .incompatibleSession
    }
    var local = Realm.Configuration(fileURL: URL(filePath: world.folder.path(of: "local.atoll")))
    local.objectTypes = [Task.self, Team.self]
    try Self.open(local)
    var synced = two.configuration
    synced.fileURL = local.fileURL
    #expect { try Self.open(synced) } throws: {
      ($0 as? Realm.Error)?.code == .incompatibleHistories
    }
    await world.stopServer()
  }

  /// Promise: sets.state, sets.member, sets.insideUpdate, sets.offline, shape.updateQuery,
  /// shape.waitForSynchronization.
  @Test func eachSubscriptionHasAStateOfItsOwn() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    func states() async throws -> [SyncSubscriptionState] {
      try await device.read { $0.subscriptions.map(\.state) }
    }
    try await device.update { $0.append(QuerySubscription<Task>(name: "tasks")) }
    #expect(try await states() == [.complete])
    try await device.goOffline()
    try await device.change { set in
      set.append(QuerySubscription<Team>(name: "teams"))
      #expect(set.map(\.state) == [.complete, .pending])
    }
    // What is here stays complete while the set waits.
    #expect(try await device.read { $0.subscriptions.state } == .pending)
    #expect(try await states() == [.complete, .pending])
    try await device.goOnline()
    try await device.waitForSubscriptions()
    #expect(try await states() == [.complete, .complete])
    await #expect(throws: Realm.Error.self) {
      try await device.update {
        $0.append(QuerySubscription<Team>(name: "bad", where: "lead.taskName == 'x'"))
      }
    }
    let afterwards = try await states()
    #expect(afterwards.prefix(2) == [.complete, .complete])
    guard case .error(let error) = afterwards[2] else {
      Issue.record("\(afterwards[2])")
      return
    }
    #expect(error.localizedDescription.contains("lead.taskName"))
    try await device.checkStatesOfRemoved()
    await world.stopServer()
  }

  /// Promise: waits.timeout, shape.subscribe.
  @Test func subscribeWaitsAsAskedAndTimesOut() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>(name: "all")) }
    await world.stopServer()
    try await device.reconnect()
    await #expect {
      try await device.subscribe(timeout: 0.2)
    } throws: { ($0 as NSError).code == Int(ETIMEDOUT) }
    #expect(try await device.read { $0.subscriptions.count } == 2)
    await world.stopServer()
  }

  /// Promise: waits.timeout, shape.unsubscribe.
  @Test func whatSubscribeHasAddedIsUnsubscribedAlsoAfterItsWaitGaveUp() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    #expect(try await device.subscribeAndUnsubscribe(timeout: 0.1) == 0)
  }
}

extension TestDevice {
  func subscribe(timeout: Double) async throws {
    let realm = try await realm()
    try await realm.objects(Task.self).where { $0.completed == true }
      .subscribe(name: "done", timeout: timeout)
  }

  /// - Returns: How many subscriptions are left.
  func subscribeAndUnsubscribe(timeout: Double) async throws -> Int {
    let realm = try await realm()
    let done = realm.objects(Task.self).where { $0.completed == true }
    do {
      try await done.subscribe(name: "done", timeout: timeout)
      Issue.record("there is no server, so the wait gives up")
    } catch let error as NSError { #expect(error.code == Int(ETIMEDOUT)) }
    #expect(realm.subscriptions.count == 1)
    done.unsubscribe()
    return realm.subscriptions.count
  }
}

class Shelf: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var labels: MutableSet<String>
  @Persisted var counts: Map<String, Int>
  @Persisted var tasks: Map<String, Task?>
  @Persisted var open: MutableSet<Task>
}
