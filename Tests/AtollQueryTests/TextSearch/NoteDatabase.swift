import AtollObjects

/// Sailors with a life story, boats with a crew and a captain.
enum NoteDatabase {
  static let classes = [
    ClassSchema(
      "Sailor",
      properties: [
        PropertySchema("bio", .string, isOptional: true, isFullTextIndexed: true),
        PropertySchema("nick", .string), PropertySchema("age", .int),
      ]),
    ClassSchema(
      "Boat",
      properties: [
        PropertySchema(
          "title", .string, isOptional: true, isIndexed: true, isFullTextIndexed: true),
        PropertySchema("berths", .int, isIndexed: true),
        PropertySchema("captain", linkTo: "Sailor"),
        PropertySchema("crew", linkTo: "Sailor", collection: .list),
        PropertySchema("posts", linkTo: "Sailor", collection: .map),
        PropertySchema("tags", .string, collection: .list), PropertySchema("extra", .mixed),
      ]),
  ]

  static let bios: [String?] = [
    "Sailing-master, retired", "Åse på båt", nil, "master of nothing, retired cook",
  ]

  static let shared = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(classes)
      let table = try transaction.table("Sailor").schema.id
      let sailors = try bios.enumerated().map { index, bio in
        Value.link(
          ObjectLink(
            table: table,
            key: try transaction.create(
              "Sailor",
              [
                "bio": bio.map { .string($0) } ?? .null, "nick": .string("S\(index + 1)"),
                "age": .int(Int64(20 + 10 * index)),
              ]
            ).rawValue))
      }
      func create(_ title: String?, _ berths: Int64, _ captain: Int?, _ crew: [Int]) throws {
        let posts = ValueMap(crew.prefix(1).map { (key: "cook", value: sailors[$0 - 1]) })
        try transaction.create(
          "Boat",
          [
            "title": title.map { .string($0) } ?? .null, "berths": .int(berths),
            "captain": captain.map { sailors[$0 - 1] } ?? .null,
            "crew": .list(crew.map { sailors[$0 - 1] }), "posts": .map(posts),
          ])
      }
      try create("Fram", 16, 1, [1, 2])
      try create("fram II, the second", 7, 2, [4, 4])
      try create(nil, 0, nil, [])
      try create("Café Främ", 3, 3, [3])
    }
    return database
  }
}
