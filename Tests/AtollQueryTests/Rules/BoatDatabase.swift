import AtollObjects

/// Three ports, sailors and boats on which the rules of the query language can be told apart.
enum BoatDatabase {
  static let classes = [
    ClassSchema(
      "Port", properties: [PropertySchema("code", .string), PropertySchema("depth", .decimal)],
      primaryKey: "code"),
    ClassSchema(
      "Sailor",
      properties: [
        PropertySchema("nick", .string), PropertySchema("age", .int),
        PropertySchema("grade", .int, isOptional: true), PropertySchema("boss", linkTo: "Sailor"),
        PropertySchema("scores", .int, collection: .list),
      ]),
    ClassSchema(
      "Boat",
      properties: [
        PropertySchema("_id", .int), PropertySchema("title", .string, isOptional: true),
        PropertySchema("berths", .int), PropertySchema("price", .double),
        PropertySchema("built", .date, isOptional: true), PropertySchema("home", linkTo: "Port"),
        PropertySchema("crew", linkTo: "Sailor", collection: .list),
        PropertySchema("tags", .string, collection: .set),
        PropertySchema("specs", .mixed, collection: .map), PropertySchema("extra", .mixed),
        PropertySchema("marks", .int, collection: .list),
      ], primaryKey: "_id"),
  ]

  static let shared = Result { try make() }

  static func make() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(classes)
      try transaction.create("Port", ["code": .string("OSL"), "depth": .decimal(Decimal128(12.5))])
      try transaction.create("Port", ["code": .string("BGO"), "depth": .decimal(8)])
      var sailors: [ObjectKey] = []
      for (nick, age, grade, scores) in [
        ("Ada", 30, Value.int(4), [1, 2]), ("bo", 41, .null, [3]), ("Åse", 25, .int(4), []),
      ] {
        let boss: Value =
          try sailors.last.map { .link(try link("Sailor", $0, transaction)) } ?? .null
        sailors.append(
          try transaction.create(
            "Sailor",
            [
              "nick": .string(nick), "age": .int(Int64(age)), "grade": grade, "boss": boss,
              "scores": .list(scores.map { .int(Int64($0)) }),
            ]))
      }
      func crew(_ members: Int...) throws -> Value {
        .list(try members.map { .link(try link("Sailor", sailors[$0 - 1], transaction)) })
      }
      func port(_ code: String) throws -> Value {
        guard let key = try transaction.key("Port", primaryKey: .string(code)) else { return .null }
        return .link(try link("Port", key, transaction))
      }
      func date(_ seconds: Int64, _ nanoseconds: Int32) -> Value {
        Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null
      }
      try transaction.create(
        "Boat",
        [
          "_id": .int(1), "title": .string("Fram"), "berths": .int(16), "price": .double(10),
          "built": date(0, 0), "home": port("OSL"), "crew": crew(1, 2),
          "tags": .set([.string("blue"), .string("old")]),
          "specs": .map(["mast": .int(3), "hull": .string("oak")]), "extra": .int(7),
          "marks": .list([.int(3), .int(1), .int(2)]),
        ])
      try transaction.create(
        "Boat", ["_id": .int(2), "berths": .int(0), "price": .double(2.5)])
      try transaction.create(
        "Boat",
        [
          "_id": .int(3), "title": .string("fram II"), "berths": .int(7), "price": .double(10.5),
          "built": date(-1, -5), "home": port("BGO"), "crew": crew(3, 3, 1),
          "tags": .set([.string("Blue")]),
          "specs": .map(["mast": .int(1), "crewed": .bool(true)]), "extra": .string("7"),
          "marks": .list([.int(5)]),
        ])
    }
    return database
  }

  private static func link(
    _ className: String, _ key: ObjectKey, _ transaction: Transaction
  ) throws -> ObjectLink {
    ObjectLink(table: try transaction.table(className).schema.id, key: key.rawValue)
  }
}
