import AtollQuery
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// What a query is filed by: no object that passes lacks it.
@Suite(.computing) struct QueryInterestTests {
  @Test(arguments: 0..<12 as Range<UInt64>)
  func everyObjectThatPassesHasWhatTheQueryAsks(seed: UInt64) throws {
    var world = try RandomWorld(seed: seed)
    var (filedCount, exactCount) = (0, 0)
    for _ in 0..<120 {
      let made = world.query()
      let snapshot = try world.database.snapshot()
      guard var request = try? QuerySyntax.parse(made.text) else { continue }
      request.descriptors = []
      guard let query = try? Query(request, on: made.className, in: snapshot.schema) else {
        continue
      }
      let interest = try query.interest(in: snapshot)
      if case .everything = interest { continue }
      filedCount += 1
      if interest.isExact { exactCount += 1 }
      let passing = Set(try query.results(in: snapshot).keys)
      try snapshot.table(made.className).forEach { object in
        let isFound = try interest.holds(of: object)
        let passes = passing.contains(object.key)
        #expect(isFound || !passes, "\(made.text)")
        if interest.isExact { #expect(isFound == passes, "\(made.text)") }
      }
    }
    #expect(filedCount > 10)
    #expect(exactCount > 5)
  }

  private func interest(_ text: String) throws -> QueryInterest {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Task",
          properties: [
            PropertySchema("_id", .int), PropertySchema("team", .int),
            PropertySchema("text", .string, isOptional: true), PropertySchema("done", .bool),
            PropertySchema("tags", .string, collection: .list), PropertySchema("wild", .mixed),
          ], primaryKey: "_id")
      ])
    }
    let snapshot = try database.snapshot()
    return try Query(text, on: "Task", in: snapshot.schema).interest(in: snapshot)
  }

  /// The ranges of each property that a query is filed by; nil: it is not.
  private func counts(_ text: String) throws -> [String: Int]? {
    var counts: [String: Int] = [:]
    func add(_ interest: QueryInterest) -> Bool {
      switch interest {
      case .everything: return false
      case .values(let column, let ranges, _): counts[column.name, default: 0] += ranges.count
      case .anyOf(let parts), .allOf(let parts): return parts.allSatisfy(add)
      }
      return true
    }
    return add(try interest(text)) ? counts : nil
  }

  @Test(arguments: [
    ("team == 3", ["team": 1]), ("3 == team", ["team": 1]), ("team IN {1, 5, 9}", ["team": 3]),
    ("team > 3 AND team <= 9", ["team": 1]), ("team BETWEEN {3, 9}", ["team": 1]),
    ("text BEGINSWITH 'ab'", ["text": 1]), ("text == nil", ["text": 1]),
    ("text LIKE 'ab*c'", ["text": 1]), ("'x' IN tags", ["tags": 1]), ("tags == 'x'", ["tags": 1]),
    ("text == 'a' OR team IN {1, 5}", ["text": 1, "team": 2]),
    ("(text == 'a' OR team IN {1, 5}) AND done == true", ["text": 1, "team": 2, "done": 1]),
    ("NOT team == 3", ["team": 2]),
  ])
  func formsAreFiled(text: String, expected: [String: Int]) throws {
    #expect(try counts(text) == expected)
  }

  @Test(arguments: [
    "text CONTAINS 'a'", "text == 'a' OR text CONTAINS 'b'", "ALL tags == 'x'", "NONE tags == 'x'",
    "wild == 3", "tags.@count > 2", "text BEGINSWITH[c] 'a'",
  ])
  func otherFormsAreNot(text: String) throws {
    #expect(try counts(text) == nil)
  }

  @Test func whatNothingPassesIsFiledNowhere() throws {
    for text in ["FALSEPREDICATE", "team == 3 AND team == 4", "team IN {}"] {
      guard case .anyOf(let parts) = try interest(text) else {
        Issue.record("\(text)")
        continue
      }
      #expect(parts.isEmpty)
    }
    guard case .everything(isExact: true) = try interest("TRUEPREDICATE") else {
      Issue.record("TRUEPREDICATE is not everything")
      return
    }
  }
}

extension QueryInterest {
  fileprivate var isExact: Bool {
    switch self {
    case .everything(let isExact), .values(_, _, let isExact): isExact
    case .anyOf(let parts): parts.allSatisfy(\.isExact)
    case .allOf: false
    }
  }

  /// Whether an object has what is asked, looked at without an index.
  fileprivate func holds(of object: Object) throws -> Bool {
    switch self {
    case .everything: return true
    case .values(let column, let ranges, _):
      let value = try object.value(column)
      let keys: [[UInt8]] =
        switch value {
        case .list(let elements), .set(let elements): elements.compactMap { Index.bytes(of: $0) }
        default: [Index.bytes(of: value)].compactMap(\.self)
        }
      return keys.contains { key in
        ranges.contains { range in
          range.isSingleValue
            ? key == range.lower
            : !key.lexicographicallyPrecedes(range.lower)
              && (range.upper.map { key.lexicographicallyPrecedes($0) } ?? true)
        }
      }
    case .anyOf(let parts): return try parts.contains { try $0.holds(of: object) }
    case .allOf(let parts): return try parts.allSatisfy { try $0.holds(of: object) }
    }
  }
}
