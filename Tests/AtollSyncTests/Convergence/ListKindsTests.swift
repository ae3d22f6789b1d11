import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// What is particular to lists of embedded objects, of links and of mixed values, and to the object
/// that a list belongs to.
@Suite(.computing) struct ListKindsTests {
  private typealias Edit = (ListEditor) throws -> Void

  /// Lets two devices edit a list, the first by an earlier clock, whichever of them reaches the
  /// server first, and checks the end.
  private func run(
    _ kind: ListKind, _ names: [String], prepare: Edit? = nil, _ earlier: Edit, _ later: Edit,
    check: (ListWorld) throws -> Void
  ) throws {
    for isInOrder in [true, false] {
      let list = try ListWorld(kind, names)
      if let prepare {
        try list.edit(list.a, prepare)
        try list.settle()
      }
      try list.edit(list.a, earlier)
      try list.edit(list.b, later)
      try list.settle(first: [isInOrder ? list.a : list.b])
      try check(list)
    }
  }

  // MARK: Embedded objects

  private func expect(minutes: [Int64], _ list: ListWorld) throws {
    for peer in [list.a, list.b] {
      let found = try peer.device.read { transaction in
        try ListEditor(transaction, .embedded).elements.map { element in
          let link = try #require(element.link)
          return try transaction.value("Part", ObjectKey(rawValue: link.key), "minutes")
        }
      }
      #expect(found == minutes.map { .int($0) })
    }
  }

  /// Promise: lists.embedded.
  @Test func propertiesOfAnEmbeddedElementChangeIndependently() throws {
    try run(
      .embedded, ["a", "b"], { try $0.setPart(0, "minutes", .int(5)) },
      { try $0.apply(.set(0, "x")) }
    ) { list in
      try list.expect(["x", "b"])
      try expect(minutes: [5, 0], list)
    }
  }

  /// Promise: lists.embedded.
  @Test func anEmbeddedElementThatIsMovedKeepsWhatIsChangedInIt() throws {
    try run(
      .embedded, ["a", "b"],
      { editor in
        try editor.apply(.move(0, to: 1))
        try editor.apply(.set(1, "x"))
      }, { try $0.setPart(0, "minutes", .int(5)) }
    ) { list in
      try list.expect(["b", "x"])
      try expect(minutes: [0, 5], list)
    }
  }

  /// Another embedded object in the place of one is another element.
  ///
  /// Promise: lists.embedded.
  @Test func changesOfAnEmbeddedElementThatIsReplacedAreLost() throws {
    try run(
      .embedded, ["a", "b"],
      { editor in
        try editor.apply(.remove(0))
        try editor.apply(.insert("n", at: 0))
      }, { try $0.setPart(0, "minutes", .int(5)) }
    ) { list in
      try list.expect(["n", "b"])
      try expect(minutes: [0, 0], list)
    }
  }

  /// Promise: lists.embedded.
  @Test func embeddedElementsThatTwoDevicesReplaceAreBothThere() throws {
    func replace(_ name: String) -> Edit {
      { editor in
        try editor.apply(.remove(0))
        try editor.apply(.insert(name, at: 0))
      }
    }
    try run(.embedded, ["a", "b"], replace("m"), replace("n")) { list in
      try list.expect([["m", "n", "b"], ["n", "m", "b"]])
    }
  }

  // MARK: Links

  private func delete(_ name: String, _ transaction: Transaction) throws {
    let key = try #require(try transaction.key("Card", primaryKey: .string(name)))
    try transaction.delete("Card", key)
  }

  /// Promise: lists.links.
  @Test func aLinkToADeletedObjectWaitsWhereItWasMovedTo() throws {
    try run(
      .links, ["x", "y", "z"], { try delete("x", $0.transaction) },
      { try $0.apply(.move(0, to: 2)) }
    ) { list in
      try list.expect(["y", "z"])
      try list.write(list.b) { transaction in
        try transaction.create("Card", ["_id": .string("x")])
      }
      try list.expect(["y", "z", "x"])
    }
  }

  /// Promise: lists.links.
  @Test func aRemovalOfALinkToADeletedObjectIsFinal() throws {
    try run(
      .links, ["x", "y"], { try delete("x", $0.transaction) }, { try $0.apply(.remove(0)) }
    ) { list in
      try list.write(list.a) { transaction in
        try transaction.create("Card", ["_id": .string("x")])
      }
      try list.expect(["y"])
    }
  }

  /// Makes a list with a link between two others whose card is not on the second device.
  private func listWithAHiddenLink() throws -> ListWorld {
    let list = try ListWorld(.links, ["a", "c"], cards: "minutes == 0")
    try list.write(list.a) { transaction in
      try transaction.create("Card", ["_id": .string("x"), "minutes": .int(1)])
      try ListEditor(transaction, .links).apply(.insert("x", at: 1))
    }
    try list.settle()
    #expect(try list.names(list.b) == ["a", "c"])
    return list
  }

  static let hidden: [(changes: [ListChange], gives: [String])] = [
    ([.clear], ["x"]),
    ([.remove(0), .append("d")], ["x", "c", "d"]),
    ([.assign(["c", "d"])], ["x", "c", "d"]),
    ([.set(0, "d"), .set(1, "e")], ["d", "x", "e"]),
  ]

  /// Promise: lists.links.
  @Test(arguments: hidden) func linksThatWaitStayWhateverIsDoneToTheOthers(
    _ changes: [ListChange], gives names: [String]
  ) throws {
    let list = try listWithAHiddenLink()
    try list.change(list.b, changes)
    try list.settle()
    #expect(try list.names(list.a) == names)
    #expect(try list.names(list.b) == names.filter { $0 != "x" })
  }

  /// Promise: lists.links.
  @Test func whatAnotherDeviceDoesToALinkThatWaitsIsDone() throws {
    let list = try listWithAHiddenLink()
    try list.change(list.a, [.move(1, to: 2)])
    try list.change(list.b, [.append("d")])
    try list.settle()
    #expect(try list.names(list.b) == ["a", "c", "d"])
    try list.subscribe(list.b)
    try list.expect([["a", "c", "x", "d"], ["a", "c", "d", "x"]])
  }

  // MARK: Mixed values

  private func expect(_ elements: [Value], _ list: ListWorld) throws {
    for peer in [list.a, list.b] {
      #expect(try peer.device.read { try ListEditor($0, .mixed).elements } == elements)
    }
  }

  private func dictionary(_ first: Int64, _ second: Int64) -> Value {
    .map(ValueMap([(key: "first", value: .int(first)), (key: "second", value: .int(second))]))
  }

  private func set(_ index: Int, _ value: Value) -> Edit {
    { try $0.transaction.setElement($0.board, $0.column, at: index, value) }
  }

  private func append(_ value: Value) -> Edit {
    { try $0.transaction.insertElement($0.board, $0.column, at: nil, value) }
  }

  /// Promise: lists.mixed.
  @Test func entriesOfADictionaryInAnElementChangeIndependently() throws {
    try run(
      .mixed, [], prepare: append(dictionary(1, 1)), set(0, dictionary(2, 1)),
      set(0, dictionary(1, 2))
    ) { try expect([dictionary(2, 2)], $0) }
  }

  /// Promise: lists.mixed.
  @Test func aDictionaryThatIsMovedKeepsWhatIsChangedInIt() throws {
    try run(
      .mixed, ["c"], prepare: append(dictionary(1, 1)),
      { try $0.apply(.move(1, to: 0)) }, set(1, dictionary(1, 2))
    ) { try expect([dictionary(1, 2), .string("c")], $0) }
  }

  /// Promise: lists.mixed.
  @Test(
    arguments: [
      (.string("one"), .double(2.5)), (.list([.int(1), .int(2)]), .list([.int(1), .int(3)])),
      (.map(ValueMap([(key: "first", value: .int(7))])), .null), (.int(7), .int(7)),
    ] as [(Value, Value)])
  func anElementTakesTheLaterOfTwoValuesOfAnyType(_ earlier: Value, _ later: Value) throws {
    try run(.mixed, [], prepare: append(.int(1)), set(0, earlier), set(0, later)) {
      try expect([later], $0)
    }
  }

  // MARK: The object

  /// Promise: lists.insert.
  @Test(arguments: ListKind.allCases)
  func twoDevicesThatMakeOneObjectHaveTheElementsOfBoth(_ kind: ListKind) throws {
    let list = try ListWorld(kind, [])
    try list.makeBoard("plan", ["m"], on: list.a)
    try list.makeBoard("plan", ["n"], on: list.b)
    try list.expect([["m", "n"], ["n", "m"]], board: "plan")
  }

  /// Promise: refusals.deleted.
  @Test(arguments: ListKind.allCases)
  func anElementOfADeletedObjectIsReported(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["a"])
    try list.edit(list.a) { try $0.transaction.delete("Board", $0.board) }
    try list.change(list.b, [.append("n")])
    try list.settle(first: [list.a])
    for peer in [list.a, list.b] {
      #expect(try peer.device.read { try $0.key("Board", primaryKey: .string("board")) == nil })
    }
    let entries = try Inbox.entries(list.b.device.database.snapshot())
    #expect(entries.filter { $0.object.className == "Board" }.map(\.reason) == [.deletion])
  }
}
