import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct CompressionSavingsTests {
  /// A class with a string of `byteCount` bytes in each of `count` objects.
  private static func database(count: Int, string: (Int) -> String) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Note", properties: [PropertySchema("text", .string)])
      ])
      for index in 0..<count {
        _ = try transaction.create("Note", ["text": .string(string(index))])
      }
    }
    return database
  }

  @Test func repetitionSavesNearlyAllOfItsBytes() throws {
    let database = try Self.database(count: 500) { index in
      "\(index) " + String(repeating: "all work and no play ", count: 20)
    }
    let savings = try database.snapshot().compressionSavings()
    #expect((160_000...212_000).contains(savings))
  }

  @Test func aValueOutsideItsLeafCounts() throws {
    let database = try Self.database(count: 1) { _ in String(repeating: "x", count: 300_000) }
    #expect((290_000...300_000).contains(try database.snapshot().compressionSavings()))
  }

  @Test func noiseSavesNothing() throws {
    var random = SplitMix64(seed: 1)
    let database = try Self.database(count: 500) { _ in
      String(decoding: (0..<100).map { _ in UInt8(random.next() % 94) + 33 }, as: UTF8.self)
    }
    #expect(try database.snapshot().compressionSavings() < 500 * 25)
  }

  @Test func aSampleIsNearTheWhole() throws {
    let database = try Self.database(count: 30_000) { index in
      "\(index) " + String(repeating: "ab", count: index % 100)
    }
    let snapshot = try database.snapshot()
    let whole = Double(try snapshot.compressionSavings(sampleLimit: 1_000_000))
    let sample = Double(try snapshot.compressionSavings(sampleLimit: 16))
    #expect(whole > 1_000_000)
    #expect(abs(sample - whole) < whole / 4)
  }

  @Test func anEmptyDatabaseSavesNothing() throws {
    #expect(try Database.inMemory().snapshot().compressionSavings() == 0)
  }
}
