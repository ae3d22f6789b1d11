import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// A query that is refused, and what its message has to name.
struct BindingRefusal: CustomTestStringConvertible, Sendable {
  let className: String
  let query: String
  let arguments: [Value]
  let kind: QueryError.Kind
  let words: [String]

  init(
    _ query: String, on className: String = "Boat", arguments: [Value] = [],
    _ kind: QueryError.Kind = .binding, _ words: String...
  ) {
    self.init(query, on: className, arguments: arguments, kind, words)
  }

  init(
    _ query: String, on className: String, arguments: [Value], _ kind: QueryError.Kind,
    _ words: [String]
  ) {
    self.query = query
    self.className = className
    self.arguments = arguments
    self.kind = kind
    self.words = words
  }

  var testDescription: String { query }
}

@Suite(.computing) struct BindingErrorTests {
  @Test(arguments: BindingRefusal.all)
  func messageNamesWhatIsWrong(_ refusal: BindingRefusal) throws {
    let schema = try BoatDatabase.shared.get().snapshot().schema
    let error = try #require(throws: QueryError.self) {
      try Query(
        refusal.query, on: refusal.className, in: schema, arguments: refusal.arguments)
    }
    #expect(error.kind == refusal.kind)
    for word in refusal.words { #expect(error.description.contains(word)) }
    #expect(error.place.byteOffset <= refusal.query.utf8.count)
    #expect(error.place.caret.contains("^"))
  }

  @Test func positionIsThatOfTheWrongWord() throws {
    let schema = try BoatDatabase.shared.get().snapshot().schema
    let error = try #require(throws: QueryError.self) {
      try Query("berths > 3 AND\n  titl == 'Fram'", on: "Boat", in: schema)
    }
    #expect(error.place.byteOffset == 17)
    #expect(error.place.line == 2)
    #expect(error.place.column == 3)
    #expect(error.place.token == "titl")
    #expect(
      error.description == """
        line 2, column 3: class 'Boat' has no property 'titl'
            titl == 'Fram'
            ^~~~
        hint: did you mean 'title'?
        """)
  }

  @Test func aSecondTextThatOnlyLooksAlikeIsBoundAgain() throws {
    // The cache of bound queries once took a composed letter for its parts.
    let database = try BoatDatabase.make()
    try database.write { transaction in
      try transaction.create("Port", ["code": .string("\u{E5}"), "depth": .decimal(.zero)])
    }
    let snapshot = try database.snapshot()
    for (text, count) in [("code == '\u{E5}'", 1), ("code == 'a\u{30A}'", 0)] {
      #expect(try Query(text, on: "Port", in: snapshot.schema).count(in: snapshot) == count)
    }
  }

  @Test func otherArgumentsOfTheSameTextGiveOtherAnswers() throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let cases: [(Value, Int?)] = [
      (.int(7), 1), (.int(16), 1), (.double(7), 1), (.double(7.5), 0), (.double(.infinity), nil),
      (.int(8), 0), (.string("7"), 1), (.string("x"), nil), (.null, 0), (.bool(true), nil),
      (.list([.int(7), .int(16)]), 2), (.decimal(7), 1), (.int(7), 1),
    ]
    for (argument, count) in cases {
      guard let count else {
        #expect(throws: QueryError.self) {
          try Query("berths == $0", on: "Boat", in: snapshot.schema, arguments: [argument])
        }
        continue
      }
      let query = try Query(
        "berths == $0", on: "Boat", in: snapshot.schema, arguments: [argument])
      #expect(try query.count(in: snapshot) == count)
    }
  }
}

extension BindingRefusal {
  static let all: [BindingRefusal] = [
    // Names.
    BindingRefusal("titl == 'x'", .binding, "Boat", "titl", "title"),
    BindingRefusal("home.cod == 'x'", .binding, "Port", "cod", "code"),
    BindingRefusal("@links.Boot.crew.@count > 0", on: "Sailor", .binding, "Boot", "Boat", "Sailor"),
    BindingRefusal("@links.Boat.crow.@count > 0", on: "Sailor", .binding, "Boat", "crow", "crew"),
    BindingRefusal("@links.Boat.home.@count > 0", on: "Sailor", .binding, "Boat.home", "Sailor"),
    BindingRefusal("TRUEPREDICATE SORT(titl ASC)", .binding, "Boat", "titl", "SORT", "title"),
    BindingRefusal("TRUEPREDICATE DISTINCT(home.cod)", .binding, "Port", "cod", "DISTINCT"),
    BindingRefusal("berths == 1", on: "Boot", .binding, "Boot", "Boat"),
    BindingRefusal("home == obj('Prt', 'OSL')", .binding, "Prt", "Port"),
    // Dots and brackets.
    BindingRefusal("title.x == 1", .binding, "Boat.title", "`x`"),
    BindingRefusal("title[0] == 'F'", .binding, "Boat.title", "[0]"),
    BindingRefusal("tags[0] == 'blue'", .binding, "Boat.tags", "set"),
    BindingRefusal("specs[0] == 1", .binding, "Boat.specs", "map"),
    BindingRefusal("home[0].code == 'OSL'", .binding, "Boat.home"),
    BindingRefusal("marks[0][1] == 1", .binding, "Boat.marks", "mixed"),
    // Types.
    BindingRefusal("title == 7", .binding, "int", "string"),
    BindingRefusal("berths == 'many'", .binding, "string", "int"),
    BindingRefusal("built == 3", .binding, "int", "date"),
    BindingRefusal("title == bin('x')", .binding, "data", "string"),
    BindingRefusal("berths == title", .binding, "int", "string"),
    BindingRefusal("berths == infinity", .binding, "int", "infinity"),
    BindingRefusal("berths == nan", .binding, "int"),
    BindingRefusal("title == infinity", .binding, "string"),
    BindingRefusal("home == 'OSL'", .binding, "link to Port", "string", "home.code"),
    BindingRefusal("crew == obj('Boat', 1)", .binding, "Sailor", "Boat"),
    BindingRefusal("'a' == 'a'", .binding, "`'a'`", "constants"),
    BindingRefusal("1 + 2 == 3", .binding, "constants"),
    // Operators.
    BindingRefusal("home < obj('Port', 'OSL')", .binding, "<", "home", "=="),
    BindingRefusal("extra.@type > 'int'", .binding, "@type"),
    BindingRefusal("berths BEGINSWITH 'x'", .binding, "BEGINSWITH", "int"),
    BindingRefusal("title CONTAINS 7", .binding, "CONTAINS", "int"),
    BindingRefusal("title CONTAINS NULL", .binding, "CONTAINS", "null"),
    BindingRefusal("title ==[c] 7", .binding, "[c]", "int"),
    BindingRefusal("berths ==[c] 7", .binding, "[c]", "int"),
    BindingRefusal("ANY title == 'x'", .binding, "ANY", "title"),
    BindingRefusal("ALL home.code == 'x'", .binding, "ALL"),
    BindingRefusal("berths IN 3", .binding, "IN", "`3`"),
    BindingRefusal("title IN title", .binding, "IN"),
    BindingRefusal("berths BETWEEN {1}", .binding, "BETWEEN", "two"),
    BindingRefusal("berths BETWEEN {1, 2, 3}", .binding, "BETWEEN", "two"),
    BindingRefusal("berths BETWEEN {NULL, 2}", .binding, "null"),
    BindingRefusal("berths BETWEEN $0", arguments: [.int(1)], .binding, "BETWEEN", "list of two"),
    BindingRefusal(
      "berths BETWEEN $0", arguments: [.list([.int(1)])], .binding, "BETWEEN", "two"),
    BindingRefusal(
      "berths BETWEEN $0", arguments: [.list([.int(1), .string("x")])], .argument, "'x'"),
    BindingRefusal(
      "berths BETWEEN {$0}", arguments: [.list([.int(1), .int(2)])], .argument, "$0", "a list"),
    BindingRefusal(
      "berths BETWEEN {$0, 3}", arguments: [.list([.int(1), .int(2)])], .argument, "a list"),
    BindingRefusal(
      "built > $0", arguments: [.string("2024-05-01")], .argument,
      "as a date it is 2024-05-01T00:00:00Z"),
    BindingRefusal("crew == NULL", .binding, "crew", "null"),
    BindingRefusal("marks == tags.length", .binding, "marks", "tags.length"),
    // Counts and aggregates.
    BindingRefusal("berths.@count == 1", .binding, "Boat.berths", "int"),
    BindingRefusal("berths.@max == 1", .binding, "@max", "Boat.berths", "int"),
    BindingRefusal("crew.@max == 1", .binding, "@max", "property"),
    BindingRefusal("marks.@max.x == 1", .binding, "Boat.marks"),
    BindingRefusal("crew.@sum.nick == 1", .binding, "@sum", "Sailor.nick", "string"),
    BindingRefusal("crew.@avg.agg == 1", .binding, "Sailor", "agg", "age"),
    BindingRefusal("tags.@sum == 1", .binding, "@sum", "Boat.tags", "string"),
    BindingRefusal("title + 1 == 2", .binding, "title", "string"),
    // Subqueries.
    BindingRefusal(
      "SUBQUERY(marks, $s, TRUEPREDICATE).@count > 0", .binding, "SUBQUERY",
      "`marks` is a list of int"),
    BindingRefusal("SUBQUERY(home, $s, TRUEPREDICATE).@count > 0", .binding, "SUBQUERY", "home"),
    BindingRefusal("SUBQUERY(crew, $s, berths > 1).@count > 0", .binding, "Sailor", "berths"),
    BindingRefusal(
      "SUBQUERY(crew, $s, SUBQUERY(@links.Sailor.boss, $s, age > 1).@count > 0).@count > 0",
      .binding, "$s"),
    // Types by name.
    BindingRefusal("extra.@type == 'strin'", .binding, "strin", "string"),
    BindingRefusal("extra.@type == 7", .binding, "@type", "int"),
    BindingRefusal("berths.@type == 'int'", .binding, "berths"),
    BindingRefusal("extra.@type == title", .binding, "title"),
    // Descriptors.
    BindingRefusal("TRUEPREDICATE SORT(marks ASC)", .binding, "SORT", "marks"),
    BindingRefusal("TRUEPREDICATE SORT(crew.age ASC)", .binding, "SORT", "crew"),
    // Arguments.
    BindingRefusal("berths == $0", .argument, "$0", "no arguments"),
    BindingRefusal("berths == $1", arguments: [.int(1)], .argument, "$1", "only 1 argument was"),
    BindingRefusal(
      "berths == $2", arguments: [.int(1), .int(2)], .argument, "$2", "only 2 arguments were"),
    BindingRefusal(
      "berths == $0", arguments: [.bool(true)], .argument, "$0", "true", "bool", "int"),
    BindingRefusal("berths == $0", arguments: [.string("x")], .argument, "$0", "'x'", "int"),
    BindingRefusal(
      "home == $0", arguments: [.link(ObjectLink(table: 2, key: 1))], .argument, "Port", "Sailor"),
    BindingRefusal("berths IN {$0}", arguments: [.list([.int(1)])], .argument, "$0", "list"),
    BindingRefusal("berths == ANY $0", arguments: [.int(1)], .argument, "ANY", "$0", "int"),
    BindingRefusal("$K0 == 1", arguments: [.int(1)], .argument, "$0", "string"),
    BindingRefusal("$K0 == 1", arguments: [.null], .argument, "$0", "string"),
    BindingRefusal("$K0 == 1", arguments: [.string("home..code")], .argument, "$0"),
    BindingRefusal("TRUEPREDICATE SORT($K0 ASC)", arguments: [.string("title")], .syntax),
    BindingRefusal("specs[$0] == 1", arguments: [.double(1)], .argument, "$0", "double"),
    BindingRefusal("specs[$0] == 1", arguments: [.null], .argument, "$0", "null"),
    BindingRefusal(
      "home == obj('Port', $0)", arguments: [.int(1)], .argument, "Port.code", "string"),
    BindingRefusal("home == obj('Port', 7)", .binding, "Port.code", "string", "int"),
  ]
}
