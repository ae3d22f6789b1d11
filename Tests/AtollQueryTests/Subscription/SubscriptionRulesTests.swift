import AtollObjects
import TestThreads
import Testing

@testable import AtollQuery

/// What a query must be to be a subscription.
@Suite(.computing) struct SubscriptionRulesTests {
  private static let task = ClassSchema(
    "Task",
    properties: [
      PropertySchema("_id", .objectID), PropertySchema("name", .string),
      PropertySchema("priority", .int), PropertySchema("done", .bool),
      PropertySchema("mixed", .mixed), PropertySchema("genres", .string, collection: .list),
      PropertySchema("marks", .int, collection: .set),
      PropertySchema("extra", .string, collection: .map),
      PropertySchema("team", linkTo: "Team"),
      PropertySchema("members", linkTo: "Person", collection: .list),
      PropertySchema("place", linkTo: "Point"),
    ], primaryKey: "_id")

  private static func problem(
    _ text: String, on schema: ClassSchema = task,
    isQueryable: @escaping (String) -> Bool = { _ in true }
  ) throws -> SubscriptionProblem? {
    SubscriptionRules.problem(
      in: try QuerySyntax.parse(text), text: text, on: schema, isQueryable: isQueryable)
  }

  /// Promise: rule.allowed.
  @Test(arguments: [
    "TRUEPREDICATE", "priority > 3", "3 < priority",
    "priority IN {1, 2, 3}", "name IN {}", "'comedy' IN genres", "ANY genres == 'comedy'",
    "NONE genres BEGINSWITH[c] 'c'", "ALL marks > 3", "genres.@count > 2", "marks.@count == 0",
    "members.@count > 1", "name BEGINSWITH[c] 'A'", "name LIKE '*x?'", "name CONTAINS[cd] 'é'",
    "'abc' CONTAINS name", "priority BETWEEN {1, 5}", "mixed == 3", "mixed == 'x'",
    "place GEOWITHIN geoCircle([1.0, 2.0], 0.5)", "_id == oid(000000000000000000000001)",
    "genres.@count IN {1, 2}",
  ])
  func isAllowed(text: String) throws {
    #expect(try Self.problem(text) == nil)
  }

  /// Promise: rule.allowed.
  @Test func logicIsAllowed() throws {
    #expect(try Self.problem("done == TRUE AND NOT (name == NULL OR done == FALSE)") == nil)
  }

  /// Promise: rule.refused.
  @Test(
    arguments: [
      ("priority > 1 SORT(name ASC)", "SORT", SubscriptionProblem.Reason.clause("SORT"), "name"),
      ("priority > 1 DISTINCT(name)", "DISTINCT", .clause("DISTINCT"), "name"),
      ("priority > 1 LIMIT(3)", "LIMIT", .clause("LIMIT"), ""),
      ("priority > 1 GROUP(name)", "GROUP", .clause("GROUP"), ""),
      ("marks.@max > 3", "@max", .aggregate, "@max"),
      ("members.@avg.age > 3", "@avg", .aggregate, "@avg"),
      (
        "SUBQUERY(members, $x, $x.age > 1).@count > 0", "SUBQUERY", .subquery,
        "SUBQUERY(members, $x, $x.age > 1).@count"
      ),
      ("name TEXT 'word'", "TEXT", .fullTextSearch, "name"),
      ("priority + 1 > 3", "arithmetic", .arithmetic, "+"),
      ("mixed.@type == 'int'", "@type", .typeOfValue, "@type"),
      ("priority == $0", "constants", .argument, "$0"),
      ("priority IN {1, $0}", "constants", .argument, "$0"),
      ("priority BETWEEN $0", "constants", .argument, "$0"),
      ("$K0 == 1", "constants", .argument, "$K0"),
      ("place GEOWITHIN $0", "constants", .argument, "$0"),
      ("prioritz > 3", "no property 'prioritz'", .unknownProperty("prioritz"), "prioritz"),
      ("team.name == 'x'", "own properties", .longPath, "team.name"),
      ("place.coordinates == 1", "own properties", .longPath, "place.coordinates"),
      ("extra['a'] == 'x'", "own properties", .longPath, "extra['a']"),
      ("genres[0] == 'x'", "own properties", .longPath, "genres[0]"),
      ("ANY @links.Team.tasks.name == 'x'", "is none", .longPath, "@links.Team.tasks.name"),
      ("team == NULL", "is a link", .propertyType("team"), "team"),
      ("extra == 'x'", "is a map", .propertyType("extra"), "extra"),
      ("ANY members == NULL", "is a link", .propertyType("members"), "members"),
      ("name GEOWITHIN geoCircle([1.0, 2.0], 0.5)", "embedded", .propertyType("name"), "name"),
      ("name.@count > 3", "is none", .countOfNoList("name"), "name"),
      ("extra.@count > 3", "is none", .countOfNoList("extra"), "extra"),
      ("{'a', 'b'} IN genres", "compare lists", .listComparison, "{'a', 'b'} IN genres"),
      ("ANY {'a'} != ANY genres", "compare lists", .listComparison, "ANY {'a'} != ANY genres"),
      ("genres == {'a'}", "compare lists", .listComparison, "genres == {'a'}"),
      ("priority == {1, 2}", "compare lists", .listComparison, "priority == {1, 2}"),
      ("priority IN ALL {1, 2}", "before the list", .listComparison, "ALL"),
      ("name == mixed", "both sides", .comparisonOfProperties, "name == mixed"),
      ("name IN genres", "both sides", .comparisonOfProperties, "name IN genres"),
      (
        "mixed == obj('Team', 3)", "with an object", .objectLiteral, "obj('Team', 3)"
      ),
      ("priority > 1 OR NOT (done == TRUE AND marks.@sum > 3)", "@sum", .aggregate, "@sum"),
    ] as [(String, String, SubscriptionProblem.Reason, String)])
  func isRefused(
    text: String, words: String, reason: SubscriptionProblem.Reason, token: String
  ) throws {
    let problem = try #require(try Self.problem(text))
    #expect(problem.reason == reason)
    #expect(problem.message.contains(words), "\(problem)")
    #expect(problem.place.token == token, "\(problem)")
  }

  /// Promise: events.notSubscribed.
  @Test func classesThatAreNotSentByThemselvesAreRefused() throws {
    let embedded = ClassSchema("Point", properties: [], isEmbedded: true)
    #expect(try Self.problem("TRUEPREDICATE", on: embedded)?.reason == .classCannotBeSubscribed)
    let asymmetric = ClassSchema(
      "Sample", properties: [PropertySchema("_id", .int)], primaryKey: "_id", isSynced: true,
      isAsymmetric: true)
    #expect(try Self.problem("TRUEPREDICATE", on: asymmetric)?.reason == .classCannotBeSubscribed)
  }

  /// Promise: rule.byteCount.
  @Test func textHasALimit() throws {
    let limit = QueryLimits.subscriptionByteCount
    let text = "name == '" + String(repeating: "x", count: limit - 10) + "'"
    #expect(try Self.problem(text) == nil)
    let long = "name == '" + String(repeating: "x", count: limit - 9) + "'"
    #expect(
      try Self.problem(long)?.reason == .tooLong(byteCount: limit + 1, limit: limit))
  }

  /// Promise: rule.queryable.
  @Test func propertiesMayBeLeftOut() throws {
    #expect(try Self.problem("priority > 1") { $0 != "name" } == nil)
    #expect(
      try Self.problem("priority > 1 AND name == 'x'") { $0 != "name" }?.reason
        == .notQueryable("name"))
  }
}
