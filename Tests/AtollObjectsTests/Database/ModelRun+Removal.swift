import AtollObjects
import Testing

// Changes of the schema by which data goes, or objects get other keys.

extension ModelRun {
  mutating func removeProperty(_ transaction: Transaction, of name: String) throws {
    let properties = model[name].schema.properties
    guard properties.count > 1 else { return }
    let property = random.pick(properties)
    guard property.name != model[name].schema.primaryKey else {
      return try refuse(
        transaction, .invalidSchema(.removedPrimaryKey(property.name, className: name))
      ) { try $0.removeProperty(property.name, of: name) }
    }
    // Embedded objects are made for this one.
    guard property.name != "owned" || random.chance(4) else { return }
    try transaction.removeProperty(property.name, of: name)
    model.remove(property, of: name)
  }

  mutating func removeClass(_ transaction: Transaction) throws {
    // What other operations name stays.
    let names = model.classNames.filter { $0.hasPrefix("Added") || $0 == "Leaflet" }
    guard !names.isEmpty else { return }
    let name = random.pick(names)
    for origin in model.classNames where origin != name {
      guard let property = model[origin].schema.properties.first(where: { $0.linkTarget == name })
      else { continue }
      return try refuse(
        transaction,
        .invalidSchema(.stillLinked(className: name, from: origin, property: property.name))
      ) { try $0.removeClass(name) }
    }
    try transaction.removeClass(name)
    model.remove(class: name)
  }

  mutating func changePrimaryKey(_ transaction: Transaction, of name: String) throws {
    let schema = model[name].schema
    guard !schema.isEmbedded else { return }
    let candidates = schema.properties.filter {
      [.int, .string, .objectID, .uuid].contains($0.type) && $0.collection == .none
        && $0.name != schema.primaryKey
    }
    if candidates.isEmpty || random.chance(3) {
      // Others upsert these, and link to them, by their primary keys.
      guard !["Numbered", "Named"].contains(name) else { return }
      try transaction.changePrimaryKey(of: name, to: nil)
      return model.changePrimaryKey(of: name, to: nil)
    }
    let property = random.pick(candidates).name
    if random.chance(2) { try makeDistinct(transaction, property, of: name) }
    let values = model[name].keys.map { model.value(name, $0, property) ?? .null }
    let isRefused =
      values.contains(where: Self.isTooLong)
      || values.enumerated().contains { index, value in
        values[..<index].contains { isExactly($0, value) }
      }
    if isRefused {
      #expect(throws: ObjectError.self, "seed \(seed)") {
        try transaction.changePrimaryKey(of: name, to: property)
      }
    } else {
      try transaction.changePrimaryKey(of: name, to: property)
      model.changePrimaryKey(of: name, to: property)
    }
  }

  /// Gives the objects of a class values that differ.
  private mutating func makeDistinct(
    _ transaction: Transaction, _ property: String, of name: String
  ) throws {
    guard let type = model[name].schema[property]?.type else { return }
    for (index, key) in model[name].keys.shuffled(using: &random.random).enumerated() {
      let value: Value =
        switch type {
        case .int: .int(Int64(index) - 3)
        case .string: .string("\(index)")
        default: random.scalar(type)
        }
      try transaction.set(name, ObjectKey(rawValue: key), property, value)
      model.set(name, key, property, value)
    }
  }

  mutating func changeEmbedding(_ transaction: Transaction, of name: String) throws {
    let schema = model[name].schema
    if schema.isEmbedded {
      // Embedded objects are made of these.
      guard name != "Part" else { return }
      try transaction.setEmbedded(name, false)
      return model.setEmbedded(name, false)
    }
    guard schema.primaryKey == nil, name != "Plain" else { return }
    if model.linkCounts(of: name).values.allSatisfy({ $0 == 1 }) {
      try transaction.setEmbedded(name, true)
      model.setEmbedded(name, true)
    } else {
      #expect(throws: ObjectError.self, "seed \(seed)") { try transaction.setEmbedded(name, true) }
    }
  }
}
