import AtollImport
import Foundation
import TestThreads
import Testing

@testable import AtollCommand

@Suite(.computing) struct ImportCommandTests {
  typealias Geography = CommandRun.Geography

  static let orders: [[Geography]] = [
    [.continent, .country, .city], [.continent, .city, .country], [.country, .continent, .city],
    [.country, .city, .continent], [.city, .continent, .country], [.city, .country, .continent],
  ]

  @Test(arguments: orders)
  func theOrderOfImportsDoesNotMatter(order: [Geography]) throws {
    let run = CommandRun()
    for part in order {
      let outcome = try run.importGeography(part)
      #expect(outcome.status == .success, "\(outcome.errors)")
    }
    let geo = run.path("geo")
    func names(_ className: String, _ query: String) throws -> [String] {
      let output = run.expect("query", geo, className, query, "--json")
      return try readJSON(output).map { record in
        guard case .string(let name)? = record.fields.first(where: { $0.name == "name" })?.value
        else { return "" }
        return name
      }
    }
    #expect(
      try names(
        "City",
        "country.continent.code == 'EU' AND population > 1000000 SORT(population DESC) LIMIT(5)")
        == ["Moscow", "London", "Saint Petersburg", "Berlin", "Madrid"])
    #expect(
      try names(
        "Country", "ANY neighbours.name BEGINSWITH 'S' AND @links.City.country.@count > 3")
        == ["United Arab Emirates", "Brazil", "Germany", "Iraq", "Turkey"])
    #expect(try names("City", "ANY alternateNames ==[c] 'münchen'") == ["Munich"])
    for part in Geography.allCases {
      // The objects come in the order of their keys.
      let dumped = Set(run.expect("dump", geo, part.rawValue).split(separator: "\n"))
      let isSame = dumped == Set(part.data.split(separator: "\n"))
      #expect(isSame, "\(part)")
    }
    #expect(run("check", geo).status == .success)
    #expect(!run.expect("info", geo).contains("wait"))
  }

  @Test func saysWhichClassWasProbablyMeant() throws {
    let run = CommandRun()
    let country = try run.file("Country.jsonl", "{\"iso\":\"CH\"}\n")
    run.expect("import", run.path("g"), "Country", country, "--primary-key", "iso")
    let data = try run.file("City.jsonl", "{\"id\":1,\"country\":\"CH\"}\n")
    let outcome = run(
      "import", run.path("g"), "City", data, "--primary-key", "id", "--link", "country=Contry")
    #expect(outcome.status == .success)
    #expect(
      outcome.errors
        == "atoll: note: 'Contry' has no objects yet; if 'Country' was meant, import into a new file\n"
    )
    let dump = run("dump", run.path("g"), "City")
    #expect(dump.output == "{\"id\":1,\"country\":null}\n")
    #expect(
      dump.errors == "atoll: note: 1 link that waits for its target is null in the dump\n")
    let other = run(
      "import", run.path("h"), "City", data, "--primary-key", "id", "--link", "country=Country")
    #expect(other.errors.isEmpty)
  }

  @Test(arguments: [("empty.csv", "id,n\n"), ("empty.json", "[]"), ("empty.jsonl", "")])
  func saysThatDataHasNoRecords(name: String, content: String) throws {
    let run = CommandRun()
    let data = try run.file(name, content)
    let outcome = run("import", run.path("g"), "Thing", data, "--primary-key", "id")
    #expect(outcome.status == .success)
    #expect(
      outcome.errors
        == "atoll: note: \(data) has no records: nothing was made, no option checked\n")
    #expect(!FileManager.default.fileExists(atPath: run.path("g")))
  }

  @Test func saysWhichCellMadeAColumnText() throws {
    let run = CommandRun()
    let rows = (1...20).map { $0 == 7 ? "\($0),n/a" : "\($0),\($0).5" }
    let data = try run.file("a.csv", "id,price\n" + rows.joined(separator: "\n") + "\n")
    let outcome = run("import", run.path("g"), "C", data, "--primary-key", "id")
    #expect(
      outcome.errors == """
        atoll: note: 'price' is imported as string: \(data):8:3: 'n/a' is no double of 20 values; \
        with --type price=double that is an error

        """)
    let refused = run("import", run.path("h"), "C", data, "--type", "price=double")
    #expect(refused.status == .failure)
    #expect(
      refused.errors
        == "atoll: \(data):8:3: 'price' is double by its option, found text\n")
    let money = run("import", run.path("h"), "C", data, "--type", "price=money")
    #expect(money.status == .usage)
    #expect(money.errors.contains("'money' is no type; one of bool, int"), "\(money.errors)")
    let bare = run("import", run.path("h"), "C", data, "--type", "price")
    #expect(bare.status == .usage && bare.errors.contains("is not like price=double"))
    let unknown = run("import", run.path("h"), "C", data, "--type", "prize=double")
    #expect(unknown.status == .usage)
    #expect(unknown.errors.contains("did you mean 'price'?"))
    run.expect("import", run.path("h"), "C", data, "--primary-key", "id", "--type", "id=string")
    #expect(run.expect("query", run.path("h"), "C", "id == '7'", "--count") == "1\n")
  }

  @Test func objectsInTheDataAreDictionariesOrEmbedded() throws {
    let run = CommandRun()
    let lines = [
      #"{"id":1,"names":{"de":"Wien","en":"Vienna"},"place":{"type":"Point","coordinates":[16.4,48.2]},"parts":[{"n":1},{"n":2,"x":{"deep":[1,"a"]}}]}"#,
      #"{"id":2,"names":{},"place":{"type":"Point","coordinates":[2.35,48.85]},"parts":[]}"#,
      #"{"id":3,"names":{"en":"Nowhere"},"place":null,"parts":[]}"#,
    ]
    let data = try run.file("City.jsonl", lines.joined(separator: "\n") + "\n")
    let geo = run.path("g")
    let arguments = [
      "import", geo, "City", data, "--primary-key", "id", "--embedded", "place=Place",
    ]
    for _ in 0..<2 {
      let outcome = run(arguments)
      #expect(outcome.status == .success, "\(outcome.errors)")
    }
    run.expect("check", geo)
    #expect(run.expect("dump", geo, "City") == lines.joined(separator: "\n") + "\n")
    for (query, count) in [
      ("names['de'] == 'Wien'", 1), ("names.@keys == 'en'", 2),
      ("place GEOWITHIN geoBox([10.0, 40.0], [20.0, 50.0])", 1), ("place == NULL", 1),
      ("place.coordinates[0] < 10", 1), ("parts[1]['n'] == 2", 1),
    ] {
      #expect(run.expect("query", geo, "City", query, "--count") == "\(count)\n", "\(query)")
    }
    // The class is in the file now: the option need not be said again.
    let more = try run.file("more.jsonl", #"{"id":1,"place":{"type":"Point","label":"x"}}"# + "\n")
    run.expect("import", geo, "City", more)
    #expect(
      run.expect(
        "query", geo, "City", "place.label == 'x' AND place.coordinates.@count == 0", "--count")
        == "1\n")
    run.expect("check", geo)
    let wrong = run("import", geo, "City", data, "--embedded", "names=City")
    #expect(wrong.status == .usage)
    #expect(run("import", run.path("h"), "C", data, "--embedded", "place=C").status == .usage)
  }

  /// What the class has already keeps its type; what an import adds is optional.
  @Test func propertiesThatNewEmbeddedObjectsLackHaveTheirDefault() throws {
    let run = CommandRun()
    let first = try run.file("a.jsonl", "{\"e\":{\"x\":1}}\n")
    let second = try run.file("b.jsonl", "{\"e\":{\"y\":2}}\n")
    run.expect("import", run.path("g"), "C", first, "--embedded", "e=E")
    run.expect("import", run.path("g"), "C", second)
    #expect(
      run.expect("dump", run.path("g"), "C")
        == "{\"e\":{\"x\":1,\"y\":null}}\n{\"e\":{\"x\":0,\"y\":2}}\n")
    run.expect("check", run.path("g"))
  }

  /// The sentence names the option with which the data is imported.
  @Test func valuesOfDifferentTypesAreTakenWithTheOptionThatIsNamed() throws {
    let run = CommandRun()
    let data = try run.file(
      "a.jsonl", #"{"e":{"f":{"x":1}},"l":[1]}"# + "\n" + #"{"e":{"f":{"x":"s"}},"l":["t"]}"# + "\n"
    )
    var arguments = [
      "import", run.path("g"), "C", data, "--embedded", "e=E", "--embedded", "e.f=F",
    ]
    for option in ["l=mixed", "e.f.x=mixed"] {
      let outcome = run(arguments)
      #expect(outcome.status == .failure)
      #expect(outcome.errors.contains("; with '--type \(option)' it takes"), "\(outcome.errors)")
      arguments += ["--type", option]
    }
    #expect(run(arguments).status == .success)
  }

  @Test func aClassOfEmbeddedObjectsIsNotImportedByItself() throws {
    let run = CommandRun()
    let data = try run.file("a.jsonl", "{\"e\":{\"x\":1}}\n")
    run.expect("import", run.path("g"), "C", data, "--embedded", "e=E")
    let parts = try run.file("e.jsonl", "{\"x\":1}\n")
    for options in [[], ["--primary-key", "x"]] {
      let outcome = run(["import", run.path("g"), "E", parts] + options)
      #expect(outcome.status == .usage)
      #expect(
        outcome.errors.contains("'E' is a class of embedded objects in the database file"),
        "\(outcome.errors)")
    }
  }

  @Test func saysWhichSeparatorTheLinesHaveOverruled() throws {
    let run = CommandRun()
    let data = try run.file("a.csv", "id,label;x\n1,a;b\n2,c,d;e\n")
    let outcome = run("import", run.path("g"), "C", data)
    #expect(outcome.status == .success)
    #expect(outcome.errors.contains("note: \(data): the columns are taken as separated by ';'"))
  }

  @Test func aLinkThatIsAlwaysNullWaitsForNothing() throws {
    let run = CommandRun()
    let data = try run.file("a.jsonl", "{\"id\":1,\"c\":null}\n")
    let outcome = run("import", run.path("g"), "A", data, "--link", "c=C")
    #expect(outcome.status == .success)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.output.contains("Left out, as no record has a value: c"))
  }

  /// The key of a class that only links have named has a name that data may have as well.
  @Test func dataMayHaveThePlaceholdersName() throws {
    let run = CommandRun()
    let link = try run.file("a.jsonl", "{\"id\":1,\"c\":\"x\"}\n")
    let line = "{\"k\":\"x\",\"(primary key)\":5}\n"
    let data = try run.file("c.jsonl", line)
    run.expect("import", run.path("g"), "A", link, "--primary-key", "id", "--link", "c=C")
    let outcome = run("import", run.path("g"), "C", data, "--primary-key", "k")
    #expect(outcome.status == .success, "\(outcome.errors)")
    #expect(run.expect("dump", run.path("g"), "C") == line)
    #expect(run.expect("dump", run.path("g"), "A") == "{\"id\":1,\"c\":\"x\"}\n")
  }

  @Test func linksThatWaitAreNamedByTheImportThatBroughtThem() throws {
    let run = CommandRun()
    let link = try run.file("a.jsonl", "{\"id\":1,\"c\":\"x\"}\n")
    let other = try run.file("b.jsonl", "{\"id\":1}\n")
    let first = run.expect("import", run.path("g"), "A", link, "--link", "c=C")
    #expect(first.contains("1 link waits"))
    #expect(!run.expect("import", run.path("g"), "B", other).contains("wait"))
    #expect(run.expect("info", run.path("g")).contains("1 link waits"))
  }

  @Test func saysWhatItHasDoneAndWhatWaits() throws {
    let run = CommandRun()
    let data = try run.file(
      "City.jsonl",
      "{\"id\":1,\"name\":\"Zürich\",\"country\":\"CH\"}\n{\"id\":2,\"name\":\"東京\"}\n")
    let arguments = ["--primary-key", "id", "--link", "country=Country"]
    #expect(
      run(["import", run.path("g"), "City", data] + arguments).output == """
        City: 2 created, 0 updated, 1 batch, 0 µs
        1 link waits for objects that are not in the file yet

        """)
    #expect(
      run.expect("info", run.path("g")).contains(
        "\n1 link waits for objects that are not in the file yet\n"))
    #expect(
      run(["import", run.path("g"), "City", data, "--json", "--batch", "1"] + arguments).output
        == """
        {"batch":1,"records":1}
        {"batch":2,"records":2}
        {"class":"City","records":2,"created":0,"updated":2,"batches":2,"pendingLinks":1,\
        "valuelessProperties":[],"seconds":0.0}

        """)
  }

  @Test func importingAgainUpdates() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    let data = try run.file(
      "more.jsonl",
      """
      {"iso":"AD","population":1,"continent":"AN","neighbours":["PT","XX","ES"],"isNew":true}
      {"iso":"XX","name":"Atlantis"}
      """)
    #expect(
      run.expect("import", geo, "Country", data).hasPrefix("Country: 1 created, 1 updated,"))
    #expect(
      run.expect("query", geo, "Country", "isNew == true", "--json") == """
        {"iso":"AD","name":"Andorra","iso3":"AND","continent":"AN","capital":"Andorra la Vella",\
        "areaKm2":468.0,"population":1,"currencyCode":"EUR","languages":["ca"],\
        "neighbours":["PT","XX","ES"],"isNew":true}

        """)
    #expect(
      run.expect("query", geo, "Country", "ANY neighbours.name == 'Atlantis'", "--count") == "1\n")
    // Andorra is no neighbour of France's any more.
    #expect(
      run.expect(
        "query", geo, "Country", "iso == 'FR' AND ANY @links.Country.neighbours.iso == 'AD'",
        "--count") == "0\n")
    #expect(run("check", geo).status == .success)
  }

  @Test func whatIsDumpedImportsToTheSame() throws {
    let run = CommandRun()
    try run.importAll()
    let copy = run.path("copy")
    for part in Geography.allCases {
      let dump = try run.file(
        "dump.jsonl", run.expect("dump", run.path("geo"), part.rawValue))
      #expect(run(["import", copy, part.rawValue, dump] + part.options).status == .success)
    }
    let isSame = run.expect("dump", copy) == run.expect("dump", run.path("geo"))
    #expect(isSame)
  }

  @Test func readsCSVByTheFilesNameOrTheOption() throws {
    let run = CommandRun()
    let csv = "id,name,x,to\r\n1,\"a, \"\"b\"\"\",2.5,2\r\n2,,-1,\r\n"
    let file = run.path("g")
    let data = try run.file("a.CSV", csv)
    run.expect("import", file, "C", data, "--primary-key", "id", "--link", "to=C")
    #expect(
      run.expect("dump", file, "C") == """
        {"id":1,"name":"a, \\"b\\"","x":2.5,"to":2}
        {"id":2,"name":null,"x":-1.0,"to":null}

        """)
    let other = try run.file("a.txt", csv)
    #expect(run("import", file, "C", other).status == .failure)
    run.expect("import", file, "C", other, "--format", "csv")
  }

  @Test func badDataNamesFileLineAndColumnAndLeavesNoNewFile() throws {
    let run = CommandRun()
    let data = try run.file("a.json", "[{\"a\":1},\n {\"a\":\"x\"}]")
    let outcome = run("import", run.path("g"), "C", data, "--batch", "1")
    #expect(outcome.status == .failure)
    #expect(
      outcome.errors
        == "atoll: \(data):2:7: 'a' is int at 1:7, found a string; with '--type a=mixed' it takes "
        + "values of different types\n")
    #expect(run("import", run.path("g"), "C", "/nowhere").status == .failure)
    let empty = try run.file("empty.json", "")
    run.expect("import", run.path("g"), "C", empty)
    #expect(!FileSystem.exists(run.path("g")))
    #expect(!FileSystem.exists(run.path("g-lock")))
  }

  /// The data fits, but the file's format refuses the schema: only the first transaction says so.
  @Test func aFirstTransactionThatFailsLeavesNoNewFile() throws {
    let run = CommandRun()
    let data = try run.file("a.json", "{\"a\":1}")
    let outcome = run("import", run.path("g"), String(repeating: "x", count: 100), data)
    #expect(outcome.status == .failure)
    #expect(outcome.errors.contains("longer than"))
    #expect(!FileSystem.exists(run.path("g")))
    #expect(!FileSystem.exists(run.path("g-lock")))
  }

  @Test func badDataLeavesAnOldFileAsItWas() throws {
    let run = CommandRun()
    try run.importAll()
    let before = try readFile(run.path("geo"))
    let data = try run.file(
      "a.json", "{\"code\":\"XX\",\"name\":\"x\"}\n{\"code\":\"YY\",\"name\":1}")
    let outcome = run("import", run.path("geo"), "Continent", data, "--batch", "1")
    #expect(outcome.status == .failure)
    #expect(
      outcome.errors.hasSuffix(":2:21: 'name' is string in the database file, found an int\n"))
    let isUnchanged = try readFile(run.path("geo")) == before
    #expect(isUnchanged)
  }

  @Test(arguments: [
    (["--index", "nam"], "did you mean 'name'?"),
    (["--primary-key", "name"], "with primary key 'code'"),
    (["--link", "name=City"], "as string and not as a link"),
  ])
  func optionsThatDoNotFitAreBadUsage(options: [String], words: String) throws {
    let run = CommandRun()
    try run.importGeography(.continent)
    let data = try run.file("a.json", #"{"code":"XX","name":"x"}"#)
    let outcome = run(["import", run.path("geo"), "Continent", data] + options)
    #expect(outcome.status == .usage)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func aClassThatLinksHaveNamedNeedsItsPrimaryKey() throws {
    let run = CommandRun()
    try run.importGeography(.city)
    let data = try run.file("Country.jsonl", CommandRun.Geography.country.data)
    let outcome = run("import", run.path("geo"), "Country", data)
    #expect(outcome.status == .usage)
    #expect(outcome.errors.contains("name it with --primary-key"))
    let wrong = run("import", run.path("geo"), "Country", data, "--primary-key", "population")
    #expect(wrong.status == .failure)
    #expect(wrong.errors.contains("'population' is string, found an int"), "\(wrong.errors)")
  }

  @Test func fullTextIndexesTheWordsOfAProperty() throws {
    let run = CommandRun()
    let geo = run.path("geo")
    #expect(try run.importGeography(.city, "--full-text", "name").status == .success)
    let info = run.expect("info", geo)
    let roles = info.split(separator: "\n").filter { $0.contains("indexed") }.map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(roles == ["name string indexed, full text", "population int indexed"])
    let json = run.expect("info", geo, "--json")
    #expect(json.contains(#""isIndexed":true,"isFullTextIndexed":true"#))
    #expect(run.expect("query", geo, "City", "name TEXT 'york'", "--count") == "1\n")
    let plan = run.expect("query", geo, "City", "name TEXT 'YORK'", "--explain")
    #expect(plan.contains("words in 'City.name' TEXT 'york'"))
    // Of a property that is in the file already.
    let data = try run.file("Note.jsonl", #"{"text":"Åse på båt","n":1}"#)
    run.expect("import", run.path("n"), "Note", data)
    let refused = run("query", run.path("n"), "Note", "text TEXT 'åse'")
    #expect(refused.status != .success)
    #expect(refused.errors.contains("'Note.text' has none"))
    run.expect("import", run.path("n"), "Note", data, "--full-text", "text")
    #expect(run.expect("query", run.path("n"), "Note", "text TEXT 'åse'", "--count") == "2\n")
    #expect(run("check", run.path("n")).status == .success)
  }

  @Test func fullTextIsForStringsThatTheDataHas() throws {
    let run = CommandRun()
    let data = try run.file("Note.jsonl", #"{"text":"a","n":1,"tags":["a"],"none":null}"#)
    for (property, words) in [
      ("n", ["'n' is int", "only a string"]), ("tags", ["list of string"]),
      ("txt", ["--full-text txt", "did you mean 'text'"]), ("none", ["no record has a value"]),
    ] {
      let outcome = run("import", run.path("n"), "Note", data, "--full-text", property)
      #expect(outcome.status == .usage)
      for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
    }
  }
}
