import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// The one text of all spellings of a query.
///
/// Promise: identity.text.
@Suite(.computing) struct CanonicalTextTests {
  @Test(arguments: [
    ("a = 1 && b<>2 || !(c = 3)", "a == 1 AND b != 2 OR NOT c == 3"),
    ("((a  ==  1))", "a == 1"), ("a == \"x\"", "a == 'x'"), ("SOME a.b == 1", "ANY a.b == 1"),
    ("a like[c] 'x*'", "a LIKE[c] 'x*'"), ("truepredicate", "TRUEPREDICATE"),
    ("a.@size > 1", "a.@count > 1"), ("a == true or a == nil", "a == TRUE OR a == NULL"),
    ("a == $0 AND b IN $1", "a == 'it\\'s' AND b IN {1, 2}"),
    ("a == %@ AND b IN %@", "a == 'it\\'s' AND b IN {1, 2}"),
    ("ANY $1 == c", "ANY {1, 2} == c"), ("a BETWEEN $1", "a BETWEEN {1, 2}"),
    ("a IN {$0, $2}", "a IN {'it\\'s', 2.5}"), ("$K3 == 1", "x.y == 1"),
    ("a[$4] == 1", "a[7] == 1"), ("a[$0] == 1", "a['it\\'s'] == 1"),
    ("a == obj('P', $4)", "a == obj('P', 7)"),
    ("a == $5", "a == NULL"),
    (
      "p GEOWITHIN geoCircle([$2, 1], $2)", "p GEOWITHIN geoCircle([2.5, 1], 2.5)"
    ), ("p GEOWITHIN $6", "p GEOWITHIN geoCircle([1.0, 2.0], 0.5)"),
    ("SUBQUERY(a, $x, $x.b == $4).@count > $4", "SUBQUERY(a, $x, $x.b == 7).@count > 7"),
    ("a + $4 > 2 * (b - $4)", "a + 7 > 2 * (b - 7)"),
  ])
  func hasOneSpelling(text: String, canonical: String) throws {
    let arguments: [Value] = [
      .string("it's"), .list([.int(1), .int(2)]), .double(2.5), .string("x.y"), .int(7), .null,
      .string("geoCircle([1.0, 2.0], 0.5)"),
    ]
    let found = try QuerySyntax.canonicalText(of: text, arguments: arguments)
    #expect(found == canonical)
    #expect(try QuerySyntax.canonicalText(of: found) == found)
  }

  @Test(arguments: Corpus.accepted)
  func isAFixpoint(text: String) throws {
    let arguments = (0..<4).map { Value.int($0) }
    guard let found = try? QuerySyntax.canonicalText(of: text, arguments: arguments) else {
      // An integer does not fit everywhere.
      return #expect(text.contains("$") || text.contains("%"))
    }
    #expect(try QuerySyntax.canonicalText(of: found).utf8.elementsEqual(found.utf8))
    let tree = try QuerySyntax.parse(found)
    #expect(tree.description.utf8.elementsEqual(found.utf8))
    if !text.contains("$"), !text.contains("%") { #expect(try QuerySyntax.parse(text) == tree) }
  }

  @Test(arguments: [
    ("a == $0", "there is no argument $0"), ("ANY $1 == 2", "there is no argument $1"),
  ])
  func anArgumentThatIsMissingIsNamed(text: String, message: String) {
    #expect { try QuerySyntax.canonicalText(of: text) } throws: {
      ($0 as? QueryError)?.message == message
    }
  }

  @Test func anArgumentThatDoesNotFitIsRefused() {
    let map = Value.map(ValueMap([(key: "a", value: .int(1))]))
    let arguments: [Value] = [
      map, .list([.list([])]), .int(1), .list([.int(1)]),
      .link(ObjectLink(table: 1, key: 1)), .int(-1),
    ]
    for text in [
      "a == $0", "a == $1", "ANY $2 == a", "a BETWEEN $2", "a IN {$3}", "$K2 == 1", "a == $4",
      "a[$5] == 1", "p GEOWITHIN $2", "a == obj('P', $3)", "p GEOWITHIN geoCircle([$3, 1], 1)",
    ] {
      let error = #expect(throws: QueryError.self) {
        try QuerySyntax.canonicalText(of: text, arguments: arguments)
      }
      #expect(error?.kind == .argument, "\(text)")
      #expect(error?.place.token.contains("$") == true || text.contains("ANY"), "\(text)")
    }
    #expect(throws: QueryError.self) { try QuerySyntax.canonicalText(of: "a ==") }
  }

  /// Any name can be written, also one that is a keyword or has characters that no name has.
  @Test(
    arguments: Keyword.allCases.map(\.rawValue) + [
      "AND", "TRUE", "Any", "O12", "$0", "$K1", "$x", "1a", "-a", "a.b", "a(b", "'", "\\", "@count",
      " a", "a b", "a\nb", "%", "größe", "名前", "a\u{0}", "T1", "uuid", "B64", "decimal", "f", "x-1",
    ])
  func anyNameIsReadBack(name: String) throws {
    let path = QuerySyntax.Path([QuerySyntax.Located(.property(name))])
    let backlinks = QuerySyntax.Path([
      QuerySyntax.Located(
        .backlinks(origin: QuerySyntax.Located(name), property: QuerySyntax.Located(name)))
    ])
    for path in [path, backlinks] {
      let request = QuerySyntax.Request(
        .comparison(
          QuerySyntax.Comparison(
            .property(QuerySyntax.PropertyReference(path)), QuerySyntax.Located(.equal),
            .property(QuerySyntax.PropertyReference(path)))),
        descriptors: [.sort([QuerySyntax.SortKey(path, isAscending: true)]), .distinct([path])])
      #expect(try QuerySyntax.parse(request.description) == request, "\(request)")
    }
  }

  // MARK: Values

  private static let values: [Value] = {
    var values: [Value] = [
      .null, .bool(true), .bool(false), .int(0), .int(.min), .int(.max), .int(-1),
      .string(""), .string("it's \\ \"x\"\n\r\t\u{0}\u{7F}\u{1}"), .string("größe\u{301} 名前 🏝️"),
      .data([]), .data([0]), .data(Array(0...255)), .data([1, 2]),
      .uuid(UniqueID(high: 0x0011_2233_4455_6677, low: .max)),
      .float(0.1), .float(-0.0), .float(.greatestFiniteMagnitude), .float(.leastNonzeroMagnitude),
      .float(1e20), .float(5), .double(0.1), .double(-0.0), .double(1e300),
      .double(.leastNonzeroMagnitude),
      .double(1.7976931348623157e308), .double(123_456_789_012_345_680), .double(.infinity),
      .double(-.infinity),
    ]
    values += ["000000000000000000000000", "0123456789abcdefFFFFFFFF"].compactMap {
      ObjectID($0).map { .objectID($0) }
    }
    values += [
      "0", "-0", "12.50", "1E+6144", "-9.999999999999999999999999999999999E-100", "Infinity",
      "-Infinity", "NaN", "1E-6176",
    ].compactMap { Decimal128($0).map { .decimal($0) } }
    for (seconds, nanoseconds) in [
      (0, 0), (-1, -500), (1, 999_999_999), (.max, 0), (.min, 0), (0, -5),
    ] as [(Int64, Int32)] {
      if let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) {
        values.append(.date(date))
      }
    }
    return values
  }()

  @Test func valuesAreReadBackExactly() throws {
    #expect(Self.values.count == 46)
    for value in Self.values {
      let literal = try #require(value.queryLiteral())
      var printer = Printer()
      printer.print(literal)
      let found = try #require(Value(queryLiteral: printer.text), "\(printer.text)")
      #expect(isExactly(found, value), "\(printer.text)")
    }
    // NaN has one text; of what kind it was is lost.
    #expect(Value.double(.nan).queryLiteral() == .notANumber)
    #expect(Value.float(.infinity).queryLiteral() == .infinity(isNegative: false))
  }

  /// Bit by bit, where `==` of values is wider.
  private func isExactly(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.decimal(let x), .decimal(let y)): x.description == y.description
    case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
    default: a == b && a.type == b.type
    }
  }

  /// A tree made by a program, with a value of each type as a literal, finds its object.
  @Test func treesOfAProgramFindEveryValue() throws {
    let database = try Database.inMemory()
    let types: [(String, ValueType)] = [
      ("bool", .bool), ("int", .int), ("float", .float), ("double", .double), ("decimal", .decimal),
      ("string", .string), ("data", .data), ("date", .date), ("objectID", .objectID),
      ("uuid", .uuid), ("mixed", .mixed),
    ]
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: types.map { PropertySchema($0.0, $0.1, isOptional: $0.1 != .mixed) }
            + [PropertySchema("next", linkTo: "Thing"), PropertySchema("_id", .int)],
          primaryKey: "_id"))
      for (index, value) in Self.values.enumerated() {
        var values: [String: Value] = ["_id": .int(Int64(index)), "mixed": value]
        for (name, type) in types where value.type == type { values[name] = value }
        let key = try transaction.create("Thing", values)
        try transaction.set(
          "Thing", key, "next", transaction.schema.link(to: key, of: "Thing"))
      }
    }
    let snapshot = try database.snapshot()
    func tree(
      _ name: String, _ constant: QuerySyntax.Constant, _ comparator: QuerySyntax.Comparator
    )
      -> QuerySyntax.Request
    {
      let path = QuerySyntax.Path([QuerySyntax.Located(.property(name))])
      return QuerySyntax.Request(
        .comparison(
          QuerySyntax.Comparison(
            .property(QuerySyntax.PropertyReference(path)), QuerySyntax.Located(comparator),
            constant.expression)))
    }
    for (index, value) in Self.values.enumerated() {
      let own = ObjectKey(integerPrimaryKey: Int64(index))
      let name = types.first { $0.1 == value.type }?.0
      for name in [name, "mixed"].compactMap({ $0 }) {
        let constant = try #require(value.queryConstant())
        let query = try Query(tree(name, constant, .equal), on: "Thing", in: snapshot.schema)
        let asked = try Query(
          "\(name) == $0", on: "Thing", in: snapshot.schema, arguments: [value])
        let keys = try query.results(in: snapshot).keys
        #expect(keys.contains(own) || value.isNotANumber, "\(query.canonicalTextOrError)")
        #expect(try keys == asked.results(in: snapshot).keys, "\(query.canonicalTextOrError)")
        #expect(try asked.canonicalText() == query.canonicalText())
        let list = try #require(Value.list([value, .null]).queryConstant())
        let member = try Query(tree(name, list, .in), on: "Thing", in: snapshot.schema)
        #expect(try Set(keys).isSubset(of: member.results(in: snapshot).keys))
      }
      let link = try snapshot.schema.link(to: own, of: "Thing")
      let linked = try Query(
        "next == $0", on: "Thing", in: snapshot.schema, arguments: [link])
      let text = try linked.canonicalText(in: snapshot)
      #expect(text == "next == obj('Thing', \(index))")
      #expect(try Query(text, on: "Thing", in: snapshot.schema).results(in: snapshot).keys == [own])
    }
  }
}

extension Value {
  fileprivate var isNotANumber: Bool {
    if case .decimal(let number) = self { number.isNaN } else { false }
  }
}

extension Query {
  fileprivate var canonicalTextOrError: String { (try? canonicalText()) ?? "no text" }
}
