import AtollObjects
import TestThreads
import Testing

@testable import AtollCommand

@Suite(.computing) struct QueryCommandTests {
  @Test func printsATableAndTheCount() throws {
    let run = CommandRun()
    let data = try run.file(
      "City.jsonl",
      "{\"id\":1,\"name\":\"Zürich\",\"at\":\"2024-05-01\"}\n{\"id\":2,\"name\":\"東京\"}\n")
    run.expect("import", run.path("g"), "City", data, "--primary-key", "id")
    let outcome = run("query", run.path("g"), "City", "TRUEPREDICATE", "--limit", "1")
    #expect(
      outcome.output == """
        id  name    at
        ──  ──────  ────────────────────
         1  Zürich  2024-05-01T00:00:00Z

        """)
    #expect(outcome.errors == "1 of 2 objects, 0 µs\n")
    let count = run("query", run.path("g"), "City", "TRUEPREDICATE", "--count")
    #expect(count == .init(status: .success, output: "2\n", errors: "0 µs\n"))
    let json = run("query", run.path("g"), "City", "id == $0", "--arg", "2", "--json")
    #expect(
      json
        == .init(
          status: .success, output: "{\"id\":2,\"name\":\"東京\",\"at\":null}\n", errors: ""))
    #expect(
      run.expect("query", run.path("g"), "City", "FALSEPREDICATE", "--count", "--json")
        == "{\"count\":0}\n")
  }

  @Test func printsGroups() throws {
    let run = CommandRun()
    let data = try run.file(
      "City.jsonl",
      "{\"id\":1,\"land\":\"CH\",\"size\":5}\n{\"id\":2,\"land\":\"JP\",\"size\":7}\n"
        + "{\"id\":3,\"land\":\"CH\",\"size\":9}\n")
    run.expect("import", run.path("g"), "City", data, "--primary-key", "id")
    let text = "size > %d GROUP(land, @count, @avg.size) SORT(@count DESC)"
    #expect(
      run.expect("query", run.path("g"), "City", text, "--arg", "4") == """
        land  @count  @avg.size
        ────  ──────  ─────────
        CH         2        7.0
        JP         1        7.0

        """)
    #expect(
      run.expect("query", run.path("g"), "City", text, "--arg", "4", "--json", "--limit", "1")
        == "{\"land\":\"CH\",\"@count\":2,\"@avg.size\":7.0}\n")
    #expect(run.expect("query", run.path("g"), "City", text, "--arg", "4", "--count") == "2\n")
  }

  @Test func explainsHowAQueryIsRun() throws {
    let run = CommandRun()
    try run.importGeography(.city)
    let plan = run.expect(
      "query", run.path("geo"), "City", "population > 5000000", "--explain")
    #expect(plan.contains("population"))
    #expect(plan.hasSuffix("\n"))
    #expect(
      run.expect("query", run.path("geo"), "City", "population > 5000000", "--explain", "--json")
        .hasPrefix("{\"explain\":{\"indexes\":[],\"results\":"))
  }

  @Test(arguments: [
    ("City", "populatin > 1", "did you mean 'population'?"),
    ("City", "population >", "line 1, column 13"), ("City", "population > 'x'", "line 1"),
    ("City", "population > $3", "$3"),
    ("Citty", "TRUEPREDICATE", "there is no class 'Citty'; did you mean 'City'?"),
  ])
  func aQueryThatMakesNoSenseIsBadUsage(
    className: String, query: String, words: String
  ) throws {
    let run = CommandRun()
    try run.importGeography(.city)
    let outcome = run("query", run.path("geo"), className, query)
    #expect(outcome.status == .usage)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func anArgumentThatTheQueryDoesNotNameIsBadUsage() throws {
    let run = CommandRun()
    try run.importGeography(.city)
    for (query, words) in [
      ("TRUEPREDICATE", "the query names 0 arguments"),
      ("population > $0", "the query names 1 argument"),
    ] {
      let outcome = run("query", run.path("geo"), "City", query, "--arg", "1", "--arg", "2")
      #expect(outcome.status == .usage)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    // Not all of those before the last one need to be named.
    let second = run(
      "query", run.path("geo"), "City", "population > $1", "--arg", "1", "--arg", "2")
    #expect(second.status == .success)
  }

  @Test func argumentsMayBeListsAndObjects() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    run.expect("import", geo, "Note", try run.file("Note.jsonl", "{\"n\":1}\n"))
    func count(_ arguments: String...) -> String {
      run(["query", geo, "City"] + arguments + ["--count"]).output
    }
    #expect(
      count("population BETWEEN $0", "--arg", "[1000000, 2000000]")
        == count("population BETWEEN {1000000, 2000000}"))
    #expect(
      count("country == $0", "--arg", "obj('Country', 'FR')") == count("country.iso == 'FR'"))
    #expect(count("country == $0", "--arg", "obj('Country', 'FR')") != "0\n")
    for (argument, words) in [
      ("obj('Country', 'XX')", "not there: Country XX"),
      ("obj('Contry', 'FR')", "did you mean 'Country'?"), ("obj('City', 5)", "not there: City 5"),
      ("obj('Country', 5)", "the primary key 'Country.iso' is of type string, not int"),
      ("obj('City', 'x')", "the primary key 'City.id' is of type int, not string"),
      ("obj('Note', 5)", "class 'Note' has no primary key to find an object by"),
      ("2020-01-01", "cannot be compared"),
    ] {
      let outcome = run("query", geo, "City", "country == $0", "--arg", argument)
      #expect(outcome.status == .usage)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
  }

  /// As if the digits stood in the text of the query.
  @Test(arguments: [
    ("p == $0", "123456789012345678.91", 1), ("p == %@", "12345678901234567.891e1", 1),
    ("p == $0", "123456789012345678.92", 0), ("p == $0", "123456789012345680.0", 0),
    ("p IN $0", "[1, 123456789012345678.91]", 1), ("p IN $0", "[1, 123456789012345678.92]", 0),
    ("p BETWEEN $0", "[123456789012345678.905, 123456789012345678.915]", 1),
    ("d == $0", "0.30000000000000004", 1), ("d IN $0", "[0.30000000000000004, null]", 1),
    ("d < $0", "100000000000000000000", 1), ("m == $0", "100000000000000000000", 1),
    ("m == $0", "100000000000000000001", 0), ("m IN $0", "[100000000000000000000]", 1),
  ])
  func aNumberInAnArgumentHasAllItsDigits(query: String, argument: String, count: Int) throws {
    let run = CommandRun()
    let data = try run.file(
      "n.jsonl",
      #"{"id":1,"p":123456789012345678.91,"d":0.30000000000000004,"#
        + #""m":{"$numberDecimal":"100000000000000000000"}}"# + "\n")
    let types = ["--type", "p=decimal128", "--type", "m=mixed"]
    #expect(run(["import", run.path("g"), "N", data] + types).status == .success)
    #expect(
      run.expect("query", run.path("g"), "N", query, "--arg", argument, "--count") == "\(count)\n")
    // Beside another argument.
    let outcome = run(
      "query", run.path("g"), "N", query.replacing("%@", with: "$0") + " AND id == $1", "--arg",
      argument, "--arg", "1", "--count")
    #expect(outcome.output == "\(count)\n", "\(outcome.errors)")
    let large = run("query", run.path("g"), "N", "d == $0", "--arg", "1e400")
    #expect(large.status == .usage && large.errors.contains("out of the range of a double"))
  }

  @Test func aNegativeLimitIsNamed() {
    let outcome = CommandRun()("query", "f", "City", "TRUEPREDICATE", "--limit", "-1")
    #expect(outcome.status == .usage)
    #expect(outcome.errors.contains("--limit is not negative"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("5", Value.int(5)), ("-5", .int(-5)), ("2.5", .double(2.5)), ("true", .bool(true)),
    ("null", .null), ("Paris", .string("Paris")), ("\"5\"", .string("5")), ("", .string("")),
    ("[1, \"x\"]", .list([.int(1), .string("x")])), ("5 apples", .string("5 apples")),
    ("uuid(00000000-0000-0001-0000-000000000002)", .uuid(UniqueID(high: 1, low: 2))),
    ("oid(000000010000000002000003)", .objectID(ObjectID(seconds: 1, random: 2, counter: 3))),
    ("bin('ab')", .data([97, 98])), ("inf", .string("inf")), ("2.5f", .string("2.5f")),
    ("uuid(1)", .string("uuid(1)")), ("\"2026-01-31T12:30:00Z\"", .string("2026-01-31T12:30:00Z")),
    ("2026-01-31", .string("2026-01-31")),
    ("T20:15", .string("T20:15")), ("2026-01-31T12:30:00", .string("2026-01-31T12:30:00")),
    ("a@b.c", .string("a@b.c")),
  ])
  func readsArgumentsAsJSONOrElseAsText(text: String, value: Value) {
    #expect(QueryArgument(argument: text)?.value == value)
  }

  @Test func readsADateWithTimeAndZone() throws {
    let date = try #require(Timestamp("2026-01-31T12:30:00.5Z"))
    #expect(QueryArgument(argument: "2026-01-31T12:30:00.5Z")?.value == .date(date))
    #expect(QueryArgument(argument: "2026-01-31@12:30:00:500000000")?.value == .date(date))
  }

  @Test(arguments: ["[1", "\"x", "{}", "[{}]", "{\"a\":1}"])
  func refusesArgumentsThatLookLikeJSONAndAreNone(text: String) {
    #expect(QueryArgument(argument: text) == nil)
  }
}
