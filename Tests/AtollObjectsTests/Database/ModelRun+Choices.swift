import AtollObjects

extension ModelRun {
  /// An object of any class.
  mutating func pickObject() -> (className: String, key: UInt64)? {
    let names = model.classNames.filter { !model[$0].objects.isEmpty }
    guard !names.isEmpty else { return nil }
    let name = random.pick(names)
    return (name, random.pick(model[name].keys))
  }

  /// A primary key that exists as often as not.
  mutating func primaryKey(of name: String) -> Value {
    guard let property = model[name].schema.primaryKey.flatMap({ model[name].schema[$0] }) else {
      preconditionFailure("a class with a primary key")
    }
    if property.isOptional, random.chance(8) { return .null }
    switch property.type {
    case .int:
      return .int(
        random.pick([
          .min, .max, -1, 0, Int64(random.int(0..<(flavour == .manyObjects ? 400 : 40))),
        ]))
    case .string:
      let odd = random.string()
      return .string(
        random.chance(4) && odd.utf8.count < 10_000 ? odd : "key \(random.int(0..<30))")
    default: return random.scalar(property.type)
    }
  }

  /// Values for some of the properties.
  mutating func values(of name: String) -> [String: Value] {
    var values: [String: Value] = [:]
    for property in model[name].schema.properties
    where property.name != model[name].schema.primaryKey && !model.ownsTargets(property)
      && !random.chance(4)
    {
      values[property.name] = value(of: property)
    }
    return values
  }

  mutating func value(of property: PropertySchema) -> Value {
    guard let target = property.linkTarget else {
      let value = random.value(property)
      return property.isIndexed && Self.isTooLong(value) ? .initial(property) : value
    }
    if model.ownsTargets(property) { return .initial(property) }
    let keys = model[target].keys
    func link(_ key: UInt64) -> Value { .link(model.link(target, key)) }
    guard !keys.isEmpty else { return .initial(property) }
    let links = (0..<random.pick([0, 1, 2, 4, 8])).map { _ in link(random.pick(keys)) }
    switch property.collection {
    case .list: return .list(links)
    case .set: return .ordered(links)
    case .map:
      return .map(
        ValueMap(
          links.enumerated().map {
            (key: random.key($0.offset), value: random.chance(5) ? .null : $0.element)
          }))
    case .none: return random.chance(5) ? .null : link(random.pick(keys))
    }
  }

  /// Whether a value is too long for an index.
  static func isTooLong(_ value: Value) -> Bool {
    if case .string(let text) = value { text.utf8.count > 65_000 } else { false }
  }

  /// Some of the elements of a collection, or null: what an owner may be left with.
  mutating func fewer(_ value: Value) -> Value {
    switch value {
    case .list(let elements): .list(elements.filter { _ in random.chance(2) }.reversed())
    case .set(let elements): .set(elements.filter { _ in random.chance(2) })
    case .map(let map):
      .map(
        ValueMap(
          map.entries.filter { _ in random.chance(2) }.map { (key: $0.key, value: $0.value) }))
    default: random.chance(2) ? value : .null
    }
  }
}
