import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// What a user has made takes only so much of the server's disk.
@Suite(.computing) struct StoredBytesTests {
  private let all = ["TRUEPREDICATE"]
  private let text = String(repeating: "x", count: 1_000)

  /// A world in which tasks have entries and members too.
  private func world(limit: Int, seed: UInt64 = 1) throws -> ServerWorld {
    var task = ServerWorld.schema[0]
    task.properties += [
      PropertySchema("marks", .string, collection: .set),
      PropertySchema("notes", .string, collection: .map),
    ]
    let store = try AtollStore(Database.inMemory())
    try store.tick { transaction throws(ServerStoreError) in try transaction.add([task]) }
    return try ServerWorld(store: store, seed: seed) { $0.limits.storedByteCount = limit }
  }

  /// How many bytes count for a user.
  private func count(_ world: ServerWorld, _ user: String) throws -> UInt64 {
    let context = world.server.context
    return try context.store.tick { transaction throws(ServerStoreError) in
      try context.storedBytes.count(of: ExactText(user), in: transaction)
    }
  }

  private func reason(_ device: Device, _ number: UInt64, at index: Int) -> Refusal.Reason? {
    guard case .refused(let refusal)? = device.state.verdicts[number]?[index] else { return nil }
    return refusal.reason
  }

  /// Promise: refusals.quota.
  @Test func whatIsBeyondTheQuotaIsRefusedAndOthersWriteOn() throws {
    let world = try world(limit: 5_000)
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    for key in 1...5 as ClosedRange<Int64> { try ann.make(key, team: 1, text: text) }
    try world.settle()
    #expect(ann.texts.count == 5)
    let refused = try ann.make(6, team: 1, text: text)
    try bob.make(7, team: 1, text: text)
    try world.settle()
    #expect(reason(ann, refused, at: 0) == .quotaExceeded)
    #expect(bob.texts[6] == nil)
    #expect(ann.texts[7] == text)
    // Small values and deletions go on, and what they free may be used.
    let small = try ann.push([ann.set(1, team: 2)])
    let large = try ann.push([ann.set(1, text: text + text)])
    try world.settle()
    #expect(ann.state.verdicts[small] == [.applied(generation: nil)])
    #expect(reason(ann, large, at: 0) == .quotaExceeded)
    try ann.push([ann.edit(1, .delete), ann.edit(2, .delete)])
    try world.settle()
    let again = try ann.make(8, team: 1, text: text)
    try world.settle()
    #expect(reason(ann, again, at: 0) == nil)
    #expect(bob.texts[8] == text)
    #expect(bob.errors.isEmpty)
    #expect(ann.errors.isEmpty)
  }

  /// It is the same after a restart, and where the limit is another one.
  @Test func theCountIsKept() throws {
    let world = try world(limit: 3_000)
    let ann = try world.device(1, user: "ann", subscribing: all)
    for key in 1...3 as ClosedRange<Int64> { try ann.make(key, team: 1, text: text) }
    try world.settle()
    let before = try count(world, "ann")
    #expect(before > 3_000)
    try world.restart()
    #expect(try count(world, "ann") == before)
    try ann.connect()
    let refused = try ann.make(4, team: 1, text: text)
    try world.settle()
    #expect(reason(ann, refused, at: 0) == .quotaExceeded)
    var limits = world.server.context.limits
    limits.storedByteCount = 100_000
    world.server.setLimits(limits)
    let accepted = try ann.make(5, team: 1, text: text)
    try world.settle()
    #expect(reason(ann, accepted, at: 0) == nil)
  }

  /// Each file has a set of its own for good, and a user may have thousands of files.
  @Test func largeSetsCountForTheirUser() throws {
    let world = try world(limit: 20_000)
    func queries(_ count: Int) -> [String] { (0..<count).map { "text == '\(text)\($0)'" } }
    let ann = try world.device(1, user: "ann", subscribing: queries(2))
    #expect(try count(world, "ann") == 0)
    try ann.subscribe(queries(12))
    try world.settle()
    let one = try count(world, "ann")
    #expect(one > 7_000 && one < 9_000)
    let other = try world.device(2, user: "ann", subscribing: queries(18))
    let both = try count(world, "ann")
    #expect(both > 20_000)
    // There is no room for more, and what is there may become smaller.
    let refused = try ann.subscribe(queries(13))
    try world.settle()
    #expect(reason(ann, refused, at: 0) == .quotaExceeded)
    #expect(try count(world, "ann") == both)
    let third = try world.device(3, user: "ann", subscribing: queries(2))
    #expect(third.connection != nil)
    other.disconnect()
    try other.connect()
    #expect(other.connection != nil && other.errors.isEmpty)
    #expect(try count(world, "ann") == both)
    try world.restart()
    try ann.connect()
    try ann.subscribe(queries(1))
    try world.settle()
    #expect(try count(world, "ann") == both - one)
    // That of another user counts for that one.
    _ = try world.device(4, user: "bob", subscribing: queries(12))
    #expect(try count(world, "bob") == one)
  }

  /// A place in a list may be long.
  @Test func whatIsMovedFarCounts() throws {
    let world = try world(limit: 3_000)
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1, text: text + text)
    try world.settle()
    let ids = (0..<4).map { ElementID(client: 1, number: 90, index: $0) }
    let places = ListPosition.between(nil, nil, count: 4)
    try ann.push(
      zip(ids, places).map { id, place in
        ann.edit(1, .insert(property: "tags", id, place, .string("")))
      })
    try world.settle()
    let far = try #require(ListPosition(decoding: Array(repeating: 0x81, count: 700)))
    let moved = try ids.map { id in
      defer { try? world.settle() }
      return try ann.push([ann.edit(1, .moveElement(property: "tags", id, far))])
    }
    try world.settle()
    #expect(moved.map { reason(ann, $0, at: 0) } == [nil, nil, .quotaExceeded, .quotaExceeded])
    let near = try ann.push([ann.edit(1, .moveElement(property: "tags", ids[3], places[0]))])
    try world.settle()
    #expect(ann.state.verdicts[near] == [.applied(generation: nil)])
  }

  /// What is kept of a removal is its key, also where nothing was there.
  @Test func longKeysOfWhatIsRemovedCount() throws {
    let world = try world(limit: 10_000)
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1, text: "")
    try world.settle()
    let empty = try count(world, "ann")
    let keys = (0..<12).map { RecordedValue.string(text + "\($0)") }
    let removed = try keys.map { key in
      defer { try? world.settle() }
      return try ann.push([ann.edit(1, .removeEntry(property: "marks", key: key))])
    }
    try world.settle()
    #expect(removed.prefix(10).allSatisfy { reason(ann, $0, at: 0) == nil })
    #expect(removed.suffix(2).allSatisfy { reason(ann, $0, at: 0) == .quotaExceeded })
    let full = try count(world, "ann")
    #expect(full > 10_000)
    // To bring one back takes little, to remove it again gives that back.
    for action in [
      Operation.Action.addMember(property: "marks", keys[0]),
      .removeEntry(property: "marks", key: keys[0]),
    ] {
      var limits = world.server.context.limits
      limits.storedByteCount = 20_000
      world.server.setLimits(limits)
      try ann.push([ann.edit(1, action)])
      try world.settle()
      try world.restart()
      try ann.connect()
    }
    #expect(try count(world, "ann") == full)
    // Short ones are as free as numbers.
    try ann.push(
      (0..<50).map { ann.edit(1, .removeEntry(property: "notes", key: .string("\($0)"))) })
    try world.settle()
    #expect(try count(world, "ann") == full)
    try ann.push([ann.edit(1, .delete)])
    try world.settle()
    #expect(try count(world, "ann") == 0)
    #expect(empty > 0)
  }

  /// Answers are kept for good, with a text for each refusal.
  @Test func longAnswersCountAndLoseTheirTexts() throws {
    let world = try world(limit: 4_000)
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1)
    try world.settle()
    let before = try count(world, "ann")
    func push(_ count: Int) throws -> [Refusal] {
      let number = try ann.push(
        (0..<count).map { ann.edit(1, .set(property: "p\($0)", .int(1))) })
      try world.settle()
      return try #require(ann.state.verdicts[number]).compactMap(\.refusal)
    }
    // As most answers are.
    #expect(try push(1).map(\.reason) == [.unknownSchema])
    #expect(try count(world, "ann") == before)
    let first = try push(200)
    #expect(first.count == 200 && first.allSatisfy { !$0.text.isEmpty })
    #expect(try count(world, "ann") > 4_000)
    let second = try push(200)
    #expect(second.map(\.reason) == first.map(\.reason))
    #expect(second.allSatisfy { $0.text.isEmpty })
    // They are one run.
    let full = try count(world, "ann")
    _ = try push(2_000)
    #expect(try count(world, "ann") == full)
  }

  /// An object counts for who made it, so that nobody has more by way of others.
  @Test func whatOthersWriteCountsForWhoMadeTheObject() throws {
    let world = try world(limit: 3_000)
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    try ann.make(1, team: 1, text: "short")
    try world.settle()
    try bob.push([bob.set(1, text: text + text + text)])
    try world.settle()
    #expect(try count(world, "bob") == 0)
    #expect(try count(world, "ann") > 3_000)
    let refused = try bob.push([bob.set(1, text: text)])
    let own = try bob.make(2, team: 1, text: text)
    try world.settle()
    #expect(reason(bob, refused, at: 0) == .quotaExceeded)
    #expect(reason(bob, own, at: 0) == nil)
    try bob.push([bob.edit(1, .delete)])
    try world.settle()
    #expect(try count(world, "ann") == 0)
  }

  /// Random transactions of two users, some of which are refused and undone; what is counted is what
  /// a plain sum over the objects gives.
  @Test(arguments: seeds(40))
  func theCountsAreTheSumsOverTheObjects(seed: UInt64) throws {
    let world = try world(limit: 1 << 30, seed: seed)
    var random = SplitMix64(seed: seed)
    let devices = [
      try world.device(1, user: "ann", subscribing: ["team < 3"]),
      try world.device(2, user: "bob", subscribing: ["team > 0"]),
      try world.device(3, user: "bob", subscribing: all),
    ]
    var model = StoredModel()
    for step in 0..<120 as Range<UInt32> {
      let device = devices[Int.random(in: 0..<3, using: &random)]
      let operations = model.transaction(of: device, step, &random)
      let number = try device.push(operations)
      try world.settle()
      let verdicts = try #require(device.state.verdicts[number])
      model.apply(operations, verdicts, of: device.user)
      if step % 40 == 39 { try world.restart() }
      for device in devices where device.connection == nil { try device.connect() }
    }
    for user in ["ann", "bob"] {
      #expect(try count(world, user) == model.byteCount(of: user), "\(user)")
    }
  }
}

/// What each object takes, as a list of what was written to it.
private struct StoredModel {
  private struct Stored {
    let user: String
    var units: [UnitPath: StoredSize] = [:]
  }

  private var objects: [ObjectAddress: Stored] = [:]

  func byteCount(of user: String) -> UInt64 {
    objects.values.filter { $0.user == user }.reduce(0) { sum, object in
      sum + 64 + UInt64(object.units.values.reduce(0) { $0 + $1.byteCount + $1.kept })
    }
  }

  /// Some operations, most on objects that the device holds.
  func transaction(
    of device: Device, _ step: UInt32, _ random: inout SplitMix64
  ) -> [Operation] {
    var operations: [Operation] = []
    var made: [Int64: UInt32] = [:]
    for index in 0..<UInt32.random(in: 1...5, using: &random) {
      let key = Int64.random(in: 0..<6, using: &random)
      let own = made[key].map {
        Generation.pending(number: device.state.nextNumber, index: $0)
      }
      if own == nil, device.state.generations[device.task(key)] == nil {
        made[key] = UInt32(operations.count)
        operations.append(device.create(key))
        continue
      }
      let text = String(repeating: "y", count: Int.random(in: 0...300, using: &random))
      let element = ElementID(
        client: device.state.id, number: device.state.nextNumber, index: step << 8 | index)
      switch Int.random(in: 0..<12, using: &random) {
      case 8, 9, 10: operations.append(device.edit(key, Self.entryAction(text, &random), of: own))
      case 0:
        made[key] = nil
        operations.append(device.edit(key, .delete, of: own))
        return operations
      case 1, 2:
        operations.append(device.set(key, team: .random(in: 0...3, using: &random), of: own))
      case 4 where own == nil:
        guard let element = elements(of: device.task(key)).randomElement(using: &random) else {
          continue
        }
        let action: Operation.Action =
          switch Int.random(in: 0..<3, using: &random) {
          case 0: .setElement(property: "tags", element, .string(text))
          case 1:
            .moveElement(
              property: "tags", element,
              ListPosition.between(nil, nil, count: 400)[
                Int.random(in: 0..<400, using: &random)])
          default: .removeElement(property: "tags", element)
          }
        operations.append(device.edit(key, action))
      case 3:
        operations.append(
          device.edit(
            key,
            .insert(
              property: "tags", element,
              ListPosition.between(nil, nil, count: 5)[Int(index)],
              .string(text)), of: own))
      default: operations.append(device.set(key, text: text, of: own))
      }
    }
    return operations
  }

  /// A change of an entry or a member, whose key is short or long, and there or not.
  private static func entryAction(
    _ text: String, _ random: inout SplitMix64
  ) -> Operation.Action {
    let length = [1, 60, 70, 200].randomElement(using: &random) ?? 1
    let key = RecordedValue.string(
      String(repeating: ["a", "b"].randomElement(using: &random) ?? "a", count: length))
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: .setEntry(property: "notes", key: key, .string(text))
    case 1: .addMember(property: "marks", key)
    case 2: .removeEntry(property: "notes", key: key)
    default: .removeEntry(property: "marks", key: key)
    }
  }

  private func elements(of object: ObjectAddress) -> [ElementID] {
    (objects[object]?.units.keys ?? [:].keys).compactMap { path in
      if case .element(_, let id) = path { id } else { nil }
    }.sorted()
  }

  mutating func apply(_ operations: [Operation], _ verdicts: [Verdict], of user: String) {
    for (operation, verdict) in zip(operations, verdicts) {
      guard case .applied = verdict else { continue }
      let object = operation.object
      switch operation.action {
      case .create: if objects[object] == nil { objects[object] = Stored(user: user) }
      case .delete: objects[object] = nil
      case .set(_, let value):
        objects[object]?.units[operation.unit.path] =
          StoredSize(of: .value(value), at: operation.unit.path)
      case .insert(_, _, let position, let value):
        objects[object]?.units[operation.unit.path] =
          StoredSize(of: .element(position, value), at: operation.unit.path)
      case .setElement(_, _, let value):
        let former = objects[object]?.units[operation.unit.path]
        guard let former else { break }
        var size = StoredSize(of: .value(value), at: operation.unit.path)
        size.position = former.position
        objects[object]?.units[operation.unit.path] = size
      case .moveElement(_, _, let position):
        objects[object]?.units[operation.unit.path]?.position = position.bytes.count
      case .removeElement: objects[object]?.units[operation.unit.path] = nil
      case .setEntry(_, _, let value):
        objects[object]?.units[operation.unit.path] =
          StoredSize(of: .value(value), at: operation.unit.path)
      case .addMember:
        objects[object]?.units[operation.unit.path] =
          StoredSize(of: .exists, at: operation.unit.path)
      case .removeEntry:
        objects[object]?.units[operation.unit.path] = StoredSize(keptOf: operation.unit.path)
      default: break
      }
    }
  }
}
