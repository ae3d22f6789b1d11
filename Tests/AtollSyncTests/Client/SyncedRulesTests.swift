import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Rules of deletion in synced classes: they hold for what the device deletes, and for nothing that
/// a server has sent.
@Suite(.computing) struct SyncedRulesTests {
  private static let classes = [
    ClassSchema(
      "Owner",
      properties: [
        PropertySchema("_id", .int), PropertySchema("note", .string),
        PropertySchema("thing", linkTo: "Thing", deletionRule: .cascade),
        PropertySchema("place", linkTo: "Place"),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Place",
      properties: [PropertySchema("thing", linkTo: "Thing", deletionRule: .cascade)],
      isEmbedded: true),
    ClassSchema(
      "Thing",
      properties: [
        PropertySchema("_id", .int), PropertySchema("bank", linkTo: "Bank", deletionRule: .deny),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Bank", properties: [PropertySchema("_id", .int)], primaryKey: "_id", isSynced: true),
  ]

  private static func address(_ className: String, _ id: Int64) -> ObjectAddress {
    ObjectAddress(className: className, primaryKey: .int(id))
  }

  private static func full(
    _ className: String, _ id: Int64, _ property: String? = nil, to target: ObjectAddress? = nil
  ) -> ObjectChange {
    let units = property.flatMap { property in
      target.map { UnitChange(.property(property), .value(.link($0))) }
    }
    return ObjectChange(
      address(className, id), .full(generation: Cursor(15), units.map { [$0] } ?? []))
  }

  private static func leave(_ className: String, _ id: Int64) -> ObjectChange {
    ObjectChange(address(className, id), .leave)
  }

  /// Owner 1 has thing 1, which has bank 1; thing 2 has no owner.
  private static let sent = [
    full("Bank", 1), full("Thing", 1, "bank", to: address("Bank", 1)), full("Thing", 2),
    full("Owner", 1, "thing", to: address("Thing", 1)),
  ]

  private static func device(_ mode: ResetMode = .recover) throws -> TestDevice {
    let device = try TestDevice(resetMode: mode, classes: classes)
    try device.connect()
    try device.receive(.live(nil, 20, sent))
    return device
  }

  private static func delete(_ className: String, _ id: Int64, on device: TestDevice) throws {
    try device.database.write { transaction in
      let key = try #require(try transaction.key(className, primaryKey: .int(id)))
      try transaction.delete(className, key)
    }
  }

  private static func objects(_ device: TestDevice) throws -> [String] {
    #expect(try device.database.check().findings == [])
    let snapshot = try device.database.snapshot()
    var found: [String] = []
    for name in ["Bank", "Owner", "Place", "Thing"] {
      let table = try snapshot.table(name)
      try table.forEach { object in
        guard name != "Place", case .int(let id) = try object.value(table.column("_id")) else {
          return found.append(name)
        }
        found.append("\(name) \(id)")
      }
    }
    return found
  }

  private static func operations(_ device: TestDevice) throws -> [Operation] {
    try device.outbox.flatMap { entry -> [Operation] in
      if case .push(let recorded) = entry.content { recorded.operations } else { [] }
    }
  }

  private static func refusal(_ number: UInt64, count: Int) -> Answer {
    Answer(
      number: number,
      verdicts: Array(repeating: .refused(Refusal(.outsideView, text: "no")), count: count))
  }

  @Test func whatARuleDeletesIsSentAsOtherDeletionsAre() throws {
    let device = try Self.device()
    try Self.delete("Owner", 1, on: device)
    #expect(try Self.objects(device) == ["Bank 1", "Thing 2"])
    let operations = try Self.operations(device)
    #expect(
      Set(operations.map(\.object)) == [Self.address("Owner", 1), Self.address("Thing", 1)])
    #expect(operations.allSatisfy { $0.action == .delete })
    #expect(operations.count == 2)
    // Nothing comes back with the answer.
    try device.receive(
      .live(
        20, 21, [],
        [Answer(number: 1, verdicts: Array(repeating: .applied(generation: nil), count: 2))]))
    #expect(try Self.objects(device) == ["Bank 1", "Thing 2"])
    #expect(try device.outbox.isEmpty)
  }

  @Test func whatARuleDeniesIsNotSent() throws {
    let device = try Self.device()
    let error = #expect(throws: ObjectError.self) { try Self.delete("Bank", 1, on: device) }
    guard case .deletionDenied? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try device.outbox.isEmpty)
    #expect(try Self.objects(device).count == 4)
  }

  /// Also of what leaves the device as no subscription has it any more.
  @Test(arguments: [false, true])
  func whatTheServerTakesAwayFollowsNoRule(hasOwnWrites: Bool) throws {
    let device = try Self.device()
    if hasOwnWrites {
      // Which are done again on top of what comes.
      try device.database.write { transaction in
        let owner = try #require(try transaction.key("Owner", primaryKey: .int(1)))
        try transaction.set("Owner", owner, "note", .string("mine"))
        let thing = try transaction.create("Thing", ["_id": .int(3)])
        try transaction.delete("Thing", thing)
      }
    }
    try device.receive(.live(20, 21, [Self.leave("Bank", 1)]))
    #expect(try Self.objects(device) == ["Owner 1", "Thing 1", "Thing 2"])
    try device.receive(.live(21, 22, [Self.leave("Owner", 1)]))
    #expect(try Self.objects(device) == ["Thing 1", "Thing 2"])
  }

  @Test func aRefusedWriteIsUndoneWithoutRules() throws {
    let device = try Self.device()
    try device.database.write { transaction in
      let schema = transaction.schema
      let table = try #require(schema.table("Thing")).id
      func link(_ id: Int64) throws -> Value {
        let key = try #require(try transaction.key("Thing", primaryKey: .int(id)))
        return .link(ObjectLink(table: table, key: key.rawValue))
      }
      let owner = try transaction.create("Owner", ["_id": .int(2), "thing": try link(1)])
      let place = try transaction.createEmbedded(in: "Owner", owner, "place")
      try transaction.set("Place", place, "thing", try link(2))
    }
    #expect(try Self.objects(device).contains("Place"))
    let count = try Self.operations(device).count
    try device.receive(.live(20, 21, [], [Self.refusal(1, count: count)]))
    #expect(try Self.objects(device) == ["Bank 1", "Owner 1", "Thing 1", "Thing 2"])
    #expect(try device.outbox.isEmpty)
  }

  @Test func aRefusedDeletionBringsBackWhatTheRuleDeletedToo() throws {
    let device = try Self.device()
    try Self.delete("Owner", 1, on: device)
    try device.receive(.live(20, 21, [], [Self.refusal(1, count: 2)]))
    #expect(try Self.objects(device) == ["Bank 1", "Owner 1", "Thing 1", "Thing 2"])
    let snapshot = try device.database.snapshot()
    let owner = try #require(try snapshot.table("Owner").object(primaryKey: .int(1)))
    #expect(try owner["thing"].links.count == 1)
    // And then the rules hold as before.
    try Self.delete("Owner", 1, on: device)
    #expect(try Self.objects(device) == ["Bank 1", "Thing 2"])
  }

  @Test func aResetThatDiscardsFollowsNoRule() throws {
    let device = try Self.device(.discard)
    device.client.close(now: 0)
    try device.database.write { transaction in
      let thing = try #require(try transaction.key("Thing", primaryKey: .int(2)))
      let table = try #require(transaction.schema.table("Thing")).id
      try transaction.create(
        "Owner",
        ["_id": .int(3), "thing": .link(ObjectLink(table: table, key: thing.rawValue))])
    }
    try device.connect(isFromStart: true)
    // Bank 1 is gone there, and thing 1 is not.
    try device.receive(.part(nil, 31, readAt: 31, Array(Self.sent.dropFirst())))
    #expect(try Self.objects(device) == ["Owner 1", "Thing 1", "Thing 2"])
  }

  /// R11: what a program may not set arrives all the same.
  @Test func aValueTooLongForAnIndexOfSeveralPropertiesArrives() throws {
    let long = String(repeating: "x", count: 40_000)
    let named = ClassSchema(
      "Named",
      properties: [
        PropertySchema("_id", .string), PropertySchema("name", .string),
        PropertySchema("number", .int),
      ], primaryKey: "_id", isSynced: true,
      indexes: [IndexSchema(["_id", "number"]), IndexSchema(["number", "name"])])
    let device = try TestDevice(classes: [named])
    try device.connect()
    let address = ObjectAddress(className: "Named", primaryKey: .string(long))
    func change(_ name: String, _ generation: UInt64) -> ObjectChange {
      ObjectChange(
        address,
        .full(
          generation: Cursor(generation), [UnitChange(.property("name"), .value(.string(name)))]))
    }
    try device.receive(.live(nil, 20, [change(long, 15)]))
    try device.receive(.live(20, 21, [change(long + "y", 15)]))
    let table = try device.database.snapshot().table("Named")
    #expect(try table.object(primaryKey: .string(long))?["name"] == .string(long + "y"))
    try device.receive(.live(21, 22, [ObjectChange(address, .leave)]))
    #expect(try device.database.check().findings == [])
    #expect(throws: ObjectError.self) {
      try device.database.write {
        try $0.create("Named", ["_id": .string("a"), "name": .string(long)])
      }
    }
  }
}
