import AtollObjects
import AtollQuery
import TestSupport
import Testing

/// Lists of constants, few and many, on values that an index or a kernel could take for others.
@Suite struct ConstantListTests {
  /// The same values with an index and without.
  private static let database = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      for (name, isIndexed) in [("Indexed", true), ("Plain", false)] {
        try transaction.addClass(
          ClassSchema(
            name,
            properties: [
              PropertySchema("decimal", .decimal, isOptional: true, isIndexed: isIndexed),
              PropertySchema("double", .double, isOptional: true, isIndexed: isIndexed),
              PropertySchema("float", .float, isOptional: true, isIndexed: isIndexed),
              PropertySchema("uuid", .uuid, isOptional: true, isIndexed: isIndexed),
            ]))
        for number in 0..<3000 {
          try transaction.create(name, values(number))
        }
      }
    }
    return database
  }

  private static func values(_ number: Int) -> [String: Value] {
    let value = Double(number % 700) / 2
    switch number % 50 {
    case 0: return [:]
    case 1:
      return [
        "decimal": .decimal(.nan), "double": .double(.nan), "float": .float(.nan),
        "uuid": .uuid(UniqueID(high: 0, low: 0)),
      ]
    default:
      return [
        "decimal": .decimal(Decimal128(Int64(number % 700))),
        "double": .double(number % 50 == 2 ? -0.0 : value), "float": .float(Float(value)),
        "uuid": .uuid(UniqueID(high: 7, low: UInt64(number % 700))),
      ]
    }
  }

  private func keys(_ text: String, _ className: String, _ constants: [Value]) throws -> [ObjectKey]
  {
    let snapshot = try Self.database.get().snapshot()
    return try Query(text, on: className, in: snapshot.schema, arguments: [.list(constants)])
      .results(in: snapshot).keys
  }

  /// The keys of the objects of which a value equals a constant, as numbers do.
  private func expected(_ property: String, _ constants: [Value], isNot: Bool) throws -> [ObjectKey]
  {
    let snapshot = try Self.database.get().snapshot()
    let table = try snapshot.table("Plain")
    let all = try Query("TRUEPREDICATE", on: "Plain", in: snapshot.schema)
      .results(in: snapshot).keys
    return try all.filter { key in
      let value = try #require(try table.object(key))[property]
      let isIn = constants.contains { $0 == value && !isNaN(value) }
      return isIn != isNot
    }
  }

  private func isNaN(_ value: Value) -> Bool {
    switch value {
    case .double(let number): number.isNaN
    case .float(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }

  @Test(arguments: ["decimal", "double", "float", "uuid"], [1, 5, 17, 60, 400])
  func everyPlanFindsTheObjectsThatHoldOne(property: String, count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    var constants: [Value] = []
    while constants.count < count {
      let values = Self.values(Int.random(in: 0..<3000, using: &random))
      constants.append(values[property] ?? .null)
    }
    if property != "uuid" { constants.append(try #require(Self.values(1)[property])) }
    for isNot in [false, true] {
      let text = "\(isNot ? "NOT " : "")\(property) IN $0"
      let expected = try expected(property, constants, isNot: isNot)
      #expect(try keys(text, "Plain", constants) == expected)
      // Both classes were filled alike.
      #expect(try keys(text, "Indexed", constants) == expected)
    }
  }

  @Test(arguments: ["decimal", "double", "float"])
  func nothingEqualsNaN(property: String) throws {
    let nan = try #require(Self.values(1)[property])
    for className in ["Plain", "Indexed"] {
      #expect(try keys("\(property) IN $0", className, [nan]) == [])
      #expect(try keys("\(property) == nan", className, []) == [])
      #expect(try keys("NOT \(property) == nan", className, []).count == 3000)
    }
  }
}
