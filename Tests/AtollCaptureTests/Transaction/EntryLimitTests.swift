import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

/// A transaction with much becomes several entries, each of which a server judges by itself.
@Suite(.computing) struct EntryLimitTests {
  private static let schema = [
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .string), PropertySchema("tags", .string, collection: .list),
        PropertySchema("marks", .int, collection: .set), PropertySchema("owner", .string),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Event",
      properties: [
        PropertySchema("_id", .int), PropertySchema("tags", .string, collection: .list),
      ], primaryKey: "_id", isSynced: true, isAsymmetric: true),
  ]

  /// The operations of the entries, as `OBJECT ACTION`, those of classes left out.
  private func entries(
    operationCount: UInt32 = 3, byteCount: Int = 1 << 20, _ body: (Transaction) throws -> Void
  ) throws -> [[Operation]] {
    var limits = RecordingLimits()
    limits.operationCount = operationCount
    limits.byteCount = byteCount
    let database = try Database.inMemory(options: Database.Options().recording(limits))
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.addClasses(Self.schema)
      transaction.origin = .app
      try body(transaction)
    }
    #expect(try database.check().findings == [])
    var entries: [[Operation]] = []
    try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
      if case .push(let content) = entry.content { entries.append(content.operations) }
      return true
    }
    return entries
  }

  private func make(_ id: String, tags: Int = 0, _ transaction: Transaction) throws {
    let tags = (0..<tags).map { Value.string("\($0)") }
    try transaction.create(
      "Task", ["_id": .string(id), "owner": .string("ann"), "tags": .list(tags)])
  }

  @Test func anEntryEndsBetweenObjects() throws {
    let entries = try entries { transaction in
      for id in ["a", "b", "c", "d", "e"] { try make(id, transaction) }
    }
    // A creation and its owner each.
    #expect(
      entries.map { $0.map(\.object.primaryKey) }
        == [["a", "a", "b", "b"], ["c", "c", "d", "d"], ["e", "e"]].map { $0.map { .string($0) } })
  }

  /// The owner stands behind the list in the class, and decides about the object.
  @Test func aLongListFollowsTheValuesOfItsObject() throws {
    let entries = try entries { try make("a", tags: 7, $0) }
    #expect(entries.map(\.count) == [3, 3, 3])
    #expect(
      entries[0].prefix(2).map(\.action) == [.create, .set(property: "owner", .string("ann"))])
    let others = entries.flatMap(\.self).dropFirst()
    #expect(Set(others.map(\.generation)) == [.pending(number: 1, index: 0)])
    let inserted = others.dropFirst().compactMap { operation -> RecordedValue? in
      if case .insert(_, _, _, let value) = operation.action { value } else { nil }
    }
    #expect(inserted == (0..<7).map { .string("\($0)") })
  }

  /// So a condition on a short collection holds from the first entry on.
  @Test func shortCollectionsComeBeforeLongOnes() throws {
    let entries = try entries { transaction in
      try transaction.create(
        "Task",
        [
          "_id": .string("a"), "tags": .list((0..<5).map { .string("\($0)") }),
          "marks": .set([.int(1)]), "owner": .string("ann"),
        ])
    }
    #expect(
      entries[0].prefix(3).map(\.action) == [
        .create, .set(property: "owner", .string("ann")), .addMember(property: "marks", .int(1)),
      ])
    #expect(entries.map(\.count) == [4, 3, 1])
  }

  /// Of a change too the single values come first, whatever was touched before them.
  @Test func changedValuesComeBeforeChangedCollections() throws {
    let entries = try entries { transaction in
      let key = try transaction.create("Task", ["_id": .string("a"), "marks": .set([.int(1)])])
      transaction.origin = .sync
      transaction.origin = .app
      try transaction.set("Task", key, "marks", .set((2...6).map { .int($0) }))
      try transaction.set("Task", key, "owner", .string("ann"))
    }
    #expect(entries.dropFirst().first?.first?.action == .set(property: "owner", .string("ann")))
  }

  @Test func bytesEndAnEntryToo() throws {
    let entries = try entries(operationCount: 1_000, byteCount: 200) { transaction in
      for id in ["a", "b", "c", "d"] { try make(id, tags: 5, transaction) }
    }
    #expect(entries.count > 2)
  }

  /// What is an event comes as a whole.
  @Test func anAsymmetricObjectIsNotDivided() throws {
    let entries = try entries { transaction in
      try transaction.create(
        "Event", ["_id": .int(1), "tags": .list((0..<9).map { .string("\($0)") })])
      try make("a", transaction)
    }
    #expect(entries.map(\.count) == [2, 10])
  }
}
