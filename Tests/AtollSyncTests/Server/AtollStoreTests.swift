import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import TestThreads
import Testing

/// A server whose store is a database.
@Suite(.computing) struct AtollStoreTests {
  private let all = ["TRUEPREDICATE"]

  private static let classes = [
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .string), PropertySchema("team", .int, isIndexed: true),
        PropertySchema("next", linkTo: "Task"), PropertySchema("tags", .string, collection: .list),
        PropertySchema("place", linkTo: "Place"),
      ], primaryKey: "_id"),
    ClassSchema("Place", properties: [PropertySchema("name", .string)], isEmbedded: true),
  ]

  private func store() throws -> AtollStore {
    let store = AtollStore(try Database.inMemory(options: .recording))
    try store.tick { transaction throws(ServerStoreError) in try transaction.add(Self.classes) }
    return store
  }

  private func address(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Task", primaryKey: .string(key))
  }

  // MARK: The port

  @Test func anObjectKeepsItsNumber() throws {
    let store = try store()
    let address = address("a")
    let first = try store.tick { t throws(ServerStoreError) in try t.create(address) }
    try store.tick { t throws(ServerStoreError) in
      try t.delete(address, isForgotten: false)
      #expect(try t.number(of: address) == first)
      #expect(try t.address(of: first) == address)
    }
    try store.tick { t throws(ServerStoreError) in
      #expect(try t.number(of: address) == first)
      #expect(try t.address(of: first) == address)
      _ = try t.create(self.address("b"))
      #expect(try t.create(address) == first)
      #expect(try t.record(first.bytes, in: .deleted) == nil)
    }
  }

  /// A server keeps what devices only send, and no outbox: neither is a fault, and a copy of what can
  /// be read is a store again.
  @Test func aStoreWithEventsIsSoundAndSoIsItsSalvage() throws {
    let folder = TemporaryFolder()
    let database = try Database.open(folder.path(of: "store"), options: .recording)
    let event = ClassSchema(
      "Event",
      properties: [
        PropertySchema("_id", .string), PropertySchema("tags", .string, collection: .list),
      ], primaryKey: "_id", isAsymmetric: true)
    let store = AtollStore(database)
    _ = try SyncServer(store: store, options: SyncServer.Options(rights: Rights(.development))) {
      7
    }
    try store.tick { t throws(ServerStoreError) in
      try t.add(Self.classes + [event])
      for name in ["Event", "Task"] {
        let address = ObjectAddress(className: name, primaryKey: .string("a"))
        _ = try t.create(address)
        try t.write(
          Unit(
            object: address,
            path: .element(property: "tags", ElementID(client: 1, number: 1, index: 0))),
          .element(ListPosition.between(nil, nil, count: 1)[0], .string("t")))
      }
    }
    #expect(try database.snapshot().isServerStore)
    #expect(try database.check().findings == [])
    try database.close()
    _ = try Database.salvage(
      folder.path(of: "store"), to: folder.path(of: "copy"), options: .recording)
    let copy = try Database.open(folder.path(of: "copy"), options: .recording)
    #expect(try copy.check().findings == [])
    let snapshot = try copy.snapshot()
    #expect(snapshot.isServerStore)
    #expect(try snapshot.table("Event").count == 1 && snapshot.table("Task").count == 1)
    #expect(try snapshot.outboxCount == 0 && snapshot.syncState() == nil)
  }

  @Test func anObjectThatIsForgottenLeavesNothing() throws {
    let store = try store()
    try store.tick { t throws(ServerStoreError) in
      let number = try t.create(address("a"))
      try t.delete(address("a"), isForgotten: true)
      #expect(try t.number(of: address("a")) == nil)
      #expect(try t.address(of: number) == nil)
    }
  }

  @Test func valuesComeBackAsTheyWereWritten() throws {
    let store = try store()
    let address = address("a")
    let places = ListPosition.between(nil, nil, count: 2)
    let ids = (0..<2).map { ElementID(client: 1, number: 1, index: $0) }
    let written: [UnitPath: UnitValue] = [
      .existence: .exists, .property("team"): .value(.int(3)),
      .property("next"): .value(.link(self.address("missing"))),
      .property("place"): .value(
        .embedded(
          EmbeddedValue(
            incarnation: ids[1], [RecordedField(property: "name", value: .string("Oslo"))]))),
      .element(property: "tags", ids[0]): .element(places[0], .string("x")),
      .element(property: "tags", ids[1]): .element(places[1], .string("y")),
    ]
    try store.tick { t throws(ServerStoreError) in
      _ = try t.create(address)
      for (path, value) in written where path != .existence {
        try t.write(Unit(object: address, path: path), value)
      }
    }
    try store.tick { t throws(ServerStoreError) in
      #expect(try t.values(of: address) == written)
      let path = UnitPath.element(property: "tags", ids[1])
      try t.write(Unit(object: address, path: path), .value(.string("z")))
      #expect(
        try t.value(of: Unit(object: address, path: path)) == .element(places[1], .string("z")))
      try t.write(Unit(object: address, path: path), nil)
      #expect(try t.value(of: Unit(object: address, path: path)) == nil)
    }
  }

  @Test func aTickThatThrowsChangesNothing() throws {
    let store = try store()
    #expect(throws: ServerStoreError.self) {
      try store.tick { t throws(ServerStoreError) in
        _ = try t.create(address("a"))
        try t.set([1], for: [2], in: .state)
        throw ServerStoreError.damaged(.state)
      }
    }
    try store.tick { t throws(ServerStoreError) in
      #expect(try t.number(of: address("a")) == nil)
      #expect(try t.record([2], in: .state) == nil)
    }
  }

  @Test func aQueryReadsWhatTheTickMadeAndWhatThereWasBefore() throws {
    let store = try store()
    let query = ViewQuery(className: "Task", text: "team == 3")
    let number = try store.tick { t throws(ServerStoreError) in
      let number = try t.create(address("a"))
      try t.write(Unit(object: address("a"), path: .property("team")), .value(.int(3)))
      return number
    }
    try store.tick { t throws(ServerStoreError) in
      try t.write(Unit(object: address("a"), path: .property("team")), .value(.int(4)))
      #expect(try t.keys(matching: query, among: [number.key], in: .before) == [number.key])
      #expect(try t.keys(matching: query, among: [number.key], in: .now) == [])
      let unknown = ViewQuery(className: "Nothing", text: "team == 3")
      #expect(try t.keys(matching: unknown, among: nil, in: .now) == [])
    }
  }

  @Test func aPartThatMakesItsCollectionTooLargeChangesNothing() throws {
    let store = try Self.store(collectionByteLimit: 500)
    let task = ObjectAddress(className: "Task", primaryKey: .int(1))
    let text = UnitValue.value(.string(String(repeating: "x", count: 300)))
    func unit(_ key: String) -> Unit {
      Unit(object: task, path: .entry(property: "notes", .string(key)))
    }
    try store.tick { t throws(ServerStoreError) in
      _ = try t.create(task)
      try t.write(unit("a"), text)
      do throws(ServerStoreError) {
        try t.write(unit("b"), text)
        Issue.record("the map became too large")
      } catch .tooLarge(let problem) {
        #expect(problem.contains("Task.notes"))
      }
      #expect(try t.value(of: unit("b")) == nil)
      // What was there before an object was changed comes back, whatever it is.
      try t.restore(unit("b"), text)
      // Too large as it is, it may shrink and keep its size, but not grow.
      try t.write(unit("b"), .value(.string(String(repeating: "y", count: 300))))
      #expect(throws: ServerStoreError.self) { try t.write(unit("c"), .value(.string(""))) }
      try t.write(unit("a"), nil)
      try t.write(unit("c"), .value(.string("small")))
    }
    try store.tick { t throws(ServerStoreError) in
      #expect(try t.value(of: unit("a")) == nil)
      #expect(try t.value(of: unit("c")) == .value(.string("small")))
    }
  }

  // MARK: The server on it

  /// The class of the scripted devices, with a map and a set.
  private static func store(collectionByteLimit: Int) throws -> AtollStore {
    let store = AtollStore(
      try Database.inMemory(options: .recording), collectionByteLimit: collectionByteLimit)
    var task = ServerWorld.schema[0]
    task.properties += [
      PropertySchema("notes", .string, collection: .map),
      PropertySchema("marks", .string, collection: .set),
    ]
    try store.tick { transaction throws(ServerStoreError) in try transaction.add([task]) }
    return store
  }

  /// A map is written as a whole, after all that was said to fit has been answered.
  @Test func anAdditionThatMakesACollectionTooLargeIsRefusedAlone() throws {
    let store = try Self.store(collectionByteLimit: 1_000)
    let world = try ServerWorld(store: store)
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let text = String(repeating: "x", count: 300)
    func note(_ key: String) -> AtollCapture.Operation {
      a.edit(1, .setEntry(property: "notes", key: .string(key), .string(text)))
    }
    func mark(_ mark: String) -> AtollCapture.Operation {
      a.edit(1, .addMember(property: "marks", .string(mark + text)))
    }
    let number = try a.push(
      ["a", "b", "c", "d"].map(note) + ["a", "b", "c", "d"].map(mark) + [a.set(1, text: "on")])
    let next = try a.push([
      a.edit(1, .removeEntry(property: "notes", key: .string("a"))), note("d"),
    ])
    try world.settle()
    let verdicts = try #require(a.state.verdicts[number])
    for (place, verdict) in verdicts.enumerated() {
      guard place == 3 || place == 7 else {
        #expect(verdict == .applied(generation: nil), "\(place)")
        continue
      }
      guard case .refused(let refusal) = verdict else {
        Issue.record("\(place) was taken")
        continue
      }
      #expect(refusal.reason == .tooLarge)
    }
    #expect(
      a.state.verdicts[next] == [.applied(generation: nil), .applied(generation: nil)])
    try world.restart()
    let fresh = try world.device(3, subscribing: all)
    try b.connect()
    for device in [b, fresh] {
      let parts = device.state.objects[a.task(1)]?.keys.compactMap { path -> String? in
        guard case .entry(let property, .string(let key)) = path else { return nil }
        return "\(property) \(key.prefix(1))"
      }
      #expect(
        parts?.sorted() == ["marks a", "marks b", "marks c", "notes b", "notes c", "notes d"])
      #expect(device.texts == [1: "on"])
    }
    #expect(try store.database.check().findings.isEmpty)
  }

  @Test func aFileThatIsOpenedAgainKeepsEverything() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "server")
    var database = try Database.open(path, options: .recording)
    var world = try ServerWorld(store: AtollStore(database))
    let a = try world.device(1, subscribing: ["team == 1"])
    try a.make(1, team: 1, text: "one")
    try a.make(2, team: 1, text: "two")
    try world.settle()
    a.isSynced = false
    try a.push([a.set(2, text: "late"), a.edit(1, .delete)])
    try a.sync()
    world.blocked = [try #require(a.connection)]
    try world.settle()
    try database.close()

    database = try Database.open(path, options: .recording)
    world = try ServerWorld(store: AtollStore(database), seed: 2)
    let back = world.device(1)
    (back.state, back.disk) = (a.disk, a.disk)
    try back.connect()
    try world.settle()
    #expect(back.welcome?.isFromStart == false)
    #expect(back.errors.isEmpty)
    #expect(back.texts == [2: "late"])
    #expect(back.state.outbox.isEmpty)
    let fresh = try world.device(2, subscribing: all)
    #expect(fresh.texts == [2: "late"])
    try database.close()
  }

  /// Promise: view.exact.
  @Test(arguments: seeds(12))
  func everyDeviceEndsWithItsView(seed: UInt64) throws {
    let store = AtollStore(try Database.inMemory(options: .recording))
    var run = try RandomDevices(
      seed: seed, ServerWorld(store: store, seed: seed) { $0.batchByteCount = 120 })
    try run.run(steps: 120)
    try run.quiesce()
    try run.check()
    #expect(try store.database.check().findings.isEmpty)
  }

  @Test func aLinkWaitsForItsTarget() throws {
    let world = try ServerWorld(store: AtollStore(try Database.inMemory(options: .recording)))
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push([a.edit(1, .set(property: "next", .link(a.task(2))))])
    try world.settle()
    #expect(b.state.objects[b.task(1)]?[.property("next")] == .value(.link(b.task(2))))
    try a.make(2, team: 1)
    try world.settle()
    let fresh = try world.device(3, subscribing: all)
    #expect(fresh.state.objects[b.task(1)]?[.property("next")] == .value(.link(b.task(2))))
    try a.push([a.edit(2, .delete)])
    try world.settle()
    let last = try world.device(4, subscribing: all)
    #expect(last.state.objects[b.task(1)]?[.property("next")] == .value(.link(b.task(2))))
  }
}
