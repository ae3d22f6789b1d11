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

  @Test(arguments: seeds)
  func executorAgreesWithTheNaiveReading(seed: UInt64) throws {
    var world = try RandomWorld(seed: seed)
    var snapshot = try world.database.snapshot()
    var answered = 0
    for index in 0..<120 {
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
      let expected = world.naive.keys(
        try QuerySyntax.parse(random.text), on: random.className)
      let found = try query.results(in: snapshot).keys.map(\.rawValue)
      #expect(found == expected, "\(random.className): \(random.text)")
      #expect(
        try query.count(in: snapshot) == expected.count,
        "count of \(random.className): \(random.text)")
    }
    #expect(answered > 80)
  }
}
