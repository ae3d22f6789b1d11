import AtollObjects
import AtollQuery
import Foundation
import Testing

@Suite struct DifferentialTests {
  /// Six seeds, or as many as the environment asks for.
  static let seeds: Range<UInt64> = {
    let asked = ProcessInfo.processInfo.environment["ATOLL_DIFFERENTIAL_SEEDS"].flatMap(UInt64.init)
    return 0..<(asked ?? 6)
  }()

  /// An answer that is not the naive one.
  private struct Difference {
    var query: RandomQuery
    var found: [UInt64]
    var count: Int
    var expected: [UInt64]
  }

  /// The differences between the executor and the naive reading on the queries of a seed, up to
  /// `limit`, and how many queries were answered.
  private static func differences(
    seed: UInt64, mistake: NaiveWorld.Mistake?, limit: Int
  ) throws -> (differences: [Difference], answered: Int) {
    var world = try RandomWorld(seed: seed)
    var snapshot = try world.database.snapshot()
    var answered = 0
    var differences: [Difference] = []
    for index in 0..<120 where differences.count < limit {
      if index % 40 == 39 {
        try world.change()
        snapshot = try world.database.snapshot()
      }
      let random = world.query()
      let query: Query
      do throws(QueryError) {
        query = try Query(random.text, on: random.className, in: snapshot.schema)
      } catch {
        // The generator makes a few that are refused; they must be few.
        continue
      }
      answered += 1
      var naive = world.naive
      naive.mistake = mistake
      let expected = naive.keys(try QuerySyntax.parse(random.text), on: random.className)
      let found = try query.results(in: snapshot).keys.map(\.rawValue)
      let count = try query.count(in: snapshot)
      if found != expected || count != expected.count {
        differences.append(
          Difference(query: random, found: found, count: count, expected: expected))
      }
    }
    return (differences, answered)
  }

  @Test(arguments: seeds)
  func executorAgreesWithTheNaiveReading(seed: UInt64) throws {
    let (differences, answered) = try Self.differences(seed: seed, mistake: nil, limit: 5)
    for difference in differences {
      let query = "\(difference.query.className): \(difference.query.text)"
      #expect(difference.found == difference.expected, "\(query)")
      #expect(difference.count == difference.expected.count, "count of \(query)")
    }
    #expect(answered > 80 || !differences.isEmpty)
  }

  /// The test of the test: each mistake shows in one of a few seeds.
  @Test(arguments: NaiveWorld.Mistake.allCases)
  func aMistakeIsSeen(_ mistake: NaiveWorld.Mistake) throws {
    let seen = try (0..<16 as Range<UInt64>).first { seed in
      try !Self.differences(seed: seed, mistake: mistake, limit: 1).differences.isEmpty
    }
    #expect(seen != nil)
  }
}
