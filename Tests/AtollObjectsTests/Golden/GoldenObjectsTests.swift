import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

/// A file with every type that an earlier build wrote opens with exactly its contents.
@Suite(.computing) struct GoldenObjectsTests {
  @Test(.enabled(if: GoldenFiles.isWriting))
  func writesGoldenFile() throws {
    try GoldenFiles.write(GoldenObjects.bytes(), to: GoldenObjects.path)
  }

  @Test func checksClean() throws {
    try withDatabase { database in
      let findings = try database.check().findings
      #expect(findings == [])
    }
  }

  @Test func schemaIsTheOneItWasMadeWith() throws {
    try withDatabase { database in
      let classes = try database.snapshot().schema.classes
      let visible = GoldenObjects.classes.filter { !$0.isHidden }
      #expect(classes.map(\.name) == visible.map(\.name))
      for (found, expected) in zip(classes, visible) {
        #expect(found.flags == expected.flags)
        #expect(found.primaryKey == expected.primaryKey)
        #expect(found.isEmbedded == expected.isEmbedded)
        #expect(found.properties.map(\.name) == expected.properties.map(\.name))
        #expect(found.properties.map(\.type) == expected.properties.map(\.type))
        #expect(found.properties.map(\.collection) == expected.properties.map(\.collection))
        #expect(
          found.properties.map(\.isFullTextIndexed)
            == expected.properties.map(\.isFullTextIndexed))
        #expect(found.properties.map(\.linkTarget) == expected.properties.map(\.linkTarget))
      }
    }
  }

  @Test func peopleAreTheOnesItWasMadeWith() throws {
    try withDatabase { database in
      let table = try database.snapshot().table("Person")
      #expect(table.count == GoldenObjects.names.count)
      let friend = try table.column("friend")
      for index in GoldenObjects.names.indices {
        let person = try #require(try table.object(primaryKey: .int(Int64(index) + 1)))
        #expect(try person["name"] == .string(GoldenObjects.names[index]))
        #expect(try person["town"] == .string(GoldenObjects.towns[index]))
        #expect(try person["age"] == (GoldenObjects.ages[index].map { .int($0) } ?? .null))
        let expected = GoldenObjects.friends[index].map { Value.int($0) }
        #expect(try person.linked(friend).map { try $0["id"] } == expected)
      }
    }
  }

  @Test func valuesOfEveryTypeAreTheOnesItWasMadeWith() throws {
    try withDatabase { database in
      let snapshot = try database.snapshot()
      let table = try snapshot.table("Everything")
      for (code, values) in try GoldenObjects.everything() {
        let object = try #require(try table.object(primaryKey: .string(code)))
        for (property, value) in values {
          #expect(try object[property] == value, "\(code).\(property)")
        }
      }
      let full = try #require(try table.object(primaryKey: .string("full")))
      let part = try #require(try full.linked(table.column("part")))
      #expect(try part["label"] == .string("embedded"))
      #expect(try full["waiting"] == .null)
      #expect(snapshot.pendingLinkCount == 1)
      let people = try snapshot.table("Person")
      let second = try #require(try people.object(primaryKey: .int(2)))
      #expect(try second.backlinks(table.column("people")) == [full.key, full.key])
    }
  }

  @Test func textOfTwoPagesIsTheOneItWasMadeWith() throws {
    try withDatabase { database in
      var texts: [Value] = []
      try database.snapshot().table("Essay").forEach { texts.append(try $0["text"]) }
      #expect(texts == [.string(GoldenObjects.essay)])
    }
  }

  @Test func aLongListIsTheOneItWasMadeWith() throws {
    try withDatabase { database in
      let table = try database.snapshot().table("Essay")
      var lists: [Value] = []
      try table.forEach { lists.append(try $0["squares"]) }
      #expect(lists == [.list(GoldenObjects.squares.map { .int($0) })])
    }
  }

  @Test func hiddenClassAndNamedTreeAreTheOnesItWasMadeWith() throws {
    try withDatabase { database in
      let snapshot = try database.snapshot()
      var texts: [Value] = []
      try snapshot.table("Memo").forEach { texts.append(try $0["text"]) }
      #expect(texts == [.string("hidden")])
      var notes: [(key: [UInt8], value: [UInt8])] = []
      try #require(snapshot.namedTree("notes")).forEach { notes.append(($0, $1)) }
      #expect(notes.elementsEqual(GoldenObjects.notes, by: ==))
    }
  }

  private func withDatabase(_ body: (Database) throws -> Void) throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "golden")
    try GoldenFiles.write(GoldenObjects.bytes(), toAbsolute: path)
    let database = try Database.open(path, options: .recording)
    try body(database)
    try database.close()
  }
}
