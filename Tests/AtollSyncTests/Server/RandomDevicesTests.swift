import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import TestThreads
import Testing

/// Random devices, crashes and broken connections; in the end each holds its view, and nothing
/// else.
///
/// Promise: view.exact, bootstrap.sameEnd.
@Suite(.computing) struct RandomDevicesTests {
  @Test(arguments: seeds(60))
  func everyDeviceEndsWithItsView(seed: UInt64) throws {
    let world = try ServerWorld(seed: seed) {
      $0.batchByteCount = 120
      if seed % 2 == 1 { $0.unconfirmedByteLimit = 30 }
    }
    var run = try RandomDevices(seed: seed, world)
    try run.run(steps: 200)
    try run.quiesce()
    try run.check()
  }

  /// The same with a server that stops anywhere in its work, and goes on in the next tick.
  ///
  /// Promise: view.exact.
  @Test(arguments: seeds(60))
  func everyDeviceEndsWithItsViewWhereTicksAreShort(seed: UInt64) throws {
    let clock = JumpingClock(seed: seed, greatestExponent: 26)
    let world = try ServerWorld(store: AtollStore(Database.inMemory()), seed: seed) {
      $0.batchByteCount = 120
      $0.unconfirmedByteLimit = 60
      $0.processorTime = { clock.look() }
      $0.bounds.work.judgement = 1 << 60
      // Virtual time stands still where the clock jumps.
      $0.bounds.work.restFactor = 0
      $0.bounds.work.delayFactor = 0
      if seed % 2 == 1 {
        // Long messages wait for a while, of those who took much.
        let uptime = JumpingClock(seed: seed, greatestExponent: 32)
        $0.uptime = { uptime.look() }
        $0.bounds.work.delayFactor = 1
        $0.bounds.work.longOperationCount = 0
      }
      // All sets are read in parts.
      $0.bounds.work.setByteCount = 0
      $0.bounds.work.lateCount = Int(seed % 3)
    }
    var run = try RandomDevices(seed: seed, world)
    try run.run(steps: 200)
    try run.quiesce()
    try run.check()
  }
}

struct RandomDevices {
  let world: ServerWorld
  private var random: SplitMix64
  private var elements: UInt32 = 0

  init(seed: UInt64, _ world: ServerWorld) throws {
    self.world = world
    random = SplitMix64(seed: seed &* 31)
    for id in 1...3 as ClosedRange<UInt64> {
      let device = world.device(id)
      device.isSynced = false
      device.isProgressive = false
      try subscribe(device)
    }
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      let device = world.devices[pick(3)]
      world.now += UInt64(pick(3))
      switch pick(20) {
      case 0..<7: try write(device)
      case 7: try subscribe(device)
      case 8..<12: try device.sync()
      case 12: device.crash()
      case 13: device.disconnect()
      case 14..<17: if device.connection == nil { try device.connect() }
      case 17: if pick(8) == 0 { try world.restart() }
      default: try deliver()
      }
    }
  }

  /// Runs the server and the connections of some devices for a while.
  private mutating func deliver() throws {
    world.blocked = Set(world.devices.compactMap { pick(3) == 0 ? $0.connection : nil })
    try world.settle(limit: 1 + pick(4))
    world.blocked = []
  }

  mutating func quiesce() throws {
    world.blocked = []
    for _ in 0..<20 {
      for device in world.devices {
        if device.connection == nil { try device.connect() }
        try device.sync()
      }
      try world.settle()
    }
  }

  /// Every device is answered, and holds what its subscriptions say and nothing else.
  func check() throws {
    for device in world.devices {
      #expect(device.errors.isEmpty)
      #expect(device.state.outbox.isEmpty)
      let queries = device.state.sets?.members.map(\.query) ?? []
      let difference = Self.difference(device.state.objects, try world.view(queries))
      #expect(difference.isEmpty, "device \(device.state.id)")
    }
  }

  /// The units in which what a device holds differs from what it should.
  private static func difference(
    _ device: [ObjectAddress: [UnitPath: UnitValue]],
    _ view: [ObjectAddress: [UnitPath: UnitValue]]
  ) -> [String] {
    var texts: [String] = []
    for object in Set(device.keys).union(view.keys) {
      guard let held = device[object] else {
        texts.append("\(object) is missing")
        continue
      }
      guard let wanted = view[object] else {
        texts.append("\(object) is too much")
        continue
      }
      for path in Set(held.keys).union(wanted.keys) where held[path] != wanted[path] {
        let (found, expected) = (held[path].map { "\($0)" }, wanted[path].map { "\($0)" })
        texts.append("\(object) \(path): \(found ?? "absent"), not \(expected ?? "absent")")
      }
    }
    return texts.sorted()
  }

  private mutating func subscribe(_ device: Device) throws {
    let all = ["TRUEPREDICATE", "team == 0", "team == 1", "team == 2"]
    try device.subscribe((0..<pick(3)).map { _ in all[pick(4)] })
  }

  private mutating func write(_ device: Device) throws {
    var operations: [Operation] = []
    for _ in 0...pick(3) {
      let key = Int64(pick(6))
      let object = device.task(key)
      let pending = creation(of: object, device, operations)
      if let pending, pick(3) > 0 {
        operations.append(edit(key, device, of: pending))
      } else if device.state.generations[object] != nil, pick(5) > 0 {
        operations.append(edit(key, device, of: nil))
      } else {
        let own = Generation.pending(
          number: device.state.nextNumber, index: UInt32(operations.count))
        operations.append(device.create(key))
        operations.append(device.set(key, team: Int64(pick(3)), of: own))
      }
    }
    try device.push(operations)
  }

  /// The device's own creation of an object that waits for its answer.
  private func creation(of object: ObjectAddress, _ device: Device, _ operations: [Operation])
    -> Generation?
  {
    if let index = operations.lastIndex(where: { $0.object == object && $0.generation == nil }) {
      return .pending(number: device.state.nextNumber, index: UInt32(index))
    }
    for (number, message) in device.state.outbox.reversed() {
      guard case .push(let push) = message else { continue }
      let own = push.transaction.operations
      if let index = own.lastIndex(where: { $0.object == object && $0.generation == nil }) {
        return .pending(number: number, index: UInt32(index))
      }
    }
    return nil
  }

  private mutating func edit(_ key: Int64, _ device: Device, of generation: Generation?)
    -> Operation
  {
    let ids = device.state.objects[device.task(key)]?.keys.compactMap { path in
      if case .element(_, let id) = path { id } else { nil }
    }.sorted()
    switch pick(14) {
    case 12..<14 where ids?.isEmpty == false:
      let id = ids?[pick(ids?.count ?? 1)]
      return device.edit(
        key,
        .moveElement(
          property: "tags", id ?? ElementID(client: 0, number: 0, index: 0),
          ListPosition.between(nil, nil, count: 5)[pick(5)]), of: generation)
    case 10, 11:
      return device.edit(
        key, .increment(property: "team", by: Int64(pick(3)) - 1), of: generation)
    case 0: return device.edit(key, .delete, of: generation)
    case 1..<5: return device.set(key, team: Int64(pick(3)), of: generation)
    case 5: return device.set(key, text: "\(pick(100))", of: generation)
    case 6 where ids?.isEmpty == false:
      let id = ids?[pick(ids?.count ?? 1)]
      return device.edit(
        key, .removeElement(property: "tags", id ?? ElementID(client: 0, number: 0, index: 0)),
        of: generation)
    case 7 where ids?.isEmpty == false:
      let id = ids?[pick(ids?.count ?? 1)]
      return device.edit(
        key,
        .setElement(
          property: "tags", id ?? ElementID(client: 0, number: 0, index: 0),
          .string("\(pick(100))")), of: generation)
    default:
      elements += 1
      let position = ListPosition.between(nil, nil, count: 5)[pick(5)]
      return device.edit(
        key,
        .insert(
          property: "tags",
          ElementID(client: device.state.id, number: device.state.nextNumber, index: elements),
          position, .string("\(elements)")), of: generation)
    }
  }
}
