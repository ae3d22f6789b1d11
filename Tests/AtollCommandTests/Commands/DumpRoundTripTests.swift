import AtollImport
import AtollObjects
import TestThreads
import Testing

@testable import AtollCommand

/// A dump of a whole file makes a file with the same classes, indexes and objects.
@Suite(.computing) struct DumpRoundTripTests {
  @Test(arguments: [1, 7, 10_000])
  func theDemosDataComesBack(batch: Int) throws {
    let run = CommandRun()
    try run.importAll()
    let dump = run.expect("dump", run.path("geo"))
    let data = try run.file("dump.jsonl", dump)
    let output = run.expect("import", run.path("copy"), data, "--batch", "\(batch)")
    #expect(output.contains(": 654 created, 0 updated"))
    #expect(run.expect("dump", run.path("copy")) == dump)
    run.expect("check", run.path("copy"))
    for query in ["population > 5000000", "country.continent.code == 'EU'"] {
      #expect(
        run.expect("query", run.path("copy"), "City", query)
          == run.expect("query", run.path("geo"), "City", query))
    }
  }

  /// Every type, every collection, links of all kinds and embedded objects.
  @Test func everyKindOfPropertyComesBack() throws {
    let run = CommandRun()
    try Self.makeEverything(run.path("all"))
    let dump = run.expect("dump", run.path("all"))
    let data = try run.file("dump.jsonl", dump)
    // Objects without primary key get new numbers, from one on.
    var expected = dump
    for number in 2...5 {
      expected = expected.replacing("\"#\(number)\"", with: "\"#\(number - 1)\"")
      expected = expected.replacing("\"key\":\(number),", with: "\"key\":\(number - 1),")
    }
    #expect(expected != dump)
    for batch in ["1", "100"] {
      let copy = run.path("copy\(batch)")
      let outcome = run("import", copy, data, "--batch", batch)
      #expect(outcome.status == .success, "\(outcome.errors)")
      let copied = run.expect("dump", copy)
      for (line, wanted) in zip(copied.split(separator: "\n"), expected.split(separator: "\n")) {
        #expect(line == wanted)
      }
      #expect(copied.count == expected.count)
      run.expect("check", copy)
      let database = try Database.open(copy)
      let original = try Database.open(run.path("all"))
      #expect(try database.snapshot().schema.classes == original.snapshot().schema.classes)
      try original.close()
      try database.close()
    }
  }

  /// Mixed values keep types that JSON has no notation for, and keys that differ by their bytes or
  /// look like a notation.
  @Test(arguments: ["1", "100"]) func mixedValuesAndOddKeysComeBack(batch: String) throws {
    let run = CommandRun()
    let path = run.path("all")
    let database = try Database.open(path)
    let names = ["\u{E9}", "e\u{301}"]
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          names[0],
          properties: [PropertySchema("id", .string), PropertySchema("a", .mixed)]
            + names.map { PropertySchema($0, .mixed, collection: .map) }
            + [PropertySchema("set", .mixed, collection: .set)], primaryKey: "id"),
        ClassSchema(
          names[1],
          properties: [
            PropertySchema("$oid", .string), PropertySchema("list", .mixed, collection: .list),
            PropertySchema("links", linkTo: names[1], collection: .map),
            PropertySchema("part", linkTo: "Part"),
          ]),
        ClassSchema("Part", properties: [PropertySchema("$a", .mixed)], isEmbedded: true),
      ])
      let first = try transaction.create(names[0], ["id": .string("x")])
      let second = try transaction.create(names[1], ["$oid": .string("y")])
      let toFirst = try transaction.schema.link(to: first, of: names[0])
      let toSecond = try transaction.schema.link(to: second, of: names[1])
      let values: [Value] = [
        .float(0.1), .float(.nan), .double(.nan), .double(-.infinity), .double(-0.0), .int(1),
        .decimal(try #require(Decimal128("1.10"))), .date(try #require(Timestamp("-0044-03-15"))),
        .objectID(ObjectID(seconds: 1, random: 2, counter: 3)), .uuid(UniqueID(high: 1, low: 2)),
        .data([1]), .bool(true), .string("2024-01-01"), .null, toFirst, toSecond,
        .map(["$oid": .string("x"), names[0]: .int(1)]), .map(["a": .list([.map([:]), toSecond])]),
      ]
      try transaction.set(names[0], first, "a", .list(values))
      for name in names {
        try transaction.set(
          names[0], first, name,
          .map(ValueMap(names.enumerated().map { ($1, .int(Int64($0))) } + [("$date", toFirst)])))
      }
      try transaction.set(names[0], first, "set", .set([.int(1), .string("1"), toFirst]))
      try transaction.set(names[1], second, "list", .list(values))
      try transaction.set(
        names[1], second, "links", .map(ValueMap(names.map { ($0, toSecond) } + [("$x", .null)])))
      try transaction.createEmbedded(
        in: names[1], second, "part", ["$a": .list([.float(1.5), toFirst])])
    }
    try database.close()
    let dump = run.expect("dump", path)
    let data = try run.file("dump.jsonl", dump)
    run.expect("import", run.path("copy"), data, "--batch", batch)
    #expect(run.expect("dump", run.path("copy")) == dump)
    run.expect("check", run.path("copy"))
    #expect(
      dump.contains(
        ##"{"$object":{"$oid":"x","é":1}},{"a":[{},{"$link":{"class":"\##(names[1])","key":"#1"}}]}]"##
      ),
      "\(dump)")
  }

  /// Names and keys that are the word that marks an object with such names.
  @Test func whatIsCalledAsTheMarkComesBack() throws {
    let run = CommandRun()
    let path = run.path("all")
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "A",
          properties: [
            PropertySchema("$object", .mixed), PropertySchema("map", .int, collection: .map),
          ]),
        ClassSchema("B", properties: [PropertySchema("$object", .int, collection: .map)]),
      ])
      let id = Value.objectID(ObjectID(seconds: 1, random: 2, counter: 3))
      let mixed: [Value] = [
        id, .map(["$object": id]), .map(["$object": .map(["$object": id])]),
        .map(["$object": .map(["$date": .int(1)])]), .map(["$object": .list([.map(["$": id])])]),
        .map(["$numberInt": .string("x"), "$oid": id]), .map(["$object": .map([:])]),
      ]
      for value in mixed {
        let map = Value.map(["$object": .int(1), "$oid": .int(2)])
        try transaction.create("A", ["$object": value, "map": map])
        try transaction.create("B", ["$object": map])
      }
    }
    try database.close()
    let dump = run.expect("dump", path)
    run.expect("import", run.path("copy"), try run.file("dump.jsonl", dump))
    #expect(run.expect("dump", run.path("copy")) == dump)
    // A single class, by its own names.
    let lines = run.expect("dump", path, "A")
    run.expect(
      "import", run.path("one"), "A", try run.file("a.jsonl", lines), "--type", "$object=mixed")
    #expect(run.expect("dump", run.path("one"), "A") == lines)
  }

  @Test func mapsOfNoLinksComeBack() throws {
    let run = CommandRun()
    let path = run.path("all")
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("A", properties: [PropertySchema("map", linkTo: "A", collection: .map)])
      ])
      try transaction.create("A", ["map": .map(["x": .null, "y": .null])])
    }
    try database.close()
    let dump = run.expect("dump", path)
    run.expect("import", run.path("copy"), try run.file("dump.jsonl", dump))
    #expect(run.expect("dump", run.path("copy")) == dump)
  }

  private static func makeEverything(_ path: String) throws {
    let database = try Database.open(path)
    try database.write { transaction in
      var properties: [PropertySchema] = []
      let types: [ValueType] = [
        .bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid,
      ]
      for type in types {
        properties.append(PropertySchema("\(type)", type))
        properties.append(PropertySchema("\(type)Optional", type, isOptional: true))
        for collection in [CollectionKind.list, .set, .map] {
          properties.append(PropertySchema("\(type) \(collection)", type, collection: collection))
        }
      }
      properties.append(PropertySchema("mixed", .mixed))
      for collection in [CollectionKind.none, .list, .set, .map] {
        for target in ["Thing", "Note", "Part"] where !(target == "Part" && collection == .set) {
          properties.append(
            PropertySchema("\(target) \(collection)", linkTo: target, collection: collection))
        }
      }
      try transaction.addClasses([
        ClassSchema(
          "Thing", properties: [PropertySchema("id", .uuid)] + properties, primaryKey: "id"),
        ClassSchema(
          "Note",
          properties: [
            PropertySchema("text", .string, isFullTextIndexed: true),
            PropertySchema("n", .int, isIndexed: true),
            PropertySchema("next", linkTo: "Note", deletionRule: .deny),
          ], indexes: [IndexSchema(["n", "text"], isUnique: true), IndexSchema(["text", "n"])]),
        ClassSchema(
          "Part",
          properties: [
            PropertySchema("name", .string), PropertySchema("part", linkTo: "Part"),
            PropertySchema("note", linkTo: "Note", deletionRule: .cascade),
            PropertySchema("thing", linkTo: "Thing"),
          ], isEmbedded: true),
      ])
      let samples: [ValueType: Value] = [
        .bool: .bool(true), .int: .int(-7), .float: .float(0.1), .double: .double(-.infinity),
        .decimal: .decimal(try #require(Decimal128("1.50"))), .string: .string("é\n\"x\""),
        .data: .data([0, 255]), .date: .date(try #require(Timestamp("1969-12-31T23:59:58.5Z"))),
        .objectID: .objectID(ObjectID(seconds: 1, random: 2, counter: 3)),
        .uuid: .uuid(UniqueID(high: 1, low: 2)),
      ]
      var notes: [ObjectKey] = []
      for number in 0..<5 as Range<Int64> {
        notes.append(try transaction.create("Note", ["text": .string("note"), "n": .int(number)]))
      }
      // Numbers that are not those of the copy.
      try transaction.delete("Note", notes.removeFirst())
      let table = try transaction.table("Note").schema.id
      func note(_ index: Int) -> Value {
        .link(ObjectLink(table: table, key: notes[index].rawValue))
      }
      try transaction.set("Note", notes[0], "next", note(3))
      for number in 1...3 as ClosedRange<UInt64> {
        var values: [String: Value] = ["id": .uuid(UniqueID(high: number, low: 0))]
        for type in types {
          let sample = try #require(samples[type])
          values["\(type)"] = sample
          if number == 1 { values["\(type)Optional"] = sample }
          values["\(type) list"] = .list([sample, sample])
          values["\(type) set"] = .set([sample])
          values["\(type) map"] = .map(["k": sample, "a b": sample])
        }
        values["mixed"] = .list([.int(1), .string("x"), .map(["y": .null])])
        values["Note none"] = note(1)
        values["Note list"] = .list([note(2), note(0), note(2)])
        values["Note set"] = .set([note(3)])
        values["Part map"] = .map(["y": .null])
        values["Note map"] = .map(["x": note(1), "y": .null])
        let key = try transaction.create("Thing", values)
        // The next one is not there yet, and the last one never comes.
        let next = Value.uuid(UniqueID(high: number == 3 ? 1 : number + 1, low: 0))
        try transaction.link("Thing", key, "Thing none", toPrimaryKeys: [next])
        try transaction.link("Thing", key, "Thing list", toPrimaryKeys: [next, next])
        try transaction.link("Thing", key, "Thing set", toPrimaryKeys: [next])
        for (property, mapKey) in [
          ("Part none", nil), ("Part list", nil), ("Part list", nil), ("Part map", "k"),
        ] {
          let part = try transaction.createEmbedded(
            in: "Thing", key, property, mapKey: mapKey,
            ["name": .string("outer"), "note": note(0)])
          try transaction.link("Part", part, "thing", toPrimaryKeys: [next])
          try transaction.createEmbedded(in: "Part", part, "part", ["name": .string("inner")])
        }
      }
    }
    try database.close()
  }

  @Test(arguments: [
    (#"{"id":1}"#, "1:7", "name of the class"), (#"{"class":{"names":[]}}"#, "1:19", "isIndexed"),
    (#"{"of":"C","object":{}}"#, "1:1", "describes the class 'C'"),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"money"}]}}"#, "1:36",
      "unknown type: 'money'"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"int"}]}}"#
        + "\n" + #"{"of":"C","object":{"a":"x"}}"#, "2:25", "'a' is int"
    ),
    (
      #"{"class":{"name":"C","properties":[]}}"# + "\n" + #"{"of":"C","object":{"b":1}}"#, "2:25",
      "no property 'b'"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"link to C"}]}}"#
        + "\n" + #"{"of":"C","object":{"a":5}}"#, "2:25", "as \"#1\""
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"mixed"}]}}"# + "\n"
        + #"{"of":"C","object":{"a":[{"$link":{"class":"D","key":1}}]}}"#, "2:26",
      "describes the class 'D'"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"string","isIndexed":true}]}}"# + "\n"
        + #"{"of":"C","object":{"a":""# + String(repeating: "x", count: 65_534) + #""}}"#, "2:25",
      "takes 65533 bytes at most, found 65534"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"list of link to C"}]}}"# + "\n"
        + ##"{"of":"C","key":1,"object":{"a":["#1","#2","#9"]}}"## + "\n"
        + #"{"of":"C","key":2,"object":{}}"#, "2:44", "the object #9 of 'C', which is not in"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"mixed"}]}}"# + "\n"
        + #"{"class":{"name":"K","properties":[{"name":"k","type":"string"}],"primaryKey":"k"}}"#
        + "\n" + #"{"of":"C","object":{"a":{"$link":{"class":"K","key":"nope"}}}}"# + "\n"
        + #"{"of":"K","object":{"k":"yes"}}"#, "3:25", "of 'K', which is not in the dump"
    ),
    (Self.keyed, "12:28", "a second object of 'K' with the primary key 1"),
    (
      #"{"class":{"name":"K","properties":[{"name":"id","type":"int"}],"primaryKey":"id"}}"# + "\n"
        + #"{"of":"K","object":{}}"#, "2:1", "no 'id'"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"list of int"}]}}"# + "\n"
        + #"{"of":"C","object":{"a":[1,null]}}"#, "2:25", "'a' is list of int, found null"
    ),
    (
      #"{"class":{"name":"C","properties":[{"name":"a","type":"int"}]}}"# + "\n"
        + #"{"of":"C","object":{"a":null}}"#, "2:25", "'a' is int, found null"
    ),
    (
      #"{"class":{"name":"C","properties":[]}}"# + "\n"
        + #"{"class":{"name":"C","properties":[]}}"#,
      "2:1", "a second time"
    ),
    (
      #"{"class":{"name":"C","properties":[]}}"# + "\n" + #"{"of":"C","key":1,"object":{}}"# + "\n"
        + #"{"of":"C","key":1,"object":{}}"#, "3:1", "with the key 1"
    ),
    (
      #"{"class":{"name":"E","isEmbedded":true,"properties":[]}}"# + "\n"
        + #"{"of":"E","object":{}}"#,
      "2:1", "a class of embedded objects"
    ),
  ])
  func aLineThatIsNoneOfADumpIsNamed(text: String, place: String, words: String) throws {
    let run = CommandRun()
    let data = try run.file("d.jsonl", text + "\n")
    // Also when the batches before the error could be stored.
    let outcome = run("import", run.path("g"), data, "--batch", "1")
    #expect(outcome.status == .failure)
    #expect(outcome.errors.contains("d.jsonl:\(place): "), "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(throws: (any Error).self) { try FileSource(path: run.path("g")) }
  }

  /// Ten objects, and the first of them again.
  private static let keyed =
    #"{"class":{"name":"K","properties":[{"name":"id","type":"int"}],"primaryKey":"id"}}"# + "\n"
    + (1...10).map { #"{"of":"K","object":{"id":\#($0)}}"# + "\n" }.joined()
    + #"{"of":"K","object":{  "id":1}}"#

  @Test func optionsOfOneClassAskForItsName() throws {
    let run = CommandRun()
    let outcome = run("import", run.path("g"), "City.jsonl", "--primary-key", "id")
    #expect(outcome.status == .usage)
    #expect(outcome.errors.contains("CLASS City.jsonl"), "\(outcome.errors)")
  }

  @Test func classesThatAreThereAreNotTouched() throws {
    let run = CommandRun()
    try run.importAll()
    let dump = run.expect("dump", run.path("geo"))
    let data = try run.file("dump.jsonl", dump)
    let outcome = run("import", run.path("geo"), data)
    #expect(outcome.status == .failure)
    #expect(outcome.errors.contains("there is a class 'Continent' already"))
    #expect(run.expect("dump", run.path("geo")) == dump)
  }
}
