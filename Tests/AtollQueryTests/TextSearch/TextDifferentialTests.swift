import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

/// Random searches of random texts agree with splitting every text again.
@Suite(.computing) struct TextDifferentialTests {
  @Test(arguments: seeds(2))
  func searchAgreesWithTheNaiveReading(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Note",
          properties: [
            PropertySchema("text", .string, isOptional: true, isFullTextIndexed: true),
            PropertySchema("n", .int), PropertySchema("next", linkTo: "Note"),
          ])
      ])
    }
    var texts: [UInt64: String?] = [:]
    var answered = 0
    var matched = 0
    for _ in 0..<4 {
      try database.write { transaction in
        for _ in 0..<300 {
          let text: String? = Int.random(in: 0..<8, using: &random) == 0 ? nil : random.words()
          let value = text.map { Value.string($0) } ?? .null
          if let key = texts.keys.sorted().randomElement(using: &random),
            Int.random(in: 0..<3, using: &random) == 0
          {
            if Bool.random(using: &random) {
              try transaction.set("Note", ObjectKey(rawValue: key), "text", value)
              texts[key] = .some(text)
            } else {
              try transaction.delete("Note", ObjectKey(rawValue: key))
              texts[key] = nil
            }
          } else {
            let key = try transaction.create(
              "Note", ["text": value, "n": .int(Int64.random(in: 0..<4, using: &random))])
            texts[key.rawValue] = .some(text)
          }
        }
      }
      let snapshot = try database.snapshot()
      for _ in 0..<60 {
        let pattern = Self.pattern(&random)
        let query: Query
        do throws(QueryError) {
          query = try Query(
            "text TEXT $0", on: "Note", in: snapshot.schema, arguments: [.string(pattern)])
        } catch {
          #expect(error.kind == .argument)
          continue
        }
        let expected = texts.filter { NaiveWords.matches($0.value, pattern) }.keys.sorted()
        answered += 1
        matched += expected.count
        let found = try query.results(in: snapshot).keys.map(\.rawValue)
        #expect(found == expected, "\(pattern)")
        #expect(try query.count(in: snapshot) == expected.count, "\(pattern)")
        let rest = try Query(
          "NOT text TEXT $0", on: "Note", in: snapshot.schema, arguments: [.string(pattern)])
        #expect(try rest.count(in: snapshot) == texts.count - expected.count, "NOT \(pattern)")
      }
    }
    #expect(answered > 100)
    #expect(matched > 1000)
    #expect(try database.check().findings == [])
  }

  /// One to four words, some of them beginnings, some excluded; mostly well formed.
  private static func pattern(_ random: inout SplitMix64) -> String {
    var words: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard var word = NaiveWords.tokens(of: random.words()).randomElement(using: &random) else {
        continue
      }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2: word = "-" + word
      case 3, 4: word = String(word.prefix(Int.random(in: 1...3, using: &random))) + "*"
      case 5: word = word.uppercased() + "!"
      default: break
      }
      words.append(word)
    }
    return words.joined(separator: " ")
  }
}
