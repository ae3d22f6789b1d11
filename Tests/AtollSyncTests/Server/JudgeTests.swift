import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// The verdict on each pushed operation.
@Suite(.computing) struct JudgeTests {
  private let all = ["TRUEPREDICATE"]

  private func refused(_ verdict: Verdict?, _ reason: Refusal.Reason) -> Bool {
    guard case .refused(let refusal)? = verdict else { return false }
    return refusal.reason == reason
  }

  private func isApplied(_ verdict: Verdict?) -> Bool {
    if case .applied? = verdict { true } else { false }
  }

  // MARK: Counters

  private func team(_ device: Device) -> UnitValue? {
    device.state.objects[device.task(1)]?[.property("team")]
  }

  /// An increment counts in any order of arrival, and a later assignment replaces it.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func incrementsAndAnAssignmentCountByTheirClocks(order: [Int]) throws {
    let world = try ServerWorld()
    let devices = try (1...3).map { try world.device(UInt64($0), subscribing: all) }
    try devices[0].make(1, team: 1)
    try world.settle()
    // In the order of the clocks: added, assigned, added.
    let actions: [Operation.Action] = [
      .increment(property: "team", by: 100), .set(property: "team", .int(10)),
      .increment(property: "team", by: 5),
    ]
    let numbers = try world.push(actions, to: 1, by: devices, order: order)
    #expect(devices.map { team($0) } == Array(repeating: .value(.int(15)), count: 3))
    let verdict = devices[0].state.verdicts[numbers[0]]?[0]
    // It came before the assignment, or too late.
    #expect(
      order.firstIndex(of: 0) ?? 0 < order.firstIndex(of: 1) ?? 0
        ? isApplied(verdict) : verdict == .outdated(.newerClock))
  }

  @Test func anIncrementThatIsSentAgainCountsOnce() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    // The answer is lost with the connection.
    world.blocked = [try #require(a.connection)]
    try a.push([a.edit(1, .increment(property: "team", by: 5))])
    try world.settle()
    #expect(team(b) == .value(.int(6)))
    a.disconnect()
    world.blocked = []
    try a.connect()
    try a.sync()
    try world.settle()
    try b.push([b.edit(1, .increment(property: "team", by: 1))])
    try world.settle()
    #expect(team(a) == .value(.int(7)) && team(b) == .value(.int(7)))
    #expect(a.state.outbox.isEmpty)
  }

  @Test func sumsWrapAroundAndOtherTypesAreRefused() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: .max, text: "x")
    try world.settle()
    let number = try a.push([
      a.edit(1, .increment(property: "team", by: 1)),
      a.edit(1, .increment(property: "text", by: 1)),
      a.edit(1, .increment(property: "tags", by: 1)),
      a.edit(1, .increment(property: "_id", by: 1)),
    ])
    try world.settle()
    #expect(team(a) == .value(.int(.min)))
    let verdicts = a.state.verdicts[number] ?? []
    #expect(verdicts.map { refused($0, .typeMismatch) } == [false, true, true, true])
  }

  // MARK: Moves

  /// A move and a set of one element both count, whatever comes first; of two moves the later one.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func aMovedElementIsThereOnceWithTheLatestValue(order: [Int]) throws {
    let world = try ServerWorld()
    let devices = try (1...3).map { try world.device(UInt64($0), subscribing: all) }
    let number = try devices[0].make(1, team: 1)
    try world.settle()
    let id = ElementID(client: 1, number: number + 1, index: 0)
    let places = ListPosition.between(nil, nil, count: 3)
    try devices[0].push([
      devices[0].edit(1, .insert(property: "tags", id, places[1], .string("first")))
    ])
    try world.settle()
    let actions: [Operation.Action] = [
      .moveElement(property: "tags", id, places[2]),
      .setElement(property: "tags", id, .string("second")),
      .moveElement(property: "tags", id, places[0]),
    ]
    try world.push(actions, to: 1, by: devices, order: order)
    for device in devices {
      let tags = device.state.objects[device.task(1)]?.filter { path, _ in path.property == "tags" }
      #expect(
        tags == [.element(property: "tags", id): .element(places[0], .string("second"))])
    }
  }

  /// Between two long positions other devices would have to make longer ones.
  @Test func aLongPositionIsRefused() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let number = try a.make(1, team: 1)
    try world.settle()
    let places = try [ListPosition.madeByteCountLimit, ListPosition.madeByteCountLimit + 1].map {
      try #require(ListPosition(decoding: [UInt8](repeating: 0x80, count: $0)))
    }
    let ids = (0..<2).map { ElementID(client: 1, number: number + 1, index: $0) }
    let pushed = try a.push([
      a.edit(1, .insert(property: "tags", ids[0], places[0], .string("x"))),
      a.edit(1, .insert(property: "tags", ids[1], places[1], .string("y"))),
      a.edit(1, .moveElement(property: "tags", ids[0], places[1])),
    ])
    try world.settle()
    let verdicts = try #require(a.state.verdicts[pushed])
    #expect(verdicts[0] == .applied(generation: nil))
    #expect(refused(verdicts[1], .tooLarge) && refused(verdicts[2], .tooLarge))
    let fresh = try world.device(2, subscribing: all)
    let tags = fresh.state.objects[a.task(1)]?.filter { path, _ in path.property == "tags" }
    #expect(tags == [.element(property: "tags", ids[0]): .element(places[0], .string("x"))])
  }

  @Test func aMoveOfARemovedElementComesTooLate() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let number = try a.make(1, team: 1)
    try world.settle()
    let id = ElementID(client: 1, number: number + 1, index: 0)
    let places = ListPosition.between(nil, nil, count: 2)
    let moved = try a.push([
      a.edit(1, .insert(property: "tags", id, places[0], .string("x"))),
      a.edit(1, .removeElement(property: "tags", id)),
      a.edit(1, .moveElement(property: "tags", id, places[1])),
      a.edit(1, .moveElement(property: "text", id, places[1])),
    ])
    try world.settle()
    let verdicts = try #require(a.state.verdicts[moved])
    #expect(verdicts[2] == .outdated(.deletion) && refused(verdicts[3], .typeMismatch))
    #expect(a.state.objects[a.task(1)]?.keys.contains { $0.property == "tags" } == false)
  }

  // MARK: Objects for the server only

  private func event(_ key: Int64, _ text: String, _ number: UInt64) -> [Operation] {
    let object = ObjectAddress(className: "Event", primaryKey: .int(key))
    return [
      Operation(object: object, generation: nil, action: .create),
      Operation(
        object: object, generation: .pending(number: number, index: 0),
        action: .set(property: "text", .string(text))),
    ]
  }

  /// Promise: events.nobody, events.notSubscribed.
  @Test func anEventIsStoredOnceAndSentToNobody() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let b = try world.device(2, subscribing: all)
    try a.add([
      ClassSchema(
        "Event", properties: [PropertySchema("_id", .int), PropertySchema("text", .string)],
        primaryKey: "_id", isSynced: true, isAsymmetric: true)
    ])
    let first = try a.push(event(1, "first", a.state.nextNumber))
    try world.settle()
    #expect(a.state.verdicts[first]?.allSatisfy(isApplied) == true)
    // A user who knows the key changes nothing.
    let second = try b.push(event(1, "second", b.state.nextNumber))
    try world.settle()
    #expect(b.state.verdicts[second]?.allSatisfy { refused($0, .forbidden) } == true)
    let generation = try #require(
      a.state.verdicts[first]?.first.flatMap { verdict -> Cursor? in
        if case .applied(let generation) = verdict { generation } else { nil }
      })
    let deletion = try b.push([
      Operation(
        object: ObjectAddress(className: "Event", primaryKey: .int(1)),
        generation: .confirmed(generation), action: .delete)
    ])
    try b.subscribe(["TRUEPREDICATE"], and: [SetMember(className: "Event", query: "TRUEPREDICATE")])
    try world.settle()
    #expect(refused(b.state.verdicts[deletion]?[0], .outsideView))
    #expect(b.state.verdicts.values.contains { refused($0.first, .invalidQuery) })
    try a.subscribe(all)
    try world.settle()
    let fresh = try world.device(3, subscribing: all)
    for device in [a, b, fresh] {
      #expect(device.batches.flatMap(\.objects).allSatisfy { $0.object.className != "Event" })
    }
    try world.store.tick { transaction throws(ServerStoreError) in
      let values = try transaction.values(
        of: ObjectAddress(className: "Event", primaryKey: .int(1)))
      #expect(values[.property("text")] == .value(.string("first")))
    }
  }

  // MARK: R20

  @Test func aCreationInViewIsAcceptedAndReachesOthers() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let b = try world.device(2, subscribing: ["team == 1"])
    let number = try a.make(7, team: 1, text: "first")
    try world.settle()
    #expect(a.state.verdicts[number]?.allSatisfy(isApplied) == true)
    #expect(a.texts == [7: "first"])
    #expect(b.texts == [7: "first"])
  }

  /// Promise: refusals.outsideView.
  @Test func aCreationOutsideTheViewIsRefusedAndLeavesNothing() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let b = try world.device(2, subscribing: all)
    let number = try a.make(7, team: 2, text: "outside")
    try world.settle()
    #expect(a.state.verdicts[number]?.count == 3)
    #expect(a.state.verdicts[number]?.allSatisfy { refused($0, .outsideView) } == true)
    #expect(a.texts.isEmpty)
    #expect(b.texts.isEmpty)
  }

  /// Promise: refusals.othersStay.
  @Test func otherObjectsOfTheSameTransactionStay() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let own = a.state.nextNumber
    let number = try a.push([
      a.create(1), a.set(1, team: 1, of: .pending(number: own, index: 0)), a.create(2),
      a.set(2, team: 2, of: .pending(number: own, index: 2)),
    ])
    try world.settle()
    #expect(a.state.verdicts[number]?.map(isApplied) == [true, true, false, false])
    #expect(a.texts.keys.sorted() == [1])
  }

  /// Promise: refusals.outsideView.
  @Test func anEditOfAnObjectThatIsNotHeldIsRefused() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let b = try world.device(2, subscribing: ["team == 2"])
    try a.make(1, team: 1)
    try world.settle()
    let generation = try #require(a.state.generations[a.task(1)])
    let number = try b.push([b.set(1, text: "stolen", of: .confirmed(generation))])
    let deletion = try b.push([b.edit(1, .delete, of: .confirmed(generation))])
    try world.settle()
    #expect(refused(b.state.verdicts[number]?[0], .outsideView))
    #expect(refused(b.state.verdicts[deletion]?[0], .outsideView))
    #expect(a.texts == [1: ""])
  }

  /// The cursor that the device has confirmed decides, not what the server has sent since.
  @Test func anEditOfAnObjectThatWasHeldAtTheConfirmedCursorIsAccepted() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: ["team == 1"])
    try a.make(1, team: 1)
    try world.settle()
    let connection = try #require(b.connection)
    world.blocked = [connection]
    try a.push([a.set(1, team: 2)])
    try world.settle()
    let number = try b.push([b.set(1, text: "late")])
    try world.settle()
    world.blocked = []
    try world.settle()
    #expect(b.texts.isEmpty)
    #expect(isApplied(b.state.verdicts[number]?[0]))
    #expect(a.texts == [1: "late"])
  }

  @Test func anEditOfTheOwnCreationNeedsNoConfirmation() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    world.blocked = [try #require(a.connection)]
    let creation = try a.make(1, team: 1)
    try world.settle()
    let edit = try a.push([
      a.set(1, text: "again", of: .pending(number: creation, index: 0))
    ])
    try world.settle()
    world.blocked = []
    try world.settle()
    #expect(isApplied(a.state.verdicts[edit]?[0]))
  }

  /// Promise: view.sameKey.
  @Test func aCreationThatMeetsALiveObjectBringsAllOfIt() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let b = try world.device(2, subscribing: ["team == 2"])
    try a.make(1, team: 1, text: "from a")
    try world.settle()
    let own = b.state.nextNumber
    world.now += 10
    let number = try b.push([
      b.create(1), b.set(1, team: 2, of: .pending(number: own, index: 0)),
    ])
    try world.settle()
    #expect(b.state.verdicts[number]?.allSatisfy(isApplied) == true)
    #expect(b.texts == [1: "from a"])
    #expect(a.texts.isEmpty)
  }

  /// Promise: view.sameKey.
  @Test func aRefusedCreationThatMetALiveObjectLeavesItAsItWas() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: ["team == 2"])
    try a.make(1, team: 1, text: "kept")
    try world.settle()
    let own = b.state.nextNumber
    world.now += 10
    let number = try b.push([
      b.create(1), b.set(1, text: "lost", of: .pending(number: own, index: 0)),
    ])
    try world.settle()
    #expect(b.state.verdicts[number]?.allSatisfy { refused($0, .outsideView) } == true)
    #expect(a.texts == [1: "kept"])
    let fresh = try world.device(3, subscribing: all)
    #expect(fresh.texts == [1: "kept"])
  }

  @Test func aCreationThatItsOwnTransactionDeletesIsAccepted() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let own = a.state.nextNumber
    let number = try a.push([
      a.create(1), a.edit(1, .delete, of: .pending(number: own, index: 0)),
    ])
    try world.settle()
    #expect(a.state.verdicts[number]?.allSatisfy(isApplied) == true)
    #expect(a.texts.isEmpty)
  }

  @Test func withoutDevelopmentEverythingIsDenied() throws {
    let world = try ServerWorld(rights: Rights(.denied))
    let a = try world.device(1, subscribing: all)
    let number = try a.make(1, team: 1)
    try world.settle()
    #expect(a.state.verdicts[number]?.allSatisfy { refused($0, .forbidden) } == true)
    #expect(a.texts.isEmpty)
  }

  /// Promise: refusals.schema.
  @Test func whatDoesNotFitTheSchemaIsRefused() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let number = try a.push([
      a.edit(1, .set(property: "team", .string("x"))), a.edit(1, .set(property: "none", .int(1))),
      a.edit(1, .set(property: "_id", .int(2))), a.edit(1, .set(property: "tags", .list([]))),
      a.edit(1, .set(property: "text", .null)),
      Operation(
        object: ObjectAddress(className: "None", primaryKey: .int(1)), generation: nil,
        action: .create),
      Operation(
        object: ObjectAddress(className: "Task", primaryKey: .string("1")), generation: nil,
        action: .create),
    ])
    try world.settle()
    let reasons: [Refusal.Reason] = [
      .typeMismatch, .unknownSchema, .typeMismatch, .typeMismatch, .typeMismatch, .unknownSchema,
      .typeMismatch,
    ]
    for (verdict, reason) in zip(try #require(a.state.verdicts[number]), reasons) {
      #expect(refused(verdict, reason), "\(verdict)")
    }
    #expect(a.errors.isEmpty)
  }

  // MARK: R4

  @Test func theNewerClockWins() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    world.now += 100
    a.clock = HybridClock(milliseconds: world.now).rawValue
    b.clock = HybridClock(milliseconds: world.now - 1).rawValue
    try a.push([a.set(1, text: "newer")])
    let late = try b.push([b.set(1, text: "older"), b.set(1, team: 3)])
    try world.settle()
    #expect(b.state.verdicts[late] == [.outdated(.newerClock), .applied(generation: nil)])
    #expect(a.texts == [1: "newer"])
    #expect(b.texts == [1: "newer"])
  }

  @Test func aTieIsBrokenByTheClient() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let clock = HybridClock(milliseconds: world.now + 1).rawValue
    (a.clock, b.clock) = (clock, clock)
    try b.push([b.set(1, text: "two")])
    let number = try a.push([a.set(1, text: "one")])
    try world.settle()
    #expect(a.state.verdicts[number] == [.outdated(.newerClock)])
    #expect(a.texts == [1: "two"])
  }

  @Test func aClockFromTheFutureDoesNotKeepOthersFromWriting() throws {
    let world = try ServerWorld { $0.clockToleranceMilliseconds = 5 }
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    a.clock = .max
    try a.push([a.set(1, text: "from the future")])
    try world.settle()
    world.now += 10
    let number = try b.push([b.set(1, text: "now")])
    try world.settle()
    #expect(isApplied(b.state.verdicts[number]?[0]))
    #expect(a.texts == [1: "now"])
  }

  /// A device whose clock is far behind writes after what it has seen: batches tell it the clock.
  @Test func aWriteNeverLosesToAValueThatItHasSeen() throws {
    let world = try ServerWorld { $0.clockToleranceMilliseconds = 5 }
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    a.clock = .max
    try a.make(1, team: 1, text: "ahead")
    try world.settle()
    let newest = try #require(b.batches.last?.newestClock)
    b.clock = newest.rawValue + 1
    let number = try b.push([b.set(1, text: "after")])
    try world.settle()
    #expect(isApplied(b.state.verdicts[number]?[0]))
  }

  /// A clock behind the server's time would reveal hidden writes of other users.
  @Test func theClockOfABatchDoesNotTellWhenOthersWrite() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: ["team == 2"])
    world.now += 60_000
    try a.make(1, team: 1)
    try world.settle()
    world.now += 60_000
    try b.subscribe(["team == 3"])
    try world.settle()
    #expect(b.batches.last?.newestClock == HybridClock(milliseconds: world.now))
    // A server whose own clock is wrong by years does not take those of the devices along.
    world.now += 365 * 24 * 60 * 60 * 1_000
    try b.subscribe(["team == 4"])
    try world.settle()
    let newest = try #require(b.batches.last?.newestClock)
    #expect(newest.milliseconds < world.now / 2)
  }

  // MARK: Repaired files

  /// Objects of a repaired file without an entry in its outbox are sent again with the least clock.
  ///
  /// Promise: reset.salvage.
  @Test func whatIsToldAgainMakesWhatIsNotThereAndChangesNothingElse() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 0)
    try world.settle()
    let places = ListPosition.between(nil, nil, count: 3)
    func element(_ index: UInt32) -> ElementID { ElementID(client: 1, number: 90, index: index) }
    func insert(_ index: UInt32, of generation: Generation? = nil) -> Operation {
      a.edit(
        1,
        .insert(
          property: "tags", element(index), places[Int(index)], .string("\(index)")),
        of: generation)
    }
    try a.push([a.edit(1, .increment(property: "team", by: 5)), insert(0), insert(1)])
    try world.settle()
    try b.push([b.edit(1, .removeElement(property: "tags", element(0)))])
    try world.settle()
    let before = try world.view(all)
    a.clock = 0
    let first = Generation.pending(number: a.state.nextNumber, index: 0)
    let second = Generation.pending(number: a.state.nextNumber, index: 5)
    let number = try a.push([
      a.create(1), a.set(1, team: 5, of: first), insert(0, of: first), insert(1, of: first),
      a.edit(1, .moveElement(property: "tags", element(1), places[2]), of: first),
      a.create(2), a.set(2, team: 3, of: second),
    ])
    try world.settle()
    var after = try world.view(all)
    let made = after.removeValue(forKey: a.task(2))
    #expect(after == before)
    #expect(made?[.property("team")] == .value(.int(3)))
    let verdicts = try #require(a.state.verdicts[number])
    #expect(isApplied(verdicts[0]) && isApplied(verdicts[5]) && isApplied(verdicts[6]))
    #expect(verdicts[1...4].allSatisfy { $0 == .outdated(.newerClock) })
  }

  // MARK: R8

  @Test func aDeletionWinsWhateverTheClocks() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    world.now += 1_000
    b.clock = HybridClock(milliseconds: world.now).rawValue
    a.clock = HybridClock(milliseconds: 1).rawValue
    try a.push([a.edit(1, .delete)])
    let number = try b.push([b.set(1, text: "late")])
    try world.settle()
    #expect(b.state.verdicts[number] == [.outdated(.deletion)])
    #expect(a.texts.isEmpty && b.texts.isEmpty)
  }

  @Test func aCreationAfterADeletionThatWasSeenLives() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push([a.edit(1, .delete)])
    try world.settle()
    try b.make(1, team: 1, text: "again")
    try world.settle()
    #expect(a.texts == [1: "again"] && b.texts == [1: "again"])
  }

  @Test func aCreationAfterADeletionThatWasNotSeenIsOutdatedWithItsEdits() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: ["team == 9"])
    try a.make(1, team: 1)
    try world.settle()
    b.disconnect()
    try a.push([a.edit(1, .delete)])
    try world.settle()
    try b.connect()
    b.state.seen = nil
    let number = try b.make(1, team: 9)
    try world.settle()
    #expect(b.state.verdicts[number]?.allSatisfy { $0 == .outdated(.deletion) } == true)
    #expect(a.texts.isEmpty && b.texts.isEmpty)
  }

  @Test func anOwnDeletionCountsAsSeen() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let before = a.state.seen
    try a.push([a.edit(1, .delete)])
    a.state.seen = before
    let number = try a.make(1, team: 1, text: "again")
    try world.settle()
    #expect(a.state.verdicts[number]?.allSatisfy(isApplied) == true)
    #expect(a.texts == [1: "again"])
  }

  @Test func anEditOfADeadGenerationIsOutdated() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let first = try #require(a.state.generations[a.task(1)])
    try a.push([a.edit(1, .delete)])
    try world.settle()
    try a.make(1, team: 1, text: "second")
    try world.settle()
    let number = try b.push([b.set(1, text: "of the first", of: .confirmed(first))])
    try world.settle()
    #expect(b.state.verdicts[number] == [.outdated(.deletion)])
    #expect(a.texts == [1: "second"])
  }

  /// Whether the device held the object is not known any more: the app hears that it is gone.
  ///
  /// Promise: reset.lostObjects.
  @Test func anEditOfWhatARestoredServerHasLostIsOutdated() throws {
    let store = MemoryStore()
    let world = try ServerWorld(store: store)
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let copy = store.contents
    try a.make(2, team: 1)
    try world.settle()
    let kept = try #require(a.state.generations[a.task(1)])
    let lost = try #require(a.state.generations[a.task(2)])
    store.contents = copy
    try world.restart()
    // Under a new id it sends what it had in its outbox.
    let b = world.device(9)
    b.state.seen = a.state.seen
    try b.connect()
    try b.subscribe(all)
    try world.settle()
    let edit = try b.push([
      b.set(2, text: "late", of: .confirmed(lost)), b.edit(2, .delete, of: .confirmed(lost)),
      b.set(1, text: "kept", of: .confirmed(kept)),
    ])
    // One under another set hears nothing else.
    let c = try world.device(10, subscribing: ["team == 2"])
    let other = try c.push([
      c.set(2, text: "late", of: .confirmed(lost)), c.set(1, text: "x", of: .confirmed(kept)),
    ])
    try world.settle()
    #expect(
      b.state.verdicts[edit] == [
        .outdated(.deletion), .outdated(.deletion), .applied(generation: nil),
      ])
    #expect(b.texts == [1: "kept"])
    #expect(c.state.verdicts[other]?.first == .outdated(.deletion))
    #expect(refused(c.state.verdicts[other]?.last, .outsideView))
  }

  // MARK: Lists

  @Test func elementsMergeOneByOne() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let places = ListPosition.between(nil, nil, count: 2)
    let first = ElementID(client: 1, number: 9, index: 0)
    let second = ElementID(client: 2, number: 9, index: 0)
    let path = { UnitPath.element(property: "tags", $0) }
    try a.push([a.edit(1, .insert(property: "tags", first, places[0], .string("x")))])
    try b.push([b.edit(1, .insert(property: "tags", second, places[1], .string("y")))])
    try world.settle()
    for device in [a, b] {
      let values = device.state.objects[a.task(1)]
      #expect(values?[path(first)] == .element(places[0], .string("x")))
      #expect(values?[path(second)] == .element(places[1], .string("y")))
    }
    try a.push([a.edit(1, .removeElement(property: "tags", second))])
    let number = try b.push([b.edit(1, .setElement(property: "tags", second, .string("z")))])
    try world.settle()
    #expect(b.state.verdicts[number] == [.outdated(.deletion)])
    #expect(b.state.objects[a.task(1)]?[path(second)] == nil)
    let fresh = try world.device(3, subscribing: all)
    #expect(fresh.state.objects[a.task(1)]?[path(first)] == .element(places[0], .string("x")))
    #expect(fresh.state.objects[a.task(1)]?[path(second)] == nil)
  }

  // MARK: R1, R9, R10, R13

  /// Promise: sets.order.
  @Test func eachPushIsJudgedByTheSetInForceAtItsNumber() throws {
    let world = try ServerWorld()
    let a = world.device(1)
    try a.connect()
    try a.subscribe(["team == 1"])
    let first = try a.make(1, team: 1)
    try a.subscribe(["team == 2"])
    let second = try a.make(2, team: 2)
    let third = try a.make(3, team: 1)
    try world.settle()
    #expect(isApplied(a.state.verdicts[first]?[0]))
    #expect(isApplied(a.state.verdicts[second]?[0]))
    #expect(refused(a.state.verdicts[third]?[0], .outsideView))
    #expect(a.texts.keys.sorted() == [2])
  }

  /// Promise: refusals.answersStay.
  @Test func answersComeAgainUntilTheyAreConfirmed() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    let connection = try #require(a.connection)
    world.blocked = [connection]
    let first = try a.make(1, team: 1)
    let second = try a.make(2, team: 2)
    try world.settle()
    world.blocked = []
    a.disconnect()
    try a.connect()
    #expect(a.welcome?.pushed == second)
    #expect(isApplied(a.state.verdicts[first]?[0]))
    #expect(refused(a.state.verdicts[second]?[0], .outsideView))
    a.disconnect()
    let count = a.batches.count
    try a.connect()
    #expect(a.batches[count...].allSatisfy { $0.answers.isEmpty })
  }

  /// Promise: refusals.answersStay.
  @Test func aPushThatComesAgainIsNotJudgedAgain() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let header = a.header()
    let own = Generation.pending(number: header.number, index: 0)
    try a.push([a.create(1), a.set(1, text: "once", of: own)], header: header)
    try world.settle()
    let version = world.server.version
    let transaction = RecordedTransaction(
      clock: HybridClock(milliseconds: world.now), seen: nil,
      operations: [a.create(1), a.set(1, text: "twice", of: own)])
    try a.say(.push(PushEntry(header: header, transaction: transaction)))
    try world.settle()
    #expect(world.server.version == version)
    #expect(a.texts == [1: "once"])
  }

  /// Promise: refusals.stopNothing.
  @Test func oneRefusedOperationStopsNothing() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: ["team == 1"])
    for key in 1...200 { try a.make(Int64(key), team: key == 100 ? 2 : 1) }
    try world.settle()
    #expect(a.texts.count == 199)
    #expect(a.state.verdicts.values.filter { refused($0[0], .outsideView) }.count == 1)
  }
}
