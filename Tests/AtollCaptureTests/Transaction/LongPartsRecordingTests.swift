import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

/// Large sets and maps of synced classes, changed by member and key and as a whole, by applications
/// and by address.
@Suite(.computing) struct LongPartsRecordingTests {
  private static let task = ObjectAddress(className: "Task", primaryKey: .string("a"))
  private let database: Database
  private let key: ObjectKey

  init() throws {
    database = try SyncedModel(seed: 0).database
    key = try database.write { transaction in
      transaction.origin = .sync
      let names = ValueMap((0..<2_000).map { (key: "key \($0)", value: .string("\($0)")) })
      return try transaction.create(
        "Task",
        [
          "_id": .string("a"), "marks": .set((0..<2_000).map { .int($0 * 2) }),
          "names": .map(names),
        ])
    }
  }

  /// What the last entry of the outbox does.
  private func actions() throws -> [AtollCapture.Operation.Action] {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    var last: [AtollCapture.Operation.Action] = []
    try transaction.capture.forEachEntry { entry throws(ObjectError) in
      guard case .push(let content) = entry.content else { return true }
      last = content.operations.map(\.action)
      return true
    }
    return last
  }

  private func images() throws -> [UnitPath: UnitValue?] {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    return try transaction.capture.images(of: Self.task).units
  }

  @Test func aChangeOfOnePartIsOneOperation() throws {
    try database.write { transaction in
      try transaction.insert("Task", key, "marks", member: .int(7))
      try transaction.insert("Task", key, "marks", member: .int(8))
      try transaction.remove("Task", key, "marks", member: .int(10))
      try transaction.insert("Task", key, "marks", member: .int(11))
      try transaction.remove("Task", key, "marks", member: .int(11))
      try transaction.set("Task", key, "names", mapKey: "key 5", .string("five"))
      try transaction.set("Task", key, "names", mapKey: "key 6", .string("6"))
      try transaction.set("Task", key, "names", mapKey: "new", .string("n"))
      try transaction.remove("Task", key, "names", mapKey: "key 9")
    }
    #expect(
      try Set(actions().map { "\($0)" })
        == Set(
          [
            AtollCapture.Operation.Action.removeEntry(property: "marks", key: .int(10)),
            .addMember(property: "marks", .int(7)),
            .removeEntry(property: "names", key: .string("key 9")),
            .setEntry(property: "names", key: .string("key 5"), .string("five")),
            .setEntry(property: "names", key: .string("new"), .string("n")),
          ].map { "\($0)" }))
    #expect(try actions().count == 5)
    let expected: [UnitPath: UnitValue?] = [
      .entry(property: "marks", .int(10)): .exists, .entry(property: "marks", .int(7)): nil,
      .entry(property: "names", .string("key 9")): .value(.string("9")),
      .entry(property: "names", .string("key 5")): .value(.string("5")),
      .entry(property: "names", .string("new")): nil,
    ]
    #expect(try images() == expected)
    #expect(try database.check().findings == [])
  }

  /// A whole value after parts is compared with what was there before both.
  @Test func partsAndThenAWholeValueAreRecordedTogether() throws {
    try database.write { transaction in
      try transaction.remove("Task", key, "marks", member: .int(0))
      try transaction.insert("Task", key, "marks", member: .int(1))
      guard case .set(let members) = try transaction.value("Task", key, "marks") else { return }
      let changed = members.filter { $0 != .int(2) } + [.int(0), .int(3)]
      try transaction.set("Task", key, "marks", .set(changed))
      try transaction.insert("Task", key, "marks", member: .int(5))
    }
    #expect(
      try Set(actions().map { "\($0)" })
        == Set(
          [
            AtollCapture.Operation.Action.removeEntry(property: "marks", key: .int(2)),
            .addMember(property: "marks", .int(1)), .addMember(property: "marks", .int(3)),
            .addMember(property: "marks", .int(5)),
          ].map { "\($0)" }))
  }

  @Test func aDeletionAfterPartsKeepsWhatWasThereBefore() throws {
    try database.write { transaction in
      try transaction.remove("Task", key, "marks", member: .int(0))
      try transaction.insert("Task", key, "marks", member: .int(1))
      try transaction.delete("Task", key)
    }
    let images = try images()
    #expect(images[.entry(property: "marks", .int(0))] == .some(.exists))
    #expect(images[.entry(property: "marks", .int(1))] == nil)
  }

  /// What sync writes by address is what is read by address, in either order and across both sizes.
  @Test func isWrittenByAddressPartByPart() throws {
    var random = SplitMix64(seed: 3)
    var marks = Set((0..<2_000).map { Int64($0 * 2) })
    for round in 0..<8 {
      try database.write { transaction in
        transaction.origin = .sync
        for _ in 0..<(round == 5 ? 1_900 : 120) {
          let mark = Int64.random(in: 0..<4_000, using: &random)
          let unit = Unit(object: Self.task, path: .entry(property: "marks", .int(mark)))
          #expect(try transaction.read(unit) == (marks.contains(mark) ? .exists : nil))
          let isRemoved = round == 5 ? true : Bool.random(using: &random)
          try transaction.write(unit, isRemoved ? nil : .exists)
          if isRemoved { marks.remove(mark) } else { marks.insert(mark) }
        }
      }
      let expected = Value.set(marks.sorted().map { .int($0) })
      let table = try database.snapshot().table("Task")
      #expect(try table.object(key)?["marks"] == expected)
    }
    #expect(try database.check().findings == [])
  }

  /// A collection that became too large takes nothing more, and gives up what it has.
  @Test func aLimitCountsTheWholeCollection() throws {
    try database.write { transaction in
      transaction.origin = .sync
      // 20 bytes and more for a member.
      transaction.partsByteLimit = 2_000 * 20 + 50
      func unit(_ mark: Int64) -> Unit {
        Unit(object: Self.task, path: .entry(property: "marks", .int(mark)))
      }
      try transaction.write(unit(1), .exists)
      try transaction.write(unit(3), .exists)
      #expect(throws: ObjectError.self) { try transaction.write(unit(5), .exists) }
      try transaction.write(unit(0), nil)
      try transaction.write(unit(5), .exists)
      #expect(try transaction.read(unit(5)) == .exists)
    }
    #expect(try database.snapshot().table("Task").object(key)?["marks"].set?.count == 2_002)
  }
}
