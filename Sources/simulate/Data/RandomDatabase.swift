internal import AtollObjects
internal import TestSupport

/// Makes databases with every type, odd names and odd values, as a seed decides.
struct RandomDatabase: ValueMaker {
  var random: SplitMix64

  private static let types: [ValueType] = [
    .bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid, .mixed,
  ]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A database of two classes, objects with and without primary key, and a class of embedded ones.
  mutating func make() throws -> Database {
    let database = try Database.inMemory()
    // The schema does not change while objects are made.
    let classes = schema()
    try database.write { try $0.addClasses(classes) }
    try database.write { transaction in
      var keys: [[(key: ObjectKey, link: Value)]] = []
      for schema in classes where !schema.isEmbedded {
        keys.append(try objects(of: schema, transaction))
      }
      let links = keys.flatMap { $0.map(\.link) }
      let tables = classes.filter { !$0.isEmbedded }
      for (index, schema) in tables.enumerated() {
        for (key, _) in keys[index] {
          try fill(schema, key, transaction, links, targets: keys.map { $0.map(\.link) }, tables)
        }
      }
    }
    return database
  }

  // MARK: Classes

  private mutating func names(_ count: Int) -> [String] {
    Array(Self.oddTexts.shuffled(using: &random).prefix(count))
  }

  private mutating func schema() -> [ClassSchema] {
    let names = names(3)
    return names.enumerated().map { index, name in
      let isEmbedded = index == 2
      var properties = self.names(2 + number(7)).map { property($0, names, isEmbedded: isEmbedded) }
      var primaryKey: String?
      if !isEmbedded, number(3) > 0 {
        properties[0] = PropertySchema(
          properties[0].name, pick([.int, .string, .objectID, .uuid]))
        primaryKey = properties[0].name
      }
      return ClassSchema(
        name, properties: properties, primaryKey: primaryKey, isEmbedded: isEmbedded)
    }
  }

  private mutating func property(
    _ name: String, _ classes: [String], isEmbedded: Bool
  ) -> PropertySchema {
    let collection: CollectionKind = pick([.none, .none, .none, .list, .set, .map])
    if number(4) == 0 {
      // Embedded objects in others would be endless, and a set has none.
      let targets = isEmbedded || collection == .set ? Array(classes.prefix(2)) : classes
      return PropertySchema(name, linkTo: pick(targets), collection: collection)
    }
    let type = pick(Self.types)
    let isString = type == .string && collection == .none
    return PropertySchema(
      name, type, collection: collection, isOptional: number(3) == 0,
      isIndexed: collection == .none && type != .mixed && number(5) == 0,
      isFullTextIndexed: isString && number(5) == 0)
  }

  // MARK: Objects

  private mutating func objects(
    of schema: ClassSchema, _ transaction: Transaction
  ) throws -> [(key: ObjectKey, link: Value)] {
    let table = try transaction.table(schema.name).schema
    var made: [(key: ObjectKey, link: Value)] = []
    for _ in 0..<number(5) {
      var values: [(Column, Value)] = []
      for property in schema.properties where property.type != .mixed && property.type != .link {
        let value = collection(property) { $0.value(property.type) }
        values.append((try table.requireColumn(property.name), value))
      }
      let isNew = try table.primaryKey.map { primaryKey in
        guard let key = values.first(where: { $0.0.id == primaryKey.id })?.1 else { return true }
        return try transaction.key(schema.name, primaryKey: key) == nil
      }
      guard isNew != false else { continue }
      let key = try transaction.create(table: table.id, values).key
      made.append((key, try transaction.schema.link(to: key, of: schema.name)))
    }
    return made
  }

  /// A value of a property, with nulls where it may have them.
  private mutating func collection(
    _ property: PropertySchema, _ make: (inout RandomDatabase) -> Value
  ) -> Value {
    func single(_ maker: inout RandomDatabase) -> Value {
      property.isOptional && maker.number(4) == 0 ? .null : make(&maker)
    }
    switch property.collection {
    case .none: return single(&self)
    case .list, .set: return .list((0..<number(5)).map { _ in single(&self) })
    case .map:
      var map = ValueMap()
      for _ in 0..<number(5) { map[pick(Self.oddTexts)] = single(&self) }
      return .map(map)
    }
  }

  /// Sets what leads to objects, or may.
  private mutating func fill(
    _ schema: ClassSchema, _ key: ObjectKey, _ transaction: Transaction, _ links: [Value],
    targets: [[Value]], _ tables: [ClassSchema]
  ) throws {
    let table = try transaction.table(schema.name).schema
    for property in schema.properties {
      let column = try table.requireColumn(property.name)
      guard let target = property.linkTarget else {
        guard property.type == .mixed else { continue }
        try transaction.set(key, column, collection(property) { $0.mixed(3, links: links) })
        continue
      }
      guard let index = tables.firstIndex(where: { $0.name.hasSameBytes(as: target) }) else {
        try embed(property, target, schema, key, transaction, links, targets: targets, tables)
        continue
      }
      guard !targets[index].isEmpty else { continue }
      try transaction.set(key, column, collection(property) { $0.pick(targets[index]) })
    }
  }

  private mutating func embed(
    _ property: PropertySchema, _ target: String, _ owner: ClassSchema, _ key: ObjectKey,
    _ transaction: Transaction, _ links: [Value], targets: [[Value]], _ tables: [ClassSchema]
  ) throws {
    let embedded = try transaction.table(target).schema.schema(in: transaction.schema)
    let mapKeys = property.collection == .map ? names(number(3)) : []
    let count =
      property.collection == .map ? mapKeys.count : number(property.collection == .none ? 2 : 4)
    for index in 0..<count {
      var values: [(name: String, value: Value)] = []
      for property in embedded.properties where property.type != .mixed && property.type != .link {
        values.append((property.name, collection(property) { $0.value(property.type) }))
      }
      let child = try transaction.createEmbedded(
        in: owner.name, key, property.name, mapKey: mapKeys.isEmpty ? nil : mapKeys[index],
        named: values)
      try fill(embedded, child, transaction, links, targets: targets, tables)
    }
  }
}
