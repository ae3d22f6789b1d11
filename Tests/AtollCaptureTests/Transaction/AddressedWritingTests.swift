import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

@Suite(.computing) struct AddressedWritingTests {
  /// Every state that app transactions make can be read by address and written into another
  /// database.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func whatIsReadByAddressCanBeWrittenByAddress(seed: UInt64) throws {
    var model = try SyncedModel(seed: seed)
    for _ in 0..<10 {
      try model.database.write { transaction in
        for _ in 0...8 { try model.write(transaction) }
      }
    }
    var other = try SyncedModel(seed: seed + 1)
    // What is there before is changed in place.
    try other.database.write { transaction in
      for _ in 0...20 { try other.write(transaction) }
    }
    let head = try model.database.write { try model.head($0) }
    try other.database.write { transaction in
      transaction.origin = .sync
      for address in SyncedModel.addresses {
        let old = try transaction.readObject(address)
        guard let new = head[address] else {
          try transaction.leave(address)
          continue
        }
        try transaction.createAddressed(address)
        for path in old.keys where new[path] == nil {
          try transaction.write(Unit(object: address, path: path), nil)
        }
        for (path, value) in new where path != .existence && old[path] != value {
          try transaction.write(Unit(object: address, path: path), value)
        }
      }
      for (address, units) in head {
        for (path, value) in units {
          #expect(try transaction.read(Unit(object: address, path: path)) == value)
        }
      }
    }
    #expect(try other.database.write { try other.head($0) } == head)
    // Ids of pending creations in the other database do not fit what is there now; the objects do.
    let findings = try other.database.check().findings.map(\.message)
    #expect(findings.filter { !$0.contains("life in head") } == [])
  }

  /// What writes by address belongs to the transaction, which does not stay because of it.
  @Test func aTransactionThatWroteByAddressGoesAway() throws {
    let database = try SyncedModel(seed: 0).database
    weak var known: Transaction?
    try database.write { transaction in
      transaction.origin = .sync
      known = transaction
      try transaction.createAddressed(
        ObjectAddress(className: "Task", primaryKey: .string("a")))
    }
    #expect(known == nil)
  }

  @Test func whatDoesNotFitIsRefusedAndChangesNothing() throws {
    let database = try SyncedModel(seed: 0).database
    let address = ObjectAddress(className: "Task", primaryKey: .string("a"))
    func unit(_ property: String) -> Unit { Unit(object: address, path: .property(property)) }
    try database.write { transaction in
      transaction.origin = .sync
      #expect(throws: ObjectError.noSuchObject(className: "Task")) {
        try transaction.write(unit("title"), .value(.string("x")))
      }
      try transaction.createAddressed(address)
      for (property, value) in [
        ("title", RecordedValue.int(1)), ("size", .string("")), ("tags", .list([])),
        ("next", .link(ObjectAddress(className: "Team", primaryKey: .int(1)))),
        ("detail", .link(address)), ("marks", .set([.string("")])),
        ("any", .list([.link(ObjectAddress(className: "None", primaryKey: .int(1)))])),
        ("any", .map([RecordedEntry(key: "k", value: .embedded(EmbeddedValue([])))])),
        ("any", .link(ObjectAddress(className: "Detail", primaryKey: .int(1)))),
        (
          "detail",
          .embedded(EmbeddedValue([RecordedField(property: "nope", value: .null)]))
        ),
      ] {
        #expect(throws: ObjectError.self) {
          try transaction.write(unit(property), .value(value))
        }
      }
      let units = try transaction.readObject(address)
      #expect(units == SyncedModel.defaults[SyncedModel.addresses[0]])
      #expect(throws: ObjectError.self) {
        try transaction.createAddressed(
          ObjectAddress(className: "Task", primaryKey: .int(1)))
      }
      #expect(throws: ObjectError.self) {
        try transaction.createAddressed(
          ObjectAddress(className: "None", primaryKey: .int(1)))
      }
    }
    #expect(try database.check().findings == [])
  }

  @Test func elementsMoveAndKeepTheirOrder() throws {
    let database = try SyncedModel(seed: 0).database
    let address = ObjectAddress(className: "Task", primaryKey: .string("a"))
    func unit(_ index: UInt32) -> Unit {
      Unit(
        object: address,
        path: .element(property: "tags", ElementID(client: 1, number: 1, index: index)))
    }
    func tags() throws -> [Value] {
      try database.write { transaction in
        guard let key = try transaction.key("Task", primaryKey: .string("a")) else { return [] }
        return try transaction.value("Task", key, "tags").list ?? []
      }
    }
    func write(_ body: (Transaction) throws -> Void) throws {
      try database.write { transaction in
        transaction.origin = .sync
        try body(transaction)
      }
    }
    try write {
      try $0.createAddressed(address)
      // Two at one place are in the order of their ids.
      for index: UInt32 in [2, 0, 1] {
        try $0.write(unit(index), .element(ListPosition([5]), .string("\(index)")))
      }
    }
    #expect(try tags() == ["0", "1", "2"].map { .string($0) })
    try write {
      try $0.write(unit(0), .element(ListPosition([6]), .string("moved")))
      try $0.write(unit(1), nil)
      try $0.write(unit(9), nil)
      #expect(try $0.read(unit(0)) == .element(ListPosition([6]), .string("moved")))
      #expect(try $0.read(unit(1)) == nil)
    }
    #expect(try tags() == ["2", "moved"].map { .string($0) })
    #expect(try database.check().findings == [])
  }

  @Test func elementsBetweenTwoAtOnePlaceAreInsertedWhereTheAppPutsThem() throws {
    let database = try SyncedModel(seed: 0).database
    let address = ObjectAddress(className: "Task", primaryKey: .string("a"))
    try database.write { transaction in
      transaction.origin = .sync
      try transaction.createAddressed(address)
      for index: UInt32 in 0..<3 {
        try transaction.write(
          Unit(
            object: address,
            path: .element(property: "tags", ElementID(client: 1, number: 1, index: index))),
          .element(ListPosition([5]), .string("\(index)")))
      }
    }
    let tags = ["0", "x", "1", "2"].map { Value.string($0) }
    try database.write { transaction in
      guard let key = try transaction.key("Task", primaryKey: .string("a")) else { return }
      try transaction.set("Task", key, "tags", .list(tags))
    }
    try database.write { transaction in
      let elements = try transaction.capture.elements(of: address, "tags")
      #expect(zip(elements, elements.dropFirst()).allSatisfy { $0 < $1 })
      #expect(elements.first?.id == ElementID(client: 1, number: 1, index: 0))
    }
    #expect(try database.check().findings == [])
  }
}
