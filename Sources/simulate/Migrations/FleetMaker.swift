internal import Atoll
internal import TestSupport

extension Property {
  /// Whether a value of the property, or an element of its collection, may be null.
  var mayBeNull: Bool { isOptional || type == .object || type == .any }
}

/// Makes values.
enum FleetMaker {
  /// A value of a property, whose links lead to objects of a state.
  static func value(
    _ property: Property, _ state: FleetState, _ version: Int, _ random: inout SplitMix64
  ) -> FleetValue {
    let schema = property.objectClassName.flatMap { Fleet.schemas[version][$0] }
    let tags = property.objectClassName.flatMap { state.objects[$0]?.keys.sorted() } ?? []
    func element() -> FleetValue? {
      let number = Int.random(in: 0...5, using: &random)
      if let schema, schema.isEmbedded {
        return number == 0 ? nil : embedded(schema, state, version, &random)
      }
      if property.type == .object { return tags.randomElement(using: &random).map { .link($0) } }
      if property.mayBeNull, number == 0 { return .null }
      switch property.type {
      case .int: return .int(number - 2)
      case .double: return .double(Double(number) / 2)
      case .any where number < 2:
        let linked = state.objects.filter { Fleet.schemas[version][$0.key] != nil }
        return linked.values.flatMap(\.keys).sorted().randomElement(using: &random)
          .map { .link($0) }
      case .any: return number < 4 ? .int(number) : .string("any \(number)")
      default: return .string("text \(number)")
      }
    }
    let count = Int.random(in: 0...4, using: &random)
    if property.isArray { return .list((0..<count).compactMap { _ in element() }) }
    if property.isSet { return .set(Set((0..<count).compactMap { _ in element() })) }
    if property.isMap {
      var entries: [String: FleetValue] = [:]
      for index in 0..<count { entries["k\(index)"] = element() }
      return .map(entries)
    }
    return element() ?? .null
  }

  private static func embedded(
    _ schema: ObjectSchema, _ state: FleetState, _ version: Int, _ random: inout SplitMix64
  ) -> FleetValue {
    var values: [String: FleetValue] = [:]
    for property in schema.properties {
      values[property.name] = value(property, state, version, &random)
    }
    return .embedded(values)
  }
}
