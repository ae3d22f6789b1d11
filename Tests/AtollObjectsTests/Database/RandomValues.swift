import AtollObjects
import TestSupport

/// Draws schemas and values; the same ones for the same seed.
struct RandomValues {
  var random: SplitMix64
  /// Whether strings and collections are now and then larger than a leaf.
  private let makesLargeValues: Bool
  /// Whether strings are a few hundred random bytes, so that some hundred objects fill many leaves.
  private let makesLongTexts: Bool

  init(seed: UInt64, _ flavour: ModelRun.Flavour) {
    random = SplitMix64(seed: seed)
    makesLargeValues = flavour == .largeValues
    makesLongTexts = flavour == .manyObjects
  }

  mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ oneIn: Int) -> Bool { int(0..<oneIn) == 0 }
  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[int(0..<choices.count)] }

  // MARK: Values

  /// A value that fits the property, which is not a link.
  mutating func value(_ property: PropertySchema) -> Value {
    guard property.collection == .none else { return collection(property) }
    return element(property)
  }

  private mutating func collection(_ property: PropertySchema) -> Value {
    let count = makesLargeValues && chance(12) ? int(1000..<4000) : pick([0, 0, 1, 2, 3, 5, 9])
    switch property.collection {
    case .set: return .ordered((0..<min(count, 200)).map { _ in element(property) })
    case .map:
      return .map(
        ValueMap((0..<count).map { index in (key: key(index), value: element(property)) }))
    case .list, .none: return .list((0..<count).map { _ in element(property) })
    }
  }

  /// A map key; some are odd, few come twice.
  mutating func key(_ index: Int) -> String {
    pick(["", "a", "ä", "a\u{308}", "key.with.dots", "k\u{0}z", "k\(index)", "long \(index) key"])
  }

  private mutating func element(_ property: PropertySchema) -> Value {
    if property.isOptional, chance(4) { return .null }
    return scalar(property.type)
  }

  mutating func scalar(_ type: ValueType) -> Value {
    switch type {
    case .bool: return .bool(chance(2))
    case .int: return .int(integer())
    case .float:
      return .float(pick([0, -0.0, 1.5, -2, .nan, .infinity, -.infinity, .leastNonzeroMagnitude]))
    case .double:
      return .double(pick([0, -0.0, 1.5, -2e300, .nan, .infinity, 1e-300, Double(int(0..<9))]))
    case .decimal:
      return .decimal(
        pick([Decimal128(integer()), .nan, .infinity, .zero, -Decimal128.zero, Decimal128(1.25)]))
    case .string: return .string(string())
    case .data: return .data((0..<length()).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .date:
      return .date(
        Timestamp(normalizing: Int64(int(-9..<9)), nanoseconds: Int64(int(-5..<5))) ?? .distant)
    case .objectID:
      return .objectID(
        ObjectID(seconds: UInt32(int(0..<4)), random: UInt64(int(0..<3)), counter: 7))
    case .uuid: return .uuid(UniqueID(high: UInt64(int(0..<4)) << 60, low: UInt64(int(0..<3))))
    case .mixed: return mixed(depth: 0)
    case .link: preconditionFailure("links are drawn from the objects there are")
    }
  }

  mutating func integer() -> Int64 {
    switch int(0..<6) {
    case 0: pick([.min, .max, 0, -1, .min + 1])
    case 1: Int64(bitPattern: random.next())
    default: Int64(int(-20..<20))
    }
  }

  private mutating func length() -> Int {
    guard makesLargeValues, chance(10) else { return pick([0, 1, 3, 8, 20]) }
    return pick([8191, 8192, 8193, 20_000])
  }

  mutating func string() -> String {
    if makesLongTexts, !chance(4) {
      return String((0..<int(20..<60)).map { _ in String(random.next(), radix: 36) }.joined())
    }
    if makesLargeValues, chance(400) { return String(repeating: "Lummerland ", count: 110_000) }
    if makesLargeValues, chance(10) {
      return String(repeating: pick(["x", "ö", "ab"]), count: pick([4095, 4097, 8191, 9000]))
    }
    return pick([
      "", "a", "ä", "a\u{308}", "München", "日本", "nul\u{0}inside", "🇩🇪", "word \(int(0..<30))",
      "a somewhat longer text that no small string holds \(int(0..<5))",
    ])
  }

  private mutating func mixed(depth: Int) -> Value {
    switch int(0..<(depth < 3 ? 9 : 7)) {
    case 0: return .null
    case 7: return .list((0..<int(0..<4)).map { _ in mixed(depth: depth + 1) })
    case 8:
      return .map(ValueMap((0..<int(0..<4)).map { (key: key($0), value: mixed(depth: depth + 1)) }))
    default:
      return scalar(
        pick([
          .bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid,
        ]))
    }
  }

  // MARK: Schemas

  /// A few classes of every kind, with links among them.
  mutating func schema() -> [ClassSchema] {
    var classes = [
      ClassSchema("Numbered", properties: [PropertySchema("id", .int)], primaryKey: "id"),
      ClassSchema("Named", properties: [namedKey()], primaryKey: "key"),
      ClassSchema("Plain", properties: [PropertySchema("text", .string)]),
      ClassSchema("Part", properties: [], isEmbedded: true),
    ]
    if chance(2) { classes.append(ClassSchema("Leaflet", properties: [], isEmbedded: true)) }
    let names = classes.map(\.name)
    for index in classes.indices {
      for number in 0..<int(1..<6) {
        classes[index].properties.append(scalarProperty("p\(number)"))
      }
      for number in 0..<int(0..<4) {
        classes[index].properties.append(linkProperty("l\(number)", names))
      }
    }
    // Owners, so that embedded objects can be made.
    for owner in ["Numbered", "Plain"] {
      guard let index = classes.firstIndex(where: { $0.name == owner }) else { continue }
      classes[index].properties.append(
        PropertySchema("owned", linkTo: "Part", collection: pick([.none, .list, .map, .set])))
    }
    return classes
  }

  private mutating func namedKey() -> PropertySchema {
    let type: ValueType = pick([.string, .string, .objectID, .uuid, .int])
    return PropertySchema("key", type, isOptional: type == .int || chance(3))
  }

  mutating func scalarProperty(_ name: String) -> PropertySchema {
    let type = pick(ValueType.allCases.filter { $0 != .link })
    let kind: CollectionKind = pick([.none, .none, .none, .list, .set, .map])
    return PropertySchema(
      name, type, collection: kind, isOptional: type == .mixed ? kind == .none : chance(2),
      isIndexed: kind == .none && type != .mixed && chance(2),
      isFullTextIndexed: kind == .none && type == .string && chance(2))
  }

  mutating func linkProperty(_ name: String, _ targets: [String]) -> PropertySchema {
    PropertySchema(
      name, linkTo: pick(targets), collection: pick([.none, .none, .list, .list, .set, .map]))
  }
}
