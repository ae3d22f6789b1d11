import AtollObjects
import AtollQuery
import Foundation
import TestThreads
import Testing

@Suite(.computing) struct DifferentialTests {
  /// Four seeds, or as many as the environment asks for.
  static let seeds: Range<UInt64> = {
    let asked = ProcessInfo.processInfo.environment["ATOLL_DIFFERENTIAL_SEEDS"].flatMap(UInt64.init)
    return 0..<(asked ?? 4)
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
    var answered = 0
    var differences: [Difference] = []
    for index in 0..<120 where differences.count < limit {
      if index % 40 == 39 { try world.change() }
      let random = world.query()
      let schema = try world.database.snapshot().schema
      let query: Query
      do throws(QueryError) {
        query = try Query(random.text, on: random.className, in: schema)
      } catch {
        // The generator makes a few that are refused; they must be few.
        continue
      }
      answered += 1
      var naive = world.naive
      naive.mistake = mistake
      let expected = naive.keys(try QuerySyntax.parse(random.text), on: random.className)
      weak var remaining: Snapshot?
      let (found, count) = try Self.answer(query, world.database, &remaining)
      // It would pin its version for as long as the process lives.
      #expect(remaining == nil, "is kept by \(random.className): \(random.text)")
      if found != expected || count != expected.count {
        differences.append(
          Difference(query: random, found: found, count: count, expected: expected))
      }
    }
    return (differences, answered)
  }

  /// Runs the query on a version of the database that no other reader has.
  private static func answer(
    _ query: Query, _ database: Database, _ snapshot: inout Snapshot?
  ) throws -> (keys: [UInt64], count: Int) {
    let asked = try database.snapshot()
    snapshot = asked
    return (try query.results(in: asked).keys.map(\.rawValue), try query.count(in: asked))
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
