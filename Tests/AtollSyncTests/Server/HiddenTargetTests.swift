import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// Links to objects that a user may not read, or that are not there: subscriptions see them alike.
@Suite(.computing) struct HiddenTargetTests {
  private static let classes = [
    ClassSchema("Vault", properties: [PropertySchema("_id", .string)], primaryKey: "_id"),
    ClassSchema(
      "Box",
      properties: [
        PropertySchema("_id", .string),
        PropertySchema("links", linkTo: "Vault", collection: .list),
        PropertySchema("set", linkTo: "Vault", collection: .set),
        PropertySchema("one", .mixed), PropertySchema("anys", .mixed, collection: .list),
        PropertySchema("anySet", .mixed, collection: .set),
      ], primaryKey: "_id"),
  ]

  /// What becomes of the targets: when they are there.
  private enum History: CaseIterable {
    case never, first, later, gone
  }

  private static func box(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Box", primaryKey: .string(key))
  }

  private static func vault(_ key: String) -> ObjectAddress {
    ObjectAddress(className: "Vault", primaryKey: .string(key))
  }

  private func world() throws -> ServerWorld {
    let database = try Database.inMemory(options: .recording)
    let store = AtollStore(database)
    try store.tick { t throws(ServerStoreError) in try t.add(Self.classes) }
    let root = Role(
      "root", application: .users(["root"]), read: .all, write: .all, insert: .all, delete: .all)
    let rules = ServerRules(classes: [
      "Box": ClassRules(roles: [root, Role("spy", read: .all)]), "Vault": ClassRules(roles: [root]),
    ])
    return try ServerWorld(store: store, rights: Rights(.rules(rules)))
  }

  private func toggle(_ isThere: Bool, _ keys: [String], of root: Device) throws {
    let number = root.state.nextNumber
    var operations: [AtollCapture.Operation] = []
    // Each transaction does something, so that versions are the same whatever is there.
    for key in keys + ["other \(number)"] {
      let known = root.state.generations[Self.vault(key)]
      if let known, !isThere {
        operations.append(
          Operation(object: Self.vault(key), generation: .confirmed(known), action: .delete))
      } else if known == nil, isThere || !keys.contains(key) {
        operations.append(Operation(object: Self.vault(key), generation: nil, action: .create))
      }
    }
    try root.push(operations)
  }

  /// Makes a box with links to two objects in each property, and one without any.
  private func makeBoxes(_ root: Device) throws {
    let made = Generation.pending(number: root.state.nextNumber, index: 0)
    let full = Self.box("full")
    let links = ["a", "b"].map { RecordedValue.link(Self.vault($0)) }
    let places = ListPosition.between(nil, nil, count: 2)
    var actions: [Operation.Action] = [.set(property: "one", links[0])]
    for (index, link) in links.enumerated() {
      for (number, property) in ["links", "anys"].enumerated() {
        let id = ElementID(client: 1, number: 90 + UInt64(number), index: UInt32(index))
        actions.append(.insert(property: property, id, places[index], link))
      }
      for property in ["set", "anySet"] {
        actions.append(.addMember(property: property, link))
      }
    }
    var operations = [Operation(object: full, generation: nil, action: .create)]
    operations += actions.map { Operation(object: full, generation: made, action: $0) }
    operations.append(Operation(object: Self.box("none"), generation: nil, action: .create))
    try root.push(operations)
  }

  /// What a user is told who may not read the targets, and the boxes that the user has at the end of
  /// each step.
  private func told(_ query: String, _ history: History) throws -> (
    heard: [[ObjectChange]], held: [Set<String>]
  ) {
    let world = try world()
    let all = ["Box", "Vault"].map { SetMember(className: $0, query: "TRUEPREDICATE") }
    let root = try world.device(1, user: "root", subscribing: [], and: all)
    var held: [Set<String>] = []
    try toggle(history == .first || history == .gone, ["a", "b"], of: root)
    try world.settle()
    try makeBoxes(root)
    try world.settle()
    let spy = try world.device(
      2, user: "spy", subscribing: [], and: [SetMember(className: "Box", query: query)])
    func note() {
      held.append(
        Set(
          spy.state.objects.keys.compactMap {
            if case .string(let key) = $0.primaryKey { key } else { nil }
          }))
    }
    note()
    for isThere in [history != .never && history != .gone, history == .later || history == .first] {
      try toggle(isThere, ["a", "b"], of: root)
      try world.settle()
      note()
    }
    #expect(spy.errors.isEmpty)
    return (spy.batches.map(\.objects), held)
  }

  /// Promise: rights.hiddenTargets.
  @Test(arguments: [
    ("links.@count > 0", ["full"]), ("links.@count == 2", ["full"]),
    ("NOT links.@count == 2", ["none"]), ("links.@size == 0", ["none"]),
    ("set.@count == 2", ["full"]), ("anys.@count == 2", ["full"]),
    ("anySet.@count == 2", ["full"]), ("one == NULL", ["none"]), ("one != NULL", ["full"]),
    ("one IN {NULL, 5}", ["none"]), ("NULL IN anys", []), ("NONE anys == NULL", ["full", "none"]),
    ("ALL anySet == 5", ["none"]), ("ANY anySet != 5", ["full"]),
    ("one == NULL OR links.@count BETWEEN {1, 2}", ["full", "none"]),
  ])
  func aSubscriptionDoesNotTellWhichTargetsThereAre(query: String, expected: [String]) throws {
    let first = try told(query, .never)
    #expect(first.held == Array(repeating: Set(expected), count: 3), "\(query)")
    for history in History.allCases {
      let other = try told(query, history)
      #expect(other.heard == first.heard, "\(query), \(history)")
      #expect(other.held == first.held, "\(query), \(history)")
    }
  }

  /// The device has none of the targets, the server all of them.
  @Test func aFileWithoutTheTargetsIsInStep() throws {
    let database = try Database.inMemory(options: .recording)
    let world = try SyncWorld(seed: 5, store: AtollStore(database))
    let (writer, reader) = (try world.addPeer(), try world.addPeer())
    func subscribe(_ peer: SyncWorld.Peer, _ members: [(String, String)]) throws {
      try peer.device.database.write { transaction in
        var counter: UInt32 = 0
        var editor = try SubscriptionEditor(
          transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
        ) {
          counter += 1
          return ObjectID(seconds: 1, random: 1, counter: counter)
        }
        for (className, query) in members { editor.add(className, query: query) }
        try editor.save(in: transaction)
      }
    }
    try subscribe(writer, [("Task", "TRUEPREDICATE"), ("Team", "TRUEPREDICATE")])
    try subscribe(reader, [("Team", "tasks.@count == 2")])
    try writer.device.database.write { transaction in
      let table = try transaction.table("Task").schema.id
      let links = try (1...2 as ClosedRange<Int64>).map { id in
        Value.link(
          ObjectLink(table: table, key: try transaction.create("Task", ["_id": .int(id)]).rawValue))
      }
      try transaction.create("Team", ["_id": .string("a"), "tasks": .list(links)])
      try transaction.create("Team", ["_id": .string("b"), "tasks": .list([links[0]])])
    }
    try world.settle()
    func teams() throws -> [Int] {
      var counts: [Int] = []
      try reader.device.database.snapshot().table("Team").forEach { team in
        counts.append(try team["tasks"].list?.count ?? -1)
      }
      return counts
    }
    // An app's own query sees what is there: none of the two.
    #expect(try teams() == [0])
    _ = try Verification.ask(reader.device.database)
    try world.settle()
    let verification = try #require(try Verification.find(reader.device.database.snapshot()))
    #expect(verification.done == 1 && verification.differenceCount == 0)
    // One target is deleted: nothing changes for the subscription, and nothing is told.
    try writer.device.database.write { transaction in
      try transaction.delete(
        "Task", try #require(try transaction.key("Task", primaryKey: .int(1))))
    }
    try world.settle()
    #expect(try teams() == [0])
    _ = try Verification.ask(reader.device.database)
    try world.settle()
    let next = try #require(try Verification.find(reader.device.database.snapshot()))
    #expect(next.done == 2 && next.differenceCount == 0)
  }
}
