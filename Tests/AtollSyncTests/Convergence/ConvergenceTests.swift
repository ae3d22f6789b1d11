import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// Two devices and a server: whatever happens between them, they come to hold the same.
///
/// Promise: view.exact, bootstrap.sameEnd.
@Suite(.computing) struct ConvergenceTests {
  @Test(arguments: seeds(8))
  func devicesConverge(seed: UInt64) throws {
    var run = try ConvergenceRun(seed: seed)
    try run.run()
  }

  /// Insertions of two devices at one place leave room between, so that none is inserted again.
  @Test func elementsAtAPlaceThatDevicesShareStaySingle() throws {
    var run = try ConvergenceRun(seed: 0)
    let world = run.world
    for peer in world.peers { try run.subscribe(peer, ["TRUEPREDICATE"]) }
    func insert(_ name: String, behind index: Int, _ peer: SyncWorld.Peer) throws {
      try peer.device.database.write { transaction in
        let key = try #require(try transaction.key("Task", primaryKey: .int(1)))
        var labels = try transaction.value("Task", key, "labels").list ?? []
        labels.insert(.string(name), at: index)
        try transaction.set("Task", key, "labels", .list(labels))
      }
    }
    func labels(_ peer: SyncWorld.Peer) throws -> [Value] {
      try peer.device.database.write { transaction in
        let key = try #require(try transaction.key("Task", primaryKey: .int(1)))
        return try transaction.value("Task", key, "labels").list ?? []
      }
    }
    try world.peers[0].device.database.write { transaction in
      _ = try transaction.create(
        "Task", ["_id": .int(1), "labels": .list([.string("a"), .string("z")])])
    }
    try world.settle()
    for (name, peer) in zip(["m", "n"], world.peers) { try insert(name, behind: 1, peer) }
    try world.settle()
    for (name, peer) in zip(["o", "p"], world.peers) { try insert(name, behind: 2, peer) }
    try world.settle()
    let found = try world.peers.map(labels)
    #expect(found[0] == found[1])
    #expect(Set(found[0]) == Set(["a", "m", "n", "o", "p", "z"].map { .string($0) }))
    #expect(found[0].count == 6)
  }
}

/// The connection of a file ends again and again.
@Suite(.computing) struct LostWelcomeTests {
  /// A device that had stored a token and received no further WELCOME was mistaken for a copy of
  /// itself.
  @Test func aFileWhoseWelcomesAreLostStaysTheSame() throws {
    let world = try SyncWorld(seed: 3)
    let peer = try world.addPeer()
    try world.settle()
    let id = try peer.device.state.clientID
    func greet() throws {
      world.drop(peer)
      try world.connect(peer)
      while world.deliverUp(peer) {}
      _ = try world.advance()
    }
    // Welcomed, and nothing of it confirmed.
    try greet()
    while try world.deliverDown(peer) {}
    for _ in 0..<40 { try greet() }
    world.drop(peer)
    try world.settle()
    #expect(try peer.device.state.clientID == id)
  }
}

/// A file is compared with the server's record of it.
@Suite(.computing) struct VerificationTests {
  private func world(_ texts: [String]) throws -> SyncWorld {
    var run = try ConvergenceRun(seed: 1)
    for peer in run.world.peers { try run.subscribe(peer, texts) }
    try run.world.peers[0].device.database.write { transaction in
      for id in 0..<20 as Range<Int64> {
        try transaction.create("Task", ["_id": .int(id), "minutes": .int(id % 3)])
      }
    }
    try run.world.settle()
    return run.world
  }

  private func verification(_ peer: SyncWorld.Peer) throws -> Verification {
    try #require(try Verification.find(peer.device.database.snapshot()))
  }

  private func differences(_ peer: SyncWorld.Peer) -> [Int] {
    peer.device.client.takeEvents().compactMap { event in
      if case .verified(let count) = event { count } else { nil }
    }
  }

  private func ids(_ peer: SyncWorld.Peer) throws -> [Int64] {
    var ids: [Int64] = []
    try peer.device.database.snapshot().table("Task").forEach { object in
      ids.append(try object["_id"].int ?? -1)
    }
    return ids.sorted()
  }

  @Test func filesThatAreInStepAreEqual() throws {
    let world = try world(["minutes == 0", "minutes == 1"])
    for peer in world.peers {
      _ = try Verification.ask(peer.device.database)
      try world.settle()
      #expect(differences(peer) == [0])
      #expect(try verification(peer).done == 1)
      #expect(peer.connection != nil)
    }
  }

  enum Damage: CaseIterable {
    case missing
    case orphan
    case otherLife
  }

  /// No check would have detected it.
  ///
  /// Promise: view.verified.
  @Test(arguments: Damage.allCases)
  func whatDiffersIsPutRightInPlace(_ damage: Damage) throws {
    let world = try world(["minutes == 0", "minutes == 1"])
    let peer = world.peers[1]
    let before = try ids(peer)
    try peer.device.database.write { transaction in
      transaction.origin = .sync
      let capture = try transaction.capture
      let known = peer.device.task(3)
      let confirmed = Cursor(incarnation: 7, version: 1)
      switch damage {
      case .missing:
        try transaction.leave(known)
        try capture.setGenerations(ObjectGenerations(confirmed: nil, head: nil), of: known)
      case .orphan:
        let orphan = peer.device.task(99)
        _ = try transaction.createAddressed(orphan)
        try capture.setGenerations(
          ObjectGenerations(confirmed: confirmed, head: nil), of: orphan)
      case .otherLife:
        try capture.setGenerations(
          ObjectGenerations(confirmed: confirmed, head: nil), of: known)
      }
    }
    // Unsent changes are first answered, and not lost.
    try peer.device.createTask(21, "new")
    _ = try Verification.ask(peer.device.database)
    try world.settle()
    #expect(differences(peer) == [1])
    #expect(try ids(peer) == (before + [21]).sorted())
    _ = try Verification.ask(peer.device.database)
    try world.settle()
    #expect(differences(peer) == [0])
  }

  @Test func aFileIsComparedOnceADay() throws {
    let world = try world(["TRUEPREDICATE"])
    let peer = world.peers[0]
    for (hours, expected) in [(1, []), (24, [0]), (1, []), (-48, [0])] as [(Int, [Int])] {
      world.now = UInt64(Int(world.now) + hours * 3_600_000)
      world.drop(peer)
      try world.settle()
      #expect(differences(peer) == expected, "after \(hours) hours")
    }
  }

  /// A device that verifies while others write gets the digests of a state that it has.
  @Test func whatChangesMeanwhileIsNoDifference() throws {
    let world = try world(["TRUEPREDICATE"])
    let (writer, peer) = (world.peers[0], world.peers[1])
    for round in 0..<10 as Range<Int64> {
      _ = try Verification.ask(peer.device.database)
      for step in 0..<6 {
        if step % 2 == 0 { try writer.device.createTask(100 + round * 6 + Int64(step), "new") }
        _ = try world.send(writer)
        _ = try world.send(peer)
        while world.deliverUp(writer) {}
        while world.deliverUp(peer) {}
        _ = try world.advance()
        _ = try world.deliverDown(peer)
      }
    }
    try world.settle()
    #expect(differences(peer).allSatisfy { $0 == 0 })
    #expect(try verification(peer).done == verification(peer).asked)
    #expect(try ids(peer) == ids(writer))
  }
}

private struct ConvergenceRun {
  let world: SyncWorld
  var random: SplitMix64
  var counter: UInt32 = 0

  init(seed: UInt64) throws {
    world = try SyncWorld(seed: seed)
    random = SplitMix64(seed: seed)
    for index in 0..<2 {
      _ = try world.addPeer(isProgressive: index == 1 && seed % 3 == 0)
    }
  }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  mutating func run() throws {
    for peer in world.peers { try subscribe(peer, ["TRUEPREDICATE"]) }
    for _ in 0..<150 {
      let peer = world.peers[number(2)]
      world.now += UInt64(number(3))
      switch number(32) {
      case 0...6: try write(peer)
      case 7: try subscribe(peer, nil)
      case 8, 9: try world.connect(peer)
      case 10: world.drop(peer)
      case 11: world.restart(peer)
      case 12 where number(4) == 0: try world.restartServer()
      case 13...16: _ = try world.send(peer)
      case 17...21: _ = world.deliverUp(peer)
      case 22...25: _ = try world.advance()
      default: _ = try world.deliverDown(peer)
      }
      try peer.model.model.check(peer.device)
    }
    try world.settle()
    for peer in world.peers { try check(peer) }
  }

  // MARK: Steps

  mutating func subscribe(_ peer: SyncWorld.Peer, _ queries: [String]?) throws {
    let choices = ["TRUEPREDICATE", "minutes == 0", "minutes == 1", "minutes == 2"]
    let queries = queries ?? (0..<number(3)).map { _ in choices[number(4)] }
    var next = counter
    try peer.device.database.write { transaction in
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
      ) {
        next += 1
        return ObjectID(seconds: 1, random: 1, counter: next)
      }
      editor.removeAll()
      for query in queries { editor.add("Task", query: query) }
      try editor.save(in: transaction)
    }
    counter = next
  }

  private mutating func write(_ peer: SyncWorld.Peer) throws {
    var edits: [(Int, Int64, Int)] = []
    for _ in 0...number(2) { edits.append((number(8), Int64(number(5)), number(6))) }
    try peer.device.database.write { transaction in
      for (kind, id, value) in edits { try Self.edit(transaction, kind, id, value) }
    }
  }

  private static func edit(
    _ transaction: Transaction, _ kind: Int, _ id: Int64, _ value: Int
  ) throws {
    guard let key = try transaction.key("Task", primaryKey: .int(id)) else {
      try transaction.create("Task", ["_id": .int(id), "minutes": .int(Int64(value % 3))])
      return
    }
    var labels = try transaction.value("Task", key, "labels").list ?? []
    switch kind {
    case 0: try transaction.delete("Task", key)
    case 1: try transaction.set("Task", key, "taskName", .string("n\(value)"))
    case 2: try transaction.set("Task", key, "assignee", value == 0 ? .null : .string("a\(value)"))
    case 3: try transaction.set("Task", key, "minutes", .int(Int64(value % 3)))
    case 4: try transaction.increment("Task", key, "minutes", by: Int64(value % 3) - 1)
    case 5 where value < 3 && !labels.isEmpty:
      guard let column = transaction.schema.table("Task")?.column("labels") else { return }
      var order = Array(labels.indices)
      let place = order.remove(at: value % order.count)
      order.insert(place, at: labels.count / 2)
      try transaction.rearrange(key, column, order, moved: [place])
    case 5 where !labels.isEmpty:
      labels.remove(at: value % labels.count)
      try transaction.set("Task", key, "labels", .list(labels))
    case 6 where !labels.isEmpty:
      labels[value % labels.count] = .string("s\(value)")
      try transaction.set("Task", key, "labels", .list(labels))
    default:
      labels.insert(.string("l\(value)"), at: value % (labels.count + 1))
      try transaction.set("Task", key, "labels", .list(labels))
    }
  }

  // MARK: Oracles

  /// The device holds exactly the server's objects in its view.
  private func check(_ peer: SyncWorld.Peer) throws {
    #expect(try peer.device.outbox == [])
    _ = try Verification.ask(peer.device.database)
    try world.settle()
    let verification = try #require(try Verification.find(peer.device.database.snapshot()))
    #expect(verification.done == verification.asked)
    #expect(verification.differenceCount == 0)
    let model = peer.model.model
    try model.check(peer.device)
    let sets = try SubscriptionSets(peer.device.database.snapshot())
    #expect(sets.latest.state == .complete)
    #expect(sets.stored.count == 1)
    let queries = Set(sets.latest.members.map(\.query))
    var expected: [ObjectAddress: [UnitPath: UnitValue]] = [:]
    for row in try #require(world.store as? MemoryStore).contents.rows.values {
      guard var values = row.values else { continue }
      guard case .value(.int(let minutes))? = values[.property("minutes")] else { continue }
      guard queries.contains("TRUEPREDICATE") || queries.contains("minutes == \(minutes)") else {
        continue
      }
      values[.existence] = nil
      values[.property("_id")] = nil
      expected[row.address] = values
    }
    #expect(Set(model.confirmed.keys) == Set(expected.keys))
    for (object, values) in expected {
      #expect(model.confirmed[object]?.values == values, "\(object)")
    }
  }
}
