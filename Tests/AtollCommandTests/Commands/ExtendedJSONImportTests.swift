import AtollImport
import AtollObjects
import TestThreads
import Testing

@testable import AtollCommand

/// What mongoexport writes is imported with its types, and links lead to the objects.
@Suite(.computing) struct ExtendedJSONImportTests {
  private static let users = """
    {"_id":{"$oid":"65f0a1b2c3d4e5f60718293a"},"name":"Ada"}
    {"_id":{"$oid":"65f0a1b2c3d4e5f60718293b"},"name":"Grace"}

    """
  private static let canonical = """
    {"_id":{"$uuid":"0123abcd-4567-89ab-cdef-000000000001"},"title":"Ship","done":false,\
    "count":{"$numberInt":"3"},"big":{"$numberLong":"9007199254740993"},\
    "price":{"$numberDecimal":"12.50"},"weight":{"$numberDouble":"1.0"},\
    "due":{"$date":{"$numberLong":"1709296200000"}},"photo":{"$binary":{"base64":"AP8=","subType":"00"}},\
    "owner":{"$oid":"65f0a1b2c3d4e5f60718293b"},\
    "watchers":[{"$oid":"65f0a1b2c3d4e5f60718293a"},{"$oid":"65f0a1b2c3d4e5f60718293b"}],\
    "place":{"city":"Bern","lat":{"$numberDouble":"46.9"}},"tags":["a"],\
    "any":{"when":{"$date":{"$numberLong":"0"}},"id":{"$oid":"65f0a1b2c3d4e5f60718293a"}}}
    """
  private static let relaxed = """
    {"_id":{"$binary":{"base64":"ASOrzUVniavN7wAAAAAAAQ==","subType":"04"}},"title":"Ship",\
    "done":false,"count":3,"big":9007199254740993,"price":{"$numberDecimal":"12.50"},"weight":1.0,\
    "due":{"$date":"2024-03-01T12:30:00Z"},"photo":{"$binary":{"base64":"AP8=","subType":"00"}},\
    "owner":{"$oid":"65f0a1b2c3d4e5f60718293b"},\
    "watchers":[{"$oid":"65f0a1b2c3d4e5f60718293a"},{"$oid":"65f0a1b2c3d4e5f60718293b"}],\
    "place":{"city":"Bern","lat":46.9},"tags":["a"],\
    "any":{"when":{"$date":"1970-01-01T00:00:00Z"},"id":{"$oid":"65f0a1b2c3d4e5f60718293a"}}}
    """

  @Test(
    arguments: [canonical, relaxed, "[\n" + canonical + "\n]", "[" + relaxed + "]"], [false, true])
  func anExportBecomesClassesWithTheirKeysAndLinks(tasks: String, isTaskFirst: Bool) throws {
    let run = CommandRun()
    let (users, file) = (try run.file("users.json", Self.users), run.path("g"))
    let tasks = try run.file("tasks.json", tasks)
    func importUsers() { run.expect("import", file, "User", users, "--primary-key", "_id") }
    if !isTaskFirst { importUsers() }
    run.expect(
      "import", file, "Task", tasks, "--primary-key", "_id", "--link", "owner=User", "--list-link",
      "watchers=User", "--embedded", "place=Place", "--index", "due")
    if isTaskFirst { importUsers() }
    run.expect("check", file)
    let database = try Database.open(file)
    let schema = try database.snapshot().schema
    try database.close()
    #expect(
      schema["Task"]?.properties.map { "\($0.name): \($0.typeName)" } == [
        "_id: uuid", "title: string", "done: bool", "count: int", "big: int", "price: decimal128",
        "weight: double", "due: date", "photo: data", "owner: link to User",
        "watchers: list of link to User", "place: link to Place", "tags: list of string",
        "any: map of mixed",
      ])
    #expect(schema["User"]?["_id"]?.typeName == "objectId")
    #expect(
      run.expect("dump", file, "Task") == """
        {"_id":"0123abcd-4567-89ab-cdef-000000000001","title":"Ship","done":false,"count":3,\
        "big":9007199254740993,"price":"12.50","weight":1.0,"due":"2024-03-01T12:30:00Z",\
        "photo":"AP8=","owner":"65f0a1b2c3d4e5f60718293b",\
        "watchers":["65f0a1b2c3d4e5f60718293a","65f0a1b2c3d4e5f60718293b"],\
        "place":{"city":"Bern","lat":46.9},"tags":["a"],\
        "any":{"id":{"$oid":"65f0a1b2c3d4e5f60718293a"},"when":{"$date":"1970-01-01T00:00:00Z"}}}

        """)
    #expect(
      run.expect("query", file, "Task", "owner.name == 'Grace' AND watchers.@count == 2", "--count")
        == "1\n")
    // The same export again changes nothing.
    let again = run.expect("import", file, "Task", tasks)
    #expect(again.hasPrefix("Task: 0 created, 1 updated"))
    run.expect("check", file)
  }

  /// Keys as text, with their type given, and what a dump of one class gives.
  @Test func identifiersMayBeTextWhereTheirTypeIsKnown() throws {
    let run = CommandRun()
    let file = run.path("g")
    let data = try run.file(
      "a.json",
      """
      {"_id":"65f0a1b2c3d4e5f60718293a","parent":null}
      {"_id":"65f0a1b2c3d4e5f60718293b","parent":"65f0a1b2c3d4e5f60718293a"}
      """)
    run.expect(
      "import", file, "A", data, "--type", "_id=objectId", "--primary-key", "_id", "--link",
      "parent=A")
    #expect(
      run.expect("query", file, "A", "parent._id == oid(65f0a1b2c3d4e5f60718293a)", "--count")
        == "1\n")
    // Without the option, as the file has the type.
    run.expect("import", file, "A", data)
    let csv = try run.file(
      "a.csv", "_id,parent\n65f0a1b2c3d4e5f60718293c,65f0a1b2c3d4e5f60718293b\n")
    run.expect("import", file, "A", csv)
    #expect(run.expect("query", file, "A", "parent != NULL", "--count") == "2\n")
    let dump = try run.file("dump.jsonl", run.expect("dump", file, "A"))
    run.expect("import", file, "A", dump)
    run.expect("check", file)
    for (line, column, words) in [
      (#"{"_id":"x"}"#, 8, "'_id' is objectId"),
      (#"{"_id":"65f0a1b2c3d4e5f60718293d","parent":"x"}"#, 44, "'parent' is objectId"),
      (#"{"_id":{"$uuid":"0123abcd-4567-89ab-cdef-000000000001"}}"#, 8, "found a UUID"),
    ] {
      let before = try readFile(file)
      let bad = try run.file("bad.json", #"{"_id":"65f0a1b2c3d4e5f60718293e"}"# + "\n" + line)
      let outcome = run("import", file, "A", bad, "--batch", "1")
      #expect(outcome.status == .failure)
      #expect(outcome.errors.contains("bad.json:2:\(column): "), "\(outcome.errors)")
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      let isUnchanged = try readFile(file) == before
      #expect(isUnchanged)
    }
  }

  /// Any damage is found before the first transaction, also far behind the first batch.
  @Test(arguments: [
    (#"{"$oid":"65f0"}"#, 15), (#"{"$date":"x"}"#, 16), (#"{"$numberInt":"4294967296"}"#, 21),
    (#"{"$numberDecimal":"1E9999"}"#, 25), (#"{"$ooid":"x"}"#, 7), (#"{"$minKey":1}"#, 7),
    (#"{"$oid":"65f0a1b2c3d4e5f60718293a","$oid":"x"}"#, 42), (#"{"$oid":"65f0"#, 21),
  ])
  func damageNamesItsPlaceAndLeavesNothing(value: String, column: Int) throws {
    let run = CommandRun()
    let lines =
      (1...50).map { #"{"_id":\#($0),"x":"a"}"# } + [#"{"_id":51,"x":"a","y": \#(value)}"#]
    let data = try run.file("a.json", lines.joined(separator: "\n") + "\n")
    let outcome = run(
      "import", run.path("g"), "A", data, "--primary-key", "_id", "--batch", "7")
    #expect(outcome.status == .failure)
    #expect(outcome.errors.contains("a.json:51:\(17 + column): "), "\(outcome.errors)")
    #expect(!FileSystem.exists(run.path("g")))
  }

  /// Objects with such names that are no Extended JSON.
  @Test func plainJSONTakesObjectsAsTheyAre() throws {
    let run = CommandRun()
    let line = #"{"id":1,"m":{"$ref":"x","$oid":"65f0a1b2c3d4e5f60718293a"}}"#
    let data = try run.file("a.json", line + "\n")
    let outcome = run("import", run.path("g"), "A", data)
    #expect(outcome.status == .failure && outcome.errors.contains("a.json:1:13: "))
    run.expect("import", run.path("g"), "A", data, "--format", "plain-json")
    #expect(
      run.expect("query", run.path("g"), "A", "m['$ref'] == 'x'", "--json")
        == #"{"id":1,"m":{"$oid":"65f0a1b2c3d4e5f60718293a","$ref":"x"}}"# + "\n")
    let dump = try run.file("d.json", run.expect("dump", run.path("g"), "A"))
    run.expect("import", run.path("h"), "A", dump)
    #expect(run.expect("dump", run.path("h")) == run.expect("dump", run.path("g")))
  }

  @Test func saysHowLinksAndCSVAreMeant() throws {
    let run = CommandRun()
    let csv = try run.file("a.txt", "id,n\n1,2\n")
    let data = run("import", run.path("g"), "A", csv)
    #expect(data.errors.hasSuffix("; CSV is read with '--format csv'\n"), "\(data.errors)")
    let link = run("import", run.path("g"), "A", csv, "--link", "nope")
    #expect(link.status == .usage)
    #expect(link.errors.contains("'nope' is not like owner=Person"), "\(link.errors)")
    let help = run.expect("import", "--help")
    // Every line of the options' help begins in one of two columns.
    for line in help.split(separator: "\n").drop(while: { !$0.hasPrefix("OPTIONS:") }).dropFirst() {
      let indent = line.prefix { $0 == " " }.count
      #expect([2, 26].contains(indent), "\(line)")
    }
  }

  /// The true limit, and the place.
  @Test func aKeyThatIsTooLongNamesTheLimitAndTheLine() throws {
    let run = CommandRun()
    let long = String(repeating: "x", count: 65_534)
    let data = try run.file("a.json", "{\"id\":\"a\"}\n{\"id\":\"\(long)\"}\n")
    let outcome = run("import", run.path("g"), "A", data, "--primary-key", "id", "--batch", "1")
    #expect(
      outcome.errors
        == "atoll: \(data):2:7: 'id' is a key or has an index, which takes 65533 bytes at most, "
        + "found 65534\n")
    #expect(!FileSystem.exists(run.path("g")))
  }
}
