import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// The index of elements, entries and members by the version of their last change.
@Suite(.computing) struct PartVersionTests {
  private let all = ["TRUEPREDICATE"]

  /// A world whose class has a list, a set and a map.
  private func world() throws -> ServerWorld {
    let store = AtollStore(try Database.inMemory(options: .recording))
    try store.tick { transaction throws(ServerStoreError) in
      var task = ServerWorld.schema[0]
      task.properties += [
        PropertySchema("marks", .string, collection: .set),
        PropertySchema("scores", .int, collection: .map),
      ]
      try transaction.add([task])
    }
    return try ServerWorld(store: store)
  }

  private func element(_ index: UInt32) -> ElementID {
    ElementID(client: 1, number: 90, index: index)
  }

  private let places = ListPosition.between(nil, nil, count: 8)

  private func insert(_ index: UInt32, _ device: Device) -> AtollCapture.Operation {
    device.edit(
      1,
      .insert(property: "tags", element(index), places[Int(index)], .string("\(index)")))
  }

  private func set(_ index: UInt32, _ text: String, _ device: Device) -> AtollCapture.Operation {
    device.edit(1, .setElement(property: "tags", element(index), .string(text)))
  }

  private func keys(in map: StoreMap, _ world: ServerWorld) throws -> [[UInt8]] {
    try world.store.tick { transaction throws(ServerStoreError) in
      var keys: [[UInt8]] = []
      try transaction.forEach(in: map, from: [], prefix: []) { key, _ in
        keys.append(key)
        return true
      }
      return keys
    }
  }

  /// The keys that the index must have, by the records.
  private func expectedKeys(_ world: ServerWorld) throws -> [[UInt8]] {
    try world.store.tick { transaction throws(ServerStoreError) in
      var keys: [[UInt8]] = []
      try transaction.forEach(in: .parts, from: [], prefix: []) {
        (key, bytes) throws(ServerStoreError) in
        var entry = Array(key.prefix(16))
        entry.appendNumber(try PartRecord(bytes).unit.version)
        keys.append(entry + key.dropFirst(16))
        return true
      }
      return keys.sorted { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// The paths of the updates that a device was sent, batch by batch.
  private func updates(_ batches: some Sequence<Batch>) -> [[UnitPath]] {
    batches.flatMap(\.objects).map { object in
      if case .update(let units) = object.change { units.map(\.path) } else { [] }
    }
  }

  private func paths(_ indices: [UInt32]) -> [UnitPath] {
    indices.map { .element(property: "tags", element($0)) }
  }

  @Test func eachPartIsListedOnceWithItsLastVersion() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    // A member that lies in keys as a digest, and one that does not.
    let long = RecordedValue.string(String(repeating: "m", count: 300))
    let short = RecordedValue.string("m")
    let steps: [[Operation.Action]] = [
      [
        .insert(property: "tags", element(0), places[0], .string("x")),
        .insert(property: "tags", element(1), places[1], .string("y")),
        .addMember(property: "marks", long), .addMember(property: "marks", short),
        .setEntry(property: "scores", key: .string("k"), .int(1)),
      ],
      [
        .setElement(property: "tags", element(0), .string("z")),
        .removeEntry(property: "marks", key: long),
      ],
      [
        .moveElement(property: "tags", element(1), places[2]),
        .setEntry(property: "scores", key: .string("k"), .int(2)),
        .setEntry(property: "scores", key: .string("k"), .int(3)),
      ],
      [.removeElement(property: "tags", element(0)), .addMember(property: "marks", long)],
    ]
    for (index, actions) in steps.enumerated() {
      let device = index % 2 == 0 ? a : b
      try device.push(actions.map { device.edit(1, $0) })
      try world.settle()
      let found = try keys(in: .partVersions, world)
      #expect(found == (try expectedKeys(world)) && found.count == 5)
      #expect(a.state.objects == b.state.objects)
    }
    try b.push([b.edit(1, .delete)])
    try world.settle()
    #expect(try keys(in: .parts, world).isEmpty && keys(in: .partVersions, world).isEmpty)
    // In the next life the ids are free.
    let own = Generation.pending(number: a.state.nextNumber, index: 0)
    let number = try a.push([
      a.create(1), a.edit(1, steps[0][0], of: own), a.edit(1, steps[0][1], of: own),
    ])
    try world.settle()
    let verdicts = try #require(a.state.verdicts[number])
    #expect(verdicts.dropFirst().allSatisfy { $0 == .applied(generation: nil) })
    #expect(try keys(in: .partVersions, world) == expectedKeys(world))
    #expect(try keys(in: .partVersions, world).count == 2)
  }

  @Test func aTransactionThatDeletesAndMakesAnObjectLeavesTheNewParts() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<3).map { insert($0, a) })
    try world.settle()
    let own = Generation.pending(number: a.state.nextNumber, index: 1)
    try a.push([
      a.edit(1, .delete), a.create(1),
      a.edit(1, .insert(property: "tags", element(5), places[5], .string("new")), of: own),
    ])
    try world.settle()
    let found = try keys(in: .partVersions, world)
    #expect(found == (try expectedKeys(world)) && found.count == 1)
  }

  @Test func aDeviceGetsTheElementsThatOthersChangedInTheirOrder() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<8).map { insert($0, a) })
    try world.settle()
    b.disconnect()
    let count = b.batches.count
    // Later versions for smaller ids.
    for index in [6, 5, 3] { try a.push([set(UInt32(index), "a", a)]) }
    try a.push([a.edit(1, .removeElement(property: "tags", element(1)))])
    try world.settle()
    try b.connect()
    #expect(updates(b.batches.dropFirst(count)) == [paths([1, 3, 5, 6])])
    #expect(a.state.objects == b.state.objects)
  }

  /// It applies them as it sent them.
  @Test func aDeviceGetsNoneOfItsOwnChanges() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<4).map { insert($0, a) })
    try world.settle()
    let count = b.batches.count
    b.isSynced = false
    try b.push([set(0, "b", b), set(1, "b", b)])
    try a.push([set(1, "a", a), set(2, "a", a)])
    try world.settle()
    // The later clock is that of `b`.
    world.now += 10
    try b.push([set(2, "later", b)])
    try b.sync()
    try world.settle()
    #expect(updates(b.batches.dropFirst(count)) == [paths([1, 2])])
    #expect(a.state.objects == b.state.objects)
    #expect(try keys(in: .partVersions, world) == expectedKeys(world))
  }

  /// A store that was written before there was an index.
  @Test func aStoreWithoutTheIndexGetsItWhenItIsOpened() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<8).map { insert($0, a) })
    try world.settle()
    b.disconnect()
    try a.push([set(7, "a", a), a.edit(1, .addMember(property: "marks", .string("m")))])
    try a.push([set(2, "a", a)])
    try world.settle()
    let before = try keys(in: .partVersions, world)
    try world.store.tick { transaction throws(ServerStoreError) in
      for key in before { try transaction.set(nil, for: key, in: .partVersions) }
      try transaction.set(nil, for: PartVersions.mark, in: .state)
    }
    #expect(try keys(in: .partVersions, world).isEmpty)
    try world.restart()
    #expect(try keys(in: .partVersions, world) == before)
    let count = b.batches.count
    try b.connect()
    #expect(
      updates(b.batches.dropFirst(count)) == [
        paths([2, 7]) + [.entry(property: "marks", .string("m"))]
      ])
    #expect(a.state.objects == b.state.objects)
    // And only once: what is there stays.
    try a.connect()
    try a.push([set(3, "again", a)])
    try world.settle()
    let after = try keys(in: .partVersions, world)
    try world.restart()
    #expect(try keys(in: .partVersions, world) == after && expectedKeys(world) == after)
  }

  /// A mark that is lost leads to no part that is listed twice.
  @Test func anIndexWithoutItsMarkIsMadeAnew() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<4).map { insert($0, a) })
    try world.settle()
    let before = try keys(in: .partVersions, world)
    try world.store.tick { transaction throws(ServerStoreError) in
      var wrong = before[0]
      wrong[23] = 0
      try transaction.set([], for: wrong, in: .partVersions)
      try transaction.set(nil, for: PartVersions.mark, in: .state)
    }
    try world.restart()
    #expect(try keys(in: .partVersions, world) == before)
  }

  /// A build without the index ran in between: it has begun a start of its own.
  @Test func anIndexThatAnotherBuildHasNotKeptIsMadeAnew() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<4).map { insert($0, a) })
    try world.settle()
    let before = try keys(in: .partVersions, world)
    try world.store.tick { transaction throws(ServerStoreError) in
      // It changed a part, whose entry is missing then.
      try transaction.set(nil, for: before[1], in: .partVersions)
      let bytes = try transaction.record(ServerState.key, in: .state) ?? []
      var state = try ServerState(bytes)
      state.incarnations.append(Cursor(incarnation: 4_711, version: state.version + 1))
      try transaction.set(state.encoded, for: ServerState.key, in: .state)
    }
    try world.restart()
    #expect(try keys(in: .partVersions, world) == before)
  }

  /// Salvage copies no index.
  @Test func anIndexThatIsEmptyIsMadeAnew() throws {
    let world = try world()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push((0..<4).map { insert($0, a) })
    try world.settle()
    let before = try keys(in: .partVersions, world)
    try world.store.tick { transaction throws(ServerStoreError) in
      for key in before { try transaction.set(nil, for: key, in: .partVersions) }
    }
    try world.restart()
    #expect(try keys(in: .partVersions, world) == before)
  }
}
