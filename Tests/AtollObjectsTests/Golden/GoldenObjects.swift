import AtollCapture
import AtollObjects
import AtollStorage
import TestSupport

/// The golden file of the objects layer: one class small enough to show, one with every type.
enum GoldenObjects {
  static let path = "Tests/AtollObjectsTests/Golden/Files/v3-objects.golden"
  static let fileID: [UInt8] = Array(0xB0...0xBF)

  /// The file; while files are written, as it will be.
  static func bytes() throws -> [UInt8] {
    try GoldenFiles.isWriting ? made.get() : GoldenFiles.read(path)
  }

  private static let made = Result { try make() }

  static let names = ["Ada", "Grace", "Edsger", "Barbara", "Tony", "Niklaus", "John", "Frances"]
  /// A town for each of the people; few, so that they become a dictionary.
  static let towns = [
    "San Francisco", "Zürich, Oberstrass", "San Francisco", "Newcastle upon Tyne",
    "Newcastle upon Tyne", "Zürich, Oberstrass", "San Francisco", "San Francisco",
  ]
  /// The words of the towns, with the people that live there, by primary key.
  static let townWords: [(token: String, people: [UInt64])] = [
    ("francisco", [1, 3, 7, 8]), ("newcastle", [4, 5]), ("oberstrass", [2, 6]),
    ("san", [1, 3, 7, 8]), ("tyne", [4, 5]), ("upon", [4, 5]), ("zurich", [2, 6]),
  ]
  static let ages: [Int64?] = [36, 85, 72, nil, 90, 89, 84, nil]
  /// The friend of each of the people, by primary key.
  static let friends: [Int64?] = [2, 1, nil, 1, 3, nil, 2, 1]

  /// Long enough to lie outside of its row group.
  static let letter = (0..<500).map { "line \($0) of a letter\n" }.joined()
  /// Long enough for two pages there.
  static let essay = String(repeating: "one line is like another\n", count: 24_000)

  /// Long enough for a tree of several leaves.
  static let squares = (0..<3_000).map { Int64($0 * $0) }

  static let classes = [
    ClassSchema(
      "Person",
      properties: [
        PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
        PropertySchema("town", .string, isFullTextIndexed: true),
        PropertySchema("age", .int, isOptional: true, isIndexed: true),
        PropertySchema("friend", linkTo: "Person"),
      ], primaryKey: "id"),
    ClassSchema(
      "Everything",
      properties: [
        PropertySchema("code", .string), PropertySchema("bool", .bool),
        PropertySchema("int", .int), PropertySchema("float", .float),
        PropertySchema("double", .double, isOptional: true),
        PropertySchema("decimal", .decimal), PropertySchema("string", .string, isOptional: true),
        PropertySchema("data", .data), PropertySchema("date", .date),
        PropertySchema("objectID", .objectID), PropertySchema("uuid", .uuid),
        PropertySchema("mixed", .mixed),
        PropertySchema("ints", .int, collection: .list),
        PropertySchema("strings", .string, collection: .set),
        PropertySchema("map", .double, collection: .map, isOptional: true),
        PropertySchema("people", linkTo: "Person", collection: .list),
        PropertySchema("part", linkTo: "Part"),
        PropertySchema("waiting", linkTo: "Person"),
      ], primaryKey: "code"),
    ClassSchema("Part", properties: [PropertySchema("label", .string)], isEmbedded: true),
    ClassSchema(
      "Essay",
      properties: [
        PropertySchema("text", .string), PropertySchema("squares", .int, collection: .list),
      ]),
    ClassSchema("Memo", properties: [PropertySchema("text", .string)], isHidden: true),
    ClassSchema(
      "Sample", properties: [PropertySchema("id", .uuid)], primaryKey: "id", isSynced: true,
      isAsymmetric: true),
  ]

  /// The entries of the named tree `notes`.
  static let notes: [(key: [UInt8], value: [UInt8])] = [
    ([1], [10, 11]), ([1, 0], []), ([2], [12]),
  ]

  /// The values of the objects of `Everything` but for `part` and `waiting`, by primary key.
  static func everything() throws -> [(code: String, values: [String: Value])] {
    guard let decimal = Decimal128("12.50"), let date = Timestamp(seconds: -1, nanoseconds: -500),
      let id = ObjectID("0123456789abcdef01234567"),
      let uuid = UniqueID("00112233-4455-6677-8899-aabbccddeeff")
    else { throw FormatError("a literal is malformed") }
    let map = ValueMap([(key: "a", value: Value.double(1.5)), (key: "b", value: .null)])
    let nested = ValueMap([(key: "list", value: Value.list([.int(7), .null, .string("x")]))])
    return [
      (
        "full",
        [
          "bool": .bool(true), "int": .int(-5), "float": .float(0.25), "double": .double(-1e100),
          "decimal": .decimal(decimal), "string": .string(letter), "data": .data([0, 1, 0xFF]),
          "date": .date(date), "objectID": .objectID(id), "uuid": .uuid(uuid),
          "mixed": .map(nested), "ints": .list([.int(3), .int(1), .int(3)]),
          "strings": .set([.string("a"), .string("b")]), "map": .map(map),
        ]
      ),
      (
        "zero",
        [
          "bool": .bool(false), "int": .int(0), "float": .float(0), "double": .null,
          "decimal": .decimal(Decimal128(0)), "string": .null, "data": .data([]),
          "date": .date(Timestamp(seconds: 0, nanoseconds: 0) ?? date),
          "objectID": .objectID(id), "uuid": .uuid(uuid), "mixed": .null, "ints": .list([]),
          "strings": .set([]), "map": .map(ValueMap()),
        ]
      ),
    ]
  }

  /// Makes the file as an application would: three transactions, closed in good order.
  static func make() throws -> [UInt8] {
    let folder = TemporaryFolder()
    let path = folder.path(of: "golden")
    let file = try PosixFile(path: path, mode: .create)
    let empty = try PageStore(
      file: file, coordinator: LockFile(for: file), cacheByteCount: 1 << 20,
      makeFileID: { fileID })
    try empty.close()

    // A synced class is among them: the file has the trees of a device.
    let database = try Database.open(path, options: .recording)
    try database.write { transaction in
      try transaction.addClasses(classes)
      for (index, name) in names.enumerated() {
        try transaction.create(
          "Person",
          [
            "id": .int(Int64(index) + 1), "name": .string(name), "town": .string(towns[index]),
            "age": ages[index].map { Value.int($0) } ?? .null,
          ])
      }
    }
    try database.write { transaction in
      for (index, friend) in friends.enumerated() {
        guard let friend,
          let key = try transaction.key("Person", primaryKey: .int(Int64(index) + 1))
        else { continue }
        try transaction.link("Person", key, "friend", toPrimaryKeys: [.int(friend)])
      }
    }
    try database.write { transaction in
      for (code, values) in try everything() {
        let key = try transaction.create(
          "Everything", values.merging(["code": .string(code)]) { value, _ in value })
        guard code == "full" else { continue }
        try transaction.link(
          "Everything", key, "people", toPrimaryKeys: [.int(2), .int(1), .int(2)])
        try transaction.link("Everything", key, "waiting", toPrimaryKeys: [.int(99)])
        try transaction.createEmbedded(
          in: "Everything", key, "part", ["label": .string("embedded")])
      }
      try transaction.create(
        "Essay", ["text": .string(essay), "squares": .list(squares.map { .int($0) })])
      try transaction.create("Memo", ["text": .string("hidden")])
      for (key, value) in notes { try transaction.namedTree("notes").set(value, for: key) }
    }
    try database.close()
    var bytes: [UInt8] = []
    let reader = try PosixFile(path: path, mode: .readOnly)
    bytes = [UInt8](repeating: 0, count: Int(try reader.byteCount()))
    let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0, at: 0) }
    guard count == bytes.count else { throw FormatError("the file ends early") }
    return bytes
  }
}
