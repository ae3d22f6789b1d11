import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

/// Properties that are assigned after a deletion of what they link to, in one transaction.
@Suite(.computing) struct DeletedLinkTests {
  enum Kind: String, CaseIterable { case links, set, map, mixedList, nested, single, mixed }

  private static func name(_ operation: AtollCapture.Operation) -> String {
    let path = operation.unit.path
    return switch operation.action {
    case .set(_, let value): "\(path) = \(value)"
    case .insert(_, _, _, let value): "insert \(value)"
    case .setElement(_, _, let value): "set \(value)"
    case .removeElement: "remove"
    case .delete: "delete \(operation.object.primaryKey)"
    default: "\(operation.action)"
    }
  }

  private static func database() throws -> Database {
    let database = try Database.inMemory(options: .recording)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("_id", .int),
            PropertySchema("links", linkTo: "Item", collection: .list),
            PropertySchema("set", linkTo: "Item", collection: .set),
            PropertySchema("map", linkTo: "Item", collection: .map),
            PropertySchema("mixedList", .mixed, collection: .list),
            PropertySchema("nested", .mixed),
            PropertySchema("single", linkTo: "Item"), PropertySchema("mixed", .mixed),
          ], primaryKey: "_id", isSynced: true))
      let table = try transaction.table("Item").schema.id
      func link(_ id: Int64) throws -> Value {
        let key = try transaction.create("Item", ["_id": .int(id)])
        return .link(ObjectLink(table: table, key: key.rawValue))
      }
      let (gone, kept) = (try link(1), try link(2))
      try transaction.create(
        "Item",
        [
          "_id": .int(0), "links": .list([gone, kept]), "set": .set([gone, kept]),
          "map": .map(["a": gone, "b": kept]), "mixedList": .list([gone, kept, .null]),
          "nested": .map(["list": .list([gone, .int(1)]), "b": gone]),
          "single": gone, "mixed": gone,
        ])
    }
    return database
  }

  /// What a transaction records that deletes an object, and sets a property that has linked to it.
  ///
  /// `isMadeAgain`: whether the object was deleted before, so that the links wait for it, and the
  /// transaction makes it and deletes it again.
  private func recorded(_ kind: Kind, isRead: Bool, isMadeAgain: Bool = false) throws -> [String] {
    let database = try Self.database()
    if isMadeAgain {
      try database.write { transaction in
        try transaction.delete(
          "Item", try #require(try transaction.key("Item", primaryKey: .int(1))))
      }
    }
    try database.write { transaction in
      let key = try #require(try transaction.key("Item", primaryKey: .int(0)))
      let old = try transaction.value("Item", key, kind.rawValue)
      if isMadeAgain { try transaction.create("Item", ["_id": .int(1)]) }
      try transaction.delete(
        "Item", try #require(try transaction.key("Item", primaryKey: .int(1))))
      if isRead { _ = try transaction.value("Item", key, kind.rawValue) }
      let new: Value =
        switch kind {
        case .links: .list(Array((old.list ?? []).suffix(1)))
        case .mixedList: .list([.null, .null])
        case .nested: .map(["list": .list([.null, .int(1)]), "b": .null])
        case .set: .set([])
        case .map: .map(["a": .null])
        case .single, .mixed: .null
        }
      try transaction.set("Item", key, kind.rawValue, new)
    }
    var names: [String] = []
    try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
      if case .push(let content) = entry.content { names = content.operations.map(Self.name) }
      return true
    }
    return names
  }

  /// Whether it is read in between makes no difference.
  @Test(arguments: Kind.allCases) func whatIsAssignedAfterADeletionIsRecorded(_ kind: Kind) throws {
    let names = try recorded(kind, isRead: false)
    #expect(try recorded(kind, isRead: true) == names)
    #expect(names.contains("delete 1"))
    // A link that is no collection's is cleared for good, also where the object comes back; the
    // others wait for it, and are not removed.
    let count = names.count { $0.contains("null") || $0.contains("remove") }
    #expect(count == ([.links, .nested].contains(kind) ? 0 : 1))
  }

  /// A link that is a whole mixed value is cleared by null, whether it waits or leads to an object.
  @Test(arguments: [false, true]) func nullClearsAMixedValueWhoseLinkWaits(isDeletedBefore: Bool)
    throws
  {
    let database = try Self.database()
    func key(_ transaction: Transaction, _ id: Int64) throws -> ObjectKey {
      try #require(try transaction.key("Item", primaryKey: .int(id)))
    }
    if isDeletedBefore { try database.write { try $0.delete("Item", key($0, 1)) } }
    try database.write { transaction in
      try transaction.set("Item", key(transaction, 0), "mixed", .null)
    }
    try database.write { transaction in
      if isDeletedBefore { try transaction.create("Item", ["_id": .int(1)]) }
      #expect(try transaction.value("Item", key(transaction, 0), "mixed") == .null)
      // The others wait, and lead to it again.
      #expect(try transaction.value("Item", key(transaction, 0), "links").list?.count == 2)
    }
    #expect(try database.check().findings == [])
  }

  /// The object is made, for which the links have waited, and deleted again: they wait on.
  @Test(arguments: Kind.allCases) func linksThatWaitedForAnObjectThatIsDeletedAgainStay(
    _ kind: Kind
  ) throws {
    let names = try recorded(kind, isRead: false, isMadeAgain: true)
    #expect(try recorded(kind, isRead: true, isMadeAgain: true) == names)
    // Nothing is recorded after the first deletion.
    if [.links, .nested].contains(kind) { #expect(names == ["delete 1"]) }
  }
}
