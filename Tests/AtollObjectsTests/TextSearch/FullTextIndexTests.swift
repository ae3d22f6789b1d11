@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// A full-text index lists every object under the words of its text, whatever was done to it.
@Suite(.computing) struct FullTextIndexTests {
  static let note = ClassSchema(
    "Note",
    properties: [
      PropertySchema("text", .string, isOptional: true, isIndexed: true, isFullTextIndexed: true),
      PropertySchema("title", .string), PropertySchema("number", .int),
    ])

  @Test(arguments: UInt64(0)..<6)
  func randomChangesKeepTheIndexExact(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let database = try Database.inMemory()
    try database.write { try $0.addClass(Self.note) }
    var texts: [ObjectKey: String?] = [:]
    for _ in 0..<15 {
      let transaction = try database.beginWrite()
      let before = texts
      let writer = try transaction.objectWriter("Note")
      let column = try writer.column("text")
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        let text = random.words()
        let key = texts.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
        switch (Int.random(in: 0..<7, using: &random), key) {
        case (0, _):
          texts[try transaction.create("Note", ["text": .string(text)])] = text
        case (1, _):
          let key = try writer.create()
          try writer.set(column, text)
          texts[key] = text
        case (2, _): texts[try transaction.create("Note")] = .some(nil)
        case (3, let key?):
          try transaction.set("Note", key, "text", .string(text))
          texts[key] = text
        case (4, let key?):
          // Twice, as the first may be listed already.
          #expect(try writer.select(key))
          try writer.set(column, random.words())
          try writer.set(column, text)
          texts[key] = text
        case (5, let key?):
          try transaction.set("Note", key, "text", .null)
          texts[key] = .some(nil)
        case (6, let key?):
          try transaction.delete("Note", key)
          texts[key] = nil
        default: break
        }
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        transaction.cancel()
        texts = before
      } else {
        try Self.expect(transaction, texts)
        try transaction.commit()
      }
      try Self.expect(try database.snapshot(), texts)
      try database.expectSound()
    }
  }

  @Test func addingTheIndexListsTheObjectsThatAreThere() throws {
    let database = try Database.inMemory()
    var texts: [ObjectKey: String?] = [:]
    var random = SplitMix64(seed: 7)
    try database.write { transaction in
      var schema = Self.note
      schema.properties[0].isFullTextIndexed = false
      try transaction.addClass(schema)
      for _ in 0..<3000 {
        let text = random.words()
        texts[try transaction.create("Note", ["text": .string(text)])] = text
      }
    }
    let old = try database.snapshot()
    try database.write { try $0.addFullTextIndex(on: "text", of: "Note") }
    let snapshot = try database.snapshot()
    #expect(snapshot.schema["Note"]?["text"]?.isFullTextIndexed == true)
    #expect(old.schema["Note"]?["text"]?.isFullTextIndexed == false)
    try Self.expect(snapshot, texts)
    try database.expectSound()
    // Asking again changes nothing.
    try database.write { try $0.addFullTextIndex(on: "text", of: "Note") }
    #expect(try database.snapshot().version == snapshot.version)
  }

  @Test func removingTheIndexGivesItsPagesBack() throws {
    let database = try Database.inMemory()
    var random = SplitMix64(seed: 8)
    try database.write { transaction in
      var schema = Self.note
      schema.properties[0].isFullTextIndexed = false
      try transaction.addClass(schema)
      for _ in 0..<3000 { try transaction.create("Note", ["text": .string(random.words())]) }
    }
    let before = try database.status().liveByteCount
    try database.write { try $0.addFullTextIndex(on: "text", of: "Note") }
    #expect(try database.status().liveByteCount > before + 10_000)
    try database.write { transaction in
      try transaction.removeFullTextIndex(on: "text", of: "Note")
      try transaction.removeFullTextIndex(on: "title", of: "Note")
      try transaction.create("Note", ["text": .string("after")])
    }
    let snapshot = try database.snapshot()
    #expect(snapshot.schema["Note"]?["text"]?.isFullTextIndexed == false)
    #expect(try snapshot.fullTextIndex(snapshot.table("Note").column("text")) == nil)
    #expect(try database.status().liveByteCount < before + 10_000)
    try database.expectSound()
    try database.write { try $0.addFullTextIndex(on: "text", of: "Note") }
    try database.expectSound()
  }

  @Test func aCompactCopyHasTheIndex() throws {
    let folder = TemporaryFolder()
    let database = try Database.inMemory()
    var texts: [ObjectKey: String?] = [:]
    var random = SplitMix64(seed: 9)
    try database.write { transaction in
      try transaction.addClass(Self.note)
      for _ in 0..<200 {
        let text = random.words()
        texts[try transaction.create("Note", ["text": .string(text)])] = text
      }
    }
    let path = folder.path(of: "copy")
    try database.writeCompactCopy(to: path)
    let copy = try Database.open(path)
    try Self.expect(try copy.snapshot(), texts)
    try copy.expectSound()
    try copy.close()
  }

  @Test func aChangeOfOneWordTouchesNoOtherWord() throws {
    let database = try Database.inMemory()
    let words = (0..<5000).map { "word\($0)" }
    let key = try database.write { transaction in
      try transaction.addClass(Self.note)
      for _ in 0..<20 {
        try transaction.create("Note", ["text": .string(words.joined(separator: " "))])
      }
      return try transaction.create("Note", ["text": .string(words.joined(separator: " "))])
    }
    let before = try Self.leaves(database)
    #expect(before.count > 3)
    try database.write {
      try $0.set("Note", key, "text", .string(words.dropLast().joined(separator: " ")))
    }
    // The word waits beside the main tree, to be taken out of it together with others.
    #expect(try Self.leaves(database) == before)
    let delta = try Self.index(database.snapshot()).delta
    #expect(delta?.removed.entryCount == 1)
    #expect(delta?.added.entryCount == 0)
  }

  // MARK: Help

  private static func index(_ snapshot: Snapshot) throws -> Index {
    try #require(try snapshot.fullTextIndex(snapshot.table("Note").column("text")))
  }

  /// The pages of the main tree's leaves.
  private static func leaves(_ database: Database) throws -> Set<PageReference> {
    let snapshot = try database.snapshot()
    let index = try Self.index(snapshot)
    var leaves: Set<PageReference> = []
    var cursor = index.main.tree.cursor()
    while let entry = try cursor.next() { leaves.insert(entry.reference) }
    return leaves
  }

  private static func expect(_ source: some TreeSource, _ texts: [ObjectKey: String?]) throws {
    var expected: [[UInt8]: [UInt64]] = [:]
    for (key, text) in texts {
      for token in Set(NaiveWords.tokens(of: text ?? "")) {
        expected[[0x30] + Array(token.utf8) + [0, 0], default: []].append(key.rawValue)
      }
    }
    for token in expected.keys { expected[token]?.sort() }
    var found: [[UInt8]: [UInt64]] = [:]
    let column = try source.table("Note").column("text")
    let index = try #require(try source.fullTextIndex(column))
    try index.forEachGroup(.all) { value, keys in
      let token = unsafe [UInt8](value.unsafeBytes)
      for position in keys.indices { found[token, default: []].append(keys[position]) }
      return true
    }
    #expect(found == expected)
  }
}
