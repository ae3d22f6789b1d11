import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// Attempts of a device to exceed its user's rights.
@Suite(.computing) struct AttackTests {
  private let all = ["TRUEPREDICATE"]

  private func refused(_ verdict: Verdict?, _ reason: Refusal.Reason) -> Bool {
    guard case .refused(let refusal)? = verdict else { return false }
    return refusal.reason == reason
  }

  /// Root may do everything; others read and write the tasks of team 1, but for what `properties`
  /// says.
  private func world(
    _ properties: PropertyRights = .all, adjust: (inout SyncServer.Options) -> Void = { _ in }
  ) throws -> ServerWorld {
    let database = try Database.inMemory(options: .recording)
    try database.write { try $0.addClasses(ServerWorld.schema) }
    let own = Role.Permission.matching(
      try RuleCondition(
        "team == 1", on: "Task", in: try database.snapshot().schema, userClass: nil))
    let root = Role(
      "admin", application: .users(["root"]), read: .all, write: .all, insert: .all, delete: .all)
    let member = Role(
      "member", read: own, write: own, insert: own, delete: own, properties: properties)
    let rules = ServerRules(classes: ["Task": ClassRules(roles: [root, member])])
    return try ServerWorld(
      store: AtollStore(database), rights: Rights(.rules(rules)), adjust: adjust)
  }

  private func root(_ world: ServerWorld) throws -> Device {
    try world.device(1, user: "root", subscribing: all)
  }

  // MARK: What may be asked

  @Test(arguments: [
    "text == 'x'", "team == 1 OR text BEGINSWITH 'a'", "text TEXT 'x'", "text.@count > 0",
    "TRUEPREDICATE SORT(text ASC)", "TRUEPREDICATE DISTINCT(text)", "text == next.text",
    "next.text == 'x'", "SUBQUERY(tags, $x, $x == text).@count > 0", "text LIKE '*a*'",
    "ANY text == 'x'", "NOT text == 'x'", "TRUEPREDICATE SORT(team ASC, text ASC) LIMIT(1)",
  ])
  func aPropertyThatMayNotBeReadIsAskedForInNoWay(query: String) throws {
    let world = try world(PropertyRights(named: ["text": .none]))
    let ann = world.device(2, user: "ann")
    try ann.connect()
    let set = try ann.subscribe([query])
    try world.settle()
    #expect(refused(ann.state.verdicts[set]?.first, .invalidQuery))
  }

  @Test(arguments: ["text == $user.id", "text == $0", "$user.id == 'ann'", "text == $user.data.x"])
  func aSubscriptionNamesNoValueOfTheUser(query: String) throws {
    let world = try world()
    let ann = world.device(2, user: "ann")
    try ann.connect()
    let set = try ann.subscribe([query])
    try world.settle()
    #expect(refused(ann.state.verdicts[set]?.first, .invalidQuery))
  }

  @Test(arguments: ["admin", "users", "*", "root ", "ROOT", "role:admin", ""])
  func aUserWhoIsNamedLikeARoleHasNotGotIt(user: String) throws {
    let world = try world()
    let root = try root(world)
    try root.make(1, team: 2, text: "hidden")
    try world.settle()
    #expect(try world.device(2, user: user, subscribing: all).texts.isEmpty)
  }

  // MARK: What is told

  @Test func aChangeThatRevokesAccessTellsNoValues() throws {
    let world = try world()
    let root = try root(world)
    try root.make(1, team: 1, text: "open")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let count = ann.batches.count
    try root.push([root.set(1, text: "secret"), root.set(1, team: 2)])
    try world.settle()
    let told = ann.batches[count...].flatMap(\.objects)
    #expect(told == [ObjectChange(ann.task(1), .leave)])
  }

  /// The whole object that one of them gets is not the one that the other gets.
  @Test func usersWithOtherRightsHearOtherPartsOfOneChange() throws {
    let world = try world(PropertyRights(named: ["text": .none]))
    let root = try root(world)
    let other = try world.device(3, user: "root", subscribing: all)
    let ann = try world.device(2, user: "ann", subscribing: all)
    try root.make(1, team: 1, text: "secret")
    try world.settle()
    try root.push([root.set(1, text: "more"), root.edit(1, .set(property: "team", .int(1)))])
    try world.settle()
    #expect(other.texts == [1: "more"])
    #expect(ann.state.objects[ann.task(1)]?[.property("team")] == .value(.int(1)))
    #expect(ann.texts.isEmpty)
  }

  @Test func aKeyOfAHiddenObjectIsRefusedInTheWordsOfAnyOther() throws {
    let world = try world()
    let root = try root(world)
    try root.make(7, team: 2, text: "theirs")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let hidden = try ann.make(7, team: 1, text: "x")
    let edits = try [7, 9].map { key in
      try ann.push([ann.set(key, text: "x", of: .confirmed(Cursor(incarnation: 1, version: 1)))])
    }
    try world.settle()
    #expect(
      ann.state.verdicts[hidden]?.first
        == .refused(
          Refusal(
            .forbidden, text: "the role 'member' does not allow making objects in Task")))
    #expect(ann.state.verdicts[edits[0]] == ann.state.verdicts[edits[1]])
    // A link reveals nothing about its target either.
    let links = try [7, 9].map { key in
      try ann.push([
        ann.create(20 + key),
        ann.set(20 + key, team: 1, of: .pending(number: ann.state.nextNumber, index: 0)),
        ann.edit(
          20 + key, .set(property: "next", .link(ann.task(key))),
          of: .pending(number: ann.state.nextNumber, index: 0)),
      ])
    }
    try world.settle()
    for number in links {
      #expect(ann.state.verdicts[number]?.allSatisfy { !refused($0, .forbidden) } == true)
    }
    #expect(root.texts[7] == "theirs")
  }

  /// An answer that was given for one object is no key to another.
  @Test func aCreationOfAnotherObjectOpensNoHiddenOne() throws {
    let world = try world()
    let root = try root(world)
    try root.make(7, team: 2, text: "theirs")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    func edits(_ key: Int64, of generation: Generation) -> [AtollCapture.Operation] {
      [ann.set(key, text: "x", of: generation), ann.edit(key, .delete, of: generation)]
    }
    // 7 is hidden, and 9 was never there. Of the same transaction, also named by what is no
    // creation, and before it.
    let same = try ([7, 9] as [Int64]).map { key in
      let number = ann.state.nextNumber
      let made = Generation.pending(number: number, index: 2)
      return try ann.push(
        edits(key, of: made) + [ann.create(20 + key), ann.set(20 + key, team: 1, of: made)]
          + edits(key, of: made) + edits(key, of: .pending(number: number, index: 3)))
    }
    // Of an earlier one, whose answer is kept by then: an edit of its object waits for it.
    let first = ann.state.nextNumber
    try ann.make(30, team: 1)
    try ann.push([ann.set(30, text: "own", of: .pending(number: first, index: 0))])
    let later = try ([7, 9] as [Int64]).map { key in
      try ann.push(
        (0..<3).flatMap { edits(key, of: .pending(number: first, index: $0)) })
    }
    try world.settle()
    #expect(ann.texts[30] == "own")
    let hidden = Verdict.refused(Refusal(.outsideView))
    for number in same {
      let verdicts = try #require(ann.state.verdicts[number])
      #expect(Array(verdicts[..<2]) + verdicts[4...] == Array(repeating: hidden, count: 6))
    }
    for number in later {
      #expect(ann.state.verdicts[number] == Array(repeating: hidden, count: 6))
    }
    #expect(root.texts[7] == "theirs")
  }

  // MARK: What is written

  @Test(arguments: [
    ("team", Operation.Action.set(property: "team", .int(1))),
    ("text", .set(property: "text", .string("mine"))),
    (
      "tags",
      .insert(
        property: "tags", ElementID(client: 2, number: 9, index: 0),
        ListPosition.between(nil, nil, count: 1)[0], .string("mine"))
    ),
    ("tags", .removeElement(property: "tags", ElementID(client: 1, number: 1, index: 0))),
    ("next", .set(property: "next", .link(ObjectAddress(className: "Task", primaryKey: .int(1))))),
    ("_id", .set(property: "_id", .int(5))),
  ])
  func aPropertyThatMayNotBeWrittenIsWrittenInNoWay(
    property: String, action: Operation.Action
  ) throws {
    let world = try world(PropertyRights(named: [ExactText(property): .read]))
    let root = try root(world)
    try root.make(1, team: 1, text: "kept")
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let before = root.state.objects[root.task(1)]
    let edit = try ann.push([ann.edit(1, action)])
    // Also as a part of a new object, or of one that another user created.
    let made = try ann.push([
      ann.create(2), ann.edit(2, action, of: .pending(number: ann.state.nextNumber, index: 0)),
    ])
    let merged = try ann.push([
      ann.create(1), ann.edit(1, action, of: .pending(number: ann.state.nextNumber, index: 0)),
    ])
    try world.settle()
    for number in [edit, made, merged] {
      guard case .refused? = ann.state.verdicts[number]?.last else {
        Issue.record("\(number) was taken")
        continue
      }
    }
    #expect(root.state.objects[root.task(1)] == before)
  }

  // MARK: Who it is

  @Test func aSecondHelloEndsTheConnection() throws {
    let world = try world()
    let ann = try world.device(2, user: "ann", subscribing: all)
    try ann.say(
      .hello(
        Hello(
          client: 1, token: nil, proof: nil, cursor: nil, answered: 0, sets: nil, bootstrap: nil,
          isProgressive: false)))
    try world.settle()
    #expect(ann.errors.map(\.code) == [.unexpectedMessage])
    #expect(ann.connection == nil)
  }

  /// Ids are no secret: every element of a list contains that of its file.
  @Test func whoNamesTheFileOfAnotherUserEndsNothingOfTheirs() throws {
    let world = try world()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let thief = world.device(2, user: "mallory")
    try thief.connect()
    #expect(thief.errors.map(\.code) == [.otherUser])
    #expect(thief.errors.map(\.action) == [.stop])
    try ann.make(1, team: 1, text: "still here")
    try world.settle()
    #expect(ann.connection != nil && ann.errors.isEmpty)
    #expect(ann.texts == [1: "still here"])
  }

  @Test(arguments: [nil, 0, 1, .max] as [UInt64?])
  func aTokenThatIsGuessedGoesOnWithNothing(token: UInt64?) throws {
    let world = try world()
    let ann = try world.device(2, user: "ann", subscribing: all)
    ann.disconnect()
    let other = world.device(2, user: "ann")
    other.state = ann.state
    other.state.token = token
    try other.connect()
    #expect(other.errors.map(\.code) == [.copiedFile])
    #expect(other.connection == nil)
    try ann.connect()
    #expect(ann.connection != nil)
  }

  /// Under a name that was answered, an entry is not judged: another user's entry must not take the
  /// name first.
  @Test func anEntryIsNotNamedAsOneOfAnotherUsersFile() throws {
    let world = try world()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let mallory = try world.device(3, user: "mallory", subscribing: all)
    let next = EntryName(client: 2, number: ann.state.nextNumber)
    let digest = ann.state.nextNumber &* 7
    try mallory.push([], header: mallory.header(name: next, digest: digest))
    try world.settle()
    #expect(mallory.errors.map(\.code) == [.otherUser])
    #expect(mallory.connection == nil)
    let number = try ann.make(1, team: 1, text: "mine")
    try world.settle()
    #expect(ann.state.verdicts[number]?.count == 3)
    #expect(ann.texts == [1: "mine"])
  }

  // MARK: What is too much

  /// A name is sent once for all operations, and would be said of each that it is unknown.
  @Test(arguments: [63, 64])
  func aNameThatNoPropertyCanHaveIsNotRead(byteCount: Int) throws {
    let world = try world()
    let ann = try world.device(2, user: "ann", subscribing: all)
    let own = Generation.pending(number: ann.state.nextNumber, index: 0)
    let name = String(repeating: "p", count: byteCount)
    let number = try ann.push([
      ann.create(1), ann.edit(1, .set(property: name, .int(1)), of: own),
    ])
    try world.settle()
    if byteCount == 63 {
      #expect(refused(ann.state.verdicts[number]?.last, .unknownSchema))
      #expect(ann.errors.isEmpty)
    } else {
      #expect(ann.errors.map(\.code) == [.malformedMessage])
      #expect(ann.connection == nil)
    }
  }

  /// It would arrive again with every connection; so the device is told to stay away.
  @Test func aMessageBeyondTheLimitStopsItsDeviceAndNobodyElse() throws {
    let world = try world { $0.messageByteLimit = 300_000 }
    let root = try root(world)
    let ann = try world.device(2, user: "ann", subscribing: all)
    try ann.make(1, team: 1, text: String(repeating: "x", count: 600_000))
    try world.settle()
    #expect(ann.errors.map(\.code) == [.tooLarge])
    #expect(ann.errors.map(\.action) == [.stop])
    #expect(ann.connection == nil)
    try root.make(2, team: 1, text: "on")
    try world.settle()
    #expect(root.texts == [2: "on"])
  }
}
