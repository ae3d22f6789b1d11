import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Large sets and maps of earlier builds open with exactly their contents, and can be changed.
@Suite(.computing) struct GoldenPartsTests {
  @Test(.enabled(if: GoldenFiles.isWriting))
  func writesGoldenFile() throws {
    try GoldenFiles.write(GoldenParts.make(), to: GoldenParts.path)
  }

  @Test(arguments: [GoldenParts.path, GoldenParts.wholePath])
  func largeSetsAndMapsAreTheOnesTheyWereMadeWith(_ path: String) throws {
    try withDatabase(path) { database in
      try database.expectSound()
      let table = try database.snapshot().table("Notes")
      let large = try #require(try table.object(primaryKey: .int(1)))
      #expect(try large["words"] == GoldenParts.set)
      #expect(try large["places"] == GoldenParts.map)
      let (words, places) = (try table.column("words"), try table.column("places"))
      #expect(try large.elementCount(words) == 1_500)
      #expect(try large.elementCount(places) == 1_500)
      for (index, word) in GoldenParts.words.enumerated() where index % 97 == 0 {
        #expect(try large.part(words, .string(word)) == .string(word))
        #expect(try large.part(places, .string(word)) == .int(Int64(index)))
      }
      #expect(try large.part(words, .string("no word")) == nil)
      #expect(try large.part(places, .string("no word")) == nil)
      let small = try #require(try table.object(primaryKey: .int(2)))
      #expect(try small["words"] == .set([.string("a")]))
      #expect(try small["places"] == .map(["a": .int(1)]))
    }
  }

  /// What a change leaves is a tree, whatever it was before.
  @Test(arguments: [GoldenParts.path, GoldenParts.wholePath])
  func largeSetsAndMapsAreChangedByMemberAndKey(_ path: String) throws {
    try withDatabase(path) { database in
      let old = try database.snapshot()
      try database.write { transaction in
        let key = ObjectKey(integerPrimaryKey: 1)
        try transaction.insert("Notes", key, "words", member: .string("another"))
        try transaction.remove("Notes", key, "words", member: .string(GoldenParts.words[3]))
        try transaction.set("Notes", key, "places", mapKey: "another", .int(-1))
        try transaction.set("Notes", key, "places", mapKey: GoldenParts.words[5], .int(-2))
        try transaction.remove("Notes", key, "places", mapKey: GoldenParts.words[3])
      }
      try database.expectSound()
      var words = Set(GoldenParts.words)
      words.remove(GoldenParts.words[3])
      words.insert("another")
      var places = try #require(GoldenParts.map.map)
      places["another"] = .int(-1)
      places[GoldenParts.words[5]] = .int(-2)
      places[GoldenParts.words[3]] = nil
      let table = try database.snapshot().table("Notes")
      let object = try #require(try table.object(primaryKey: .int(1)))
      #expect(try object["words"] == .set(words.sorted().map { .string($0) }))
      #expect(try object["places"] == .map(places))
      let before = try #require(try old.table("Notes").object(primaryKey: .int(1)))
      #expect(try before["words"] == GoldenParts.set)
      #expect(try before["places"] == GoldenParts.map)
      _ = try database.compactInPlace()
      try database.write { try $0.delete("Notes", ObjectKey(integerPrimaryKey: 1)) }
      try database.expectSound()
    }
  }

  private func withDatabase(_ golden: String, _ body: (Database) throws -> Void) throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "golden")
    let bytes =
      GoldenFiles.isWriting && golden == GoldenParts.path
      ? try GoldenParts.make() : try GoldenFiles.read(golden)
    try GoldenFiles.write(bytes, toAbsolute: path)
    let database = try Database.open(path)
    try body(database)
    try database.close()
  }
}
