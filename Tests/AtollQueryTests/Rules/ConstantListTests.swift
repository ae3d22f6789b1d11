import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Lists of constants, few and many, on values that an index or a scan could take for others.
@Suite(.computing) struct ConstantListTests {
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
              PropertySchema("object", .objectID, isOptional: true, isIndexed: isIndexed),
              PropertySchema("mixed", .mixed),
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
        "uuid": .uuid(UniqueID(high: 0, low: 0)), "mixed": .double(.nan),
      ]
    default:
      return [
        "decimal": .decimal(Decimal128(Int64(number % 700))),
        "double": .double(number % 50 == 2 ? -0.0 : value), "float": .float(Float(value)),
        "uuid": .uuid(UniqueID(high: 7, low: UInt64(number % 700))),
        "object": .objectID(ObjectID(seconds: 1, random: 2, counter: UInt32(number % 700))),
        "mixed": mixed(number),
      ]
    }
  }

  /// Values of many types that equal each other, and numbers that a decimal is rounded to.
  private static func mixed(_ number: Int) -> Value {
    switch number % 9 {
    case 0: .int(Int64(number % 70))
    case 1: .double(Double(number % 70) / 10)
    case 2: .float(Float(number % 70) / 10)
    case 3: .decimal(Decimal128("\(number % 7).\(number % 10)") ?? .zero)
    case 4: .string("text \(number % 70)")
    case 5: .uuid(UniqueID(high: 7, low: UInt64(number % 70)))
    case 6: .bool(number % 2 == 0)
    case 7: .list([.int(Int64(number % 5))])
    default: .double(9_007_199_254_740_992 + 2 * Double(number % 20))
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

  @Test(arguments: ["decimal", "double", "float", "uuid", "object"], [1, 5, 17, 60, 400])
  func everyPlanFindsTheObjectsThatHoldOne(property: String, count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    var constants: [Value] = []
    while constants.count < count {
      let values = Self.values(Int.random(in: 0..<3000, using: &random))
      constants.append(values[property] ?? .null)
    }
    if property != "uuid", property != "object" {
      constants.append(try #require(Self.values(1)[property]))
    }
    for isNot in [false, true] {
      let text = "\(isNot ? "NOT " : "")\(property) IN $0"
      let expected = try expected(property, constants, isNot: isNot)
      #expect(try keys(text, "Plain", constants) == expected)
      // Both classes were filled alike.
      #expect(try keys(text, "Indexed", constants) == expected)
    }
  }

  /// A mixed value meets constants of every type: by the rule for two values, one by one.
  @Test(arguments: [3, 40, 400])
  func mixedValuesMeetConstantsOfEveryType(count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    let constants = (0..<count).map { _ in Self.mixed(Int.random(in: 0..<3000, using: &random)) }
      .filter { if case .list = $0 { false } else { true } }
    let snapshot = try Self.database.get().snapshot()
    let table = try snapshot.table("Plain")
    let all = try Query("TRUEPREDICATE", on: "Plain", in: snapshot.schema).results(in: snapshot)
    let expected = try all.keys.filter { key in
      let value = try #require(try table.object(key))["mixed"]
      return constants.contains { ValueComparison.equal(value, $0) }
    }
    let found = try keys("mixed IN $0", "Plain", constants)
    #expect(found == expected)
    #expect(!found.isEmpty && found.count < 2500)
  }

  /// Of a list without regard to case or accents, and of values that equal none of a list.
  @Test(arguments: [
    ("mixed IN[c] $0", QuerySyntax.Folding.ignoringCase, false),
    ("mixed IN[cd] $0", .ignoringCaseAndDiacritics, false),
    ("mixed !=[c] ALL $0", .ignoringCase, true), ("mixed != ALL $0", .exact, true),
    ("NOT mixed IN[c] $0", .ignoringCase, true),
  ])
  func foldedValuesMeetFoldedConstants(
    text: String, folding: QuerySyntax.Folding, isNot: Bool
  ) throws {
    var constants = (0..<35).map { Value.string("\($0 % 2 == 0 ? "TEXT" : "text") \($0)") }
    constants += (35..<50).map { .string("T\u{E9}xt \($0)") }
    let snapshot = try Self.database.get().snapshot()
    let table = try snapshot.table("Plain")
    let all = try Query("TRUEPREDICATE", on: "Plain", in: snapshot.schema).results(in: snapshot)
    let expected = try all.keys.filter { key in
      let value = try #require(try table.object(key))["mixed"]
      return constants.contains { ValueComparison.equal(value, $0, folding: folding) } != isNot
    }
    let found = try keys(text, "Plain", constants)
    #expect(found == expected)
    #expect(!found.isEmpty && found.count < 3000)
  }

  /// A value is compared with a set, however many constants there are.
  @Test func longListsAreSets() {
    let values = (0..<9).map { Value.uuid(UniqueID(high: 0, low: $0)) }
    for (count, folding, isSet) in [
      (9, QuerySyntax.Folding.exact, true), (8, .exact, false), (9, .ignoringCase, true),
      (8, .ignoringCase, true),
    ] {
      let list = ConstantList(Array(values.prefix(count)), folding: folding)
      for (index, value) in values.enumerated() { #expect(list.contains(value) == (index < count)) }
      #expect(list.isSet == isSet)
    }
  }

  @Test(arguments: [
    "uuid < uuid(00000000-0000-0007-0000-000000000010)",
    "uuid > uuid(00000000-0000-0007-0000-0000000002b0)",
    "uuid BETWEEN {uuid(00000000-0000-0007-0000-000000000010), "
      + "uuid(00000000-0000-0007-0000-00000000001f)}",
    "uuid >= uuid(00000000-0000-0007-0000-000000000010) "
      + "AND uuid < uuid(00000000-0000-0007-0000-000000000012)",
    "object <= oid(000000010000000002000005)", "object > oid(0000000100000000020002b0)",
    "decimal < 5", "decimal >= 695.5", "decimal BETWEEN {3, 7.5}",
    "decimal > 3 AND decimal <= 9 AND decimal != 7", "decimal < 2 OR decimal > 697",
    "NOT (decimal < 698) AND decimal != NULL", "decimal <= NULL", "decimal > 699",
    "decimal IN {3, 4, 5, 9} OR decimal > 698", "uuid == NULL", "decimal < 3 OR decimal == NULL",
  ])
  func rangesOfValuesWithoutAVectorFormUseAnIndex(text: String) throws {
    let found = try keys(text, "Indexed", [])
    #expect(found == (try keys(text, "Plain", [])))
    let snapshot = try Self.database.get().snapshot()
    let plan = try Query(text, on: "Indexed", in: snapshot.schema).explain(in: snapshot)
    #expect(plan.indexes.count == 1, "\(plan)")
    #expect(plan.resultCount == found.count)
    #expect(text == "decimal > 699" || !found.isEmpty && found.count < 400)
  }

  /// A plan compares with the constant that decides, and takes the quickest of tests that say the
  /// same.
  @Test(arguments: [
    ("title < ANY {'a', 'c', 'b'}", "'title' < 'c'"),
    ("title < ALL {'a', 'c', 'b'}", "'title' < 'a'"),
    ("title >= ANY {'b', 'a'}", "'title' >= 'a'"), ("title > ALL {'b', 'a'}", "'title' > 'b'"),
    ("title <= NONE {'b', 'a', 'c'}", "'title' not (<= 'c')"),
    ("title != ALL {'b', 'a'}", "'title' not (IN {'b', 'a'})"),
    ("title !=[c] ALL {'b', 'a'}", "'title' not (IN[c] {'b', 'a'})"),
    ("title != ALL {'b'}", "'title' != 'b'"),
    ("ANY tags > {'b', 'a', 'c'}", "ANY element of 'tags' > 'a'"),
    ("ALL tags < ALL {'b', 'c'}", "ALL element of 'tags' < 'b'"),
    ("subtitle ==[c] title", "'subtitle' ==[c] 'title'"),
    ("title < subtitle", "'title' < 'subtitle'"),
    ("tags[*] == 'b'", "ANY element of 'tags' == 'b'"),
    ("ALL tags[*] != 'x'", "ALL element of 'tags' != 'x'"),
    ("title <= ANY {'b', NULL, 'a', NULL}", "'title' (<= 'b' or <= NULL)"),
  ])
  func whatIsAskedIsMadeSimpler(text: String, expected: String) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Book",
          properties: [
            PropertySchema("title", .string, isOptional: true),
            PropertySchema("tags", .string, collection: .list),
            PropertySchema("subtitle", .string),
          ]))
      for title in ["", "a", "aa", "b", "bb", "c", "d"] {
        try transaction.create(
          "Book", ["title": .string(title), "tags": .list([.string(title), .string("b")])])
      }
      try transaction.create("Book", [:])
    }
    let snapshot = try database.snapshot()
    let plan = try Query(text, on: "Book", in: snapshot.schema).explain(in: snapshot)
    #expect("\(plan)".contains(expected) && !"\(plan)".contains("row by row"), "\(plan)")
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
