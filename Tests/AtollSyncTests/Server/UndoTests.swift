import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import TestThreads
import Testing

/// What a server undoes: transactions after which an object violates the rights.
@Suite(.computing) struct UndoTests {
  private let all = ["TRUEPREDICATE"]
  private let places = ListPosition.between(nil, nil, count: 4)

  private func element(_ index: UInt32) -> ElementID {
    ElementID(client: 1, number: 90, index: index)
  }

  /// A world in which tasks must be of team 1, before each change and after it.
  private func world(_ store: any ServerStore) throws -> ServerWorld {
    var task = ServerWorld.schema[0]
    task.properties += [
      PropertySchema("marks", .string, collection: .set),
      PropertySchema("numbers", .mixed, collection: .set),
      PropertySchema("scores", .int, collection: .map),
    ]
    let schema = try store.tick { transaction throws(ServerStoreError) in
      try transaction.add([task])
      return transaction.schema
    }
    let own = Role.Permission.matching(
      try RuleCondition("team == 1", on: "Task", in: schema, userClass: nil))
    let role = Role("member", read: .all, write: own, insert: own, delete: .all)
    let rules = ServerRules(classes: ["Task": ClassRules(roles: [role])])
    return try ServerWorld(store: store, rights: Rights(.rules(rules)))
  }

  /// A device that has a task with elements, members and entries.
  private func device(_ world: ServerWorld) throws -> Device {
    let device = try world.device(1, subscribing: all)
    try device.make(1, team: 1, text: "old")
    try world.settle()
    let scores = (0..<3).map { RecordedValue.string("k\($0)") }
    try device.push(
      (0..<3).map { index in
        device.edit(
          1, .insert(property: "tags", element(index), places[Int(index)], .string("\(index)")))
      } + scores.map { device.edit(1, .setEntry(property: "scores", key: $0, .int(1))) } + [
        device.edit(1, .addMember(property: "marks", .string("m"))),
        device.edit(1, .addMember(property: "numbers", .double(1))),
      ])
    try world.settle()
    return device
  }

  private func isForbidden(_ verdict: Verdict) -> Bool {
    if case .refused(let refusal) = verdict { refusal.reason == .forbidden } else { false }
  }

  private func edits(_ device: Device) -> [AtollCapture.Operation] {
    let actions: [AtollCapture.Operation.Action] = [
      .set(property: "text", .string("new")), .increment(property: "team", by: 1),
      .setElement(property: "tags", element(0), .string("new")),
      .setEntry(property: "scores", key: .string("k0"), .int(2)),
      .moveElement(property: "tags", element(1), places[3]),
      .removeElement(property: "tags", element(2)),
      .setEntry(property: "scores", key: .string("new"), .int(2)),
      .removeEntry(property: "scores", key: .string("k1")),
      .insert(property: "tags", element(3), places[0], .string("new")),
      .setElement(property: "tags", element(3), .string("newer")),
      .addMember(property: "marks", .string("new")),
      .removeEntry(property: "marks", key: .string("m")),
    ]
    return actions.map { device.edit(1, $0) }
  }

  @Test func unitsThatWereChangedHoldAgainWhatTheyHeld() throws {
    let memory = MemoryStore()
    for store in [memory, AtollStore(try Database.inMemory(options: .recording))]
      as [any ServerStore]
    {
      let world = try world(store)
      let device = try device(world)
      let before = try world.view(all)
      let count = memory.contents.wholeReadCount
      let number = try device.push(edits(device))
      try world.settle()
      // What the object has besides costs nothing.
      #expect(memory.contents.wholeReadCount == count)
      let verdicts = try #require(device.state.verdicts[number])
      #expect(verdicts.count == 12 && verdicts.allSatisfy(isForbidden))
      #expect(try world.view(all) == before)
      // Nothing is left of it that a later transaction would meet.
      let fine = try device.push(edits(device).filter { $0.unit.path != .property("team") })
      try world.settle()
      let others = try #require(device.state.verdicts[fine])
      #expect(others.count == 11 && others.allSatisfy { $0 == .applied(generation: nil) })
      let fresh = try world.device(2, subscribing: all)
      #expect(fresh.state.objects == device.state.objects)
    }
  }

  @Test func anObjectThatWasDeletedAndMadeAgainIsRestoredAsAWhole() throws {
    for store in [MemoryStore(), AtollStore(try Database.inMemory(options: .recording))]
      as [any ServerStore]
    {
      let world = try world(store)
      let device = try device(world)
      let before = try world.view(all)
      let own = Generation.pending(number: device.state.nextNumber, index: 1)
      let number = try device.push([
        device.edit(1, .delete), device.create(1), device.set(1, team: 2, of: own),
        device.edit(
          1, .insert(property: "tags", element(0), places[0], .string("new")), of: own),
      ])
      try world.settle()
      let verdicts = try #require(device.state.verdicts[number])
      #expect(verdicts.count == 4 && verdicts.allSatisfy(isForbidden))
      #expect(try world.view(all) == before)
    }
  }

  /// Random changes of members that equal one another, in transactions of which most are undone: the
  /// set is as before, and a device that is new gets it.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func membersThatEqualOthersAreUndoneOneByOne(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try world(AtollStore(try Database.inMemory(options: .recording)))
    let device = try device(world)
    let many = Int(random.next() % 2) == 0 ? 0 : 300
    try device.push(
      (0..<many).map { device.edit(1, .addMember(property: "numbers", .int(Int64($0) + 10))) })
    try world.settle()
    let members: [RecordedValue] = [
      .int(0), .double(0), .double(-0.0), .int(1), .double(1), .decimal(1), .bool(true),
      .float(1), .double(.nan), .string("1"), .null,
    ]
    for _ in 0..<12 {
      let before = try world.view(all)
      var operations: [AtollCapture.Operation] = []
      for _ in 0...Int(random.next() % 6) {
        let member = members[Int(random.next() % UInt64(members.count))]
        operations.append(
          device.edit(
            1,
            Int(random.next() % 3) == 0
              ? .removeEntry(property: "numbers", key: member)
              : .addMember(property: "numbers", member)))
      }
      let isUndone = Int(random.next() % 3) > 0
      if isUndone { operations.insert(device.set(1, team: 2), at: Int(random.next() % 2)) }
      // Two of them in one tick may lie in memory together.
      let isFollowed = Int(random.next() % 2) == 0
      let number = try device.push(operations)
      if isFollowed {
        try device.push([device.edit(1, .removeEntry(property: "numbers", key: members[0]))])
      }
      try world.settle()
      guard isUndone else { continue }
      #expect(try #require(device.state.verdicts[number]).allSatisfy(isForbidden))
      if !isFollowed { #expect(try world.view(all) == before) }
    }
    let fresh = try world.device(2, subscribing: all)
    #expect(fresh.state.objects == (try world.view(all)))
  }

  /// A set holds one of them: to remove the whole number would remove the other.
  @Test func aMemberThatEqualsAnotherDoesNotTakeItAlong() throws {
    let world = try world(AtollStore(try Database.inMemory(options: .recording)))
    let device = try device(world)
    let before = try world.view(all)
    let number = try device.push([
      device.edit(1, .addMember(property: "numbers", .int(1))), device.set(1, team: 2),
    ])
    try world.settle()
    let verdicts = try #require(device.state.verdicts[number])
    #expect(verdicts.count == 2 && verdicts.allSatisfy(isForbidden))
    #expect(try world.view(all) == before)
  }
}
