import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Links by primary keys that no object has yet.
@Suite(.computing) struct PendingLinkTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "City", properties: [PropertySchema("code", .string), PropertySchema("size", .int)],
          primaryKey: "code"),
        ClassSchema(
          "Number", properties: [PropertySchema("id", .int)], primaryKey: "id"),
        ClassSchema(
          "Tour",
          properties: [
            PropertySchema("id", .int), PropertySchema("start", linkTo: "City"),
            PropertySchema("stops", linkTo: "City", collection: .list),
            PropertySchema("seen", linkTo: "City", collection: .set),
            PropertySchema("number", linkTo: "Number"),
            PropertySchema("named", linkTo: "City", collection: .map),
          ], primaryKey: "id"),
      ])
      try transaction.create("Tour", ["id": .int(1)])
    }
  }

  private var tour: ObjectKey { ObjectKey(rawValue: 1 << 63 | 1) }

  private func codes(_ property: String) throws -> [String] {
    let snapshot = try database.snapshot()
    let cities = try snapshot.table("City")
    let targets = try #require(try snapshot.table("Tour").object(tour))[property].targets
    return try targets.map { target in
      let city = try #require(try cities.object(ObjectKey(rawValue: target.key)))
      guard case .string(let code) = try city["code"] else { return "" }
      return code
    }
  }

  private func link(_ property: String, _ codes: [String]) throws -> Int {
    try database.write {
      try $0.link("Tour", tour, property, toPrimaryKeys: codes.map(Value.string))
    }
  }

  private func make(_ code: String) throws {
    try database.write { _ = try $0.create("City", ["code": .string(code)]) }
  }

  private func waiting() throws -> Int {
    try database.expectSound()
    return try database.snapshot().pendingLinkCount
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func aListKeepsItsOrderInWhateverOrderItsTargetsArrive(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let wanted = ["a", "b", "c", "b", "d", "e", "a"]
    try make("c")
    #expect(try link("stops", wanted) == 6)
    var arrived: Set = ["c"]
    for code in ["a", "b", "d", "e"].shuffled(using: &random) {
      try make(code)
      arrived.insert(code)
      #expect(try codes("stops") == wanted.filter { arrived.contains($0) })
    }
    #expect(try waiting() == 0)
  }

  @Test func aListKeepsItsOrderWhenOthersOfItsTargetsGo() throws {
    for code in ["a", "c", "e"] { try make(code) }
    #expect(try link("stops", ["a", "b", "c", "d", "e", "a", "f"]) == 3)
    let snapshot = try database.snapshot()
    let gone = try #require(try snapshot.table("City").object(primaryKey: .string("a")))
    try database.write { try $0.delete("City", gone.key) }
    try make("d")
    #expect(try codes("stops") == ["c", "d", "e"])
    try make("f")
    try make("b")
    #expect(try codes("stops") == ["b", "c", "d", "e", "f"])
    #expect(try waiting() == 0)
  }

  @Test func aLinkAndASetFindTheirTargets() throws {
    #expect(try link("start", ["x"]) == 1)
    #expect(try link("seen", ["y", "x", "y"]) == 3)
    #expect(try codes("start") == [])
    try make("x")
    try make("y")
    #expect(try codes("start") == ["x"])
    #expect(try codes("seen").sorted() == ["x", "y"])
    #expect(try waiting() == 0)
  }

  @Test func aWaitingLinkIsForgottenWhenItsPropertyIsSet() throws {
    #expect(try link("start", ["x"]) == 1)
    #expect(try link("stops", ["x", "y"]) == 2)
    try database.write { try $0.set("Tour", tour, "start", .null) }
    try database.write { try $0.set("Tour", tour, "stops", .list([])) }
    try make("x")
    #expect(try codes("start") == [])
    #expect(try codes("stops") == [])
    #expect(try waiting() == 0)
  }

  @Test func aWaitingLinkIsForgottenWhenTheTypedPathSetsItsProperty() throws {
    try make("here")
    #expect(try link("start", ["x"]) == 1)
    try database.write { transaction in
      let here = try #require(try transaction.key("City", primaryKey: .string("here")))
      let writer = try transaction.objectWriter("Tour")
      #expect(try writer.select(tour))
      try writer.set(writer.column("start"), linkTo: here)
    }
    try make("x")
    #expect(try codes("start") == ["here"])
    #expect(try waiting() == 0)
  }

  @Test func theTypedPathMakesTheTargetsThatLinksWaitFor() throws {
    try database.write { transaction in
      try transaction.link("Tour", tour, "number", toPrimaryKeys: [.int(7)])
      let writer = try transaction.objectWriter("Number")
      for number in 0..<10 { try writer.create(primaryKey: Int64(number)) }
    }
    let snapshot = try database.snapshot()
    let number = try #require(try snapshot.table("Tour").object(tour)).linked(
      snapshot.table("Tour").column("number"))
    #expect(isExactly(try #require(number)["id"], .int(7)))
    #expect(try waiting() == 0)
  }

  @Test func aNewLinkTakesThePlaceOfAWaitingOne() throws {
    #expect(try link("stops", ["x", "y", "z"]) == 3)
    #expect(try link("stops", ["y"]) == 1)
    for code in ["x", "y", "z"] { try make(code) }
    #expect(try codes("stops") == ["y"])
    #expect(try waiting() == 0)
  }

  @Test func aSourceThatGoesTakesItsWaitingLinksAlong() throws {
    #expect(try link("stops", ["x", "y"]) == 2)
    try database.write { try $0.delete("Tour", tour) }
    #expect(try waiting() == 0)
    // An object with the same key does not inherit them.
    try database.write { _ = try $0.create("Tour", ["id": .int(1)]) }
    try make("x")
    #expect(try codes("stops") == [])
  }

  @Test func aTransactionThatIsGivenUpLeavesWhatWaited() throws {
    #expect(try link("start", ["x"]) == 1)
    let transaction = try database.beginWrite()
    try transaction.create("City", ["code": .string("x")])
    try transaction.link("Tour", tour, "stops", toPrimaryKeys: [.string("q")])
    transaction.cancel()
    #expect(try waiting() == 1)
    try make("x")
    #expect(try codes("start") == ["x"])
  }

  @Test func linksInOneTransactionResolveWithoutACommit() throws {
    try database.write { transaction in
      try transaction.link(
        "Tour", tour, "stops", toPrimaryKeys: [.string("x"), .string("y"), .string("x")])
      try transaction.upsert("City", primaryKey: .string("y"), [:])
      try transaction.upsert("City", primaryKey: .string("x"), [:])
      try transaction.upsert("City", primaryKey: .string("x"), ["size": .int(3)])
    }
    #expect(try codes("stops") == ["x", "y", "x"])
    #expect(try waiting() == 0)
  }

  @Test func aMapFindsItsTargetsUnderItsKeys() throws {
    try make("b")
    let waitingCount = try database.write { transaction in
      try transaction.link(
        "Tour", tour, "named",
        toPrimaryKeys: [
          "x": .some(.string("a")), "y": .some(.string("b")), "z": .some(.string("a")),
          "none": nil,
        ])
    }
    #expect(waitingCount == 2)
    func names() throws -> [String: String] {
      let snapshot = try database.snapshot()
      let map = try #require(try snapshot.table("Tour").object(tour))["named"].map
      var names: [String: String] = [:]
      for entry in try #require(map).entries {
        let key = entry.value.link.map { ObjectKey(rawValue: $0.key) }
        names[entry.key] =
          try key.flatMap { try snapshot.table("City").object($0)?["code"].string } ?? "-"
      }
      return names
    }
    #expect(try names() == ["x": "-", "y": "b", "z": "-", "none": "-"])
    try database.expectSound()
    try make("a")
    #expect(try names() == ["x": "a", "y": "b", "z": "a", "none": "-"])
    #expect(try waiting() == 0)
    try database.expectSound()
  }

  /// Links to few targets, made, forgotten, taken by new targets and taken away again, in several
  /// transactions, against what must wait then.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func whatWaitsIsWhatWasAskedForAndNotThere(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var stops: [Int64: [String]] = [1: []]
    var cities: Set<String> = []
    for _ in 0..<20 {
      try database.write { transaction in
        for _ in 0...below(8) {
          let id = stops.keys.sorted()[below(stops.count)]
          let key = ObjectKey(rawValue: UInt64(bitPattern: id) ^ 1 << 63)
          switch below(5) {
          case 0:
            let id = Int64(below(5))
            guard stops[id] == nil else { continue }
            try transaction.create("Tour", ["id": .int(id)])
            stops[id] = []
          case 1 where stops.count > 1:
            try transaction.delete("Tour", key)
            stops[id] = nil
          case 2:
            let code = "c\(below(8))"
            guard cities.insert(code).inserted else { continue }
            try transaction.create("City", ["code": .string(code)])
          default:
            let codes = (0..<below(5)).map { _ in "c\(below(8))" }
            let waiting = try transaction.link(
              "Tour", key, "stops", toPrimaryKeys: codes.map { .string($0) })
            #expect(waiting == codes.count { !cities.contains($0) })
            stops[id] = codes
          }
        }
      }
      let expected = stops.values.joined().count { !cities.contains($0) }
      #expect(try waiting() == expected, "seed \(seed)")
      let snapshot = try database.snapshot()
      for (id, codes) in stops {
        let key = ObjectKey(rawValue: UInt64(bitPattern: id) ^ 1 << 63)
        let links = try #require(try snapshot.table("Tour").object(key))["stops"].targets
        let found = try links.map {
          try snapshot.table("City").object(ObjectKey(rawValue: $0.key))?["code"].string
        }
        #expect(found == codes.filter(cities.contains), "seed \(seed)")
      }
      try database.expectSound()
    }
  }

  @Test func refusesWhatCannotWait() throws {
    try database.write { transaction in
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Tour", property: "start", expected: "optional link",
          found: "list of primary keys")
      ) {
        try transaction.link("Tour", tour, "start", toPrimaryKeys: [.string("a"), .string("b")])
      }
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Tour", property: "named", expected: "map of link",
          found: "list of primary keys")
      ) { try transaction.link("Tour", tour, "named", toPrimaryKeys: [.string("a")]) }
      #expect(
        throws: ObjectError.typeMismatch(
          className: "City", property: "code", expected: "string", found: "int")
      ) { try transaction.link("Tour", tour, "start", toPrimaryKeys: [.int(1)]) }
      #expect(throws: ObjectError.noSuchObject(className: "Tour")) {
        try transaction.link(
          "Tour", ObjectKey(rawValue: 5), "start", toPrimaryKeys: [.string("a")])
      }
    }
    #expect(try waiting() == 0)
  }
}
