import AtollObjects
import TestThreads
import Testing

/// Which values a property takes, and in which form it holds them.
@Suite(.computing) struct ValueFittingTests {
  private let database: Database
  private let key: ObjectKey

  init() throws {
    database = try Database.inMemory()
    key = try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("double", .double), PropertySchema("decimal", .decimal),
            PropertySchema("float", .float), PropertySchema("int", .int),
            PropertySchema("any", .mixed, isOptional: true),
            PropertySchema("list", .int, collection: .list),
            PropertySchema("set", .double, collection: .set, isOptional: true),
            PropertySchema("map", .string, collection: .map),
            PropertySchema("self", linkTo: "Thing"),
          ]))
      return try transaction.create("Thing", [:])
    }
  }

  /// What a property holds after it was set; the error when it was refused.
  private func held(_ property: String, _ value: Value) throws -> Value {
    try database.write { try $0.set("Thing", key, property, value) }
    return try #require(try database.snapshot().table("Thing").object(key))[property]
  }

  @Test func widensNumbersThatKeepTheirValue() throws {
    #expect(isExactly(try held("double", .int(3)), .double(3)))
    #expect(isExactly(try held("double", .float(0.5)), .double(0.5)))
    #expect(isExactly(try held("decimal", .int(-7)), .decimal(Decimal128(-7))))
    #expect(isExactly(try held("set", .list([.int(2), .int(1)])), .set([.double(1), .double(2)])))
  }

  @Test func aSetHoldsEachElementOnceInOrder() throws {
    let elements: [Value] = [
      .double(2), .double(-0.0), .null, .double(.nan), .double(0), .int(2), .null, .double(-1),
    ]
    let expected: [Value] = [.null, .double(.nan), .double(-1), .double(-0.0), .double(2)]
    #expect(isExactly(try held("set", .set(elements)), .set(expected)))
    #expect(isExactly(try held("set", .list(elements)), .set(expected)))
  }

  @Test func aListTakesTheElementsOfASet() throws {
    #expect(isExactly(try held("list", .set([.int(2), .int(1)])), .list([.int(2), .int(1)])))
  }

  @Test(arguments: [
    ("double", Value.int(1 << 53 | 1), "double", "int"),
    ("double", .decimal(1), "double", "decimal128"),
    ("float", .double(1), "float", "double"),
    ("int", .double(1), "int", "double"),
    ("int", .bool(true), "int", "bool"),
    ("int", .list([.int(1)]), "int", "list"),
    ("list", .int(1), "list of int", "int"),
    ("list", .list([.int(1), .string("x")]), "list of int", "string"),
    ("set", .map(["a": .double(1)]), "set of double", "map"),
    ("map", .list([.string("a")]), "map of string", "list"),
    ("map", .map(["a": .string("x"), "b": .data([])]), "map of string", "data"),
    ("self", .int(1), "optional link", "int"),
  ])
  func refusesAnotherType(_ property: String, _ value: Value, _ expected: String, _ found: String)
    throws
  {
    let error = ObjectError.typeMismatch(
      className: "Thing", property: property, expected: expected, found: found)
    #expect(throws: error) { try held(property, value) }
    #expect(throws: error) { try database.write { try $0.create("Thing", [property: value]) } }
    #expect(try database.snapshot().table("Thing").count == 1)
  }

  @Test(arguments: ["list", "map"])
  func refusesNullAmongRequiredElements(_ property: String) throws {
    let value: Value = property == "list" ? .list([.int(1), .null]) : .map(["a": .null])
    #expect(throws: ObjectError.nullInRequiredProperty(className: "Thing", property: property)) {
      try held(property, value)
    }
  }

  @Test func aMixedValueNestsAsDeepAsItsEncoding() throws {
    func nested(_ depth: Int) -> Value {
      (0..<depth).reduce(.int(1)) { value, level in
        level % 2 == 0 ? .list([value]) : .map(["k": value])
      }
    }
    #expect(isExactly(try held("any", nested(100)), nested(100)))
    // In one transaction, so that what is refused would be seen if it left a trace.
    try database.write { transaction in
      #expect(
        throws: ObjectError.typeMismatch(
          className: "Thing", property: "any", expected: "optional mixed", found: "list")
      ) { try transaction.create("Thing", ["any": nested(101)]) }
      #expect(throws: ObjectError.self) { try transaction.set("Thing", key, "any", nested(101)) }
      let kept = try transaction.value("Thing", key, "any")
      #expect(isExactly(kept, nested(100)))
    }
    #expect(try database.snapshot().table("Thing").count == 1)
    try database.expectSound()
  }

  @Test func anUpsertThatIsRefusedChangesNothing() throws {
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Keyed", properties: [PropertySchema("id", .string), PropertySchema("n", .int)],
          primaryKey: "id"))
      try transaction.upsert("Keyed", primaryKey: .string("a"), ["n": .int(1)])
      #expect(throws: ObjectError.noSuchProperty("m", className: "Keyed", nearest: nil)) {
        try transaction.upsert("Keyed", primaryKey: .string("a"), ["n": .int(2), "m": .int(1)])
      }
      #expect(throws: ObjectError.self) {
        try transaction.upsert("Keyed", primaryKey: .string("b"), ["n": .string("x")])
      }
      #expect(throws: ObjectError.missingPrimaryKey(className: "Thing", property: "")) {
        try transaction.upsert("Thing", primaryKey: .int(1), [:])
      }
    }
    let table = try database.snapshot().table("Keyed")
    #expect(table.count == 1)
    #expect(isExactly(try #require(try table.object(primaryKey: .string("a")))["n"], .int(1)))
  }
}
