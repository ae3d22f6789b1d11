import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

/// What is recorded of lists whose elements stand at equal or long places, as other devices may put
/// them: what the server makes of it is what the device shows.
@Suite(.computing) struct ListPlacesTests {
  private static let board = ObjectAddress(className: "Board", primaryKey: .int(1))

  /// One list on a device, and as a server has it.
  private struct Lists {
    let database: Database
    let key: ObjectKey
    let column: Column
    /// Whether it is the list of links, some of which wait for their objects.
    let isOfLinks: Bool
    var server: [ElementID: (position: ListPosition, value: RecordedValue)] = [:]
    var entryCount = 0

    var property: String { isOfLinks ? "mates" : "names" }

    /// `waiting`: the indices of the elements whose objects are not there; nil: they are strings.
    init(_ positions: [ListPosition], waiting: Set<Int>? = nil) throws {
      isOfLinks = waiting != nil
      let property = isOfLinks ? "mates" : "names"
      let known = positions.enumerated().map { index, position in
        let name = waiting?.contains(index) ?? false ? "w\(index)" : "\(index)"
        return (
          ElementID(client: 1, number: 1, index: UInt32(index)), position,
          Self.recorded(name, waiting != nil)
        )
      }
      let database = try Database.inMemory(options: .recording)
      self.database = database
      (key, column) = try database.write { transaction in
        transaction.origin = .sync
        try transaction.addClasses([
          ClassSchema(
            "Board",
            properties: [
              PropertySchema("_id", .int), PropertySchema("names", .string, collection: .list),
              PropertySchema("mates", linkTo: "Mate", collection: .list),
            ], primaryKey: "_id", isSynced: true),
          ClassSchema(
            "Mate", properties: [PropertySchema("_id", .string)], primaryKey: "_id", isSynced: true),
        ])
        try transaction.createAddressed(ListPlacesTests.board)
        for (id, position, value) in known {
          if case .link(let mate) = value, case .string(let name) = mate.primaryKey,
            !name.hasPrefix("w")
          {
            try transaction.createAddressed(mate)
          }
          try transaction.write(
            Unit(object: ListPlacesTests.board, path: .element(property: property, id)),
            .element(position, value))
        }
        return (
          try #require(try transaction.key("Board", primaryKey: .int(1))),
          try #require(try transaction.table("Board").schema.column(property))
        )
      }
      for (id, position, value) in known { server[id] = (position, value) }
    }

    private static func recorded(_ name: String, _ isOfLinks: Bool) -> RecordedValue {
      isOfLinks
        ? .link(ObjectAddress(className: "Mate", primaryKey: .string(name))) : .string(name)
    }

    /// A value for a new element, or one that is set.
    func value(_ name: String, _ transaction: Transaction) throws -> Value {
      guard isOfLinks else { return .string(name) }
      let key = try transaction.create("Mate", ["_id": .string(name)])
      return .link(ObjectLink(table: try transaction.table("Mate").schema.id, key: key.rawValue))
    }

    /// What the device shows.
    func names() throws -> [String] {
      let snapshot = try database.snapshot()
      let values = try snapshot.table("Board").object(primaryKey: .int(1))?[property].list ?? []
      let mates = try snapshot.table("Mate")
      return try values.compactMap { value in
        guard let link = value.link else { return value.string }
        return try mates.object(ObjectKey(rawValue: link.key))?["_id"].string
      }
    }

    /// Makes a change, and does on the server what is recorded of it.
    mutating func change(_ body: (Transaction) throws -> Void) throws {
      try database.write(body)
      var entries: [OutboxEntry] = []
      try database.snapshot().forEachOutboxEntry { entry throws(ObjectError) in
        entries.append(entry)
        return true
      }
      for entry in entries[entryCount...] {
        guard case .push(let content) = entry.content else { continue }
        for operation in content.operations where operation.object == ListPlacesTests.board {
          try carryOut(operation.action)
        }
      }
      entryCount = entries.count
    }

    private mutating func carryOut(_ action: AtollCapture.Operation.Action) throws {
      switch action {
      case .insert(_, let id, let position, let value):
        try check(position)
        #expect(server[id] == nil)
        server[id] = (position, value)
      case .setElement(_, let id, let value):
        #expect(server[id] != nil)
        server[id]?.value = value
      case .moveElement(_, let id, let position):
        try check(position)
        #expect(server[id] != nil)
        server[id]?.position = position
      case .removeElement(_, let id):
        #expect(server.removeValue(forKey: id) != nil)
      default: Issue.record("\(action)")
      }
    }

    private func check(_ position: ListPosition) throws {
      #expect(position.bytes.count <= ListPosition.madeByteCountLimit)
    }

    func compare() throws {
      let elements = server.map { ListElement(id: $0.key, position: $0.value.position) }.sorted()
      #expect(try database.write { try $0.capture.elements(of: board, property) } == elements)
      let shown = elements.compactMap { server[$0.id]?.value }.filter {
        guard case .link(let mate) = $0, case .string(let name) = mate.primaryKey else {
          return true
        }
        return !name.hasPrefix("w")
      }
      #expect(try names().map { Self.recorded($0, isOfLinks) } == shown)
      #expect(try database.check().findings == [])
    }
  }

  private static func numbers(_ count: Int, _ last: Int64) -> ListPosition {
    ListPosition([Int64](repeating: 1, count: count - 1) + [last])
  }

  @Test func aMoveBetweenTwoAtOnePlaceMovesOneOfThemToo() throws {
    var lists = try Lists([[5], [5], [6]].map { ListPosition($0) })
    let (key, column) = (lists.key, lists.column)
    try lists.change { try $0.rearrange(key, column, [0, 2, 1], moved: [2]) }
    #expect(try lists.names() == ["0", "2", "1"])
    try lists.compare()
  }

  @Test func aMoveBetweenTwoAtOnePlaceMovesOneThatWaitsToo() throws {
    var lists = try Lists([[5], [5], [5], [6]].map { ListPosition($0) }, waiting: [2])
    let (key, column) = (lists.key, lists.column)
    try lists.change { try $0.rearrange(key, column, [0, 2, 1], moved: [2]) }
    #expect(try lists.names() == ["0", "3", "1"])
    try lists.compare()
  }

  /// Whether the list is read between the deletion and the clearing makes no difference.
  ///
  /// Promise: lists.links.
  @Test(arguments: [false, true], [0, 1])
  func elementsOfDeletedObjectsStayWhateverIsAssigned(isRead: Bool, keptCount: Int) throws {
    var lists = try Lists([[4], [5], [6]].map { ListPosition($0) }, waiting: [1])
    let key = lists.key
    try lists.change { transaction in
      let mate = try #require(try transaction.key("Mate", primaryKey: .string("0")))
      let kept = try #require(try transaction.value("Board", key, "mates").list?.suffix(keptCount))
      try transaction.delete("Mate", mate)
      if isRead { #expect(try transaction.value("Board", key, "mates").list?.count == 1) }
      try transaction.set("Board", key, "mates", .list(Array(kept)))
    }
    let last = Array(["2"].suffix(keptCount))
    #expect(try lists.names() == last)
    // Whoever makes the object again has it in the list.
    try lists.change { try $0.create("Mate", ["_id": .string("0")]) }
    #expect(try lists.names() == ["0"] + last)
    let left = lists.server.values.sorted { $0.position < $1.position }.map(\.value)
    #expect(
      left
        == (["0", "w1"] + last).map {
          .link(ObjectAddress(className: "Mate", primaryKey: .string($0)))
        })
    try lists.compare()
  }

  @Test func anInsertionBetweenTwoAtOnePlaceMovesOneOfThem() throws {
    var lists = try Lists([[5], [5], [5]].map { ListPosition($0) })
    let (key, column) = (lists.key, lists.column)
    try lists.change { try $0.insertElement(key, column, at: 1, .string("x")) }
    #expect(try lists.names() == ["0", "x", "1", "2"])
    try lists.compare()
    // The values stay those of their elements.
    let second = ElementID(client: 1, number: 1, index: 1)
    #expect(lists.server[second]?.value == .string("1"))
  }

  @Test func movesToOnePlaceKeepPositionsShort() throws {
    var lists = try Lists((0..<40).map { ListPosition([$0]) })
    let (key, column) = (lists.key, lists.column)
    for round in 0..<600 {
      let place = 1 + round / 2 % 30
      var order = Array(0..<39)
      order.insert(39, at: place)
      try lists.change { try $0.rearrange(key, column, order, moved: [39]) }
    }
    try lists.compare()
  }

  @Test(arguments: seeds(40), [false, true])
  func whatIsRecordedIsWhatTheDeviceShows(seed: UInt64, isOfLinks: Bool) throws {
    var random = SplitMix64(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let lengths = [1, 1, 1, 2, 500, 520, 1_020, 1_024, 16_000, 16_384]
    let positions = (0..<number(12)).map { _ in
      Self.numbers(lengths[number(lengths.count)], Int64(2 + number(3)))
    }
    let waiting = positions.indices.filter { _ in number(3) == 0 }
    var lists = try Lists(positions.sorted(), waiting: isOfLinks ? Set(waiting) : nil)
    let (key, column) = (lists.key, lists.column)
    for round in 0..<25 {
      let property = lists.property
      let make = lists.value
      try lists.change { transaction in
        for step in 0...number(4) {
          let count = try transaction.value("Board", key, property).list?.count ?? 0
          let name = try make("\(round).\(step)", transaction)
          switch number(7) {
          case 0, 1: try transaction.insertElement(key, column, at: number(count + 1), name)
          case 2 where count > 0:
            try transaction.setElement(key, column, at: number(count), name)
          case 3 where count > 0: try transaction.removeElement(key, column, at: number(count))
          case 4 where count > 1, 5 where count > 1:
            var order = Array(0..<count)
            let (from, to) = (number(count), number(count))
            order.insert(order.remove(at: from), at: to)
            try transaction.rearrange(key, column, order, moved: [from])
          case 6:
            var names = try transaction.value("Board", key, property).list ?? []
            if !names.isEmpty { names.remove(at: number(names.count)) }
            names.insert(name, at: number(names.count + 1))
            if number(4) == 0 { names.shuffle(using: &random) }
            try transaction.set("Board", key, property, .list(names))
          default: break
          }
        }
      }
      try lists.compare()
    }
  }
}
