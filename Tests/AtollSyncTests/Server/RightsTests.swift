import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// The access rights under rules.
@Suite(.computing) struct RightsTests {
  private let all = ["TRUEPREDICATE"]

  /// Tasks, and members who are the users' data.
  private static let classes =
    ServerWorld.schema + [
      ClassSchema(
        "Member",
        properties: [
          PropertySchema("_id", .string), PropertySchema("isAdmin", .bool),
          PropertySchema("team", .int, isOptional: true),
          PropertySchema("teams", .int, collection: .list),
        ], primaryKey: "_id")
    ]

  private func refused(_ verdict: Verdict?, _ reason: Refusal.Reason) -> Bool {
    guard case .refused(let refusal)? = verdict else { return false }
    return refusal.reason == reason
  }

  private func isApplied(_ verdict: Verdict?) -> Bool {
    if case .applied? = verdict { true } else { false }
  }

  private struct Setting {
    let store: AtollStore
    let schema: Schema

    init() throws {
      let database = try Database.inMemory(options: .recording)
      try database.write { try $0.addClasses(RightsTests.classes) }
      store = AtollStore(database)
      schema = try database.snapshot().schema
    }

    func condition(_ text: String, on className: String = "Task") throws(RuleProblem)
      -> RuleCondition
    {
      try RuleCondition(text, on: className, in: schema, userClass: "Member")
    }
  }

  /// Admins have all rights; members those of the role.
  private func world(
    queryable: Set<ExactText>? = nil, partition: String? = nil,
    adjust: (inout SyncServer.Options) -> Void = { _ in }, member: (Setting) throws -> Role
  ) throws -> ServerWorld {
    let setting = try Setting()
    let admin = Role(
      "admin", application: .when(try setting.condition("isAdmin == true", on: "Member")),
      read: .all, write: .all, insert: .all, delete: .all)
    let rules = ServerRules(
      classes: [
        "Task": ClassRules(roles: [admin, try member(setting)], queryable: queryable),
        "Member": ClassRules(roles: [admin]),
      ], userClass: "Member", partition: partition)
    // The first admin is made before there are rules that ask for one.
    let open = try ServerWorld(store: setting.store)
    let founder = open.device(900)
    try founder.connect()
    try founder.subscribe(all, and: [SetMember(className: "Member", query: "TRUEPREDICATE")])
    try founder.push(user("root", isAdmin: true, of: founder))
    try open.settle()
    return try ServerWorld(
      store: setting.store, rights: Rights(.rules(rules)), seed: 2, adjust: adjust)
  }

  private func user(
    _ id: String, isAdmin: Bool = false, team: Int64? = nil, of device: Device
  ) -> [AtollCapture.Operation] {
    let address = ObjectAddress(className: "Member", primaryKey: .string(id))
    let known = device.state.generations[address]
    let generation =
      known.map { Generation.confirmed($0) }
      ?? .pending(number: device.state.nextNumber, index: 0)
    let sets: [(String, RecordedValue)] = [
      ("isAdmin", .bool(isAdmin)), ("team", team.map { .int($0) } ?? .null),
    ]
    return (known == nil ? [Operation(object: address, generation: nil, action: .create)] : [])
      + sets.map {
        Operation(
          object: address, generation: generation, action: .set(property: $0.0, $0.1))
      }
  }

  private func admin(_ world: ServerWorld) throws -> Device {
    try world.device(
      1, user: "root", subscribing: all,
      and: [SetMember(className: "Member", query: "TRUEPREDICATE")])
  }

  private func ownTeam(_ setting: Setting) throws -> Role {
    let own = Role.Permission.matching(try setting.condition("team == $user.data.team"))
    return Role("member", read: own, write: own, insert: own, delete: own)
  }

  // MARK: Reading

  /// Promise: rights.filter.
  @Test func aFilterNarrowsEverySubscription() throws {
    let world = try world(member: ownTeam)
    let root = try admin(world)
    try root.push(user("ann", team: 1, of: root))
    try root.make(1, team: 1, text: "ours")
    try root.make(2, team: 2, text: "theirs")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    #expect(ann.texts == [1: "ours"])
    try root.make(3, team: 1, text: "new")
    try root.make(4, team: 2, text: "hidden")
    try root.push([root.set(1, team: 2)])
    try world.settle()
    #expect(ann.texts == [3: "new"])
    // And when it was away.
    ann.disconnect()
    try root.push([root.set(4, team: 1), root.set(3, team: 2)])
    try world.settle()
    try ann.connect()
    #expect(ann.texts == [4: "hidden"])
  }

  @Test func aUserWithoutRoleSeesAndMakesNothing() throws {
    let world = try world(member: ownTeam)
    let root = try admin(world)
    try root.make(1, team: 1)
    // Two readers of a class with no role, and of a role whose filter lacks the user's team.
    let stranger = try world.device(
      3, user: "stranger", subscribing: all,
      and: [SetMember(className: "Member", query: "TRUEPREDICATE")])
    #expect(stranger.state.objects.isEmpty)
    #expect(stranger.errors.isEmpty)
    let number = try stranger.make(5, team: 1)
    let member = try stranger.push(user("stranger", isAdmin: true, of: stranger))
    try world.settle()
    #expect(stranger.state.verdicts[number]?.contains(where: isApplied) == false)
    #expect(stranger.state.verdicts[member]?.allSatisfy { refused($0, .forbidden) } == true)
    #expect(root.texts.keys.sorted() == [1])
  }

  /// Null is no team: otherwise all users would own the objects without a team.
  @Test func aValueThatTheUserLacksOpensNothing() throws {
    let world = try world { setting in
      Role("member", read: .matching(try setting.condition("NOT team == $user.data.team")))
    }
    let root = try admin(world)
    try root.make(1, team: 1)
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    #expect(ann.texts.isEmpty)
  }

  /// Promise: rights.properties.
  @Test func aPropertyThatMayNotBeReadIsNeverSent() throws {
    let world = try world { _ in
      Role(
        "member", read: .all, write: .all, insert: .all,
        properties: PropertyRights(named: ["text": .none, "team": .write], others: .read))
    }
    let root = try admin(world)
    try root.make(1, team: 1, text: "secret")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    try root.push([root.set(1, text: "more"), root.set(1, team: 2)])
    try world.settle()
    ann.disconnect()
    try root.push([root.set(1, text: "most"), root.set(1, team: 3)])
    try world.settle()
    try ann.connect()
    let task = ann.task(1)
    #expect(ann.state.objects[task]?[.property("team")] == .value(.int(3)))
    let sent = ann.batches.flatMap(\.objects).flatMap { object -> [UnitChange] in
      switch object.change {
      case .full(_, let units), .update(let units): units
      case .leave: []
      }
    }
    #expect(!sent.isEmpty)
    #expect(sent.allSatisfy { $0.path.property != "text" })
    // Nor is its name, nor what a class has that links lead to and that may not be read.
    let told = ann.batches.flatMap(\.classes).flatMap { told in
      told.properties.map { "\(told.name).\($0.name)" }
    }
    #expect(told.contains("Task.team") && !told.contains("Task.text"))
    // Users without the right to read it can neither write nor query it.
    let number = try ann.push([ann.set(1, text: "mine"), ann.set(1, team: 4)])
    try world.settle()
    #expect(refused(ann.state.verdicts[number]?[0], .forbidden))
    #expect(isApplied(ann.state.verdicts[number]?[1]))
    let set = try ann.subscribe(["text BEGINSWITH 'm'"])
    try world.settle()
    #expect(refused(ann.state.verdicts[set]?.first, .invalidQuery))
    #expect(root.texts == [1: "most"])
  }

  // MARK: Writing

  /// Promise: rights.write.
  @Test func anObjectMustBeAllowedBeforeAndAfter() throws {
    let world = try world { setting in
      Role(
        "member", read: .all, write: .matching(try setting.condition("team == $user.data.team")),
        insert: .matching(try setting.condition("text != ''")),
        delete: .matching(try setting.condition("text BEGINSWITH 'old'")))
    }
    let root = try admin(world)
    try root.push(user("ann", team: 1, of: root))
    try root.make(1, team: 1, text: "a")
    try root.make(2, team: 2, text: "old b")
    try root.make(3, team: 1, text: "old c")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)

    let before = try ann.push([ann.set(2, text: "x")])
    let after = try ann.push([ann.set(1, text: "y"), ann.set(1, team: 2)])
    let fine = try ann.push([ann.set(1, text: "z")])
    let noText = try ann.make(10, team: 1)
    let wrongTeam = try ann.make(11, team: 2, text: "t")
    let good = try ann.make(12, team: 1, text: "t")
    let taken = try ann.make(2, team: 1, text: "t")
    let young = try ann.push([ann.edit(1, .delete)])
    let foreign = try ann.push([ann.edit(2, .delete)])
    let old = try ann.push([ann.edit(3, .delete)])
    try world.settle()

    for number in [before, after, noText, wrongTeam, taken, young, foreign] {
      #expect(
        ann.state.verdicts[number]?.allSatisfy { refused($0, .forbidden) } == true, "\(number)")
    }
    for number in [fine, good, old] {
      #expect(ann.state.verdicts[number]?.allSatisfy(isApplied) == true, "\(number)")
    }
    #expect(root.texts == [1: "z", 2: "old b", 12: "t"])
    let fresh = try world.device(4, user: "ann", subscribing: all)
    #expect(fresh.texts == root.texts)
    #expect(fresh.state.objects == root.state.objects.filter { $0.key.className == "Task" })
    guard case .refused(let refusal)? = ann.state.verdicts[before]?.first else { return }
    #expect(refusal.text == "the role 'member' does not allow changing this object in Task")
    guard case .refused(let refusal)? = ann.state.verdicts[after]?.first else { return }
    #expect(
      refusal.text == "the role 'member' does not allow the new state of this object in Task")
  }

  /// Otherwise a key that is guessed would take an object from its owner.
  @Test func makingAnObjectDoesNotTakeOneThatMayNotBeWritten() throws {
    let world = try world(member: ownTeam)
    let root = try admin(world)
    try root.push(user("ann", team: 1, of: root))
    try root.make(7, team: 2, text: "theirs")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let number = try ann.make(7, team: 1, text: "mine")
    try world.settle()
    #expect(ann.state.verdicts[number]?.contains(where: isApplied) == false)
    #expect(root.texts == [7: "theirs"])
    #expect(ann.texts.isEmpty)
  }

  // MARK: Changes of rights

  /// Promise: rights.change.
  @Test func aRoleThatChangesReachesAConnectedDevice() throws {
    let world = try world(member: ownTeam)
    let root = try admin(world)
    try root.push(user("ann", team: 1, of: root))
    try root.make(1, team: 1, text: "one")
    try root.make(2, team: 2, text: "two")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    #expect(ann.texts == [1: "one"])
    try root.push(user("ann", team: 2, of: root))
    try world.settle()
    #expect(ann.texts == [2: "two"])
    let edit = try ann.push([ann.set(2, text: "edited")])
    try world.settle()
    #expect(isApplied(ann.state.verdicts[edit]?.first))
    try root.push(user("ann", isAdmin: true, of: root))
    try world.settle()
    #expect(ann.texts == [1: "one", 2: "edited"])
    try root.push(user("ann", of: root))
    try world.settle()
    #expect(ann.texts.isEmpty)
    #expect(ann.errors.isEmpty)
  }

  /// Promise: rights.change, rights.pendingEdits.
  @Test func aRoleThatChangedReachesADeviceThatWasAway() throws {
    let world = try world(member: ownTeam)
    let root = try admin(world)
    try root.push(user("ann", team: 1, of: root))
    try root.make(1, team: 1, text: "one")
    try root.make(2, team: 2, text: "two")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    ann.disconnect()
    try root.push(user("ann", team: 2, of: root))
    try world.settle()
    let late = try ann.push([ann.set(1, text: "late")])
    try world.restart()
    try ann.connect()
    try world.settle()
    #expect(refused(ann.state.verdicts[late]?.first, .forbidden))
    #expect(ann.texts == [2: "two"])
  }

  /// Promise: rights.rules.
  @Test func otherRulesReachDevicesThatAreConnectedAndThoseThatAreAway() throws {
    let world = try world(member: ownTeam)
    let root = try admin(world)
    try root.push(user("ann", team: 1, of: root))
    try root.make(1, team: 1, text: "one")
    try root.make(2, team: 2, text: "two")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let away = try world.device(3, user: "ann", subscribing: all)
    away.disconnect()
    #expect(ann.texts == [1: "one"])
    func rules(_ role: Role) -> Rights {
      Rights(.rules(ServerRules(classes: ["Task": ClassRules(roles: [role])], userClass: "Member")))
    }
    world.server.setRights(rules(Role("reader", read: .all)))
    try world.settle()
    #expect(ann.texts == [1: "one", 2: "two"])
    let edit = try ann.push([ann.set(2, text: "edited")])
    try world.settle()
    #expect(refused(ann.state.verdicts[edit]?.first, .forbidden))
    try away.connect()
    #expect(away.texts == [1: "one", 2: "two"])
    world.server.setRights(rules(Role("nobody", read: .none)))
    try world.settle()
    #expect(ann.texts.isEmpty && away.texts.isEmpty)
    #expect(ann.errors.isEmpty && away.errors.isEmpty)
  }

  /// Objects after the position of the interruption would not leave, and new ones there would not
  /// arrive.
  ///
  /// Promise: rights.change.
  @Test func aCatchUpThatBrokeOffGoesOnOnlyUnderTheSameRights() throws {
    let world = try world(adjust: { $0.batchByteCount = 1_000 }, member: ownTeam)
    let root = try admin(world)
    try root.push(user("ann", team: 0, of: root))
    for key in 1...200 as ClosedRange<Int64> {
      try root.make(key, team: key % 2, text: "t\(key)")
    }
    try world.settle()
    let ann = world.device(2, user: "ann")
    try ann.connect()
    try ann.subscribe(all)
    ann.stopsAfter = 2
    try world.settle()
    #expect(ann.connection == nil && ann.state.bootstrap != nil)
    try root.push(user("ann", team: 1, of: root))
    try world.settle()
    ann.stopsAfter = nil
    try ann.connect()
    try world.settle()
    #expect(ann.texts.keys.sorted() == stride(from: 1, to: 200, by: 2).map { $0 })
    #expect(ann.welcome?.isFromStart == false)
  }

  /// A device names its set again when it connects; what was refused of it may be allowed by then.
  ///
  /// Promise: rights.change.
  @Test func aSubscriptionThatIsAllowedAgainBringsItsObjects() throws {
    let world = try world { _ in Role("member", read: .all) }
    let root = try admin(world)
    try root.make(1, team: 1, text: "secret")
    try root.make(2, team: 2, text: "other")
    try world.settle()
    let ann = try world.device(
      2, user: "ann", subscribing: ["team == 2", "text == 'secret'"])
    #expect(ann.texts == [1: "secret", 2: "other"])
    func rules(_ properties: PropertyRights) -> Rights {
      let role = Role("reader", read: .all, properties: properties)
      return Rights(
        .rules(ServerRules(classes: ["Task": ClassRules(roles: [role])], userClass: "Member")))
    }
    world.server.setRights(rules(PropertyRights(named: ["text": .none], others: .read)))
    try world.settle()
    #expect(ann.state.objects.count == 1)
    world.server.setRights(rules(.all))
    try world.settle()
    #expect(ann.texts == [2: "other"])
    ann.disconnect()
    try ann.connect()
    try world.settle()
    #expect(ann.texts == [1: "secret", 2: "other"])
  }

  @Test func aPropertyThatBecomesReadableComesAndLeavesAgain() throws {
    let world = try world { _ in
      Role("member", read: .all, properties: PropertyRights(named: ["text": .none], others: .read))
    }
    let root = try admin(world)
    try root.push(user("ann", of: root))
    try root.make(1, team: 1, text: "secret")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    #expect(ann.texts.isEmpty && ann.state.objects.count == 1)
    func told() -> [[String]] { ann.batches.flatMap(\.classes).map { $0.properties.map(\.name) } }
    #expect(told().allSatisfy { !$0.contains("text") })
    try root.push(user("ann", isAdmin: true, of: root))
    try world.settle()
    #expect(ann.texts == [1: "secret"])
    #expect(told().last?.contains("text") == true)
    ann.disconnect()
    try root.push(user("ann", of: root))
    try world.settle()
    try ann.connect()
    #expect(ann.texts.isEmpty && ann.state.objects.count == 1)
  }

  /// One subscription that is forbidden took the data of all others with it.
  ///
  /// Promise: rights.forbiddenSubscription.
  @Test func ofASetThatNewRightsForbidInPartTheRestStaysInForce() throws {
    let world = try world { _ in
      Role("member", read: .all, properties: PropertyRights(named: ["text": .none], others: .read))
    }
    let root = try admin(world)
    try root.push(user("ann", isAdmin: true, of: root))
    try root.make(1, team: 1, text: "secret")
    try root.make(2, team: 2, text: "other")
    try world.settle()
    // In ascending order the one with the text comes last.
    let set = ["team == 2", "text == 'secret'"]
    let live = try world.device(2, user: "ann", subscribing: set)
    let away = try world.device(3, user: "ann", subscribing: set)
    #expect(live.state.objects.count == 2)
    away.disconnect()
    try root.push(user("ann", of: root))
    try world.settle()
    try away.connect()
    try root.make(3, team: 2, text: "more")
    try world.settle()
    for device in [live, away] {
      #expect(device.errors.map(\.code) == [.setRefused])
      #expect(device.errors.first?.members.map(\.index) == [1])
      #expect(device.errors.first?.members.first?.text.contains("text") == true)
      #expect(device.state.objects.count == 2)
    }
  }

  @Test func aSetThatTheNewRightsForbidIsRefused() throws {
    let world = try world { _ in
      Role("member", read: .all, properties: PropertyRights(named: ["text": .none], others: .read))
    }
    let root = try admin(world)
    try root.push(user("ann", isAdmin: true, of: root))
    try root.make(1, team: 1, text: "secret")
    try world.settle()
    let live = try world.device(2, user: "ann", subscribing: ["text == 'secret'"])
    let away = try world.device(3, user: "ann", subscribing: ["text == 'secret'"])
    #expect(live.texts == [1: "secret"])
    away.disconnect()
    try root.push(user("ann", of: root))
    try world.settle()
    #expect(live.errors.map(\.code) == [.setRefused])
    #expect(live.state.objects.isEmpty)
    try away.connect()
    #expect(away.errors.map(\.code) == [.setRefused])
    #expect(away.state.objects.isEmpty)
  }

  // MARK: What subscriptions may ask

  /// Promise: rule.queryable.
  @Test func onlyQueryablePropertiesMayBeAskedFor() throws {
    let world = try world(queryable: ["team"]) { _ in Role("member", read: .all) }
    let ann = world.device(2, user: "ann")
    try ann.connect()
    let good = try ann.subscribe(["team == 1 AND _id > 5"])
    let bad = try ann.subscribe(["team == 1 OR text == 'x'"])
    try world.settle()
    #expect(isApplied(ann.state.verdicts[good]?.first))
    guard case .refused(let refusal)? = ann.state.verdicts[bad]?.first else {
      Issue.record("the set was accepted")
      return
    }
    #expect(refusal.text.contains("'Task.text' is not queryable"))
  }

  /// Promise: rule.indexedField.
  @Test(arguments: [
    ("team == 1", true), ("team IN {1, 2} AND text == 'x'", true),
    ("team == 1 AND (text == 'a' OR text == 'b')", true), ("1 == team", true),
    ("team == 1 OR text == 'x'", false), ("team > 1", false), ("text == 'x'", false),
    ("TRUEPREDICATE", false), ("NOT team == 1", false),
    ("team == 1 AND text == 'x' OR text == 'y'", false),
  ])
  func everySubscriptionFixesThePartition(query: String, isAllowed: Bool) throws {
    let world = try world(partition: "team") { _ in Role("member", read: .all) }
    let ann = world.device(2, user: "ann")
    try ann.connect()
    let set = try ann.subscribe([query])
    try world.settle()
    #expect(isApplied(ann.state.verdicts[set]?.first) == isAllowed)
  }

  // MARK: Conditions

  @Test(arguments: [
    "team == $user.data.team", "'$user.id' == text AND text == $user.id",
    "text == \"$0 \\\" $user\" OR text == $user.id", "team IN $user.data.teams",
  ])
  func conditionsAreRead(text: String) throws { _ = try Setting().condition(text) }

  @Test(arguments: [
    ("team == $0", "there are no other arguments"),
    ("team == $user.name", "a user has no 'name'"),
    ("team == $user.data.none", "class 'Member' has no property 'none'"),
    ("text == $user.data.team", "text"), ("nope == 1", "no property 'nope'"),
    ("next.team == 1", "own properties only"), ("team ==", "'team ==': unexpected end"),
  ])
  func conditionsThatCannotBeAreRefused(text: String, reason: String) throws {
    let setting = try Setting()
    let problem = #expect(throws: RuleProblem.self) { try setting.condition(text) }
    let words = problem?.text ?? ""
    #expect(words.contains(reason) || reason.isEmpty, "\(words)")
  }
}
