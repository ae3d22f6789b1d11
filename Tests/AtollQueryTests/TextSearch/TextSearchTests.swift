import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Answers of `TEXT`, as the rules of the language give them.
@Suite(.computing) struct TextSearchTests {
  /// A search among boats or sailors, and the objects that pass.
  struct Search: CustomTestStringConvertible, Sendable {
    let className: String
    let query: String
    let answer: [UInt64]

    init(_ query: String, _ answer: [UInt64], on className: String = "Sailor") {
      self.className = className
      self.query = query
      self.answer = answer
    }

    var testDescription: String { "\(className): \(query)" }
  }

  static let searches = [
    // Whole words, beginnings, all of several, exclusion.
    Search("bio TEXT 'sail'", []), Search("bio TEXT 'sail*'", [1]),
    Search("bio TEXT 'master sailing'", [1]), Search("bio TEXT 'sailing -retired'", []),
    Search("bio TEXT 'master'", [1, 4]), Search("bio TEXT 'RETIRED'", [1, 4]),
    Search("bio TEXT 'master -sailing'", [4]), Search("bio TEXT 'retired -cook -sailing'", []),
    Search("bio TEXT 'ma* re*'", [1, 4]), Search("bio TEXT 's* r*'", [1]),
    Search("bio TEXT 'sail* -sail'", [1]), Search("bio TEXT 'nowhere master'", []),
    Search("bio TEXT 'master master'", [1, 4]), Search("bio text 'cook,'", [4]),
    Search("bio TEXT '\\t master\\ncook '", [4]),
    // å is a letter of its own, é folds to e.
    Search("bio TEXT 'ase'", []), Search("bio TEXT 'åse'", [2]), Search("bio TEXT 'ÅSE BÅ*'", [2]),
    Search("title TEXT 'cafe'", [4], on: "Boat"), Search("title TEXT 'CAFÉ fram'", [4], on: "Boat"),
    Search("title TEXT 'fram'", [1, 2, 4], on: "Boat"),
    // Exclusions alone pass all that lack them, null too.
    Search("bio TEXT '-master'", [2, 3]), Search("bio TEXT '-master -åse'", [3]),
    Search("bio TEXT '-nowhere'", [1, 2, 3, 4]),
    // Within AND, OR and NOT.
    Search("NOT bio TEXT 'master'", [2, 3]), Search("NOT bio TEXT '-master'", [1, 4]),
    Search("bio TEXT 'master' AND age > 25", [4]), Search("bio TEXT 'åse' OR age == 20", [1, 2]),
    Search("bio TEXT 'master' AND bio TEXT 'cook'", [4]),
    Search("bio TEXT '-master' AND age < 40", [2]),
    Search("title TEXT 'fram' AND berths == 7", [2], on: "Boat"),
    Search("title TEXT 'fram' AND title BEGINSWITH 'f'", [2], on: "Boat"),
    Search("TRUEPREDICATE AND NOT (bio TEXT 'cook' OR bio TEXT 'åse')", [1, 3]),
    Search("bio TEXT 'master' SORT(age DESC)", [4, 1]),
    Search("bio TEXT 're*' SORT(age DESC) LIMIT(1)", [4]),
    // Through links: any match counts; no object there is no match.
    Search("captain.bio TEXT 'sailing'", [1], on: "Boat"),
    Search("captain.bio TEXT '-sailing'", [2, 4], on: "Boat"),
    Search("crew.bio TEXT 'master'", [1, 2], on: "Boat"),
    Search("ANY crew.bio TEXT 'åse'", [1], on: "Boat"),
    Search("crew.bio TEXT 'åse sailing'", [], on: "Boat"),
    Search("ALL crew.bio TEXT 'master'", [2, 3], on: "Boat"),
    Search("NONE crew.bio TEXT 'åse'", [2, 3, 4], on: "Boat"),
    Search("NONE crew.bio TEXT '-master'", [2, 3], on: "Boat"),
    Search("crew[0].bio TEXT 'master'", [1, 2], on: "Boat"),
    Search("crew[1].bio TEXT 'åse'", [1], on: "Boat"),
    Search("posts['cook'].bio TEXT 'cook'", [2], on: "Boat"),
    Search("posts.bio TEXT 'cook'", [2], on: "Boat"),
    Search("@links.Boat.captain.title TEXT 'fram -cafe'", [1, 2]),
    Search("@links.Boat.crew.title TEXT 'second'", [4]),
    // In subqueries.
    Search("SUBQUERY(crew, $s, $s.bio TEXT 'master' AND $s.age > 40).@count == 2", [2], on: "Boat"),
    Search("SUBQUERY(crew, $s, $s.bio TEXT '-master').@count > 0", [1, 4], on: "Boat"),
    Search(
      "SUBQUERY(@links.Boat.crew, $b, $b.title TEXT 'fram').@count == 1", [1, 2, 3]),
  ]

  @Test(arguments: searches)
  func searchGivesItsAnswer(_ search: Search) throws {
    let database = try NoteDatabase.shared.get()
    let snapshot = try database.snapshot()
    let query = try Query(search.query, on: search.className, in: snapshot.schema)
    #expect(try query.results(in: snapshot).keys.map(\.rawValue) == search.answer)
    #expect(try query.count(in: snapshot) == search.answer.count)
    #expect(try query.explain(in: snapshot).resultCount == search.answer.count)
    // The printed form asks the same.
    let printed = try QuerySyntax.parse(search.query).description
    let again = try Query(printed, on: search.className, in: snapshot.schema)
    #expect(try again.results(in: snapshot).keys.map(\.rawValue) == search.answer)
  }

  @Test func anArgumentIsReadAgainEachTime() throws {
    let snapshot = try NoteDatabase.shared.get().snapshot()
    for (pattern, count) in [("master", 2), ("åse", 1), ("-åse", 3), ("master", 2)] {
      let query = try Query(
        "bio TEXT $0", on: "Sailor", in: snapshot.schema, arguments: [.string(pattern)])
      #expect(try query.count(in: snapshot) == count)
    }
    #expect(throws: QueryError.self) {
      try Query("bio TEXT $0", on: "Sailor", in: snapshot.schema, arguments: [.string("a-b")])
    }
  }

  @Test func aTransactionFindsItsOwnChanges() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(NoteDatabase.classes)
      let query = try Query("bio TEXT 'sail* -old'", on: "Sailor", in: transaction.schema)
      let key = try transaction.create("Sailor", ["bio": .string("a sailor")])
      #expect(try query.results(in: transaction).keys == [key])
      try transaction.set("Sailor", key, "bio", .string("an old sailor"))
      #expect(try query.count(in: transaction) == 0)
      try transaction.set("Sailor", key, "bio", .string("a new sailing boat"))
      #expect(try query.count(in: transaction) == 1)
      try transaction.delete("Sailor", key)
      #expect(try query.count(in: transaction) == 0)
    }
  }

  @Test func aVersionWithoutTheIndexIsReadTextByText() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Note", properties: [PropertySchema("text", .string, isOptional: true)]))
      for text in ["Åse på båt", "on a boat"] {
        try transaction.create("Note", ["text": .string(text)])
      }
      try transaction.create("Note")
    }
    let old = try database.snapshot()
    try database.write { try $0.addFullTextIndex(on: "text", of: "Note") }
    let schema = try database.snapshot().schema
    for (pattern, keys) in [
      ("på -boat", [1]), ("bo*", [2]), ("-boat", [1, 3]), ("ase", []),
    ] as [(String, [UInt64])] {
      let query = try Query("text TEXT '\(pattern)'", on: "Note", in: schema)
      #expect(try query.results(in: old).keys.map(\.rawValue) == keys)
      #expect(try query.results(in: database.snapshot()).keys.map(\.rawValue) == keys)
      #expect(try query.count(in: old) == keys.count)
    }
  }

  @Test func explainNamesTheIndexAndTheWords() throws {
    let snapshot = try NoteDatabase.shared.get().snapshot()
    func plan(_ text: String, on className: String = "Sailor") throws -> QueryPlan {
      try Query(text, on: className, in: snapshot.schema).explain(in: snapshot)
    }
    let direct = try plan("bio TEXT 'MASTER re* -cook'")
    #expect(direct.indexes == ["Sailor.bio"])
    #expect(direct.root.text == "words in 'Sailor.bio' TEXT 'master re* -cook'")
    #expect(direct.estimatedRowCount == 2)
    #expect(direct.matchingRowCount == 1)
    let excluding = try plan("bio TEXT '-cook'")
    #expect(excluding.indexes == [])
    #expect(excluding.root.parts.first?.text == "'bio' TEXT '-cook'")
    let linked = try plan("captain.bio TEXT 'master'", on: "Boat")
    #expect(linked.root.parts.first?.parts.first?.text == "'bio' TEXT 'master'")
  }

  @Test func aRareWordLeadsAndOtherTestsFollow() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Note",
          properties: [
            PropertySchema("text", .string, isFullTextIndexed: true), PropertySchema("n", .int),
          ]))
      for number in 0..<20_000 {
        let text = "common \(number % 2 == 0 ? "even" : "odd") word\(number % 1000)"
        try transaction.create("Note", ["text": .string(text), "n": .int(Int64(number))])
      }
    }
    let snapshot = try database.snapshot()
    // Few are left after the rare word, so the common ones are looked up in their texts.
    for (text, count) in [
      ("text TEXT 'common word7'", 20), ("text TEXT 'common word7 odd'", 20),
      ("text TEXT 'common word7 even'", 0), ("text TEXT 'word7 -odd'", 0),
      ("text TEXT 'word7 -even -rare'", 20), ("text TEXT 'word7*'", 2220),
      ("text TEXT 'common even'", 10_000), ("text TEXT 'common -even'", 10_000),
      ("text TEXT '-even -word7'", 9980), ("text TEXT 'word7' AND n < 5000", 5),
      ("text TEXT 'common' AND n < 5000", 5000), ("NOT text TEXT 'word7'", 19_980),
    ] {
      let query = try Query(text, on: "Note", in: snapshot.schema)
      #expect(try query.count(in: snapshot) == count, "\(text)")
      #expect(try query.results(in: snapshot).count == count, "\(text)")
    }
    let plan = try Query("text TEXT 'word7'", on: "Note", in: snapshot.schema)
      .explain(in: snapshot)
    #expect(plan.indexes == ["Note.text"])
    #expect(plan.testedRowCount == 0)
  }
}
