import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// What conditions of rules say where the user lacks values: logic with three values.
@Suite(.computing) struct RuleConditionTests {
  private static let classes = [
    ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .int), PropertySchema("owner", .string, isOptional: true),
        PropertySchema("team", .int, isOptional: true),
      ], primaryKey: "_id"),
    ClassSchema(
      "Member",
      properties: [
        PropertySchema("_id", .string), PropertySchema("team", .int, isOptional: true),
        PropertySchema("teams", .int, collection: .list),
      ], primaryKey: "_id"),
  ]

  private static let owners: [String?] = [nil, "ann", "bob"]
  private static let teams: [Int64?] = [nil, 1, 2]

  /// A condition as text, and its value for an object: nil for unknown.
  private struct Condition: Sendable {
    let text: String
    let value: @Sendable (_ owner: String?, _ team: Int64?, _ user: UserValues) -> Bool?
  }

  private static let terms = [
    Condition(text: "owner == $user.id") { owner, _, user in owner == user.id },
    Condition(text: "owner != $user.id") { owner, _, user in owner != user.id },
    Condition(text: "team == 1") { _, team, _ in team == 1 },
    Condition(text: "team == NULL") { _, team, _ in team == nil },
    Condition(text: "TRUEPREDICATE") { _, _, _ in true },
    Condition(text: "FALSEPREDICATE") { _, _, _ in false },
    Condition(text: "team == $user.data.team") { _, team, user in
      user.team.map { team == $0 }
    },
    Condition(text: "team != $user.data.team") { _, team, user in
      user.team.map { team != $0 }
    },
    Condition(text: "$user.data.team < team") { _, team, user in
      user.team.map { own in team.map { own < $0 } ?? false }
    },
    Condition(text: "team IN {2, $user.data.team}") { _, team, user in
      user.team.map { team == $0 || team == 2 }
    },
    Condition(text: "team IN $user.data.teams") { _, team, user in
      user.list("teams").map { teams in team.map { teams.contains($0) } ?? false }
    },
    Condition(text: "team BETWEEN {$user.data.team, 2}") { _, team, user in
      user.team.map { low in team.map { low <= $0 && $0 <= 2 } ?? false }
    },
  ]

  private static func random(_ depth: Int, _ generator: inout SplitMix64) -> Condition {
    guard depth > 0, Int.random(in: 0..<4, using: &generator) > 0 else {
      return terms[Int.random(in: 0..<terms.count, using: &generator)]
    }
    let a = random(depth - 1, &generator)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: return Condition(text: "NOT (\(a.text))") { a.value($0, $1, $2).map { !$0 } }
    case 1:
      let b = random(depth - 1, &generator)
      return Condition(text: "(\(a.text)) AND (\(b.text))") { owner, team, user in
        let both = [a.value(owner, team, user), b.value(owner, team, user)]
        return both.contains(false) ? false : both.contains(nil) ? nil : true
      }
    default:
      let b = random(depth - 1, &generator)
      return Condition(text: "(\(a.text)) OR (\(b.text))") { owner, team, user in
        let both = [a.value(owner, team, user), b.value(owner, team, user)]
        return both.contains(true) ? true : both.contains(nil) ? nil : false
      }
    }
  }

  private static func users() -> [UserValues] {
    let teams = Value.list([.int(1)])
    return [
      [:], ["team": .int(1)], ["team": .null], ["teams": teams], ["team": .int(2), "teams": teams],
      ["team": .int(1), "teams": .list([])],
    ].map { data in
      UserValues(
        id: "ann",
        data: Dictionary(uniqueKeysWithValues: data.map { (ExactText($0.key), $0.value) }))
    }
  }

  private func database() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(Self.classes)
      var id: Int64 = 0
      for owner in Self.owners {
        for team in Self.teams {
          id += 1
          try transaction.create(
            "Task",
            [
              "_id": .int(id), "owner": owner.map { .string($0) } ?? .null,
              "team": team.map { .int($0) } ?? .null,
            ])
        }
      }
    }
    return database
  }

  /// The objects that a condition gives a user.
  private func found(_ text: String, _ user: UserValues, _ snapshot: Snapshot) throws -> [Int64] {
    let condition = try RuleCondition(
      text, on: "Task", in: snapshot.schema, userClass: "Member")
    guard let text = condition.text(for: user) else { return [] }
    #expect(try QuerySyntax.canonicalText(of: text) == text)
    return try Query(text, on: "Task", in: snapshot.schema).results(in: snapshot).keys
      .map(\.integerPrimaryKey).sorted()
  }

  /// Promise: rights.unknown.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func whatIsUnknownGivesNoRightUnlessAnotherTermDecides(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let snapshot = try database().snapshot()
    for _ in 0..<40 {
      let condition = Self.random(4, &generator)
      for user in Self.users() {
        var expected: [Int64] = []
        var id: Int64 = 0
        for owner in Self.owners {
          for team in Self.teams {
            id += 1
            if condition.value(owner, team, user) == true { expected.append(id) }
          }
        }
        #expect(
          try found(condition.text, user, snapshot) == expected, "\(condition.text), \(user)")
      }
    }
  }

  /// The rule of the guide: without data, a user has the own objects.
  @Test func theOwnObjectsStayWithoutData() throws {
    let snapshot = try database().snapshot()
    let user = UserValues(id: "ann", data: [:])
    let own: [Int64] = [4, 5, 6]
    #expect(
      try found("owner == $user.id OR team IN $user.data.teams", user, snapshot) == own)
    for text in [
      "NOT team == $user.data.team", "NOT (owner == $user.id OR team == $user.data.team)",
      "owner == $user.id AND team == $user.data.team",
    ] {
      #expect(try found(text, user, snapshot) == [])
    }
    // False for the own ones, whatever the team is, so true by the NOT; unknown for the others.
    #expect(
      try found("NOT (owner != $user.id AND team == $user.data.team)", user, snapshot) == own)
  }
}

extension UserValues {
  fileprivate var team: Int64? { data["team"]?.int }

  fileprivate func list(_ name: String) -> [Int64]? {
    data[ExactText(name)]?.list?.compactMap(\.int)
  }
}
