import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

/// What is written is what is stored: no number becomes another one on its way.
@Suite(.computing) struct ExactNumberTests {
  /// Imports records into the class Thing; the properties with types are there before.
  private static func imported(
    _ json: String, _ properties: [PropertySchema] = [], _ options: ImportOptions = ImportOptions(),
    isCSV: Bool = false
  ) throws -> Database {
    let database = try Database.inMemory()
    if !properties.isEmpty {
      try database.write { transaction in
        try transaction.addClasses([
          ClassSchema(
            "Part", properties: [PropertySchema("price", .decimal, isOptional: true)],
            isEmbedded: true),
          ClassSchema("Thing", properties: properties),
        ])
      }
    }
    let importer = ImporterTests.importer(database, options, batch: 1)
    if isCSV {
      _ = try importer.run(readingTwice: { CSVReader(MemorySource(json)) })
    } else {
      _ = try importer.run(readingTwice: { JSONReader(MemorySource(json)) })
    }
    return database
  }

  private static let digits = [
    "123456789012345678.91", "1.10", "1e400", "-0.000", "1E-6176", "100", "9223372036854775808",
    "1234567890123456789012345678901234", "9.999999999999999999999999999999999e6144", "0.1",
  ]

  /// The text of a value and of all values in it, as which 1.1 and 1.10 differ.
  private static func texts(_ value: Value) -> [String] {
    switch value {
    case .list(let elements), .set(let elements): elements.flatMap(texts)
    case .map(let map): map.entries.flatMap { texts($0.value) }
    case .decimal(let number): ["\(number)"]
    default: ["\(value)"]
    }
  }

  @Test(arguments: digits) func aDecimalHasTheDigitsOfTheData(digits: String) throws {
    let expected = "\(try #require(Decimal128(digits)))"
    let json = """
      {"one":\(digits),"many":[\(digits),\(digits)],"set":[\(digits)],"map":{"k":\(digits)},\
      "part":{"price":\(digits)},"parts":[{"price":\(digits)}],\
      "mixed":[{"$numberDecimal":"\(digits)"},{"x":{"$numberDecimal":"\(digits)"}}]}
      """
    let database = try Self.imported(
      json,
      [
        PropertySchema("one", .decimal), PropertySchema("many", .decimal, collection: .list),
        PropertySchema("set", .decimal, collection: .set),
        PropertySchema("map", .decimal, collection: .map), PropertySchema("mixed", .mixed),
        PropertySchema("part", linkTo: "Part"),
        PropertySchema("parts", linkTo: "Part", collection: .list),
      ])
    for (property, count) in [("one", 1), ("many", 2), ("set", 1), ("map", 1), ("mixed", 2)] {
      #expect(
        try ImporterTests.values(property, in: database).flatMap(Self.texts)
          == Array(repeating: expected, count: count), "\(property)")
    }
    var prices: [String] = []
    try database.snapshot().table("Part").forEach { prices += Self.texts(try $0["price"]) }
    #expect(prices == [expected, expected])
    let column = try Self.imported(
      "one\n\(digits)\n", [PropertySchema("one", .decimal)], isCSV: true)
    #expect(try ImporterTests.values("one", in: column).flatMap(Self.texts) == [expected])
    // A type given by an option.
    let stated = try Self.imported(
      "{\"one\":\(digits)}", [], ImportOptions(types: [.init(property: "one", type: .decimal)]))
    #expect(try ImporterTests.values("one", in: stated).flatMap(Self.texts) == [expected])
  }

  @Test func digitsThatADecimalDoesNotHaveAreAnErrorWithTheirPlace() throws {
    // Zeros at the end change nothing.
    let zeros = "1.50" + String(repeating: "0", count: 40)
    let database = try Self.imported("{\"a\":\(zeros)}", [PropertySchema("a", .decimal)])
    #expect(try ImporterTests.values("a", in: database) == [.decimal(Decimal128(1.5))])
    for (text, problem) in [
      ("0.12345678901234567890123456789012345", nil),
      ("12345678901234567890123456789012345678", nil), ("1.5e-6176", nil),
      ("1e6145", .tooLarge(property: "a", number: "1e6145", type: .decimal)),
      ("-1e-6200", .tooSmall(property: "a", number: "-1e-6200", type: .decimal)),
    ] as [(String, DataProblem?)] {
      let problem = problem ?? .inexact(property: "a", number: text, type: .decimal)
      #expect(throws: dataError(problem, 2, 6)) {
        try Self.imported("{\"a\":1}\n{\"a\":\(text)}", [PropertySchema("a", .decimal)])
      }
      #expect(throws: dataError(problem, 3, 1)) {
        try Self.imported("a\n1\n\(text)", [PropertySchema("a", .decimal)], isCSV: true)
      }
    }
  }

  /// With a decimal among them all numbers of a property become decimals.
  @Test func decimalsAmongNumbersMakeTheTypeDecimal() throws {
    let json = """
      {"a":5}
      {"a":{"$numberDecimal":"1.10"}}
      {"a":2.50}
      {"a":18446744073709551616}
      """
    let database = try Self.imported(json)
    #expect(
      try ImporterTests.values("a", in: database).flatMap(Self.texts)
        == ["5", "1.10", "2.50", "18446744073709551616"])
  }

  /// Before anything is stored, also where only another line makes the type decimal.
  @Test func longDigitsBesideADecimalAreAnErrorWithTheirPlace() throws {
    let digits = "12345678901234567890123456789012345678"
    for number in [digits, "0." + digits] {
      #expect(throws: dataError(.inexact(property: "a", number: number, type: .decimal), 2, 6)) {
        try Self.imported("{\"a\":1}\n{\"a\":\(number)}\n{\"a\":{\"$numberDecimal\":\"1\"}}")
      }
    }
    // Doubles are the nearest ones.
    let database = try Self.imported("{\"a\":0.\(digits)}")
    #expect(
      try ImporterTests.values("a", in: database) == [.double(0.12345678901234567890123456789)])
  }

  /// A number for a type that has none such is an error with its place.
  @Test(arguments: [
    ("1e400", ValueType.double, "'a' is double, and 1e400 is larger than any double"),
    ("1e39", .float, "'a' is float, and 1e39 is larger than any float"),
    ("1e-400", .double, "'a' is double, and 1e-400 is nearer to zero than any double"),
    ("1e-50", .float, "'a' is float, and 1e-50 is nearer to zero than any float"),
    ("16777217", .float, "'a' is float, and no float equals 16777217"),
    ("9223372036854775809", .double, "no double equals 9223372036854775809"),
    ("9223372036854775808", .int, "does not fit in 64 bits"),
    ("1.5", .int, "'a' is int in the database file, found"),
    ("1e2", .int, "'a' is int in the database file, found"),
  ])
  func aNumberOutOfRangeIsAnErrorWithItsPlace(
    number: String, type: ValueType, words: String
  ) throws {
    for (data, isCSV) in [("{\"a\":1}\n{\"a\":\(number)}", false), ("a\n\(number)\n", true)] {
      do {
        _ = try Self.imported(data, [PropertySchema("a", type)], isCSV: isCSV)
        Issue.record("\(number) is no \(type)")
      } catch let error as ImportError {
        let text = error.description(name: "f")
        #expect(text.hasPrefix("f:2:") && text.contains(words), "\(text)")
      }
    }
  }

  @Test(arguments: [
    ("9223372036854775808", 9223372036854775808.0), ("-18446744073709551616", -0x1p64),
    ("1606938044258990275541962092341162602522202993782792835301376", 0x1p200),
  ])
  func aLongIntegerIsADoubleThatEqualsIt(digits: String, value: Double) throws {
    let options = ImportOptions(types: [.init(property: "a", type: .double)])
    for (data, isCSV) in [("{\"a\":\(digits)}", false), ("a\n\(digits)\n", true)] {
      let database = try Self.imported(data, [], options, isCSV: isCSV)
      #expect(try ImporterTests.values("a", in: database) == [.double(value)])
    }
    #expect(ExactDouble.value(digits + "0") == value * 10 || digits.count > 20)
    #expect(ExactDouble.value(String(digits.dropLast()) + "9") == nil)
  }

  /// As identifiers are written; with a point in another field they are numbers.
  @Test(arguments: [
    ("1E5\n123\n7", "string"), ("123\n1E5", "string"), ("1e5\n2E7", "string"),
    ("007\n1", "string"), ("1E5\n2.5", "double"), ("1E+5\n2", "double"), ("1.5e5\n2", "double"),
  ])
  func whatMayBeAnIdentifierIsText(column: String, type: String) throws {
    let database = try Self.imported("a\n" + column + "\n", [], isCSV: true)
    #expect(try database.snapshot().schema["Thing"]?["a"]?.typeName == type)
    guard type == "string" else { return }
    #expect(
      try ImporterTests.values("a", in: database)
        == column.split(separator: "\n").map { .string(String($0)) })
  }

  /// What is too long for an index is found before anything is stored.
  @Test func aKeyThatIsTooLongIsAnErrorWithItsPlace() throws {
    let long = String(repeating: "x", count: 65_534)
    let longest = String(repeating: "x", count: 65_533)
    for options in [
      ImportOptions(primaryKey: "a"), ImportOptions(indexes: ["a"]),
      ImportOptions(links: [.init(property: "a", target: "Other")]),
    ] {
      let database = try Database.inMemory()
      let version = try database.snapshot().version
      let importer = ImporterTests.importer(database, options, batch: 1)
      #expect(
        throws: dataError(.keyTooLong(property: "a", byteCount: 65_534, limit: 65_533), 2, 6)
      ) {
        try importer.run(
          readingTwice: { JSONReader(MemorySource("{\"a\":\"k\"}\n{\"a\":\"\(long)\"}")) })
      }
      #expect(try database.snapshot().version == version)
      _ = try importer.run(readingTwice: { JSONReader(MemorySource("{\"a\":\"\(longest)\"}")) })
      #expect(try database.check().findings == [])
    }
    // A byte 00 counts twice.
    let zeros = String(repeating: "\\u0000", count: 32_767)
    let database = try Database.inMemory()
    #expect(
      throws: dataError(.keyTooLong(property: "a", byteCount: 65_534, limit: 65_533), 1, 6)
    ) {
      try ImporterTests.importer(database, ImportOptions(indexes: ["a"])).run(
        readingTwice: { JSONReader(MemorySource("{\"a\":\"\(zeros)\"}")) })
    }
  }

  /// Names that Swift takes for one are two properties, in JSON and CSV.
  @Test func propertiesAreToldApartByTheirBytes() throws {
    let names = ["\u{E9}", "e\u{301}"]
    for (data, isCSV) in [
      ("{\"\(names[0])\":1,\"\(names[1])\":\"x\"}", false),
      ("\(names[0]),\(names[1])\n1,x\n", true),
    ] {
      let database = try Self.imported(data, [], isCSV: isCSV)
      let properties = try #require(try database.snapshot().schema["Thing"]).properties
      #expect(properties.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
      #expect(try ImporterTests.values(names[0], in: database) == [.int(1)])
      #expect(try ImporterTests.values(names[1], in: database) == [.string("x")])
      #expect(try database.check().findings == [])
    }
  }
}
