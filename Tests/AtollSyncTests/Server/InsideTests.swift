import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Changes inside the value of a unit, as a server judges them.
@Suite(.computing) struct InsideTests {
  static let incarnation = ElementID(client: 1, number: 1, index: 0)
  static let place = InnerPlace(incarnation: incarnation, names: ["size"])
  static let detail = UnitPath.property("detail")
  static let any = UnitPath.property("any")

  /// A world whose class has an embedded object and a mixed value.
  private func world(
    adjust: (inout SyncServer.Options) -> Void = { _ in }
  ) throws -> ServerWorld {
    let store = AtollStore(try Database.inMemory(options: .recording))
    try store.tick { transaction throws(ServerStoreError) in
      var task = ServerWorld.schema[0]
      task.properties += [
        PropertySchema("detail", linkTo: "Detail"), PropertySchema("any", .mixed),
        PropertySchema("anys", .mixed, collection: .list),
      ]
      try transaction.add([
        task,
        ClassSchema(
          "Detail",
          properties: [
            PropertySchema("size", .int), PropertySchema("weight", .int, isOptional: true),
            PropertySchema("any", .mixed), PropertySchema("tags", .string, collection: .list),
          ], isEmbedded: true),
      ])
    }
    return try ServerWorld(store: store, adjust: adjust)
  }

  /// Devices that hold a task with a detail and a map.
  private func devices(_ world: ServerWorld, _ count: UInt64) throws -> [Device] {
    let devices = try (1...count).map {
      try world.device($0, subscribing: ["TRUEPREDICATE"])
    }
    try devices[0].make(1, team: 1)
    try world.settle()
    try devices[0].push([
      devices[0].edit(
        1, .set(property: "detail", .embedded(EmbeddedValue(incarnation: Self.incarnation, [])))),
      devices[0].edit(1, .set(property: "any", .map([RecordedEntry(key: "a", value: .int(1))]))),
    ])
    try world.settle()
    return devices
  }

  /// A large value costs what it is, however much is changed inside of it; many of them cost more.
  @Test func aTransactionChangesSomethingInsideOfSoManyLargeValues() throws {
    let world = try world { $0.bounds.work.insideByteCount = 20_000 }
    let device = try devices(world, 1)[0]
    let text = RecordedEntry(key: "t", value: .string(String(repeating: "x", count: 8_000)))
    for key in 2..<9 as Range<Int64> {
      try device.make(key, team: 1)
      try world.settle()
      let map = RecordedValue.map(key < 6 ? [text] : [])
      try device.push([device.edit(key, .set(property: "any", map))])
    }
    try world.settle()
    func edits(_ key: Int64, count: Int = 1) -> [Operation] {
      (0..<count).map { index in
        let place = InnerPlace(incarnation: nil, names: ["\(index)"])
        return device.edit(key, .edit(Self.any, place, .set(.int(1))))
      }
    }
    // Of the large ones 2 to 5 three are read; the small ones have room all the same.
    let number = try device.push(
      edits(2, count: 100) + edits(3) + edits(4) + edits(6) + edits(2) + edits(5) + edits(7))
    try world.settle()
    let verdicts = try #require(device.state.verdicts[number])
    #expect(verdicts.count == 106)
    #expect(verdicts.indices.filter { isTooLarge(verdicts[$0]) } == [104])
    let again = try device.push(edits(4) + edits(5))
    try world.settle()
    #expect(device.state.verdicts[again]?.contains(where: isTooLarge) == false)
  }

  /// What comes too late, or is too much, takes time as what is made does.
  @Test func changesThatAreNotMadeCountToo() throws {
    let world = try world()
    let devices = try devices(world, 2)
    func edits(_ device: Device, _ count: Int) -> [Operation] {
      (0..<count).map { index in
        let place = InnerPlace(incarnation: nil, names: ["a"])
        return device.edit(1, .edit(Self.any, place, .set(.int(Int64(index)))))
      }
    }
    world.now += 10_000
    try devices[0].push(edits(devices[0], 1))
    try world.settle()
    // By its clock it was written before.
    devices[1].clock = HybridClock(milliseconds: world.now - 5_000).rawValue
    let number = try devices[1].push(edits(devices[1], InnerPlace.changeLimit + 40))
    try world.settle()
    let verdicts = try #require(devices[1].state.verdicts[number])
    #expect(verdicts.prefix(InnerPlace.changeLimit).allSatisfy { $0 == .outdated(.newerClock) })
    #expect(verdicts.dropFirst(InnerPlace.changeLimit).allSatisfy(isTooLarge))
    #expect(verdicts.count == InnerPlace.changeLimit + 40)
  }

  private func isTooLarge(_ verdict: Verdict) -> Bool {
    if case .refused(let refusal) = verdict { refusal.reason == .tooLarge } else { false }
  }

  private func values(_ path: UnitPath, _ devices: [Device]) -> [UnitValue?] {
    devices.map { $0.state.objects[$0.task(1)]?[path] }
  }

  /// What became of the change that each device makes of the task, see `ServerWorld.push`.
  private func run(
    _ world: ServerWorld, _ devices: [Device], _ actions: [Operation.Action], order: [Int]
  ) throws -> [Verdict?] {
    let numbers = try world.push(actions, to: 1, by: devices, order: order)
    return zip(devices, numbers).map { $0.state.verdicts[$1]?[0] }
  }

  /// A property that is set to its default is set: what was added later counts on top of it.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func incrementsAndAnAssignmentInAnEmbeddedObjectCountByTheirClocks(order: [Int]) throws {
    let world = try world()
    let devices = try devices(world, 3)
    func edit(_ change: InnerChange) -> Operation.Action { .edit(Self.detail, Self.place, change) }
    _ = try run(
      world, devices,
      [
        edit(.increment(by: 100, startsAtZero: true)), edit(.remove),
        edit(.increment(by: 5, startsAtZero: true)),
      ], order: order)
    let expected = EmbeddedValue(
      incarnation: Self.incarnation, [RecordedField(property: "size", value: .int(5))])
    #expect(
      values(Self.detail, devices)
        == Array(repeating: .value(.embedded(expected)), count: 3))
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func anEmbeddedObjectThatIsReplacedTakesAlongWhatIsWrittenInIt(order: [Int]) throws {
    let world = try world()
    let devices = try devices(world, 2)
    let other = EmbeddedValue(
      incarnation: ElementID(client: 2, number: 1, index: 0),
      [RecordedField(property: "size", value: .int(7))])
    let verdicts = try run(
      world, devices,
      [
        .set(property: "detail", .embedded(other)),
        .edit(Self.detail, Self.place, .set(.int(3))),
      ], order: order)
    #expect(values(Self.detail, devices) == Array(repeating: .value(.embedded(other)), count: 2))
    if order[0] == 0 { #expect(verdicts[1] == .outdated(.deletion)) }
  }

  /// Of a mixed value the clocks decide: the later change inside keeps the map from an older value.
  @Test(arguments: [[0, 1], [1, 0]])
  func anOlderValueDoesNotTakeThePlaceOfANewerEntry(order: [Int]) throws {
    let world = try world()
    let devices = try devices(world, 2)
    let entry = InnerPlace(incarnation: nil, names: ["b"])
    let verdicts = try run(
      world, devices,
      [.set(property: "any", .int(7)), .edit(Self.any, entry, .set(.int(2)))], order: order)
    if order[0] == 1 {
      #expect(verdicts[0] == .outdated(.newerClock))
      let map = RecordedValue.map([
        RecordedEntry(key: "a", value: .int(1)), RecordedEntry(key: "b", value: .int(2)),
      ])
      #expect(values(Self.any, devices) == [.value(map), .value(map)])
    } else {
      #expect(verdicts[1] == .outdated(.deletion))
      #expect(values(Self.any, devices) == [.value(.int(7)), .value(.int(7))])
    }
  }

  /// A few elements are read one by one, many with all of the object.
  @Test(arguments: [1, 3, 64, 65, 70])
  func changesInsideManyElementsOfAListCount(_ count: UInt32) throws {
    let world = try world()
    let devices = try devices(world, 2)
    let ids = (0..<70).map { ElementID(client: 1, number: 90, index: $0) }
    let places = ListPosition.between(nil, nil, count: ids.count)
    try devices[0].push(
      zip(ids, places).map { id, place in
        devices[0].edit(
          1,
          .insert(
            property: "anys", id, place,
            .map([RecordedEntry(key: "a", value: .int(Int64(id.index)))])))
      })
    try world.settle()
    func edit(_ id: ElementID, _ key: String) -> AtollCapture.Operation {
      devices[1].edit(
        1,
        .edit(
          .element(property: "anys", id), InnerPlace(incarnation: nil, names: [key]),
          .set(.int(-1))))
    }
    let number = try devices[1].push(
      ids.prefix(Int(count)).flatMap { [edit($0, "b"), edit($0, "c")] })
    try world.settle()
    let verdicts = try #require(devices[1].state.verdicts[number])
    #expect(verdicts.allSatisfy { $0 == .applied(generation: nil) })
    for (id, place) in zip(ids, places) {
      let new = id.index < count ? ["b", "c"] : []
      let entries =
        [RecordedEntry(key: "a", value: .int(Int64(id.index)))]
        + new.map { RecordedEntry(key: $0, value: .int(-1)) }
      let expected = UnitValue.element(place, .map(entries))
      #expect(values(.element(property: "anys", id), devices) == [expected, expected])
    }
  }

  @Test func whatDoesNotFitTheClassesIsRefused() throws {
    let world = try world()
    let device = try devices(world, 1)[0]
    func at(_ names: [String], _ incarnation: ElementID? = Self.incarnation) -> InnerPlace {
      InnerPlace(incarnation: incarnation, names: names)
    }
    let wrong: [Operation.Action] = [
      .edit(.existence, at(["size"]), .remove),
      .edit(.property("none"), at(["size"]), .remove),
      .edit(.property("_id"), at(["size"]), .set(.int(1))),
      .edit(.property("team"), at(["size"]), .set(.int(1))),
      .edit(Self.detail, at(["none"]), .remove),
      .edit(Self.detail, at(["size"], nil), .set(.int(1))),
      .edit(Self.detail, at(["size"]), .set(.string("x"))),
      .edit(Self.detail, at(["size"]), .increment(by: 1, startsAtZero: false)),
      .edit(Self.detail, at(["weight"]), .increment(by: 1, startsAtZero: true)),
      .edit(Self.detail, at(["tags"]), .set(.int(1))),
      .edit(Self.detail, at(["tags", "x"]), .set(.int(1))),
      .edit(Self.any, at(["a"]), .set(.int(1))),
      .edit(Self.any, at(["a"], nil), .increment(by: 1, startsAtZero: false)),
      .edit(Self.any, at(["a"], nil), .set(.set([]))),
      .edit(Self.any, at(Array(repeating: "a", count: 100), nil), .set(.list([.int(1)]))),
      .edit(.element(property: "any", Self.incarnation), at(["a"], nil), .remove),
      .edit(.entry(property: "any", .string("a")), at(["a"], nil), .remove),
      .edit(Self.any, at([String(repeating: "k", count: 1 << 20)], nil), .set(.int(1))),
    ]
    let before = values(Self.any, [device]) + values(Self.detail, [device])
    for action in wrong {
      let number = try device.push([device.edit(1, action)])
      try world.settle()
      guard case .refused? = device.state.verdicts[number]?[0] else {
        Issue.record("\(action) was answered \(String(describing: device.state.verdicts[number]))")
        continue
      }
    }
    #expect(values(Self.any, [device]) + values(Self.detail, [device]) == before)
  }

  /// Of more places than are kept apart, an older write at one that was forgotten does not win.
  @Test func placesThatAreForgottenShareTheNewestClockOfTheirs() throws {
    var record = InnerRecord()
    func stamp(_ number: Int) -> WriteStamp {
      WriteStamp(clock: HybridClock(rawValue: UInt64(number)), client: 1, number: 1)
    }
    func place(_ number: Int) -> InnerPlace {
      InnerPlace(incarnation: Self.incarnation, names: ["\(number)"])
    }
    let count = InnerRecord.placeLimit + 10
    for number in 1...count {
      _ = record.write(
        place(number), .set(.int(1)), stamp(number), version: UInt64(number), by: 1)
    }
    #expect(record.places.count == InnerRecord.placeLimit)
    #expect(record.newestStamp(at: place(1), .remove) == stamp(10))
    #expect(record.newestStamp(at: place(count), .remove) == stamp(count))
    #expect(try InnerRecord(record.encoded) == record)
  }
}
