import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

@Suite(.computing) struct ImportPlanTests {
  /// The plan for a JSON text into a file that has `classes`.
  static func plan(
    _ json: String, _ options: ImportOptions = ImportOptions(), classes: [ClassSchema] = []
  ) throws(ImportError) -> ImportPlan {
    try plan(try readJSON(json), options, classes: classes)
  }

  static func plan(
    _ records: [DataRecord], _ options: ImportOptions, classes: [ClassSchema]
  ) throws(ImportError) -> ImportPlan {
    let primaryKey = classes.first { $0.name == "Thing" }?.primaryKey ?? options.primaryKey
    var inference = TypeInference(primaryKey: primaryKey)
    for record in records { inference.observe(record) }
    var existing = ExistingClasses()
    existing.classes = classes
    return try ImportPlan(inference, className: "Thing", options: options, existing: existing)
  }

  @Test(arguments: [
    (#"{"a":1}"#, "int"), ("{\"a\":1}\n{\"a\":null}", "int?"), ("{\"a\":1}\n{}", "int?"),
    ("{}\n{\"a\":1}", "int?"), ("{\"a\":1}\n{\"a\":2.0}", "double"),
    ("{\"a\":2.5}\n{\"a\":1}", "double"), (#"{"a":true}"#, "bool"), (#"{"a":"x"}"#, "string"),
    (#"{"a":""}"#, "string"), (#"{"a":"2024-05-01"}"#, "date"),
    ("{\"a\":\"2024-05-01\"}\n{\"a\":null}\n{\"a\":\"2024-05-01T12:00Z\"}", "date?"),
    ("{\"a\":\"2024-05-01\"}\n{\"a\":\"soon\"}", "string"),
    ("{\"a\":\"soon\"}\n{\"a\":\"2024-05-01\"}", "string"), (#"{"a":[1,2]}"#, "list of int"),
    (#"{"a":[1,2.5]}"#, "list of double"), (#"{"a":["x",null]}"#, "list of string?"),
    ("{\"a\":[]}\n{\"a\":[\"x\"]}\n{\"a\":null}\n{}", "list of string"),
    (#"{"a":["2024-05-01"]}"#, "list of date"), (#"{"a":[true]}"#, "list of bool"),
    (#"{"a":{"x":1,"y":2}}"#, "map of int"), (#"{"a":{"x":1,"y":2.5}}"#, "map of double"),
    ("{\"a\":{\"x\":\"one\"}}\n{\"a\":null}\n{\"a\":{}}", "map of string"),
    (#"{"a":{"x":1,"y":"two"}}"#, "map of mixed"), (#"{"a":{"x":null,"y":2}}"#, "map of int?"),
    (#"{"a":{"x":{"y":1}}}"#, "map of mixed"), (#"{"a":[{"x":1}]}"#, "list of mixed"),
    (#"{"a":[[1,2],[3]]}"#, "list of mixed"),
  ])
  func infersTypesFromJSON(json: String, type: String) throws {
    let plan = try Self.plan(json)
    #expect(plan.properties.map(\.description.typeName) == [type])
  }

  @Test(arguments: [
    ("1\n-5\n0", "int"), ("1\n\n2.5", "double?"), ("1e3\n2", "string"),
    ("1e3\n2.5", "double"), ("1e+3\n2", "double"), ("1.0e3\n2", "double"), ("1E5", "string"),
    ("true\nFALSE", "bool"),
    ("007", "string"), ("+1", "string"), ("-0", "int"), ("1\ntrue", "string"), ("1\nx", "string"),
    ("\"1\"\n2", "int"), ("\"\"\n2", "string"), ("9223372036854775808", "string"),
    ("2024-05-01\n2024-05-01T10:00Z", "date"), ("2024-05-01\n5", "string"), ("NaN", "string"),
    ("9007199254740993\n1", "int"), ("9007199254740993\n1.5", "string"),
  ])
  func infersTypesFromCSV(column: String, type: String) throws {
    let plan = try Self.plan(try readCSV("a\n" + column), ImportOptions(), classes: [])
    #expect(plan.properties.map(\.description.typeName) == [type])
  }

  @Test(arguments: [
    ("1\n2\nx\n3\n4\n5\n6\n7\n8\n9", ValueType.int, 4, "x", 1),
    ("n/a\n2.5\n3\n4\n5\n6\n7\n8\n9\n10", .double, 2, "n/a", 1),
    ("true\n" + String(repeating: "false\n", count: 19) + "no\nnever", .bool, 22, "no", 2),
    (String(repeating: "2024-05-01\n", count: 12) + "soon\n2024-05-02", .date, 14, "soon", 1),
  ])
  func namesTheCellThatMadeAColumnText(
    column: String, type: ValueType, line: Int, text: String, count: Int
  ) throws {
    let plan = try Self.plan(try readCSV("a\n" + column), ImportOptions(), classes: [])
    let odd = try #require(plan.oddValues.first)
    #expect(plan.properties.map(\.description.typeName) == ["string"])
    #expect(odd.type == type)
    #expect(odd.position == SourcePosition(line: line, column: 1))
    #expect(odd.text == text)
    #expect(odd.count == count)
  }

  @Test(arguments: ["x\ny\nz\n1", "1\n2\nx", "a\nb", "1\n2"])
  func saysNothingOfColumnsThatAreText(column: String) throws {
    let plan = try Self.plan(try readCSV("a\n" + column), ImportOptions(), classes: [])
    #expect(plan.oddValues.isEmpty)
  }

  /// A type given by an option, and the first value that does not fit it.
  @Test(arguments: [
    ("1\nx\n3", ValueType.int, "int", 3), ("1\n2.5", .int, "int", 3),
    ("x\n1", .double, "double", 2),
    ("2024-05-01\n\nsoon", .date, "date", 4), ("1\n1e", .decimal, "decimal128", 3),
    ("yes", .bool, "bool", 2), ("00000000", .uuid, "uuid", 2),
  ])
  func aStatedTypeRefusesOtherValues(
    column: String, type: ValueType, name: String, line: Int
  ) throws {
    let options = ImportOptions(types: [.init(property: "a", type: type)])
    let error = importError { () throws(ImportError) in
      _ = try Self.plan(
        Self.stated(try readCSV("a,b\n" + column.replacing("\n", with: ",\n") + ","), options))
    }
    guard case .data(.contradiction("a", _, name, by: .option), let position) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(position == SourcePosition(line: line, column: 1))
  }

  @Test(arguments: [
    ("1\n2", ValueType.string, "string"), ("1\n2", .double, "double"),
    ("1.5\n2", .decimal, "decimal128"), ("x", .mixed, "mixed"),
  ])
  func aStatedTypeIsTaken(column: String, type: ValueType, name: String) throws {
    let options = ImportOptions(types: [.init(property: "a", type: type)])
    let plan = try Self.plan(Self.stated(try readCSV("a\n" + column), options))
    #expect(plan.properties.map(\.description.typeName) == [name])
  }

  /// A mixed value may be a list or an object beside others; where all are, they stay collections.
  @Test(arguments: [
    (#"{"a":[1]} {"a":"x"}"#, "mixed"), (#"{"a":{"k":1}} {"a":7}"#, "mixed"),
    (#"{"a":{"k":1}} {"a":[1]}"#, "mixed"), (#"{"a":[]} {"a":null} {"a":1.5}"#, "mixed?"),
    (#"{"a":[1]} {"a":["x"]} {"a":null}"#, "list of mixed"),
    (#"{"a":{"k":1}} {"a":{}}"#, "map of mixed"),
  ])
  func aStatedMixedTypeTakesListsAndObjectsBesideOthers(records: String, type: String) throws {
    let options = ImportOptions(types: [.init(property: "a", type: .mixed)])
    let plan = try Self.plan(
      Self.stated(try readJSON(records.replacing("} {", with: "}\n{")), options))
    #expect(plan.properties.map(\.description.typeName) == [type])
  }

  /// What the data shows when the options are known before.
  private static func stated(_ records: [DataRecord], _ options: ImportOptions) -> TypeInference {
    var inference = TypeInference(
      primaryKey: options.primaryKey, shape: ImportShape(options: options, className: "Thing"))
    for record in records { inference.observe(record) }
    return inference
  }

  private static func plan(_ inference: TypeInference) throws(ImportError) -> ImportPlan {
    try ImportPlan(
      inference, className: "Thing", options: inference.shape.options,
      existing: ExistingClasses())
  }

  @Test func embeddedObjectsHaveAClassOfTheirOwn() throws {
    let options = ImportOptions(
      embedded: [
        .init(property: "home", target: "Place"), .init(property: "stops", target: "Place"),
        .init(property: "home.owner", target: "Person"),
      ], types: [.init(property: "stops.lat", type: .double)])
    let json = """
      {"home": {"lat": 1.5, "owner": {"name": "x"}}, "stops": [{"lat": 2}, {"lat": 3, "n": 1}]}
      {"home": null, "stops": []}
      """
    let plan = try Self.plan(Self.stated(try readJSON(json), options))
    #expect(
      plan.changes == [
        .addEmbedded([
          ClassSchema(
            "Place",
            properties: [
              PropertySchema("lat", .double), PropertySchema("owner", linkTo: "Person"),
              PropertySchema("n", .int, isOptional: true),
            ], isEmbedded: true),
          ClassSchema("Person", properties: [PropertySchema("name", .string)], isEmbedded: true),
        ]),
        .addClass(
          ClassSchema(
            "Thing",
            properties: [
              PropertySchema("home", linkTo: "Place"),
              PropertySchema("stops", linkTo: "Place", collection: .list),
            ])),
      ])
    let error = importError { () throws(ImportError) in
      _ = try Self.plan(Self.stated(try readJSON(#"{"home": 5, "stops": [], "x": {}}"#), options))
    }
    #expect(
      error
        == dataError(
          .contradiction(property: "home", found: "an int", expected: "link to Place", by: .option),
          1, 10))
  }

  /// A class is embedded in itself, and its options apply at every depth.
  @Test func embeddedObjectsOfOneClassHaveTheSamePropertiesAtEveryDepth() throws {
    let options = ImportOptions(
      embedded: [.init(property: "a", target: "E"), .init(property: "a.a", target: "E")])
    let json = #"{"a":{"x":1,"a":{"x":2,"a":{"x":3,"y":9}}}}"#
    let plan = try Self.plan(Self.stated(try readJSON(json), options))
    #expect(
      plan.changes.first
        == .addEmbedded([
          ClassSchema(
            "E",
            properties: [
              PropertySchema("x", .int), PropertySchema("a", linkTo: "E"),
              PropertySchema("y", .int, isOptional: true),
            ], isEmbedded: true)
        ]))
    let record = try plan.convert(try #require(try readJSON(json).first))
    var innermost = record
    while let next = innermost.embedded.first?.objects.first { innermost = next }
    #expect(
      innermost.values.map(\.place).map {
        plan.embeddedClasses[ExactText("E")]?[$0].description.name
      }
        == ["x", "y"])
    #expect(innermost.values.map(\.value) == [.int(3), .int(9)])
  }

  /// The types given for one class through the names of different properties.
  @Test func typesOfEmbeddedObjectsAreThoseOfTheirClass() throws {
    var options = ImportOptions(
      embedded: [.init(property: "a", target: "E"), .init(property: "b", target: "E")],
      types: [.init(property: "b.x", type: .double), .init(property: "a.y", type: .string)])
    let records = try readJSON(#"{"a":{"x":1,"y":"s"},"b":{"x":2,"y":"t"}}"#)
    let plan = try Self.plan(Self.stated(records, options))
    #expect(
      plan.embeddedClasses[ExactText("E")]?.map(\.description) == [
        PropertySchema("x", .double), PropertySchema("y", .string),
      ])
    options.types.append(.init(property: "a.x", type: .double))
    _ = try Self.plan(Self.stated(records, options))
    options.types[0].type = .float
    let error = importError { () throws(ImportError) in
      _ = try Self.plan(Self.stated(records, options))
    }
    #expect(error == .request(.contradictingOptionsInside(className: "E", property: "x")))
  }

  @Test func indexesAreNotForWhatIsInEmbeddedObjects() throws {
    let records = try readJSON(#"{"e":{"x":1,"s":"t"}}"#)
    let embedded = [ImportOptions.LinkOption(property: "e", target: "E")]
    for (options, option, name) in [
      (ImportOptions(indexes: ["e.x"], embedded: embedded), "--index", "e.x"),
      (ImportOptions(fullTexts: ["e.s"], embedded: embedded), "--full-text", "e.s"),
    ] {
      let error = importError { () throws(ImportError) in
        _ = try Self.plan(Self.stated(records, options))
      }
      #expect(error == .request(.insideEmbedded(name, option: option)))
    }
  }

  /// Numbers that a stated type could only hold as others.
  @Test(arguments: [
    ("1e39", ValueType.float, DataProblem.tooLarge(property: "a", number: "1e39", type: .float)),
    ("-1e39", .float, .tooLarge(property: "a", number: "-1e39", type: .float)),
    ("16777217", .float, .inexact(property: "a", number: "16777217", type: .float)),
    ("\"1E+7000\"", .decimal, .tooLarge(property: "a", number: "1E+7000", type: .decimal)),
  ])
  func aStatedTypeRefusesNumbersThatItWouldChange(
    number: String, type: ValueType, problem: DataProblem
  ) throws {
    let options = ImportOptions(types: [.init(property: "a", type: type)])
    for text in [number, "[1, \(number)]"] {
      let error = importError { () throws(ImportError) in
        _ = try Self.plan(Self.stated(try readJSON("{\"a\":\(text)}"), options))
      }
      #expect(error == dataError(problem, 1, number == text ? 6 : 10))
    }
    // As the type of a property that the file has.
    var existing = ExistingClasses()
    existing.classes = [ClassSchema("Thing", properties: [PropertySchema("a", type)])]
    let inFile = importError { () throws(ImportError) in
      var inference = TypeInference(
        primaryKey: nil, shape: ImportShape(className: "Thing", existing: existing))
      for record in try readJSON("{\"a\":\(number)}") { inference.observe(record) }
      _ = try ImportPlan(
        inference, className: "Thing", options: ImportOptions(), existing: existing)
    }
    #expect(inFile == dataError(problem, 1, 6))
  }

  @Test func aDecimalIsTakenFromTheDigits() throws {
    let options = ImportOptions(types: [.init(property: "a", type: .decimal)])
    let digits = "12345678901234567890"
    for records in [try readJSON("{\"a\":\(digits)}"), try readCSV("a\n\(digits)\n")] {
      let plan = try Self.plan(Self.stated(records, options))
      let record = try plan.convert(try #require(records.first))
      #expect(record.values.map(\.value) == [.decimal(try #require(Decimal128(digits)))])
    }
    let infinite = try readJSON(#"{"a":"Infinity"}"#)
    let plan = try Self.plan(Self.stated(infinite, options))
    #expect(
      try plan.convert(try #require(infinite.first)).values.map(\.value) == [
        .decimal(try #require(Decimal128("Infinity")))
      ])
  }

  @Test func leavesOutWhatHasNoValue() throws {
    let plan = try Self.plan("{\"a\":null,\"b\":[],\"c\":1}\n{\"a\":null,\"b\":null,\"c\":2}")
    #expect(plan.properties.map(\.description.name) == ["c"])
    #expect(plan.valuelessProperties == ["a", "b"])
  }

  @Test func definesTheClassWithKeysLinksAndIndexes() throws {
    let options = ImportOptions(
      primaryKey: "iso", indexes: ["name"],
      links: [.init(property: "continent", target: "Continent")],
      listLinks: [.init(property: "neighbours", target: "Thing")])
    let json = """
      {"iso": "2024-05-01", "name": "x", "continent": "EU", "neighbours": []}
      {"iso": "FR", "name": "y", "continent": null, "neighbours": ["ES"]}
      """
    let plan = try Self.plan(json, options)
    #expect(
      plan.changes == [
        .addClass(
          ClassSchema(
            "Continent", properties: [PropertySchema("(primary key)", .string)],
            primaryKey: "(primary key)")),
        .addClass(
          ClassSchema(
            "Thing",
            properties: [
              PropertySchema("iso", .string),
              PropertySchema("name", .string, isIndexed: true),
              PropertySchema("continent", linkTo: "Continent"),
              PropertySchema("neighbours", linkTo: "Thing", collection: .list),
            ], primaryKey: "iso")),
      ])
    #expect(plan.properties.map(\.keyType) == [nil, nil, .string, .string])
  }

  /// What a link has made of a class before its own data comes.
  static func placeholder(_ type: ValueType) -> ExistingClasses {
    var existing = ExistingClasses()
    existing.classes = [
      ClassSchema(
        "Thing", properties: [PropertySchema("(primary key)", type)],
        primaryKey: "(primary key)")
    ]
    existing.placeholders = ["Thing"]
    return existing
  }

  @Test func givesAPlaceholderItsNameAndItsProperties() throws {
    var inference = TypeInference(primaryKey: "iso")
    for record in try readJSON("{\"iso\":\"FR\",\"n\":1}\n{\"iso\":\"ES\"}") {
      inference.observe(record)
    }
    let plan = try ImportPlan(
      inference, className: "Thing", options: ImportOptions(primaryKey: "iso", indexes: ["n"]),
      existing: Self.placeholder(.string))
    #expect(plan.primaryKey == "iso")
    #expect(
      plan.changes == [
        .nameKey("iso"),
        .addProperty(PropertySchema("n", .int, isOptional: true, isIndexed: true)),
      ])
  }

  @Test func refusesDataWhoseKeysAreNotWhatLinksLeadTo() throws {
    var inference = TypeInference(primaryKey: "iso")
    for record in try readJSON("{\"iso\":\"FR\"}") { inference.observe(record) }
    let data = importError { () throws(ImportError) in
      _ = try ImportPlan(
        inference, className: "Thing", options: ImportOptions(primaryKey: "iso"),
        existing: Self.placeholder(.int))
    }
    #expect(data == dataError(.primaryKeyType("iso", expected: .int, found: "a string"), 1, 8))
    let request = importError { () throws(ImportError) in
      _ = try ImportPlan(
        inference, className: "Thing", options: ImportOptions(),
        existing: Self.placeholder(.string))
    }
    #expect(request == .request(.primaryKeyNeeded("Thing")))
  }

  @Test func aLinkWithoutAnyKeyHasNoTypeUnlessItsTargetIsKnown() throws {
    let options = ImportOptions(links: [.init(property: "to", target: "Other")])
    let unknown = try Self.plan("{\"n\":1,\"to\":null}", options)
    #expect(unknown.valuelessProperties == ["to"])
    let known = try Self.plan("{\"n\":1,\"to\":null}", options, classes: [Self.other])
    #expect(known.properties.map(\.keyType) == [nil, .int])
  }

  @Test func linksToOneClassHaveKeysOfOneType() throws {
    let options = ImportOptions(
      links: [.init(property: "a", target: "Other"), .init(property: "b", target: "Other")])
    let error = importError { () throws(ImportError) in
      _ = try Self.plan("{\"a\":1,\"b\":\"x\"}", options)
    }
    #expect(
      error == dataError(.linkKeyType(property: "b", expected: .int, found: "a string"), 1, 12))
  }

  typealias Refusal = (json: String, problem: DataProblem, line: Int, column: Int)

  @Test(
    arguments: [
      (
        "{\"a\":1}\n{\"a\":\"x\"}",
        .contradiction(
          property: "a", found: "a string", expected: "int",
          by: .value(at: .init(line: 1, column: 6))
        ), 2, 6
      ),
      (
        "{\"a\":\"2024-05-01\"}\n{\"a\":\"x\"}\n{\"a\":1}",
        .contradiction(
          property: "a", found: "an int", expected: "string",
          by: .value(at: .init(line: 1, column: 6))), 3, 6
      ),
      (
        "{\"a\":true}\n{\"a\":null}\n{\"a\":0}",
        .contradiction(
          property: "a", found: "an int", expected: "bool",
          by: .value(at: .init(line: 1, column: 6))
        ), 3, 6
      ),
      (
        "{\"a\":[1]}\n{\"a\":1}",
        .contradiction(
          property: "a", found: "an int", expected: "a list",
          by: .value(at: .init(line: 1, column: 6))), 2, 6
      ),
      (
        "{\"a\":[]}\n{\"a\":1}",
        .contradiction(
          property: "a", found: "an int", expected: "a list",
          by: .value(at: .init(line: 1, column: 6))), 2, 6
      ),
      (
        "{\"a\":1}\n{\"a\":[1]}",
        .contradiction(
          property: "a", found: "a list", expected: "int", by: .value(at: .init(line: 1, column: 6))
        ), 2, 6
      ),
      (
        "{\"a\":[1, 2,\n \"x\"]}",
        .contradiction(
          property: "a", found: "a string", expected: "list of int",
          by: .value(at: .init(line: 1, column: 7))), 2, 2
      ),
      (
        "{\"a\":{\"x\":1}}\n{\"a\":5}",
        .contradiction(
          property: "a", found: "an int", expected: "an object",
          by: .value(at: SourcePosition(line: 1, column: 6))), 2, 6
      ),
      ("{\"a\":9223372036854775808}", .integerOutOfRange("9223372036854775808"), 1, 6),
      ("{\"a\":1}\n{\"a\":1e400}", .doubleOutOfRange("1e400"), 2, 6),
      ("{\"a\":[{\"b\":1e400}]}", .doubleOutOfRange("1e400"), 1, 12),
      (
        "{\"a\":1.5}\n{\"a\":9223372036854775809}",
        .inexact(property: "a", number: "9223372036854775809", type: .double), 2, 6
      ),
      ("{\"\":1}", .emptyName, 1, 5),
      (
        "{\"\(String(repeating: "n", count: 64))\":1}",
        .nameTooLong(String(repeating: "n", count: 64), limit: 63), 1, 69
      ),
      (
        "{\"a\":[\(String(repeating: "[", count: 100))\(String(repeating: "]", count: 100))]}",
        .tooDeep(limit: 100), 1, 106
      ),
      ("{\"a\":1}\n{\"a\":-9223372036854775809}", .integerOutOfRange("-9223372036854775809"), 2, 6),
      ("{\"a\":[9223372036854775808]}", .integerOutOfRange("9223372036854775808"), 1, 7),
      ("{\"a\":{\"b\":[[9223372036854775808]]}}", .integerOutOfRange("9223372036854775808"), 1, 13),
      ("{\"a\":[{\"b\":9223372036854775808}]}", .integerOutOfRange("9223372036854775808"), 1, 12),
      ("{\"key\":1}\n\n  {\"a\":1}", .primaryKeyMissing("key"), 3, 3),
      ("{\"key\":1}\n{\"key\":null}", .primaryKeyNull("key"), 2, 8),
      ("{\"key\":1.5}", .primaryKeyType("key", expected: nil, found: "a double"), 1, 8),
      (
        "{\"key\":1}\n{\"key\":\"x\"}", .primaryKeyType("key", expected: .int, found: "a string"),
        2, 8
      ),
      (
        "{\"key\":\"x\"}\n{\"key\":1}", .primaryKeyType("key", expected: .string, found: "an int"),
        2, 8
      ),
      (
        "{\"link\":1}\n{\"link\":\"x\"}",
        .linkKeyType(property: "link", expected: .int, found: "a string"), 2, 9
      ),
      ("{\"link\":2.5}", .linkKeyType(property: "link", expected: nil, found: "a double"), 1, 9),
      (
        "{\"own\":1,\"key\":\"x\"}",
        .linkKeyType(property: "own", expected: .string, found: "an int"), 1, 8
      ),
      (
        "{\"link\":[1]}",
        .contradiction(property: "link", found: "a list", expected: "link to Other", by: .option),
        1,
        9
      ),
      (
        "{\"links\":1}",
        .contradiction(
          property: "links", found: "an int", expected: "list of link to Other", by: .option), 1, 10
      ),
      ("{\"links\":[1,null]}", .nullInListOfLinks(property: "links"), 1, 13),
    ] as [Refusal])
  func refuses(_ refusal: Refusal) {
    let names = refusal.json
    var options = ImportOptions(primaryKey: names.contains("key") ? "key" : nil)
    if names.contains("\"link\"") { options.links = [.init(property: "link", target: "Other")] }
    if names.contains("\"own\"") { options.links = [.init(property: "own", target: "Thing")] }
    if names.contains("\"links\"") {
      options.listLinks = [.init(property: "links", target: "Other")]
    }
    let error = importError { () throws(ImportError) in _ = try Self.plan(refusal.json, options) }
    #expect(error == dataError(refusal.problem, refusal.line, refusal.column))
  }

  static let existing = ClassSchema(
    "Thing",
    properties: [
      PropertySchema("key", .string), PropertySchema("n", .int),
      PropertySchema("x", .double, isOptional: true),
      PropertySchema("at", .date, isOptional: true),
      PropertySchema("id", .uuid, isOptional: true),
      PropertySchema("to", linkTo: "Other"),
      PropertySchema("tags", .string, collection: .list),
    ], primaryKey: "key")
  static let other = ClassSchema(
    "Other", properties: [PropertySchema("number", .int)], primaryKey: "number")

  @Test(
    arguments: [
      (#"{"key":"a","n":1}"#, []), (#"{"key":"a"}"#, []),
      (#"{"key":"a","n":1,"x":5,"to":7,"tags":null}"#, []),
      (
        #"{"key":"a","n":1,"new":5}"#,
        [.addProperty(PropertySchema("new", .int, isOptional: true))]
      ),
      (
        #"{"key":"a","n":1,"new":[5]}"#,
        [.addProperty(PropertySchema("new", .int, collection: .list))]
      ),
    ] as [(String, [SchemaChange])])
  func changesAnExistingClass(json: String, changes: [SchemaChange]) throws {
    let plan = try Self.plan(json, classes: [Self.existing, Self.other])
    #expect(plan.changes == changes)
    #expect(plan.primaryKey == "key")
  }

  @Test(
    arguments: [
      (
        #"{"key":"a","n":1.5}"#,
        .contradiction(property: "n", found: "a double", expected: "int", by: .file), 1, 16
      ),
      (
        "{\"key\":\"a\",\"n\":1,\"at\":\"2024-05-01\"}\n{\"key\":\"a\",\"n\":1,\"at\":\"x\"}",
        .contradiction(property: "at", found: "a string", expected: "date", by: .file), 2, 23
      ),
      (
        #"{"key":"a","n":1,"id":17}"#,
        .contradiction(property: "id", found: "an int", expected: "uuid", by: .file), 1, 23
      ),
      (
        #"{"key":"a","n":1,"to":"x"}"#,
        .linkKeyType(property: "to", expected: .int, found: "a string"), 1, 23
      ),
      (
        #"{"key":"a","n":1,"tags":"x"}"#,
        .contradiction(property: "tags", found: "a string", expected: "list of string", by: .file),
        1,
        25
      ),
      (#"{"key":5,"n":1}"#, .primaryKeyType("key", expected: .string, found: "an int"), 1, 8),
      (#"{"n":1}"#, .primaryKeyMissing("key"), 1, 1),
      (
        #"{"key":"a","n":null}"#,
        .nullOfRequiredInFile(property: "n", type: "int", isElement: false), 1, 16
      ),
      (
        "{\"key\":\"a\"}\n{\"key\":\"b\",\"tags\":[null]}",
        .nullOfRequiredInFile(property: "tags", type: "list of string", isElement: true), 2, 20
      ),
    ] as [Refusal])
  func refusesWhatDoesNotFitTheClass(_ refusal: Refusal) {
    let error = importError { () throws(ImportError) in
      _ = try Self.plan(refusal.json, classes: [Self.existing, Self.other])
    }
    #expect(error == dataError(refusal.problem, refusal.line, refusal.column))
  }

  @Test(
    arguments: [
      (
        ImportOptions(primaryKey: "n"),
        .primaryKeyDiffers(inFile: "key", requested: "n")
      ),
      (
        ImportOptions(indexes: ["tag"]),
        .unknownProperty("tag", option: "--index", nearest: "tags")
      ),
      (ImportOptions(indexes: ["none"]), .valuelessProperty("none", option: "--index")),
      (
        ImportOptions(links: [.init(property: "n", target: "Other")]),
        .propertyIsNotALink("n", type: "int")
      ),
      (
        ImportOptions(links: [.init(property: "to", target: "Else")]),
        .linkTargetDiffers("to", inFile: "Other", requested: "Else")
      ),
      (
        ImportOptions(listLinks: [.init(property: "zzzzzz", target: "Other")]),
        .unknownProperty("zzzzzz", option: "--list-link", nearest: nil)
      ),
      (
        ImportOptions(indexes: ["tags"]),
        .notIndexable("tags", type: "list of string")
      ),
      (
        ImportOptions(links: [.init(property: "n2", target: "Keyless")]),
        .targetWithoutPrimaryKey("Keyless")
      ),
      (
        ImportOptions(primaryKey: "key", links: [.init(property: "key", target: "Other")]),
        .contradictingOptions(property: "key")
      ),
    ] as [(ImportOptions, RequestProblem)])
  func refusesOptionsThatDoNotFit(options: ImportOptions, problem: RequestProblem) {
    let json = #"{"key":"a","n":1,"n2":1,"to":7,"tags":["x"],"none":null}"#
    let keyless = ClassSchema("Keyless", properties: [PropertySchema("a", .int)])
    let error = importError { () throws(ImportError) in
      _ = try Self.plan(json, options, classes: [Self.existing, Self.other, keyless])
    }
    #expect(error == .request(problem))
  }

  @Test func convertsValuesToTheirPropertiesTypes() throws {
    let json = """
      {"key":"a","n":1,"x":5,"at":"1970-01-02","to":7,"tags":["x"]}
      {"key":"b","n":2,"x":null,"at":null,"to":null,"tags":null}
      """
    let plan = try Self.plan(json, classes: [Self.existing, Self.other])
    let nextDay = try #require(Timestamp(seconds: 86_400, nanoseconds: 0))
    #expect(
      try readJSON(json).map { try plan.convert($0) } == [
        ConvertedRecord(
          primaryKey: .string("a"),
          values: [
            .init(place: 1, value: .int(1)),
            .init(place: 2, value: .double(5)),
            .init(place: 3, value: .date(nextDay)),
            .init(place: 5, value: .list([.string("x")])),
          ], links: [.init(property: "to", targets: [.int(7)])]),
        ConvertedRecord(
          primaryKey: .string("b"),
          values: [
            .init(place: 1, value: .int(2)),
            .init(place: 2, value: .null),
            .init(place: 3, value: .null),
            .init(place: 5, value: .list([])),
          ],
          links: [.init(property: "to", targets: [])]),
      ])
  }

  @Test func convertsTextToTheTypesOfTheClass() throws {
    let csv = "key,n,x,at,to\n007,1,5,1970-01-02,7\n\"\",2,,,\n"
    let plan = try Self.plan(
      try readCSV(csv), ImportOptions(), classes: [Self.existing, Self.other])
    let nextDay = try #require(Timestamp(seconds: 86_400, nanoseconds: 0))
    #expect(
      try readCSV(csv).map { try plan.convert($0) } == [
        ConvertedRecord(
          primaryKey: .string("007"),
          values: [
            .init(place: 1, value: .int(1)),
            .init(place: 2, value: .double(5)),
            .init(place: 3, value: .date(nextDay)),
          ],
          links: [.init(property: "to", targets: [.int(7)])]),
        ConvertedRecord(
          primaryKey: .string(""),
          values: [
            .init(place: 1, value: .int(2)), .init(place: 2, value: .null),
            .init(place: 3, value: .null),
          ],
          links: [.init(property: "to", targets: [])]),
      ])
  }

  /// A file that is changed between the two passes over it.
  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1.5}"#, "a double", "int"),
    (#"{"a":1.5}"#, #"{"a":9007199254740993}"#, "an int that no double equals", "double"),
    (#"{"a":"2024-05-01"}"#, #"{"a":"x"}"#, "a string", "date"),
    (#"{"a":[1]}"#, #"{"a":5}"#, "an int", "list of int"),
    (#"{"a":1}"#, #"{"a":[1]}"#, "a list", "int"),
  ])
  func refusesARecordThatThePlanHasNotSeen(
    planned: String, other: String, found: String, expected: String
  ) throws {
    let plan = try Self.plan(planned)
    let record = try #require(try readJSON(other).first)
    let error = importError { () throws(ImportError) in _ = try plan.convert(record) }
    #expect(
      error
        == dataError(
          .contradiction(property: "a", found: found, expected: expected, by: .file), 1, 6))
  }
}
