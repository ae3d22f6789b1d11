import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// Values of users in rules: each view of a device has all of them in its text.
@Suite(.computing) struct LongRightsTests {
  private let members = SetMember(className: "Member", query: "TRUEPREDICATE")

  /// Users read tasks of their teams, which they choose themselves.
  private func world() throws -> ServerWorld {
    let database = try Database.inMemory(options: .recording)
    try database.write {
      try $0.addClasses(
        ServerWorld.schema + [
          ClassSchema(
            "Member",
            properties: [
              PropertySchema("_id", .string), PropertySchema("names", .string, collection: .list),
            ], primaryKey: "_id")
        ])
    }
    let own = try RuleCondition(
      "text IN $user.data.names", on: "Task", in: try database.snapshot().schema,
      userClass: "Member")
    let reader = Role("reader", read: .matching(own), write: .none, insert: .none, delete: .none)
    let everything = Role("all", read: .all, write: .all, insert: .all, delete: .all)
    let rules = ServerRules(
      classes: [
        "Task": ClassRules(roles: [reader]), "Member": ClassRules(roles: [everything]),
      ], userClass: "Member")
    return try ServerWorld(store: AtollStore(database), rights: Rights(.rules(rules)))
  }

  private func queries(_ count: Int) -> [String] { (0..<count).map { "team == \($0)" } }

  private func address(_ user: String) -> ObjectAddress {
    ObjectAddress(className: "Member", primaryKey: .string(user))
  }

  /// Makes the data of a user, or adds names of a thousand bytes to it.
  private func add(_ count: Int, from first: Int = 0, to user: String, by device: Device) throws {
    let address = address(user)
    let known = device.state.generations[address]
    let generation =
      known.map { Generation.confirmed($0) }
      ?? .pending(number: device.state.nextNumber, index: 0)
    let places = ListPosition.between(nil, nil, count: first + count)
    let inserted = (first..<first + count).map { index in
      Operation(
        object: address, generation: generation,
        action: .insert(
          property: "names", ElementID(client: 1, number: 90, index: UInt32(index)), places[index],
          .string("\(index) " + String(repeating: "x", count: 1_000))))
    }
    try device.push(
      (known == nil ? [Operation(object: address, generation: nil, action: .create)] : [])
        + inserted)
  }

  @Test func setsWhoseViewsWouldBeLongAreRefused() throws {
    let world = try world()
    let root = try world.device(1, user: "root", subscribing: [], and: [members])
    try add(10, to: "ann", by: root)
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: queries(150))
    #expect(ann.state.sets?.members.count == 150)
    // Each has ten thousand bytes.
    let set = try ann.subscribe(queries(250))
    try world.settle()
    guard case .refused(let refusal)? = ann.state.verdicts[set]?.first else {
      Issue.record("the set was accepted")
      return
    }
    #expect(refusal.reason == .tooLarge && refusal.text.contains("too long"))
    #expect(ann.connection != nil && ann.state.sets?.members.count == 150)
  }

  /// What the device has stays there.
  @Test func aDeviceWhoseViewsBecomeLongIsTurnedAway() throws {
    let world = try world()
    let root = try world.device(1, user: "root", subscribing: [], and: [members])
    try add(1, to: "ann", by: root)
    try world.settle()
    let ann = try world.device(2, user: "ann", subscribing: queries(500) + ["text LIKE '*'"])
    try root.push([])
    try world.settle()
    let before = ann.state.objects
    try add(9, from: 1, to: "ann", by: root)
    try world.settle()
    #expect(ann.connection == nil)
    #expect(ann.errors.map(\.code) == [.overLimit, .overLimit])
    #expect(ann.errors.last?.retryAfterMilliseconds == 60_000)
    // Nor does it get on by connecting again.
    try ann.connect()
    #expect(ann.connection == nil && ann.state.objects == before)
    let generation = Generation.confirmed(try #require(root.state.generations[address("ann")]))
    try root.push(
      (1..<10).map { index in
        Operation(
          object: address("ann"), generation: generation,
          action: .removeElement(
            property: "names", ElementID(client: 1, number: 90, index: UInt32(index))))
      })
    try world.settle()
    try ann.connect()
    #expect(ann.connection != nil && ann.state.sets?.members.count == 501)
  }

  /// One text is bounded, too: it is bound for each change.
  @Test func oneRightThatIsLongTurnsItsUserAway() throws {
    let world = try world()
    let root = try world.device(1, user: "root", subscribing: [], and: [members])
    try add(70, to: "ann", by: root)
    try world.settle()
    let ann = world.device(2, user: "ann")
    try ann.connect()
    #expect(ann.connection == nil && ann.errors.first?.text.contains("too long") == true)
    // Others go on.
    let bob = try world.device(3, user: "bob", subscribing: queries(1))
    #expect(bob.connection != nil)
  }
}
