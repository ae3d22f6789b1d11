import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

/// Links in mixed values of a synced file, whose targets go and come.
@Suite(.computing) struct WaitingMixedLinkTests {
  private let database: Database

  init() throws { database = try SyncedModel(seed: 0).database }

  private static func task(_ name: String) -> ObjectAddress {
    ObjectAddress(className: "Task", primaryKey: .string(name))
  }

  /// Task `a` leads to `b`, `c` and team 1 from within its property `any`.
  private func prepare() throws -> (task: ObjectKey, b: Value, c: Value, team: Value) {
    try database.write { transaction in
      let schema = transaction.schema
      let b = try schema.link(
        to: transaction.create("Task", ["_id": .string("b")]), of: "Task")
      let c = try schema.link(
        to: transaction.create("Task", ["_id": .string("c")]), of: "Task")
      let team = try schema.link(to: transaction.create("Team", ["_id": .int(1)]), of: "Team")
      let task = try transaction.create(
        "Task",
        [
          "_id": .string("a"),
          "any": .map(["list": .list([b, .int(1), c]), "set": .set([b, team]), "b": b]),
          "anyList": .list([.int(0), b, c]),
        ])
      return (task, b, c, team)
    }
  }

  private func value(_ key: ObjectKey, _ property: String) throws -> Value {
    try database.write { try $0.value("Task", key, property) }
  }

  private func recorded(_ property: String) throws -> RecordedValue {
    try database.write { try $0.addressedWriter("Task").value(of: property, of: Self.task("a")) }
  }

  @Test func linksWaitInTheirPlacesAndComeBack() throws {
    let (task, b, c, team) = try prepare()
    let before = try recorded("any")
    try database.write { transaction in
      try transaction.delete("Task", ObjectKey(rawValue: try #require(b.link).key))
    }
    #expect(
      try value(task, "any")
        == .map(["list": .list([.null, .int(1), c]), "set": .set([team]), "b": .null]))
    #expect(try value(task, "anyList") == .list([.int(0), .null, c]))
    #expect(try recorded("any") == before)
    #expect(try database.snapshot().pendingLinkCount == 4)
    try database.expectSound()

    // What is seen of the lists changes; what waits in them goes along.
    try database.write { transaction in
      try transaction.set(
        "Task", task, "any",
        .map(["list": .list([.int(7), .null, .int(1)]), "set": .set([team]), "b": .null]))
      try transaction.set("Task", task, "anyList", .list([.null, c, .int(9)]))
    }
    try database.write { try $0.create("Task", ["_id": .string("b")]) }
    let new = try database.write { transaction in
      try transaction.schema.link(
        to: #require(try transaction.key("Task", primaryKey: .string("b"))), of: "Task")
    }
    #expect(
      try value(task, "any")
        == .map([
          "list": .list([.int(7), new, .int(1)]),
          "set": .set([new, team].sorted { Value.sortOrder($0, $1) == .less }), "b": new,
        ]))
    #expect(try value(task, "anyList") == .list([new, c, .int(9)]))
    #expect(try database.snapshot().pendingLinkCount == 0)
    try database.expectSound()
  }

  @Test func aPlaceThatIsGoneOrTakenWaitsNoMore() throws {
    let (task, b, c, _) = try prepare()
    try database.write { transaction in
      try transaction.delete("Task", ObjectKey(rawValue: try #require(b.link).key))
    }
    try database.write { transaction in
      try transaction.set("Task", task, "any", .map(["list": .list([c]), "b": .int(5)]))
      try transaction.set("Task", task, "anyList", .list([]))
    }
    #expect(try database.snapshot().pendingLinkCount == 0)
    try database.write { try $0.create("Task", ["_id": .string("b")]) }
    #expect(try value(task, "any") == .map(["list": .list([c]), "b": .int(5)]))
    try database.expectSound()
  }

  /// A peer may send whatever its messages can hold.
  @Test func partsThatAreNoneOfTheirCollectionAreRefused() throws {
    try database.write { transaction in
      transaction.origin = .sync
      let writer = try transaction.addressedWriter("Task")
      try writer.create(.string("a"))
      for (property, part, value) in [
        ("anyMap", RecordedValue.int(5), UnitValue.exists), ("anyMap", .int(5), .value(.int(1))),
        ("anyMap", .string("k"), .exists), ("anySet", .int(5), .value(.int(5))),
      ] {
        do throws(ObjectError) {
          try writer.setPart(of: property, part, value)
          Issue.record("\(property) took \(part)")
        } catch {
          guard case .typeMismatch = error else { throw error }
        }
      }
      #expect(try writer.value(of: "anyMap").parts.isEmpty)
      #expect(try writer.value(of: "anySet").parts.isEmpty)
    }
    try database.expectSound()
  }

  @Test func whatTheServerSaysMayComeBeforeItsTargets() throws {
    let nested = RecordedValue.map([
      RecordedEntry(
        key: "deep", value: .list([.link(Self.task("x")), .int(1), .link(Self.task("y"))]))
    ])
    let members = RecordedValue(members: [.link(Self.task("x")), .int(2)])
    try database.write { transaction in
      transaction.origin = .sync
      let writer = try transaction.addressedWriter("Task")
      try writer.create(.string("a"))
      try writer.set("any", nested)
      for member in members.parts { try writer.setPart(of: "anySet", member.key, .exists) }
      try writer.setPart(of: "anyMap", .string("k"), .value(.link(Self.task("y"))))
      try writer.setElement(
        of: "anyList",
        ListElement(
          id: ElementID(client: 1, number: 1, index: 0),
          position: ListPosition.between(nil, nil, count: 1)[0]),
        .list([.link(Self.task("x"))]))
      #expect(try writer.value(of: "any") == nested)
    }
    #expect(try recorded("any") == nested)
    #expect(try recorded("anySet") == members)
    #expect(try database.snapshot().pendingLinkCount == 5)
    try database.expectSound()
    let units = try database.write { try $0.readObject(Self.task("a")) }
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.createAddressed(Self.task("x"))
      try transaction.createAddressed(Self.task("y"))
      // Nothing of what the values are has changed, before and after they are settled.
      #expect(try transaction.readObject(Self.task("a")) == units)
    }
    #expect(try database.write { try $0.readObject(Self.task("a")) } == units)
    #expect(try database.snapshot().pendingLinkCount == 0)
    try database.expectSound()
  }

  @Test func operationsCarryLinksAsAddresses() throws {
    _ = try prepare()
    var actions: [Operation.Action] = []
    try database.write { transaction in
      try transaction.capture.forEachEntry { entry throws(ObjectError) in
        if case .push(let content) = entry.content {
          actions += content.operations.filter { $0.object == Self.task("a") }.map(\.action)
        }
        return true
      }
    }
    let b = RecordedValue.link(Self.task("b"))
    let team = RecordedValue.link(ObjectAddress(className: "Team", primaryKey: .int(1)))
    #expect(
      actions.contains(
        .set(
          property: "any",
          .map([
            RecordedEntry(key: "b", value: b),
            RecordedEntry(key: "list", value: .list([b, .int(1), .link(Self.task("c"))])),
            RecordedEntry(key: "set", value: RecordedValue(members: [b, team])),
          ]))))
  }
}

extension AddressedWriter {
  fileprivate func value(of property: String, of object: ObjectAddress) throws -> RecordedValue {
    guard try select(object.primaryKey) else { return .null }
    return try value(of: property)
  }
}
