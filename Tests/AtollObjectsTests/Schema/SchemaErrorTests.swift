import AtollObjects
import TestThreads
import Testing

/// Every change of a schema that is refused, with its error; nothing of it remains.
@Suite(.computing) struct SchemaErrorTests {
  /// A change, and the error that it is refused with.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let error: ObjectError
    let change: @Sendable (Transaction) throws -> Void

    init(
      _ problem: ObjectError.SchemaProblem,
      _ change: @escaping @Sendable (Transaction) throws -> Void
    ) {
      self.init(.invalidSchema(problem), change)
    }

    init(_ error: ObjectError, _ change: @escaping @Sendable (Transaction) throws -> Void) {
      self.error = error
      self.change = change
    }

    var testDescription: String { "\(error)" }
  }

  static func added(
    _ name: String, _ properties: [PropertySchema], primaryKey: String? = nil,
    isEmbedded: Bool = false
  ) -> @Sendable (Transaction) throws -> Void {
    {
      try $0.addClass(
        ClassSchema(name, properties: properties, primaryKey: primaryKey, isEmbedded: isEmbedded))
    }
  }

  static func property(_ property: PropertySchema) -> @Sendable (Transaction) throws -> Void {
    { try $0.addProperty(property, to: "Person") }
  }

  static let longClassName = String(repeating: "c", count: 58)
  static let longPropertyName = String(repeating: "ü", count: 32)

  static let refusals: [Refusal] =
    [
      Refusal(.classExists("Person"), added("Person", [])),
      Refusal(.classExists("Twice")) {
        try $0.addClasses([
          ClassSchema("Twice", properties: []), ClassSchema("Twice", properties: []),
        ])
      },
      Refusal(.emptyName, added("", [])),
      Refusal(.emptyName, added("New", [PropertySchema("", .int)])),
      Refusal(.nameTooLong(longClassName, limit: 57), added(longClassName, [])),
      Refusal(
        .nameTooLong(longPropertyName, limit: 63),
        added("New", [PropertySchema(longPropertyName, .int)])),
      Refusal(
        .unknownLinkTarget("Nobody", className: "New", property: "l"),
        added("New", [PropertySchema("l", linkTo: "Nobody")])),
      Refusal(
        .missingLinkTarget(className: "New", property: "l"),
        added("New", [PropertySchema("l", .link)])),
      Refusal(
        .embeddedWithPrimaryKey("New"),
        added("New", [PropertySchema("k", .int)], primaryKey: "k", isEmbedded: true)),
      Refusal(
        .duplicateProperty("a", className: "New"),
        added("New", [PropertySchema("a", .int), PropertySchema("a", .string)])),
      Refusal(
        .unknownPrimaryKey("nme", className: "New", nearest: "name"),
        added("New", [PropertySchema("name", .string)], primaryKey: "nme")),
      Refusal(
        .propertyExists("name", className: "Person"), property(PropertySchema("name", .int))),
      Refusal(.emptyName, property(PropertySchema("", .int))),
      Refusal(
        .unknownLinkTarget("Nobody", className: "Person", property: "l"),
        property(PropertySchema("l", linkTo: "Nobody"))),
      Refusal(.noSuchClass("Persom", nearest: "Person")) {
        try $0.addProperty(PropertySchema("x", .int), to: "Persom")
      },
      Refusal(.noSuchClass("Zebra", nearest: nil)) { try $0.addIndex(on: "name", of: "Zebra") },
      Refusal(.noSuchProperty("nam", className: "Person", nearest: "name")) {
        try $0.addIndex(on: "nam", of: "Person")
      },
      Refusal(.notIndexable("friends", className: "Person", type: "list of link")) {
        try $0.addIndex(on: "friends", of: "Person")
      },
      Refusal(.notIndexable("any", className: "Person", type: "mixed")) {
        try $0.addIndex(on: "any", of: "Person")
      },
      Refusal(.notFullTextIndexable("any", className: "Person", type: "mixed")) {
        try $0.addFullTextIndex(on: "any", of: "Person")
      },
      Refusal(.noSuchProperty("nam", className: "Person", nearest: "name")) {
        try $0.addFullTextIndex(on: "nam", of: "Person")
      },
      Refusal(.noSuchProperty("nam", className: "Person", nearest: "name")) {
        try $0.removeFullTextIndex(on: "nam", of: "Person")
      },
      Refusal(
        .notFullTextIndexable("t", className: "Person", type: "optional data"),
        property(PropertySchema("t", .data, isOptional: true, isFullTextIndexed: true))),
      Refusal(
        .notFullTextIndexable("t", className: "New", type: "list of string"),
        added(
          "New", [PropertySchema("t", .string, collection: .list, isFullTextIndexed: true)])),
      Refusal(.noSuchProperty("nam", className: "Person", nearest: "name")) {
        try $0.makeOptional("nam", of: "Person")
      },
      Refusal(.noSuchClass("Persom", nearest: "Person")) { try $0.makeOptional("a", of: "Persom") },
    ]
    + ([
      .bool, .float, .double, .decimal, .data, .date, .mixed,
    ] as [ValueType]).map { type in
      Refusal(
        .notAPrimaryKey("k", className: "New", type: type.queryName),
        added("New", [PropertySchema("k", type)], primaryKey: "k"))
    }
    + ([.list, .set, .map] as [CollectionKind]).flatMap { kind in
      [
        Refusal(
          .notAPrimaryKey("k", className: "New", type: "int"),
          added("New", [PropertySchema("k", .int, collection: kind)], primaryKey: "k")),
        Refusal(
          .notIndexable("i", className: "Person", type: "\(kind) of int"),
          property(PropertySchema("i", .int, collection: kind, isIndexed: true))),
      ]
    }

  @Test(arguments: refusals)
  func refuses(_ refusal: Refusal) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Person",
          properties: [
            PropertySchema("name", .string), PropertySchema("any", .mixed),
            PropertySchema("friends", linkTo: "Person", collection: .list),
          ]))
      try transaction.create("Person", ["name": .string("Ada")])
    }
    let before = try database.snapshot().schema.classes
    try database.write { transaction in
      #expect(throws: refusal.error) { try refusal.change(transaction) }
      #expect(transaction.schema.classes == before)
      // The transaction goes on as if nothing had been asked.
      try transaction.create("Person", ["name": .string("Grace")])
    }
    #expect(try database.snapshot().schema.classes == before)
    #expect(try database.snapshot().table("Person").count == 2)
    try database.expectSound()
  }

  @Test func everyErrorIsASentenceOfItsOwn() {
    let sentences = Self.refusals.map { "\($0.error)" }
    for sentence in sentences {
      #expect(
        !sentence.isEmpty && !sentence.contains("ObjectError") && !sentence.contains("Optional"))
    }
  }
}
