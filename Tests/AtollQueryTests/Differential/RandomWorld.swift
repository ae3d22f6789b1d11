import AtollObjects
import TestSupport

/// A schema, its objects and questions to them, all from one seed.
///
/// The objects are kept twice: in a database, and as plain dictionaries for the naive reading.
struct RandomWorld {
  /// The classes A and B, whose objects link to each other and to their own kind.
  ///
  /// Each property that can have an index has one when `isIndexed` says so.
  static func classes(isIndexed: () -> Bool) -> [ClassSchema] {
    ["A", "B"].map { name in
      let other = name == "A" ? "B" : "A"
      var properties = [
        PropertySchema("i", .int, isIndexed: isIndexed()),
        PropertySchema("io", .int, isOptional: true, isIndexed: isIndexed()),
        PropertySchema("d", .double, isIndexed: isIndexed()),
        PropertySchema("do", .double, isOptional: true, isIndexed: isIndexed()),
        PropertySchema("f", .float, isOptional: true),
        PropertySchema("n", .decimal, isOptional: true),
        PropertySchema("b", .bool), PropertySchema("bo", .bool, isOptional: true),
        PropertySchema("s", .string, isIndexed: isIndexed()),
        PropertySchema("so", .string, isOptional: true, isIndexed: isIndexed()),
        PropertySchema("t", .date, isOptional: true, isIndexed: isIndexed()),
        PropertySchema("u", .uuid, isOptional: true), PropertySchema("x", .data, isOptional: true),
        PropertySchema("m", .mixed),
        PropertySchema("l", linkTo: other), PropertySchema("self", linkTo: name),
        PropertySchema("ll", linkTo: other, collection: .list),
        PropertySchema("ls", linkTo: name, collection: .set),
        PropertySchema("il", .int, isOptional: true), PropertySchema("li", .int, collection: .list),
        PropertySchema("lo", .int, collection: .list, isOptional: true),
        PropertySchema("sl", .string, collection: .list),
        PropertySchema("ss", .string, collection: .set),
        PropertySchema("dm", .double, collection: .map),
      ]
      if name == "A" { properties.append(PropertySchema("id", .int)) }
      return ClassSchema(name, properties: properties, primaryKey: name == "A" ? "id" : nil)
    }
  }

  let database: Database
  private(set) var naive: NaiveWorld
  var random: SplitMix64
  let classes: [ClassSchema]
  let tables: [String: UInt32]

  /// `indexed`: whether the properties that can have an index have one; nil: the seed decides.
  init(seed: UInt64, indexed: Bool? = nil) throws {
    var random = SplitMix64(seed: seed)
    // None, all, or some.
    let indexedOfFour = [0, 2, 4].randomElement(using: &random) ?? 2
    var classes = Self.classes {
      let chosen = Int.random(in: 0..<4, using: &random) < indexedOfFour
      return indexed ?? chosen
    }
    if indexed ?? (seed % 2 == 0) {
      for index in classes.indices { Self.addJointIndexes(to: &classes[index], seed) }
    }
    // In an encrypted file nothing is lent out of the mapping; without a cache each page is freed
    // with the last reference to it, and with a small one it comes and goes.
    let isEncrypted = seed % 3 == 1
    let cacheByteCount = seed % 2 == 0 ? 0 : 1 << 20
    let database = try Database.inMemory(
      options: isEncrypted
        ? .init(cacheByteCount: cacheByteCount, encryptionKey: Array(0..<64)) : .init())
    var keys: [String: [ObjectKey]] = ["A": [], "B": []]
    var tables: [String: UInt32] = [:]
    let large = seed % 8 == 3
    try database.write { transaction in
      try transaction.addClasses(classes)
      for schema in classes {
        tables[schema.name] = try transaction.table(schema.name).schema.id
        let count = Int.random(in: 0...(large ? 400 : 25), using: &random)
        var ids = Set<Int64>()
        for _ in 0..<count {
          var values: [String: Value] = [:]
          for property in schema.properties where property.type != .link {
            values[property.name] = Self.value(property, &random)
          }
          if schema.primaryKey != nil {
            var id: Int64 = 0
            repeat {
              id = Int64.random(in: -2000...(seed % 3 == 0 ? 1 << 50 : 4000), using: &random)
            } while !ids.insert(id).inserted
            values["id"] = .int(id)
          }
          let key = try transaction.create(schema.name, values)
          keys[schema.name, default: []].append(key)
        }
      }
      for schema in classes {
        for key in keys[schema.name] ?? [] {
          for property in schema.properties where property.type == .link {
            guard let target = property.linkTarget, let table = tables[target],
              let targets = keys[target], !targets.isEmpty
            else { continue }
            func link() -> Value {
              let target = targets[Int.random(in: 0..<targets.count, using: &random)]
              return .link(ObjectLink(table: table, key: target.rawValue))
            }
            let value: Value
            switch property.collection {
            case .none:
              if Int.random(in: 0..<3, using: &random) == 0 { continue }
              value = link()
            case .set:
              value = .set((0..<Int.random(in: 0...3, using: &random)).map { _ in link() })
            default:
              value = .list((0..<Int.random(in: 0...4, using: &random)).map { _ in link() })
            }
            try transaction.set(schema.name, key, property.name, value)
          }
        }
      }
    }
    self.database = database
    self.classes = classes
    self.tables = tables
    self.random = random
    naive = NaiveWorld(classes: classes, tables: tables, objects: [:])
    try change()
  }

  /// Gives a class indexes of several properties, by random numbers of their own.
  private static func addJointIndexes(to schema: inout ClassSchema, _ seed: UInt64) {
    var random = SplitMix64(seed: ~seed)
    let names = schema.properties.filter {
      $0.collection == .none && $0.type != .link && $0.type != .mixed
    }.map(\.name)
    for _ in 0..<4 {
      let count = Int.random(in: 2...4, using: &random)
      let index = IndexSchema(Array(names.shuffled(using: &random).prefix(count)))
      if !schema.indexes.contains(index) { schema.indexes.append(index) }
    }
  }

  /// Changes and deletes some objects, so that leaves are rewritten and links are cleared, and
  /// makes some new ones; now and then a property gets an index.
  mutating func change() throws {
    var random = random
    try database.write { transaction in
      for schema in classes {
        var keys: [ObjectKey] = []
        try transaction.table(schema.name).forEach { keys.append($0.key) }
        for key in keys {
          switch Int.random(in: 0..<12, using: &random) {
          case 0: try transaction.delete(schema.name, key)
          case 1, 2:
            let settable = schema.properties.filter { $0.type != .link && $0.name != "id" }
            guard let property = settable.randomElement(using: &random) else { continue }
            try transaction.set(
              schema.name, key, property.name, Self.value(property, &random))
          default: break
          }
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          var values: [String: Value] = [:]
          for property in schema.properties where property.type != .link {
            values[property.name] = Self.value(property, &random)
          }
          if schema.primaryKey != nil {
            values["id"] = .int(.random(in: 10_000...1 << 40, using: &random))
          }
          _ = try transaction.create(schema.name, values)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          let name = ["i", "io", "d", "do", "s", "so", "t"].randomElement(using: &random) ?? "i"
          try transaction.addIndex(on: name, of: schema.name)
        }
      }
    }
    self.random = random
    try read()
  }

  /// Reads the newest version for the naive reading.
  private mutating func read() throws {
    let snapshot = try database.snapshot()
    var objects: [String: [UInt64: [String: Value]]] = [:]
    for schema in classes {
      try snapshot.table(schema.name).forEach { object in
        var values: [String: Value] = [:]
        for property in schema.properties { values[property.name] = try object[property.name] }
        objects[schema.name, default: [:]][object.key.rawValue] = values
      }
    }
    naive = NaiveWorld(classes: classes, tables: tables, objects: objects)
  }

  // MARK: Values, few enough that equal ones are common

  static let words = [
    "", "a", "A", "á", "A\u{301}b", "ab", "Ab", "ba", "Åse", "åse", "æ", "b", "longer than eight",
    "longer THAN eight",
    // Long enough that LZ4 compresses the vectors of some leaves.
    String(repeating: "long ", count: 20), String(repeating: "LONG ", count: 20),
  ]
  static let dates: [(Int64, Int32)] = [(0, 0), (0, -5), (-1, -5), (1, 0), (1, 7), (99, 0)]

  static func value(_ property: PropertySchema, _ random: inout SplitMix64) -> Value {
    switch property.collection {
    case .none:
      if property.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
      return scalar(property.type, &random)
    case .list:
      return .list(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          property.isOptional && Int.random(in: 0..<4, using: &random) == 0
            ? .null : scalar(property.type, &random)
        })
    case .set:
      return .set(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in scalar(property.type, &random) })
    case .map:
      return .map(
        ValueMap(
          (0..<Int.random(in: 0...3, using: &random)).map { _ in
            (
              key: ["k", "j", "q"].randomElement(using: &random) ?? "k",
              value: scalar(property.type, &random)
            )
          }))
    }
  }

  static func scalar(_ type: ValueType, _ random: inout SplitMix64) -> Value {
    switch type {
    case .bool: return .bool(Bool.random(using: &random))
    case .int:
      return .int(
        [0, 1, 2, 3, 7, -1, 300, 70_000, .max, .min].randomElement(using: &random) ?? 0)
    case .double:
      return .double(
        [0, -0.0, 1, 1.5, 2, -3.25, 1e300, .infinity, .nan].randomElement(using: &random) ?? 0)
    case .float: return .float([0, 1, 1.5, 2.2, -3, .nan].randomElement(using: &random) ?? 0)
    case .decimal:
      return .decimal(
        Decimal128(["0", "1", "1.5", "2.2", "-3.25", "7"].randomElement(using: &random) ?? "0")
          ?? .zero)
    case .string: return .string(words.randomElement(using: &random) ?? "")
    case .data: return .data([[], [1], [1, 2], [2]].randomElement(using: &random) ?? [])
    case .date:
      let (seconds, nanoseconds) = dates.randomElement(using: &random) ?? (0, 0)
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .date($0) } ?? .null
    case .objectID:
      return .objectID(ObjectID(seconds: 1, random: 2, counter: .random(in: 0...3, using: &random)))
    case .uuid: return .uuid(UniqueID(high: 0, low: .random(in: 0...3, using: &random)))
    case .mixed:
      let types: [ValueType] = [.bool, .int, .double, .decimal, .string, .date]
      if Int.random(in: 0..<5, using: &random) == 0 { return .null }
      if Int.random(in: 0..<8, using: &random) == 0 {
        return .list([scalar(.int, &random), scalar(.string, &random)])
      }
      return scalar(types.randomElement(using: &random) ?? .int, &random)
    case .link: return .null
    }
  }

  mutating func query() -> RandomQuery {
    RandomQuery.make(&random)
  }
}
