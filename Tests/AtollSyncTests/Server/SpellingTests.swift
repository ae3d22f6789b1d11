import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// Texts with the same characters and other bytes are two texts for a server, as for queries.
@Suite(.computing) struct SpellingTests {
  /// `é` in one scalar and in two.
  private static let (one, two) = ("\u{e9}", "e\u{301}")

  private func world(_ rights: Rights = Rights(.development)) throws -> ServerWorld {
    try ServerWorld(store: AtollStore(try Database.inMemory(options: .recording)), rights: rights)
  }

  /// A world with a task for each spelling: 1 in one scalar, 2 in two.
  private func filledWorld() throws -> ServerWorld {
    let world = try world()
    let maker = try world.device(9, user: "maker", subscribing: ["TRUEPREDICATE"])
    try maker.make(1, team: 1, text: Self.one)
    try maker.make(2, team: 1, text: Self.two)
    try world.settle()
    return world
  }

  private func schema() throws -> Schema {
    let database = try Database.inMemory(options: .recording)
    try database.write { try $0.addClasses(ServerWorld.schema) }
    return try database.snapshot().schema
  }

  @Test func devicesThatAskForTwoSpellingsSeeTheirOwn() throws {
    let world = try filledWorld()
    let ann = try world.device(1, user: "ann", subscribing: ["text == '\(Self.one)'"])
    let bob = try world.device(2, user: "bob", subscribing: ["text == '\(Self.two)'"])
    #expect(ann.texts.keys.sorted() == [1])
    #expect(bob.texts.keys.sorted() == [2])
    // With what changes later too.
    let maker = try world.device(3, user: "maker", subscribing: ["TRUEPREDICATE"])
    try maker.make(3, team: 1, text: Self.one)
    try maker.make(4, team: 1, text: Self.two)
    try world.settle()
    #expect(ann.texts.keys.sorted() == [1, 3])
    #expect(bob.texts.keys.sorted() == [2, 4])
  }

  @Test func aDeviceThatAsksForTwoSpellingsSeesBoth() throws {
    let world = try filledWorld()
    let ann = try world.device(
      1, user: "ann", subscribing: ["text == '\(Self.one)'", "text == '\(Self.two)'"])
    #expect(ann.texts.keys.sorted() == [1, 2])
  }

  @Test func usersWhoseIdsAreTwoSpellingsHaveTheirOwnRights() throws {
    let own = Role.Permission.matching(
      try RuleCondition("text == $user.id", on: "Task", in: try schema(), userClass: nil))
    let root = Role(
      "root", application: .users(["root"]), read: .all, write: .all, insert: .all, delete: .all)
    let member = Role("member", read: own, write: own, insert: own, delete: own)
    let world = try world(
      Rights(.rules(ServerRules(classes: ["Task": ClassRules(roles: [root, member])]))))
    let maker = try world.device(9, user: "root", subscribing: ["TRUEPREDICATE"])
    try maker.make(1, team: 1, text: Self.one)
    try maker.make(2, team: 1, text: Self.two)
    try world.settle()
    let first = try world.device(1, user: Self.one, subscribing: ["TRUEPREDICATE"])
    let second = try world.device(2, user: Self.two, subscribing: ["TRUEPREDICATE"])
    #expect(first.texts.keys.sorted() == [1])
    #expect(second.texts.keys.sorted() == [2])
    try maker.make(3, team: 1, text: Self.two)
    try world.settle()
    #expect(first.texts.keys.sorted() == [1])
    #expect(second.texts.keys.sorted() == [2, 3])
  }

  @Test func aRoleOfUsersIsForTheSpellingThatItNames() throws {
    let role = Role("named", application: .users([ExactText(Self.one)]), read: .all)
    let root = Role(
      "root", application: .users(["root"]), read: .all, write: .all, insert: .all, delete: .all)
    let world = try world(
      Rights(.rules(ServerRules(classes: ["Task": ClassRules(roles: [root, role])]))))
    let maker = try world.device(9, user: "root", subscribing: ["TRUEPREDICATE"])
    try maker.make(1, team: 1, text: "x")
    try world.settle()
    let named = try world.device(1, user: Self.one, subscribing: ["TRUEPREDICATE"])
    let other = try world.device(2, user: Self.two, subscribing: ["TRUEPREDICATE"])
    #expect(named.texts.keys.sorted() == [1])
    #expect(other.texts.isEmpty)
  }

  @Test func aRefusalNamesMembersByTheirPlaceInTheOrderOfBytes() throws {
    let world = try world()
    let ann = world.device(1, user: "ann")
    try ann.connect()
    let members = [
      "text == '\(Self.one)' AND missing == 1", "text == '\(Self.two)' AND team == 1",
    ]
    let set = try ann.subscribe(members)
    try world.settle()
    guard case .refused(let refusal)? = ann.state.verdicts[set]?.first else {
      Issue.record("the set was accepted")
      return
    }
    let sorted = members.map { SetMember(className: "Task", query: $0) }.sorted()
    #expect(refusal.members.map { sorted[Int($0.index)].query.contains("missing") } == [true])
    #expect(refusal.members.map(\.index) == [1])
  }
}
